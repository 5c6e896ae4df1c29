// SPDX-License-Identifier: Apache-2.0
/// Left indexing (language 7.3): a matrix or frame with a part replaced. The
/// first operand is the object, the second what is put there: a scalar, which
/// fills the part, or an object of its shape. Its type must widen to that of the
/// part, which keeps its type.
#include <algorithm>

#include "base/Widening.h"
#include "ops/IndexRules.h"

namespace daphne::ops {

namespace {

using namespace rule;

bool fits(ValueType y, ValueType x) { return x == ValueType::Unknown || y == ValueType::Unknown || widens(y, x); }

/// The second operand may stand in a part of the first one.
void needInsertable(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    const TypeDesc &x = call.type(0), &y = call.type(1);
    if (y.isList() || (x.isMatrix() && y.isFrame()))
        throw compileError({}, "a part of " + x.typeText() + " cannot be replaced by " + y.typeText());
    // Columns of frames are compared one by one when they are inserted.
    if (x.isMatrix() && !fits(valueTypeOf(y), x.valueType))
        throw compileError({}, "values of type " + std::string(dslName(y.valueType)) + " do not fit into " +
                                   x.typeText() + ", which keeps its type")
            .withHint(isNumeric(x.valueType) && isNumeric(y.valueType)
                          ? "convert them with as." + std::string(dslName(x.valueType)) + "(...), or the matrix first"
                          : "");
}

/// Known sizes of the selected part and of the right-hand side agree; a scalar fills every part.
void needPartShape(const InferCall &call, int64_t rows, int64_t cols) {
    const TypeDesc &y = call.type(1);
    if (y.isScalar())
        return;
    auto differ = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
    if (differ(rows, y.rows) || differ(cols, y.cols))
        throw compileError({}, "left indexing selects " + TypeDesc::matrix(y.valueType, rows, cols).shapeText() +
                                   " cells, but the right-hand side is " + y.shapeText());
}

/// insertRow(x, y, lo, hi)
Types insertRow(const InferCall &call) {
    needInsertable(call);
    Bounds rows = boundsOperand(call, 2, call.type(0).rows, Dim::Row, normaliseForInsert);
    needPartShape(call, rows.size, call.type(0).cols);
    return {withoutSparsity(call.type(0))};
}

/// insertCol(x, y, lo, hi)
Types insertCol(const InferCall &call) {
    needInsertable(call);
    Bounds cols = boundsOperand(call, 2, call.type(0).cols, Dim::Col, normaliseForInsert);
    needPartShape(call, call.type(0).rows, cols.size);
    return {withoutSparsity(call.type(0))};
}

/// insert(x, y, rowLo, rowHi, colLo, colHi)
Types insert(const InferCall &call) {
    needInsertable(call);
    Bounds rows = boundsOperand(call, 2, call.type(0).rows, Dim::Row, normaliseForInsert);
    Bounds cols = boundsOperand(call, 4, call.type(0).cols, Dim::Col, normaliseForInsert);
    needPartShape(call, rows.size, cols.size);
    return {withoutSparsity(call.type(0))};
}

bool insertMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0), &y = call.type(1);
    bool typesFit = x.isMatrix() && (y.isMatrix() || y.isScalar()) && x.valueType != ValueType::Unknown &&
                    y.valueType != ValueType::Unknown;
    return !typesFit || !allShapesKnown(call) || !constantsFrom(call, 2);
}

/// Rows or columns marked by operand i: a column of numbers, or a scalar for all of them.
int64_t markedOperand(const InferCall &call, size_t i, Dim d) {
    const TypeDesc &marks = call.type(i);
    if (marks.isScalar())
        return sizeOf(call.type(0), d);
    needNumericMatrix(call, i);
    needMarks(marks, sizeOf(call.type(0), d), d);
    return -1;
}

/// insertMarked(x, y, rowMarks, colMarks)
Types insertMarked(const InferCall &call) {
    needInsertable(call);
    int64_t rows = markedOperand(call, 2, Dim::Row), cols = markedOperand(call, 3, Dim::Col);
    needPartShape(call, rows, cols);
    return {withoutSparsity(call.type(0))};
}

/// insertCells(x, y, marks)
Types insertCells(const InferCall &call) {
    needMatrix(call, 0);
    needInsertable(call);
    needNumericMatrix(call, 2);
    needEqualShapes(call.type(0), call.type(2));
    needPartShape(call, -1, 1);
    return {withoutSparsity(call.type(0))};
}

// -------------------------------------------------------------- labelled columns

bool knowsColumns(const TypeDesc &frame) {
    return frame.schema && frame.schema->labels.size() == frame.schema->types.size();
}

/// The position of the label in operand i; the number of columns if there is none, nothing if it is not known.
std::optional<size_t> labelOperand(const InferCall &call, size_t i) {
    needFrame(call, 0);
    needString(call, i);
    const TypeDesc &frame = call.type(0);
    const auto &label = call.args[i].constant;
    if (!label || !knowsColumns(frame))
        return std::nullopt;
    const auto &labels = frame.schema->labels;
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label->s) - labels.begin());
}

/// Labels are known only when the program runs, in general, so an unknown one always is an error of the run.
void needLabel(const InferCall &call, const std::optional<size_t> &position, size_t i) {
    if (position && *position == call.type(0).schema->labels.size())
        throw executionError("the frame has no column \"" + call.args[i].constant->s + "\"");
}

/// setColumn(frame, y, label)
Types setColumn(const InferCall &call) {
    auto position = labelOperand(call, 2);
    const TypeDesc &frame = call.type(0), &y = call.type(1);
    if (y.isList())
        wrongOperand(call, 1, "a scalar, or a matrix or frame with one column,");
    if (y.cols >= 0 && y.cols != 1)
        throw compileError({}, "a column needs a matrix or frame with one column, got " + y.shapeText());
    if (!y.isScalar() && y.rows >= 0 && frame.rows >= 0 && y.rows != frame.rows)
        throw compileError({}, "the frame has " + std::to_string(frame.rows) + " rows, but the new column has " +
                                   std::to_string(y.rows));
    ValueType type =
        y.isFrame() ? (y.schema && y.schema->types.size() == 1 ? y.schema->types[0] : ValueType::Unknown) : y.valueType;
    if (!position || type == ValueType::Unknown)
        return {TypeDesc::frame(nullptr, frame.rows)};
    auto schema = std::make_shared<FrameSchema>(*frame.schema);
    if (*position == schema->labels.size()) {
        schema->labels.push_back(call.args[2].constant->s);
        schema->types.push_back(type);
    }
    schema->types[*position] = type;
    return {TypeDesc::frame(schema, frame.rows, static_cast<int64_t>(schema->types.size()))};
}

/// columnOf(frame, label): the column as a matrix.
Types columnOf(const InferCall &call) {
    auto position = labelOperand(call, 1);
    needLabel(call, position, 1);
    const TypeDesc &frame = call.type(0);
    return {TypeDesc::matrix(position ? frame.schema->types[*position] : ValueType::Unknown, frame.rows, 1)};
}

/// insertInColumn(frame, y, label, lo, hi)
Types insertInColumn(const InferCall &call) {
    auto position = labelOperand(call, 2);
    needLabel(call, position, 2);
    const TypeDesc &frame = call.type(0);
    Bounds rows = boundsOperand(call, 3, frame.rows, Dim::Row, normaliseForInsert);
    needPartShape(call, rows.size, 1);
    ValueType type = valueTypeOf(call.type(1));
    if (position && !fits(type, frame.schema->types[*position]))
        throw compileError({}, "values of type " + std::string(dslName(type)) + " do not fit into the column \"" +
                                   call.args[2].constant->s + "\" of " +
                                   std::string(dslName(frame.schema->types[*position])) + ", which keeps its type")
            .withHint("replace the column as a whole to change its type: F[, \"" + call.args[2].constant->s +
                      "\"] = ...");
    return {frame.isFrame() ? frame : TypeDesc::frame(nullptr)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "insertRow", .minArgs = 4, .maxArgs = 4, .infer = insertRow, .mayFail = insertMayFail, .reusable = 1},
    {.mnemonic = "insertCol", .minArgs = 4, .maxArgs = 4, .infer = insertCol, .mayFail = insertMayFail, .reusable = 1},
    {.mnemonic = "insert", .minArgs = 6, .maxArgs = 6, .infer = insert, .mayFail = insertMayFail, .reusable = 1},
    {.mnemonic = "insertMarked", .minArgs = 4, .maxArgs = 4, .infer = insertMarked, .mayFail = always, .reusable = 1},
    {.mnemonic = "insertCells", .minArgs = 3, .maxArgs = 3, .infer = insertCells, .mayFail = always, .reusable = 1},
    {.mnemonic = "setColumn", .minArgs = 3, .maxArgs = 3, .infer = setColumn, .mayFail = always},
    {.mnemonic = "columnOf", .minArgs = 2, .maxArgs = 2, .infer = columnOf, .mayFail = always},
    {.mnemonic = "insertInColumn", .minArgs = 5, .maxArgs = 5, .infer = insertInColumn, .mayFail = always,
     .reusable = 1},
};
// clang-format on

} // namespace

void addInsertion(Registry &r) { r.add(kOps); }

} // namespace daphne::ops
