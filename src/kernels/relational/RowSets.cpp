// SPDX-License-Identifier: Apache-2.0
/// Set operations on the rows of frames, and membership of cells in a column.
/// Results hold every row once, in the order of first appearance.
#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/relational/FrameColumns.h"

namespace daphne {

namespace {

using namespace relational;

void needEqualColumns(const Frame &lhs, const Frame &rhs) {
    if (lhs.cols() != rhs.cols())
        throw executionError("needs frames with equal numbers of columns, got " + lhs.shapeText() + " and " +
                             rhs.shapeText());
    for (size_t c = 0; c < lhs.cols(); ++c)
        if (lhs.columns[c]->type() != rhs.columns[c]->type())
            throw executionError("needs columns of equal types, got " + std::string(dslName(lhs.columns[c]->type())) +
                                 " and " + std::string(dslName(rhs.columns[c]->type())) + " as column " +
                                 std::to_string(c));
}

Ref<Frame> rowsOf(const Frame &frame, std::span<const size_t> rows) {
    auto result = Ref<Frame>::make(rows.size());
    for (size_t c = 0; c < frame.cols(); ++c)
        result->addColumn(frame.labels[c], pickOrDefault(*frame.columns[c], rows));
    return result;
}

/// Different rows of lhs that are, or are not, in rhs.
Value rowsOfBoth(const Frame &lhs, const Frame &rhs, bool inRhs) {
    needEqualColumns(lhs, rhs);
    RowGroups groups = groupRows(lhs.rows(), lhs.columns);
    Columns firsts;
    for (const auto &column : lhs.columns)
        firsts.push_back(pickOrDefault(*column, groups.firstRow));
    auto found = RowIndex(rhs.rows(), rhs.columns, NanRule::Equal).find(groups.size(), firsts);
    std::vector<size_t> rows;
    for (size_t k : cancellable(groups.size()))
        if ((found[k] != kNone) == inRhs)
            rows.push_back(groups.firstRow[k]);
    return rowsOf(lhs, rows);
}

Value intersect(KernelCall &, const Frame &lhs, const Frame &rhs) { return rowsOfBoth(lhs, rhs, true); }
Value except(KernelCall &, const Frame &lhs, const Frame &rhs) { return rowsOfBoth(lhs, rhs, false); }

Value merge(KernelCall &, const Frame &lhs, const Frame &rhs) {
    needEqualColumns(lhs, rhs);
    auto both = Ref<Frame>::make(lhs.rows() + rhs.rows());
    for (size_t c = 0; c < lhs.cols(); ++c) {
        auto column = Dense::create(lhs.columns[c]->type(), both->rows(), 1);
        copyInto(*column, *lhs.columns[c], 0, 0);
        copyInto(*column, *rhs.columns[c], lhs.rows(), 0);
        both->addColumn(lhs.labels[c], column);
    }
    return rowsOf(*both, groupRows(both->rows(), both->columns).firstRow);
}

/// At most `limit` rows after the first `offset`; shares the columns.
Value limitRows(KernelCall &, const Frame &frame, size_t offset, size_t limit) {
    size_t first = std::min(offset, frame.rows()), last = first + std::min(limit, frame.rows() - first);
    auto result = Ref<Frame>::make(last - first);
    for (size_t c = 0; c < frame.cols(); ++c)
        result->addColumn(frame.labels[c], Dense::window(*frame.columns[c], first, last, 0, 1));
    return result;
}

/// 1 where the cell of a column is in the other column; NaN is in none.
Value isMember(KernelCall &call, const Dense &cells, const Dense &set) {
    if (cells.cols() != 1)
        wrongArgument(call, 0, "a matrix with one column");
    if (set.cols() != 1)
        wrongArgument(call, 1, "a matrix with one column");
    Columns lhs{call.args[0].denseRef()}, rhs{call.args[1].denseRef()};
    alignKeys(lhs, rhs);
    auto found = RowIndex(set.rows(), rhs, NanRule::Differs).find(cells.rows(), lhs);
    auto result = Dense::create(ValueType::SI64, cells.rows(), 1);
    int64_t *out = result->mutableView<int64_t>().data;
    for (size_t r : cancellable(found.size()))
        out[r] = found[r] != kNone;
    return result;
}

} // namespace

void addRowSets(KernelTable &t) {
    t.add<&intersect>("intersect");
    t.add<&merge>("merge");
    t.add<&except>("except");
    t.add<&limitRows>("limitRows");
    t.add<&isMember>("isMember");
}

} // namespace daphne
