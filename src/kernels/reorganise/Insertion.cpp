// SPDX-License-Identifier: Apache-2.0
/// Left indexing: x with a part replaced by y. In place if nobody else sees x,
/// so that updating a matrix row by row in a loop does not copy it each time.
#include "kernels/reorganise/Insertion.h"
#include "data/CopyCells.h"

namespace daphne {

ops::Range insertRangeIn(int64_t lo, int64_t hi, size_t n, const char *dimension) {
    auto range = ops::normaliseForInsert(lo, hi, static_cast<int64_t>(n));
    if (!range)
        throw executionError(ops::outOfRangeText(lo, hi, static_cast<int64_t>(n), dimension));
    return *range;
}

void needPartShape(const Part &part, size_t rows, size_t cols) {
    if (static_cast<size_t>(part.rows.size()) != rows || static_cast<size_t>(part.cols.size()) != cols)
        throw executionError("left indexing selects " + part.shapeText() + " cells, but the right-hand side is " +
                             std::to_string(rows) + "x" + std::to_string(cols));
}

void needEqualTypes(ValueType x, ValueType y) {
    if (x != y)
        throw executionError("left indexing needs equal value types, got " + std::string(dslName(x)) + " and " +
                             std::string(dslName(y)))
            .withHint("convert the right-hand side with as." + std::string(dslName(x)) + "(...)");
}

void needInsertable(const KernelCall &call) {
    const Value &x = call.args[0], &y = call.args[1];
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    if (y.isScalar())
        throw executionError("left indexing needs a matrix on the right, got " + describe(y))
            .withHint("write [value] for a 1x1 matrix");
    if (x.kind() != y.kind())
        wrongArgument(call, 1, x.isMatrix() ? "a matrix" : "a frame");
}

namespace {

Value insertIntoMatrix(KernelCall &call, const Part &part) {
    const Dense &y = call.args[1].dense();
    needEqualTypes(call.args[0].dense().type(), y.type());
    needPartShape(part, y.rows(), y.cols());
    Value result = call.canTake(0) ? std::move(call.args[0]) : Value(call.args[0].dense().copy());
    copyInto(result.dense(), y, static_cast<size_t>(part.rows.lo), static_cast<size_t>(part.cols.lo));
    return result;
}

Value insertIntoFrame(KernelCall &call, const Part &part) {
    const Frame &x = call.args[0].frame(), &y = call.args[1].frame();
    needPartShape(part, y.rows(), y.cols());
    auto result = Ref<Frame>::make(x.rows());
    for (size_t c = 0; c < x.cols(); ++c) {
        auto position = static_cast<int64_t>(c);
        if (position < part.cols.lo || position >= part.cols.hi) {
            result->addColumn(x.labels[c], x.columns[c]);
            continue;
        }
        const Dense &from = *y.columns[c - static_cast<size_t>(part.cols.lo)];
        needEqualTypes(x.columns[c]->type(), from.type());
        auto column = x.columns[c]->copy();
        copyInto(*column, from, static_cast<size_t>(part.rows.lo), 0);
        result->addColumn(x.labels[c], column);
    }
    return result;
}

Value insertPart(KernelCall &call, const Part &part) {
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
