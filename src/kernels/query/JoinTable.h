// SPDX-License-Identifier: Apache-2.0
/// Rows of one side of a join, found by a 64-bit key of the other side.
///
/// Keys from a narrow range index an array; others are hashed (open addressing,
/// at most half full, divided into parts that workers fill independently). Rows
/// with equal keys are chained in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/Buffer.h"
#include "data/Dictionary.h"
#include "kernels/RunContext.h"

namespace daphne::query {

class JoinTable {
  public:
    static constexpr uint32_t kNone = ~uint32_t(0);

    /// Rows with skip[row] != 0 are left out (null: none). About so many keys will be looked up.
    JoinTable(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip, size_t numLookups = 0);

    /// first[i] is the first row with keys[i], or kNone.
    void find(const int64_t *keys, size_t n, uint32_t *first) const;
    /// The row after this one with the same key, or kNone.
    uint32_t next(uint32_t row) const { return nextRow.empty() ? kNone : nextRow[row]; }
    /// No key is there twice.
    bool isUnique() const { return nextRow.empty(); }

  private:
    struct Entry {
        int64_t key;
        uint32_t row;
    };
    void makeArray(size_t n);
    void index(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip);
    void hash(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip);

    int64_t min = 0;
    BufferRef memory;             ///< of rowOfKey: recycled, as it may be large
    std::span<uint32_t> rowOfKey; ///< by key - min; empty if hashed
    std::vector<Entry> entries;   ///< 2^partBits parts of 2^slotBits slots
    int partBits = 0, slotBits = 0;
    std::vector<uint32_t> nextRow;
};

} // namespace daphne::query
