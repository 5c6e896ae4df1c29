// SPDX-License-Identifier: Apache-2.0
/// The bounds rule of indexing (language 7.1), shared by inference and kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace daphne::ops {

/// Half-open range of positions.
struct Range {
    int64_t lo = 0, hi = 0;
    int64_t size() const { return hi - lo; }
    bool operator==(const Range &) const = default;
};

/// The positions meant by lo:hi in a dimension of n entries; nothing if out of bounds. Negative bounds count from the
/// end; an upper bound of 0 after a negative lower one is the end, so that position p is always p : p + 1.
inline std::optional<Range> normalise(int64_t lo, int64_t hi, int64_t n) {
    if (lo < 0) {
        lo += n;
        if (hi <= 0)
            hi += n;
    } else if (hi < 0) {
        hi += n;
    }
    if (lo < 0 || lo >= n || hi < 0 || hi > n || lo > hi)
        return std::nullopt;
    return Range{lo, hi};
}

/// As normalise; the empty range of an empty dimension is fine too (left indexing with nothing to insert).
inline std::optional<Range> normaliseForInsert(int64_t lo, int64_t hi, int64_t n) {
    return n == 0 && lo == 0 && hi == 0 ? std::optional(Range{}) : normalise(lo, hi, n);
}

/// The position meant by p, nothing if out of bounds.
inline std::optional<int64_t> normalisePosition(int64_t p, int64_t n) {
    if (p < 0)
        p += n;
    return p >= 0 && p < n ? std::optional(p) : std::nullopt;
}

/// The size of lo:hi as far as it follows without knowing the dimension; -1 if it does not.
inline int64_t sizeWithoutDimension(int64_t lo, int64_t hi) {
    bool sameSide = (lo >= 0 && hi >= 0) || (lo < 0 && hi <= 0);
    return sameSide && lo <= hi ? hi - lo : -1;
}

/// "rows 3:7 are out of range: there are 5 rows"; `dimension` is "row" or "column".
inline std::string outOfRangeText(int64_t lo, int64_t hi, int64_t n, const std::string &dimension) {
    bool single = static_cast<uint64_t>(hi) == static_cast<uint64_t>(lo) + 1;
    std::string which = single ? dimension + " " + std::to_string(lo) + " is"
                               : dimension + "s " + std::to_string(lo) + ":" + std::to_string(hi) + " are";
    return which + " out of range: there are " + std::to_string(n) + " " + dimension + "s";
}

/// The same for a single position.
inline std::string outOfRangeText(int64_t p, int64_t n, const std::string &dimension) {
    return dimension + " " + std::to_string(p) + " is out of range: there are " + std::to_string(n) + " " + dimension +
           "s";
}

} // namespace daphne::ops
