// SPDX-License-Identifier: Apache-2.0
/// Random operands for the operators on columns and position lists. Tests only.
#pragma once

#include "kernels/RandomMatrices.h"

namespace daphne::test::make {

/// Some of so many rows, in ascending order.
inline Value positions(RandomMatrices &r, size_t rows) {
    std::vector<uint64_t> chosen;
    for (size_t row = 0; row < rows; ++row)
        if (r.oneIn(2))
            chosen.push_back(row);
    auto m = Dense::create(ValueType::Size, chosen.size(), 1);
    std::copy(chosen.begin(), chosen.end(), m->mutableView<uint64_t>().data);
    return m;
}

inline Value keys(RandomMatrices &r, size_t rows) { return r.integers(r.numericType(), rows, 1, 0, 3); }

/// A column and a column of the same rows, or a number.
inline Operands columnAndOther(RandomMatrices &r) {
    size_t rows = r.size();
    ValueType type = r.numericType();
    Value x = r.matrix(type, rows, 1);
    if (r.oneIn(3))
        return {{x, r.scalar(type)}};
    return {{x, r.matrix(r.oneIn(3) ? r.numericType() : type, r.oneIn(10) ? r.size() : rows, 1)}};
}
inline Operands twoPositionLists(RandomMatrices &r) {
    size_t rows = r.size();
    return {{positions(r, rows), positions(r, rows)}};
}
inline Operands columnAndPositions(RandomMatrices &r) {
    size_t rows = r.size();
    return {{r.matrix(rows, 1), positions(r, rows)}};
}
inline Operands twoKeyColumns(RandomMatrices &r) { return {{keys(r, r.size()), keys(r, r.size())}}; }
inline Operands oneKeyColumn(RandomMatrices &r) { return {{keys(r, r.size())}}; }
inline Operands oneColumn(RandomMatrices &r) { return {{r.matrix(r.size(), 1)}}; }

constexpr int64_t kColumnGroups = 3;
/// Numbers of groups, a row of every group, and keys.
inline Operands groupsAndKeys(RandomMatrices &r) {
    size_t rows = r.size();
    Value firstRows = r.integers(ValueType::UI64, kColumnGroups, 1, 0, 0);
    firstRows.dense().retag(ValueType::Size);
    return {{r.integers(ValueType::UI32, rows, 1, 0, kColumnGroups - 1), firstRows, keys(r, rows)}};
}
inline Operands cellsOfGroups(RandomMatrices &r) {
    Operands o = groupsAndKeys(r);
    Value cells = r.matrix(o.args[0].dense().rows(), 1);
    return {{cells, o.args[0], o.args[1], Value::scalar(r.oneIn(2))}};
}

} // namespace daphne::test::make
