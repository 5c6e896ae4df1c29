// SPDX-License-Identifier: Apache-2.0
/// colJoin and colSemiJoin: rows of two columns with equal cells, as position
/// lists. Rows come in the order of the left column, matches of one row in the
/// order of the right one.
#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/columnar/PositionPieces.h"
#include "kernels/relational/FrameColumns.h"

namespace daphne {

namespace {

using namespace relational;

/// The right rows by key, and the key of every left row.
struct Matches {
    Columns lhs, rhs;
    RowIndex index;
    std::vector<uint32_t> keyOfRow;

    Matches(const Dense &l, const Dense &r)
        : lhs{Ref<Dense>::share(&const_cast<Dense &>(l))}, rhs(aligned(r)), index(r.rows(), rhs, NanRule::Differs),
          keyOfRow(index.find(l.rows(), lhs)) {}
    size_t count(size_t row) const { return keyOfRow[row] == kNone ? 0 : index.rows(keyOfRow[row]).size(); }

  private:
    Columns aligned(const Dense &r) {
        for (const Dense *column : {static_cast<const Dense *>(lhs[0].get()), &r})
            if (column->cols() != 1)
                throw executionError("a key must have one column, got " + column->shapeText());
        Columns columns{Ref<Dense>::share(&const_cast<Dense &>(r))};
        alignKeys(lhs, columns);
        return columns;
    }
};

std::array<Value, 2> colJoin(KernelCall &call, const Dense &l, const Dense &r) {
    Matches matches(l, r);
    // Where the pairs of every left row begin is known before they are written.
    std::vector<size_t> begins(l.rows() + 1, 0);
    for (size_t row : cancellableRows(l))
        begins[row + 1] = begins[row] + matches.count(row);
    auto left = Dense::create(ValueType::Size, begins.back(), 1);
    auto right = Dense::create(ValueType::Size, begins.back(), 1);
    uint64_t *leftOut = left->mutableView<uint64_t>().data, *rightOut = right->mutableView<uint64_t>().data;
    double serialNs = 4.0 * static_cast<double>(l.rows() + begins.back());
    forRowBlocks(call.context, "colJoin", l.rows(), columnar::kPieceRows, serialNs, [&](uint64_t begin, uint64_t end) {
        for (size_t row = begin; row < end; ++row) {
            if (begins[row] == begins[row + 1])
                continue;
            auto rows = matches.index.rows(matches.keyOfRow[row]);
            std::fill_n(leftOut + begins[row], rows.size(), row);
            std::copy(rows.begin(), rows.end(), rightOut + begins[row]);
        }
    });
    return {left, right};
}

Value colSemiJoin(KernelCall &call, const Dense &l, const Dense &r) {
    Matches matches(l, r);
    columnar::PositionPieces pieces(l.rows());
    CancelCountdown look;
    for (size_t begin = 0; begin < l.rows(); begin += columnar::kPieceRows, look.after(columnar::kPieceRows))
        pieces.at(begin).addWhere(begin, std::min(columnar::kPieceRows, l.rows() - begin),
                                  [&](size_t i) { return matches.keyOfRow[begin + i] != kNone; });
    return pieces.list(call.context);
}

} // namespace

void addColumnJoins(KernelTable &t) {
    t.add<&colJoin>("colJoin");
    t.add<&colSemiJoin>("colSemiJoin");
}

} // namespace daphne
