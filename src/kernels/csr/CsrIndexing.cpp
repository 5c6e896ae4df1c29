// SPDX-License-Identifier: Apache-2.0
/// Indexing into compressed sparse rows. Rows next to each other are windows on
/// the argument. Left indexing writes into the argument if nobody else sees it
/// and the part fits; otherwise the new matrix gets room to spare, so that
/// filling a matrix row by row copies it seldom.
#include <algorithm>
#include <cstring>

#include "data/CopyCells.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/reorganise/Insertion.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

constexpr size_t kSpareCells = 64; ///< at least so much room is left after an insertion that had to copy

Value sliceRow(KernelCall &, const Csr &x, int64_t lo, int64_t hi) {
    ops::Range range = rangeIn(lo, hi, x.rows(), "row");
    return Csr::rowWindow(x, static_cast<size_t>(range.lo), static_cast<size_t>(range.hi));
}

Value sliceCol(KernelCall &call, const Csr &x, int64_t lo, int64_t hi) {
    ops::Range range = rangeIn(lo, hi, x.cols(), "column");
    return settled(call, columnWindow(x, static_cast<size_t>(range.lo), static_cast<size_t>(range.hi)));
}

Value extractRow(KernelCall &call, const Csr &x, const Value &) {
    return pickRows(x, positionsIn(call, x.rows(), "row"));
}

Value extractCol(KernelCall &call, const Csr &x, const Value &p) {
    if (p.isString())
        throw executionError("a label selects columns of a frame, not of a matrix");
    return settled(call, pickCols(call.context, x, positionsIn(call, x.cols(), "column")));
}

Value filterRow(KernelCall &call, const Csr &x, const Value &) { return pickRows(x, keptIn(call, 1, x.rows(), "row")); }

Value filterCol(KernelCall &call, const Csr &x, const Value &) {
    return settled(call, pickCols(call.context, x, keptIn(call, 1, x.cols(), "column")));
}

/// Overwrites rows [first, first + block.rows()) of x, which nobody else sees and which has room.
template <class I> void spliceInPlace(Csr &x, size_t first, const Csr &block) {
    uint64_t *o = x.mutableOffsets();
    size_t behind = first + block.rows(), cell = x.isPattern() ? 0 : cellSize(x.type());
    uint64_t begin = o[first], oldEnd = o[behind], newEnd = begin + block.nonZeros(), end = o[x.rows()];
    uint64_t from = block.offsets()[0];
    I *columns = x.mutableColumns<I>();
    std::memmove(columns + newEnd, columns + oldEnd, (end - oldEnd) * sizeof(I));
    std::memcpy(columns + begin, block.columns<I>() + from, block.nonZeros() * sizeof(I));
    if (cell > 0) {
        std::byte *values = x.mutableValues<std::byte>();
        std::memmove(values + newEnd * cell, values + oldEnd * cell, (end - oldEnd) * cell);
        std::memcpy(values + begin * cell, block.values<std::byte>() + from * cell, block.nonZeros() * cell);
    }
    for (size_t r = 0; r < block.rows(); ++r)
        o[first + r + 1] = begin + (block.offsets()[r + 1] - from);
    for (size_t r = behind + 1; r <= x.rows(); ++r)
        o[r] += newEnd - oldEnd; // modulo 2^64
}

/// x with rows [first, first + block.rows()) replaced.
Value withRows(KernelCall &call, const Csr &x, size_t first, const Csr &block) {
    size_t behind = first + block.rows();
    size_t nonZeros = x.nonZeros() - (x.offsets()[behind] - x.offsets()[first]) + block.nonZeros();
    bool fits = x.offsets()[0] + nonZeros <= x.capacity() && (x.isPattern() ? block.isPattern() : !block.isPattern());
    if ((call.consumable & 1) && x.isExclusive() && fits) {
        withIndexType(x.hasWideIndex(),
                      [&]<class I>(TypeTag<I>) { spliceInPlace<I>(call.args[0].csr(), first, block); });
        return std::move(call.args[0]);
    }
    auto top = Csr::rowWindow(x, 0, first), bottom = Csr::rowWindow(x, behind, x.rows());
    const Csr *parts[] = {top.get(), &block, bottom.get()};
    return joinRows(call.context, parts, nonZeros + nonZeros / 2 + kSpareCells);
}

/// Whether so many cells of x are not zero after inserting y that the dense form is the better one.
bool becomesDense(const KernelCall &call, const Csr &x, size_t inserted) {
    double cells = static_cast<double>(x.cells());
    double share = call.context.representation.threshold;
    return !(call.wantsCsr & 1) && static_cast<double>(x.nonZeros() + inserted) >= share * cells;
}

/// What is put into a part of x, as Csr of its type.
Ref<Csr> partAsCsr(const Csr &x, const Value &y, const Part &part) {
    auto rows = static_cast<size_t>(part.rows.size()), cols = static_cast<size_t>(part.cols.size());
    if (y.isCsr())
        return converted(y.csr(), x.type());
    if (!y.isScalar())
        return toCsr(*converted(y.dense(), x.type()));
    if (y.as<double>() == 0)
        return Csr::create(x.type(), rows, cols, 0);
    auto filled = Dense::create(x.type(), rows, cols);
    overwrite(*filled, {wholeRange(rows), wholeRange(cols)}, y);
    return toCsr(*filled);
}

Value insertPart(KernelCall &call, const Csr &x, const Value &y, const Part &part) {
    needPartShape(part, y);
    auto rowLo = static_cast<size_t>(part.rows.lo), rowHi = static_cast<size_t>(part.rows.hi);
    auto colLo = static_cast<size_t>(part.cols.lo), colHi = static_cast<size_t>(part.cols.hi);
    Ref<Csr> middle = partAsCsr(x, y, part);
    if (becomesDense(call, x, middle->nonZeros()))
        return runDense(call);
    Ref<Csr> block = middle;
    if (middle->cols() < x.cols()) {
        // The windows must be gone before x is looked at: they share its buffers.
        auto rows = Csr::rowWindow(x, rowLo, rowHi);
        auto left = columnWindow(*rows, 0, colLo), right = columnWindow(*rows, colHi, x.cols());
        block = joinCols({left.get(), middle.get(), right.get()});
    }
    if (!x.isPattern())
        block = withValues(*block);
    return withRows(call, x, rowLo, *block);
}

/// The right-hand side may be of any kind: what it must be is checked here.
Value insertRow(KernelCall &call, const Csr &x, AnyValue y, int64_t lo, int64_t hi) {
    needInsertable(call);
    Part part = {insertRangeIn(lo, hi, x.rows(), "row"), wholeRange(x.cols())};
    return insertPart(call, x, y.value, part);
}

Value insertCol(KernelCall &call, const Csr &x, AnyValue y, int64_t lo, int64_t hi) {
    needInsertable(call);
    Part part = {wholeRange(x.rows()), insertRangeIn(lo, hi, x.cols(), "column")};
    return insertPart(call, x, y.value, part);
}

Value insert(KernelCall &call, const Csr &x, AnyValue y, int64_t rowLo, int64_t rowHi, int64_t colLo, int64_t colHi) {
    needInsertable(call);
    Part part = {insertRangeIn(rowLo, rowHi, x.rows(), "row"), insertRangeIn(colLo, colHi, x.cols(), "column")};
    return insertPart(call, x, y.value, part);
}

} // namespace

void addCsrIndexing(KernelTable &t) {
    t.addSparse<&sliceRow>("sliceRow");
    t.addSparse<&sliceCol>("sliceCol");
    t.addSparse<&extractRow>("extractRow");
    t.addSparse<&extractCol>("extractCol");
    t.addSparse<&filterRow>("filterRow");
    t.addSparse<&filterCol>("filterCol");
    t.addSparse<&insertRow>("insertRow");
    t.addSparse<&insertCol>("insertCol");
    t.addSparse<&insert>("insert");
}

} // namespace daphne
