// SPDX-License-Identifier: Apache-2.0
/// Distinct strings, numbered from 0 in the order in which they were first seen.
/// Their bytes lie one after another in large blocks. Shared by all columns made
/// from one another, and immutable once shared.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace daphne {

class Dictionary {
  public:
    static constexpr uint32_t kNone = ~uint32_t(0);

    /// The number of a string, a new one if it has none yet. Throws Error (status 3) beyond 2^32 - 2 strings.
    uint32_t insert(std::string_view text);
    /// kNone if it has no number.
    uint32_t find(std::string_view text) const;
    size_t size() const { return texts.size(); }
    std::string_view operator[](uint32_t code) const { return texts[code]; }

    /// Position of every entry among all entries in bytewise order.
    std::vector<uint32_t> ranks() const;

  private:
    struct Entry {
        uint32_t hash = 0;
        uint32_t code = kNone;
    };
    size_t slotOf(uint64_t hash, std::string_view text) const;
    std::string_view keep(std::string_view text);
    void grow();

    std::vector<Entry> entries;
    std::vector<std::string_view> texts;
    std::vector<std::unique_ptr<char[]>> blocks;
    size_t blockSize = 0, used = 0; ///< of the last block
};

/// All bits of the argument spread over all bits of the result (the finaliser of MurmurHash3).
inline uint64_t mixBits(uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

uint64_t hashOfText(std::string_view text);

} // namespace daphne
