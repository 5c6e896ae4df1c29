// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/Wire.h"

#include <array>

namespace daphne::dist {

namespace {

constexpr std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; ++bit)
            x = x & 1 ? x >> 1 ^ 0x82f63b78 : x >> 1;
        table[i] = x;
    }
    return table;
}();

uint32_t bytewise(uint32_t crc, std::span<const std::byte> bytes) {
    for (std::byte b : bytes)
        crc = kTable[(crc ^ static_cast<uint32_t>(b)) & 0xff] ^ crc >> 8;
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t byInstruction(uint32_t crc, std::span<const std::byte> bytes) {
    uint64_t wide = crc;
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
        uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    return bytewise(static_cast<uint32_t>(wide), bytes);
}
#endif

} // namespace

uint32_t crc32c(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
    static const bool hasInstruction = __builtin_cpu_supports("sse4.2");
    if (hasInstruction)
        return ~byInstruction(~0u, bytes);
#endif
    return ~bytewise(~0u, bytes);
}

} // namespace daphne::dist
