// SPDX-License-Identifier: Apache-2.0
/// Replacing columns of frames, and parts of them, by label.
#include "base/NoColumn.h"
#include "data/CopyCells.h"
#include "kernels/KernelTable.h"
#include "kernels/reorganise/Insertion.h"

namespace daphne {

namespace {

size_t positionOf(const Frame &frame, const std::string &label) {
    size_t c = frame.find(label);
    if (c == Frame::npos)
        throw noColumn(Stage::Execute, label, frame.labels);
    return c;
}

Ref<Dense> wholeColumn(const KernelCall &call, size_t rows, const Value &y) {
    if (y.isScalar()) {
        auto column = Dense::create(y.scalarType(), rows, 1);
        overwrite(*column, {wholeRange(rows), wholeRange(1)}, y);
        return column;
    }
    if (!y.isMatrix() && !y.isFrame())
        wrongArgument(call, 1, "a scalar, or a matrix or frame with one column,");
    size_t cols = y.isMatrix() ? y.dense().cols() : y.frame().cols();
    if (cols != 1)
        throw executionError("a column needs a matrix or frame with one column, got " + describe(y));
    Ref<Dense> column = y.isMatrix() ? y.denseRef() : y.frame().columns[0];
    if (column->rows() != rows)
        throw executionError("the frame has " + std::to_string(rows) + " rows, but the new column has " +
                             std::to_string(column->rows()));
    return column;
}

/// setColumn(frame, y, label)
Value setColumn(KernelCall &call, const Frame &frame, const Value &y, const std::string &label) {
    Ref<Dense> column = wholeColumn(call, frame.rows(), y);
    size_t c = frame.find(label);
    auto result = Ref<Frame>::make(frame.rows());
    result->columns = frame.columns;
    result->labels = frame.labels;
    if (c == Frame::npos)
        result->addColumn(label, column);
    else
        result->columns[c] = column;
    return result;
}

Value columnOf(KernelCall &, const Frame &frame, const std::string &label) {
    return frame.columns[positionOf(frame, label)];
}

/// insertInColumn(frame, y, label, lo, hi)
Value insertInColumn(KernelCall &call, const Frame &frame, const Value &given, const std::string &label, int64_t lo,
                     int64_t hi) {
    Value y = given;
    size_t c = positionOf(frame, label);
    Part part{insertRangeIn(lo, hi, frame.rows(), "row"), wholeRange(1)};
    needInsertable(call);
    needPartShape(part, y);
    needWidening(frame.columns[c]->type(), y.isFrame() ? y.frame().columns[0]->type() : y.valueType());
    Ref<Frame> result = ownFrame(call);
    overwrite(ownColumn(*result, c), part, columnToInsert(y, 0));
    return result;
}

} // namespace

void addFrameInsertion(KernelTable &t) {
    t.add<&setColumn>("setColumn");
    t.add<&columnOf>("columnOf");
    t.add<&insertInColumn>("insertInColumn");
}

} // namespace daphne
