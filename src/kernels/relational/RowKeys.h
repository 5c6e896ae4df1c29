// SPDX-License-Identifier: Apache-2.0
/// Equality of rows by some columns, for grouping, joins and set operations.
///
/// Every cell has a 64-bit code that is equal for equal cells: the number's bits
/// (0 and -0 are one number, all NaNs are one; nat is to times what NaN is to numbers) or the number of a string among
/// the strings seen. Rows of several columns are numbered column by column: the
/// number of the part of the row so far and the code of the next cell give the
/// number of the longer part. One table, open addressing, 16 bytes per entry, no
/// allocation per row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/Value.h"

namespace daphne::relational {

constexpr uint32_t kNone = ~uint32_t(0);

using Columns = std::vector<Ref<Dense>>; ///< n x 1 each, equal numbers of rows

/// Numbers pairs (prefix, code) in the order in which they are first seen.
class PairTable {
  public:
    explicit PairTable(size_t expected = 0);
    /// The number of a pair, a new one if it has none yet. Throws Error (status 3) beyond 2^32 - 2 pairs.
    uint32_t insert(uint32_t prefix, uint64_t code);
    /// kNone if the pair was never inserted.
    uint32_t find(uint32_t prefix, uint64_t code) const;
    size_t size() const { return count; }

  private:
    struct Entry {
        uint64_t code;
        uint32_t prefix, id; ///< id kNone: free
    };
    size_t slotOf(uint32_t prefix, uint64_t code) const;
    void grow(size_t numSlots);
    std::vector<Entry> entries;
    size_t mask = 0, count = 0;
};

/// Numbers strings in the order in which they are first seen. The strings must outlive it.
class StringTable {
  public:
    uint32_t insert(std::string_view text);
    uint32_t find(std::string_view text) const;

  private:
    struct Entry {
        uint64_t hash = 0;
        uint32_t id = kNone;
    };
    size_t slotOf(uint64_t hash, std::string_view text) const;
    void grow();
    std::vector<Entry> entries;
    std::vector<std::string_view> texts;
};

/// Numbers of rows, equal for equal rows, in order of first appearance.
struct RowGroups {
    std::vector<uint32_t> idOfRow;
    std::vector<size_t> firstRow; ///< of every number
    size_t size() const { return firstRow.size(); }
};
/// NaN equals NaN. Without columns all rows are equal.
RowGroups groupRows(size_t numRows, const Columns &keys);

/// How NaNs compare: in joins never equal, in sets and groups one value.
enum class NanRule { Differs, Equal };

/// The rows of one side of a join, found by the key of a row of the other side.
class RowIndex {
  public:
    /// Keeps the columns. Types of corresponding columns on both sides must be equal: see alignKeys.
    RowIndex(size_t numRows, Columns keys, NanRule nans);
    /// For every row of the other side the number of its key here, kNone if there is no such row.
    std::vector<uint32_t> find(size_t numRows, const Columns &keys) const;
    /// Rows with the key of that number, ascending.
    std::span<const size_t> rows(uint32_t id) const {
        return {rowsByKey.data() + begins[id], begins[id + 1] - begins[id]};
    }
    size_t numKeys() const { return begins.size() - 1; }

  private:
    Columns keys;
    NanRule nans;
    std::vector<PairTable> pairs;     ///< one per column
    std::vector<StringTable> strings; ///< one per column, empty for numbers
    std::vector<size_t> begins, rowsByKey;
};

/// Makes corresponding columns of both sides equal in type: numbers are promoted to the more general type, dates beside
/// timestamps are their midnights. Throws Error (status 3) for types that are not alike.
void alignKeys(Columns &lhs, Columns &rhs);

} // namespace daphne::relational
