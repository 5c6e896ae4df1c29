// SPDX-License-Identifier: Apache-2.0
/// Left indexing: x with a part replaced by y. In place if nobody else sees x,
/// so that updating a matrix row by row in a loop does not copy it each time.
#include "kernels/reorganise/Insertion.h"

#include <algorithm>

#include "base/Cancellable.h"
#include "base/Widening.h"
#include "data/CopyCells.h"

namespace daphne {

ops::Range insertRangeIn(int64_t lo, int64_t hi, size_t n, const char *dimension) {
    auto range = ops::normaliseForInsert(lo, hi, static_cast<int64_t>(n));
    if (!range)
        throw executionError(ops::outOfRangeText(lo, hi, static_cast<int64_t>(n), dimension));
    return *range;
}

void needPartShape(const Part &part, const Value &y) {
    if (y.isScalar())
        return;
    size_t rows = y.isMatrix() ? y.matrix().rows() : y.frame().rows();
    size_t cols = y.isMatrix() ? y.matrix().cols() : y.frame().cols();
    if (static_cast<size_t>(part.rows.size()) != rows || static_cast<size_t>(part.cols.size()) != cols)
        throw executionError("left indexing selects " + part.shapeText() + " cells, but the right-hand side is " +
                             std::to_string(rows) + "x" + std::to_string(cols));
}

void needWidening(ValueType x, ValueType y) {
    if (widens(y, x))
        return;
    Error error = executionError("values of type " + std::string(dslName(y)) + " do not fit into cells of type " +
                                 std::string(dslName(x)) + ", which keep their type");
    if (isNumeric(x) && isNumeric(y))
        error.withHint("convert them with as." + std::string(dslName(x)) + "(...), or the matrix first");
    throw error;
}

void needInsertable(const KernelCall &call) {
    const Value &x = call.args[0], &y = call.args[1];
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    bool fits = y.isScalar() || y.isMatrix() || (x.isFrame() && y.isFrame());
    if (!fits)
        wrongArgument(call, 1, x.isMatrix() ? "a scalar or a matrix" : "a scalar, a matrix or a frame");
    if (x.isMatrix())
        needWidening(x.valueType(), y.valueType());
}

Ref<Dense> ownMatrix(KernelCall &call) {
    return call.canTake(0) ? call.args[0].denseRef() : call.args[0].dense().copy();
}

Ref<Frame> ownFrame(KernelCall &call) {
    Value &given = call.args[0];
    if ((call.consumable & 1) && given.frame().unique()) {
        auto *frame = &given.frame();
        given.detach();
        return Ref<Frame>::adopt(frame);
    }
    auto copy = Ref<Frame>::make(given.frame().rows());
    copy->columns = given.frame().columns;
    copy->labels = given.frame().labels;
    return copy;
}

void overwrite(Dense &x, const Part &part, const Value &y) {
    auto row = static_cast<size_t>(part.rows.lo), col = static_cast<size_t>(part.cols.lo);
    if (!y.isScalar())
        return copyInto(x, y.dense(), row, col);
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto out = x.mutableView<T>();
        T cell = cellOf<T>(y);
        for (size_t r : cancellable(static_cast<size_t>(part.rows.size()), static_cast<size_t>(part.cols.size())))
            std::fill_n(out.row(row + r) + col, part.cols.size(), cell);
    });
}

Dense &ownColumn(Frame &frame, size_t column) {
    Ref<Dense> &cells = frame.columns[column];
    if (!cells->isExclusive())
        cells = cells->copy();
    return *cells;
}

Value columnToInsert(const Value &y, size_t k) {
    if (y.isScalar())
        return y;
    return y.isFrame() ? y.frame().columns[k] : Dense::window(y.dense(), 0, y.dense().rows(), k, k + 1);
}

void needEqualColumnTypes(const Frame &x, size_t to, const Frame &y, size_t from) {
    ValueType wanted = x.columns[to]->type(), found = y.columns[from]->type();
    if (wanted != found)
        throw executionError("the column \"" + x.labels[to] + "\" of " + std::string(dslName(wanted)) +
                             " needs values of its type, got " + std::string(dslName(found)))
            .withHint("convert the right-hand side first");
}

namespace {

Value insertIntoMatrix(KernelCall &call, const Part &part) {
    Value y = call.args[1];
    Ref<Dense> result = ownMatrix(call);
    overwrite(*result, part, y);
    return result;
}

Value insertIntoFrame(KernelCall &call, const Part &part) {
    Value y = call.args[1];
    auto first = static_cast<size_t>(part.cols.lo), n = static_cast<size_t>(part.cols.size());
    for (size_t k = 0; k < n; ++k)
        if (y.isFrame())
            needEqualColumnTypes(call.args[0].frame(), first + k, y.frame(), k);
        else
            needWidening(call.args[0].frame().columns[first + k]->type(), y.valueType());
    Ref<Frame> result = ownFrame(call);
    for (size_t k = 0; k < n; ++k)
        overwrite(ownColumn(*result, first + k), {part.rows, wholeRange(1)}, columnToInsert(y, k));
    return result;
}

Value insertPart(KernelCall &call, const Part &part) {
    needPartShape(part, call.args[1]);
    return call.args[0].isFrame() ? insertIntoFrame(call, part) : insertIntoMatrix(call, part);
}

size_t numRows(const Value &x) { return x.isFrame() ? x.frame().rows() : x.dense().rows(); }
size_t numCols(const Value &x) { return x.isFrame() ? x.frame().cols() : x.dense().cols(); }

Value insertRow(KernelCall &call, const Value &x, const Value &, int64_t lo, int64_t hi) {
    needInsertable(call);
    return insertPart(call, {insertRangeIn(lo, hi, numRows(x), "row"), wholeRange(numCols(x))});
}

Value insertCol(KernelCall &call, const Value &x, const Value &, int64_t lo, int64_t hi) {
    needInsertable(call);
    return insertPart(call, {wholeRange(numRows(x)), insertRangeIn(lo, hi, numCols(x), "column")});
}

Value insert(KernelCall &call, const Value &x, const Value &, int64_t rowLo, int64_t rowHi, int64_t colLo,
             int64_t colHi) {
    needInsertable(call);
    return insertPart(
        call, {insertRangeIn(rowLo, rowHi, numRows(x), "row"), insertRangeIn(colLo, colHi, numCols(x), "column")});
}

} // namespace

void addInsertion(KernelTable &t) {
    t.add<&insertRow>("insertRow");
    t.add<&insertCol>("insertCol");
    t.add<&insert>("insert");
}

} // namespace daphne
