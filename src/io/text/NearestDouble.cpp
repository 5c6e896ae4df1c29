// SPDX-License-Identifier: Apache-2.0
#include "io/text/NearestDouble.h"

namespace daphne::io::detail {

namespace {

/// An integer of 960 bits: 5^342 has 795, and so 2^959 / 5^342 has more than 128.
struct Large {
    static constexpr size_t kWords = 15;
    uint64_t words[kWords]{}; ///< the lowest first

    constexpr void timesFive() {
        uint64_t carry = 0;
        for (uint64_t &word : words) {
            auto product = static_cast<unsigned __int128>(word) * 5 + carry;
            word = static_cast<uint64_t>(product);
            carry = static_cast<uint64_t>(product >> 64);
        }
    }
    /// Rounds down; doing so n times is dividing by 5^n and rounding down.
    constexpr void dividedByFive() {
        uint64_t rest = 0;
        for (size_t i = kWords; i-- > 0;) {
            auto part = static_cast<unsigned __int128>(rest) << 64 | words[i];
            words[i] = static_cast<uint64_t>(part / 5);
            rest = static_cast<uint64_t>(part % 5);
        }
    }
    /// The upper 128 bits, beginning with the first that is set.
    constexpr Power top() const {
        size_t i = kWords - 1;
        while (words[i] == 0)
            --i;
        auto word = [&](size_t below) { return i >= below ? words[i - below] : 0; };
        int shift = std::countl_zero(words[i]);
        if (shift == 0)
            return {word(0), word(1)};
        return {word(0) << shift | word(1) >> (64 - shift), word(1) << shift | word(2) >> (64 - shift)};
    }
};

consteval std::array<Power, kGreatestPower - kLeastPower + 1> powersOfFive() {
    std::array<Power, kGreatestPower - kLeastPower + 1> table{};
    Large power, reciprocal;
    power.words[0] = 1;
    reciprocal.words[Large::kWords - 1] = uint64_t(1) << 63;
    for (int q = 0; q <= kGreatestPower; ++q, power.timesFive())
        table[static_cast<size_t>(q - kLeastPower)] = power.top();
    for (int q = -1; q >= kLeastPower; --q) {
        reciprocal.dividedByFive();
        Power p = reciprocal.top();
        p.low += q >= kLeastSafePower ? 1 : 0; // never all ones before
        table[static_cast<size_t>(q - kLeastPower)] = p;
    }
    return table;
}

} // namespace

constinit const std::array<Power, kGreatestPower - kLeastPower + 1> kPowersOfFive = powersOfFive();

} // namespace daphne::io::detail
