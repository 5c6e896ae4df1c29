// SPDX-License-Identifier: Apache-2.0
/// colSelect*: positions of the rows of a column whose cells compare with a
/// scalar, or with the cells of another column, as wanted; ascending.
///
/// Cells are compared as by the elementwise comparisons, 1 024 at a time, and
/// positions are written at once: no column of truth values is made. Rows are
/// cut into pieces of fixed size whose positions are put together in order.
#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/columnar/PositionPieces.h"
#include "kernels/elementwise/ElementwiseBinary.h"

namespace daphne {

namespace {

using namespace columnar;

/// The rows of a selection. Throws unless rhs is a scalar or a column of as many rows as lhs.
size_t numRowsOf(const KernelCall &call, const Dense &lhs, const Value &rhs) {
    if (lhs.cols() != 1)
        throw executionError("a filter must have one column, got " + lhs.shapeText());
    if (rhs.isScalar())
        return lhs.rows();
    if (!rhs.isMatrix())
        wrongArgument(call, 1, "a scalar or a column");
    if (rhs.dense().cols() != 1 || rhs.dense().rows() != lhs.rows())
        throw executionError("a selection needs columns of equal length, got " + lhs.shapeText() + " and " +
                             rhs.dense().shapeText());
    return lhs.rows();
}

Ref<Dense> selectNumbers(KernelCall &call, const CellFunction &f, size_t numRows) {
    const Value &lhs = call.args[0], &rhs = call.args[1];
    BinaryLoops loops = f.binary(mostGeneral(lhs.valueType(), rhs.valueType()));
    constexpr double kNsPerRow = 1.5;
    PositionPieces pieces(numRows);
    forRowBlocks(call.context, "colSelect", numRows, kPieceRows, kNsPerRow * static_cast<double>(numRows),
                 [&](uint64_t begin, uint64_t end) {
                     Operand a(lhs, loops.compute, {numRows, 1}), b(rhs, loops.compute, {numRows, 1});
                     alignas(8) std::byte truth[kChunkCells * 8];
                     auto &found = pieces.at(begin);
                     for (size_t r = begin; r < end; r += kChunkCells) {
                         size_t n = std::min(kChunkCells, end - r);
                         Chunk chunk{r, n, 0, n};
                         Operand::Cells left = a.at(chunk), right = b.at(chunk);
                         auto loop = left.single == right.single ? loops.cells
                                     : left.single               ? loops.leftSingle
                                                                 : loops.rightSingle;
                         loop(left.data, right.data, truth, n);
                         withNumericType(loops.result, [&]<class T>(TypeTag<T>) {
                             const T *cells = reinterpret_cast<const T *>(truth);
                             found.addWhere(r, n, [&](size_t i) { return cells[i] != T(0); });
                         });
                     }
                 });
    return pieces.list(call.context);
}

/// With a scalar: every different string is compared once.
Ref<Dense> selectCodes(KernelCall &call, const TextFunction &f, const Dense &column, const std::string &text) {
    auto codes = column.codes();
    std::vector<uint8_t> fits(codes.dictionary->size());
    std::string entry;
    for (uint32_t code = 0; code < fits.size(); ++code) {
        entry = (*codes.dictionary)[code];
        fits[code] = f.compare(entry, text);
    }
    PositionPieces pieces(column.rows());
    forRowBlocks(call.context, "colSelect", column.rows(), kPieceRows, 1.0 * static_cast<double>(column.rows()),
                 [&](uint64_t begin, uint64_t end) {
                     pieces.at(begin).addWhere(begin, end - begin,
                                               [&](size_t i) { return fits[codes.view(begin + i, 0)] != 0; });
                 });
    return pieces.list(call.context);
}

Ref<Dense> selectStrings(KernelCall &call, const TextFunction &f, const Dense &lhs, const Value &rhs) {
    if (rhs.isScalar())
        return selectCodes(call, f, lhs, rhs.text());
    auto a = lhs.view<std::string>(), b = rhs.dense().view<std::string>();
    PositionPieces pieces(lhs.rows());
    CancelCountdown look;
    for (size_t begin = 0; begin < lhs.rows(); begin += kPieceRows, look.after(kPieceRows))
        pieces.at(begin).addWhere(begin, std::min(kPieceRows, lhs.rows() - begin),
                                  [&](size_t i) { return f.compare(a(begin + i, 0), b(begin + i, 0)); });
    return pieces.list(call.context);
}

Value select(KernelCall &call, const Dense &lhs, const Value &rhs) {
    const CellFunction &f = *call.kernel.cells;
    size_t numRows = numRowsOf(call, lhs, rhs);
    if (worksOnStrings(call, f, lhs.type(), rhs.valueType()))
        return selectStrings(call, f.text, lhs, rhs);
    return selectNumbers(call, f, numRows);
}

} // namespace

void addColumnSelections(KernelTable &t) {
    t.add<&select>("colSelectEq", cellFunction("ewEq"));
    t.add<&select>("colSelectNeq", cellFunction("ewNeq"));
    t.add<&select>("colSelectLt", cellFunction("ewLt"));
    t.add<&select>("colSelectLe", cellFunction("ewLe"));
    t.add<&select>("colSelectGt", cellFunction("ewGt"));
    t.add<&select>("colSelectGe", cellFunction("ewGe"));
}

} // namespace daphne
