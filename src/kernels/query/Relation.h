// SPDX-License-Identifier: Apache-2.0
/// What a pipeline of a query block reads: columns of equal length, a source
/// itself or what an earlier pipeline left of it. Columns are found by the number
/// of their node in the block; the positions of the rows of source s have the
/// number nodes.size() + s.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "kernels/RunContext.h"
#include "ops/QueryBlock.h"

namespace daphne::query {

/// Positions of rows have 32 bits.
constexpr uint64_t kMaxRows = ~uint32_t(0) - 1;

/// How cells are held while a block runs: int64_t for truth values, integers and sizes, double, codes of strings.
enum class CellClass : uint8_t { Integer, Real, Text };

inline CellClass classOf(ValueType type) {
    return type == ValueType::Str ? CellClass::Text : isFloat(type) ? CellClass::Real : CellClass::Integer;
}

struct InputColumn {
    Ref<Dense> cells;                                       ///< n x 1
    const void *data = nullptr;                             ///< one after another; codes of strings
    std::shared_ptr<const Dictionary> dictionary = nullptr; ///< of strings
    ValueType type() const { return cells->type(); }
};

/// Reads the column where it is if its cells lie one after another.
InputColumn inputColumn(const Ref<Dense> &column);

struct Relation {
    static constexpr size_t kNoSource = ~size_t(0);
    size_t rows = 0;
    size_t source = kNoSource;             ///< whose rows these are, one by one
    std::map<size_t, InputColumn> columns; ///< by node
};

/// Smallest and largest cell of a column of class Integer.
struct IntegerRange {
    int64_t min = 0, max = -1;
    /// Number of integers in it, 0 if it does not fit.
    uint64_t size() const {
        uint64_t n = static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1;
        return max < min ? 0 : n;
    }
};
IntegerRange rangeOf(RunContext &context, const InputColumn &column, size_t rows);

} // namespace daphne::query
