// SPDX-License-Identifier: Apache-2.0
/// Little-endian numbers and texts in message bodies. Reading checks every
/// length before it takes or allocates anything; what is wrong is a WireError.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace daphne::dist {

static_assert(std::endian::native == std::endian::little);

/// Room that is about to be filled is not filled with zeros before.
template <class T> struct UnfilledAllocator : std::allocator<T> {
    template <class U> struct rebind {
        using other = UnfilledAllocator<U>;
    };
    template <class U> void construct(U *place) noexcept { ::new (static_cast<void *>(place)) U; }
    template <class U, class... Args> void construct(U *place, Args &&...args) {
        ::new (static_cast<void *>(place)) U(std::forward<Args>(args)...);
    }
};
using Bytes = std::vector<std::byte, UnfilledAllocator<std::byte>>;

/// Bytes from elsewhere that are no message of the protocol.
class WireError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class ByteWriter {
  public:
    template <class T> ByteWriter &number(T x) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        return raw(std::as_bytes(std::span(&x, 1)));
    }
    ByteWriter &text(std::string_view s) {
        number(static_cast<uint32_t>(s.size()));
        return raw(std::as_bytes(std::span(s)));
    }
    ByteWriter &raw(std::span<const std::byte> bytes) {
        out.insert(out.end(), bytes.begin(), bytes.end());
        return *this;
    }
    Bytes out;
};

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes(bytes) {}

    template <class T> T number() {
        T x;
        std::memcpy(&x, raw(sizeof x).data(), sizeof x);
        return x;
    }
    bool flag() {
        auto x = number<uint8_t>();
        if (x > 1)
            throw WireError("a flag is " + std::to_string(x));
        return x != 0;
    }
    /// A number that is at most `last`.
    template <class E> E enumerator(E last) {
        auto x = number<std::underlying_type_t<E>>();
        if (x > static_cast<std::underlying_type_t<E>>(last))
            throw WireError("unknown code " + std::to_string(+x));
        return static_cast<E>(x);
    }
    std::string text(size_t most = 1 << 20) {
        auto size = number<uint32_t>();
        if (size > most)
            throw WireError("a text of " + std::to_string(size) + " bytes, at most " + std::to_string(most));
        auto part = raw(size);
        return {reinterpret_cast<const char *>(part.data()), part.size()};
    }
    /// How many entries follow, each of at least so many bytes.
    size_t count(size_t leastBytes) {
        auto n = number<uint32_t>();
        if (n > bytes.size() / leastBytes)
            throw WireError(std::to_string(n) + " entries in " + std::to_string(bytes.size()) + " bytes");
        return n;
    }
    std::span<const std::byte> raw(size_t size) {
        if (size > bytes.size())
            throw WireError(std::to_string(size) + " bytes expected, " + std::to_string(bytes.size()) + " left");
        auto part = bytes.first(size);
        bytes = bytes.subspan(size);
        return part;
    }
    std::span<const std::byte> rest() { return raw(bytes.size()); }
    void end() const {
        if (!bytes.empty())
            throw WireError(std::to_string(bytes.size()) + " bytes too many");
    }

  private:
    std::span<const std::byte> bytes;
};

/// CRC-32C (Castagnoli).
uint32_t crc32c(std::span<const std::byte> bytes);

} // namespace daphne::dist
