// SPDX-License-Identifier: Apache-2.0
/// Right indexing and filtering (language 7). They have no builtin names: the
/// bracket notation calls them.
#include <algorithm>
#include <cmath>

#include "base/NoColumn.h"
#include "ops/IndexRules.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// The frame type left when only the columns at `positions` remain; repeated ones get default labels.
TypeDesc columnsOf(const TypeDesc &frame, const std::vector<size_t> &positions) {
    auto cols = static_cast<int64_t>(positions.size());
    if (!frame.schema)
        return TypeDesc::frame(nullptr, frame.rows, cols);
    auto schema = std::make_shared<FrameSchema>();
    const auto &from = *frame.schema;
    bool labelled = from.labels.size() == from.types.size();
    for (size_t k = 0; k < positions.size(); ++k) {
        schema->types.push_back(from.types[positions[k]]);
        if (!labelled)
            continue;
        bool repeated = std::find(positions.begin(), positions.begin() + k, positions[k]) != positions.begin() + k;
        schema->labels.push_back(repeated ? "col_" + std::to_string(k) : from.labels[positions[k]]);
    }
    return TypeDesc::frame(schema, frame.rows, cols);
}

/// x with another number of rows or columns; the schema of a frame survives a change of its rows only.
TypeDesc resized(const TypeDesc &x, Dim d, int64_t size) {
    if (x.isUnknown())
        return x;
    TypeDesc r = withoutSparsity(x);
    (d == Dim::Row ? r.rows : r.cols) = size;
    if (d == Dim::Col)
        r.schema = nullptr;
    return r;
}

/// Throws unless operand 0 has, or may have, rows; those of a list are its elements.
void needRows(const InferCall &call) {
    if (!call.type(0).isList())
        needMatrixOrFrame(call, 0);
}

Types sliceRow(const InferCall &call) {
    needRows(call);
    Bounds b = boundsOperand(call, 1, call.type(0).rows, Dim::Row, normalise);
    if (call.type(0).isList())
        return {call.type(0)};
    return {resized(call.type(0), Dim::Row, b.size)};
}

Types sliceCol(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    const TypeDesc &x = call.type(0);
    Bounds b = boundsOperand(call, 1, x.cols, Dim::Col, normalise);
    if (!x.isFrame() || !b.range)
        return {resized(x, Dim::Col, b.size)};
    std::vector<size_t> positions;
    for (int64_t c = b.range->lo; c < b.range->hi; ++c)
        positions.push_back(static_cast<size_t>(c));
    return {columnsOf(x, positions)};
}

/// Fails unless bounds and dimension are constants that infer has checked.
template <Dim d> bool sliceMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    return !(x.isMatrix() || x.isFrame()) || sizeOf(x, d) < 0 || !constantsFrom(call, 1);
}

/// The number of entries marked by the bool column operand 1, which is not known; throws if it does not fit.
int64_t marksOperand(const InferCall &call, Dim d) {
    const TypeDesc &marks = call.type(1);
    needMarks(marks, sizeOf(call.type(0), d), d);
    return -1;
}

/// The number of positions given by operand 1, a column matrix or a number; -1 if not known. Throws as far as known.
int64_t positionsOperand(const InferCall &call, Dim d) {
    const TypeDesc &p = call.type(1);
    if (p.isUnknown())
        return -1;
    if (p.isString())
        throw compileError({}, std::string("a label selects columns of a frame, not ") +
                                   (d == Dim::Row ? "rows" : "columns of a matrix"));
    if (p.isScalar()) {
        needWholeNumber(call, 1);
        const auto &constant = call.args[1].constant;
        int64_t n = sizeOf(call.type(0), d);
        if (constant && n >= 0 && !normalisePosition(constant->asInt(), n))
            throw compileError({}, outOfRangeText(constant->asInt(), n, nameOf(d)));
        return 1;
    }
    needNumericMatrix(call, 1);
    if (p.valueType == ValueType::Bool)
        return marksOperand(call, d);
    if (p.cols >= 0 && p.cols != 1)
        throw executionError("an index matrix must have one column, got " + p.shapeText());
    return p.valueType == ValueType::Unknown ? -1 : p.rows;
}

/// One position selects an element of a list, but a row of anything else.
Types extractRow(const InferCall &call) {
    needRows(call);
    const TypeDesc &x = call.type(0);
    if (x.isList() && !call.type(1).isMatrix()) {
        if (call.type(1).isUnknown())
            return {TypeDesc::unknown()};
        needNumericScalar(call, 1);
        return {x.valueType == ValueType::Unknown ? TypeDesc::unknown() : TypeDesc::matrix(x.valueType)};
    }
    return {resized(call.type(0), Dim::Row, positionsOperand(call, Dim::Row))};
}

/// Positions of the columns a label or "prefix.*" selects.
std::vector<size_t> positionsOfLabel(const FrameSchema &schema, const std::string &label) {
    auto found = std::find(schema.labels.begin(), schema.labels.end(), label);
    if (found != schema.labels.end())
        return {static_cast<size_t>(found - schema.labels.begin())};
    std::vector<size_t> positions;
    if (label.ends_with(".*"))
        for (size_t c = 0; c < schema.labels.size(); ++c)
            if (schema.labels[c].substr(0, schema.labels[c].find('.') + 1) == label.substr(0, label.size() - 1))
                positions.push_back(c);
    if (!positions.empty())
        return positions;
    throw noColumn(Stage::Compile, label, schema.labels);
}

Types extractCol(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    const TypeDesc &x = call.type(0), &p = call.type(1);
    const auto &constant = call.args[1].constant;
    if (!x.isMatrix() && p.isString()) {
        bool labelled = x.schema && x.schema->labels.size() == x.schema->types.size();
        if (!constant || !labelled)
            return {TypeDesc::frame(nullptr, x.rows, constant && !constant->s.ends_with(".*") ? 1 : -1)};
        return {columnsOf(x, positionsOfLabel(*x.schema, constant->s))};
    }
    int64_t count = positionsOperand(call, Dim::Col);
    if (x.isFrame() && constant && p.isScalar() && x.cols >= 0)
        return {columnsOf(x, {static_cast<size_t>(*normalisePosition(constant->asInt(), x.cols))})};
    return {resized(x, Dim::Col, count)};
}

template <Dim d> bool extractMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0), &p = call.type(1);
    if (!p.isScalar() || !call.args[1].constant)
        return true;
    // NaN and what does not fit into int64 are no positions.
    if (!p.isString() && !(std::abs(call.args[1].constant->asDouble()) < 9e18))
        return true;
    bool knowsColumns = !p.isString() || (x.schema && x.schema->labels.size() == x.schema->types.size());
    return !(x.isMatrix() || x.isFrame()) || sizeOf(x, d) < 0 || !knowsColumns;
}

template <Dim d> Types filter(const InferCall &call) {
    d == Dim::Row ? needRows(call) : needMatrixOrFrame(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &x = call.type(0);
    needMarks(call.type(1), sizeOf(x, d), d);
    return {resized(x, d, -1)};
}

template <Dim d> bool filterMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0), &bits = call.type(1);
    return !(x.isMatrix() || x.isFrame()) || sizeOf(x, d) < 0 || !numericMatrix(bits) || bits.rows < 0 || bits.cols < 0;
}

/// filterCells(x, marks): a column of the marked cells.
Types filterCells(const InferCall &call) {
    needMatrix(call, 0);
    needNumericMatrix(call, 1);
    needEqualShapes(call.type(0), call.type(1));
    return {TypeDesc::matrix(valueTypeOf(call.type(0)), -1, 1)};
}

bool filterCellsMayFail(const InferCall &call) {
    return !allShapesKnown(call) || !call.type(0).isMatrix() || !numericMatrix(call.type(1));
}

/// position(x): a bound or position of any numeric type as si64.
Types position(const InferCall &call) {
    needWholeNumber(call, 0);
    return {TypeDesc::scalar(ValueType::SI64)};
}

bool positionMayFail(const InferCall &call) {
    return !call.args[0].constant && !(call.type(0).isScalar() && isIntegerLike(call.type(0).valueType));
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "position", .infer = position, .mayFail = positionMayFail},
    {.mnemonic = "sliceRow", .minArgs = 3, .maxArgs = 3, .infer = sliceRow, .mayFail = sliceMayFail<Dim::Row>},
    {.mnemonic = "sliceCol", .minArgs = 3, .maxArgs = 3, .infer = sliceCol, .mayFail = sliceMayFail<Dim::Col>},
    {.mnemonic = "extractRow", .minArgs = 2, .maxArgs = 2, .infer = extractRow, .mayFail = extractMayFail<Dim::Row>},
    {.mnemonic = "extractCol", .minArgs = 2, .maxArgs = 2, .infer = extractCol, .mayFail = extractMayFail<Dim::Col>},
    {.mnemonic = "filterRow",
     .minArgs = 2,
     .maxArgs = 2,
     .infer = filter<Dim::Row>,
     .mayFail = filterMayFail<Dim::Row>},
    {.mnemonic = "filterCol",
     .minArgs = 2,
     .maxArgs = 2,
     .infer = filter<Dim::Col>,
     .mayFail = filterMayFail<Dim::Col>},
    {.mnemonic = "filterCells", .minArgs = 2, .maxArgs = 2, .infer = filterCells, .mayFail = filterCellsMayFail},
};
// clang-format on

} // namespace

void addIndexing(Registry &r) { r.add(kOps); }

} // namespace daphne::ops
