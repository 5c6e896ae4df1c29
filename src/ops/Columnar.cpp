// SPDX-License-Identifier: Apache-2.0
/// Column operators (files and command line 10): relational operations on
/// single columns and position lists.
///
/// A column is an n x 1 matrix; a position list is an n x 1 matrix of type size
/// with numbers of rows, ascending where it comes from a selection. They have no
/// builtin names: with --columnar the compiler puts them in the place of
/// operations on frames.
#include "ops/Operands.h"
#include "ops/SumTypes.h"

namespace daphne::ops {

namespace {

using namespace rule;

void needColumn(const InferCall &call, size_t i) {
    needMatrix(call, i);
    const TypeDesc &t = call.type(i);
    if (t.isMatrix() && t.cols >= 0 && t.cols != 1)
        wrongOperand(call, i, "a matrix with one column");
}

void needPositions(const InferCall &call, size_t i) {
    needColumn(call, i);
    const TypeDesc &t = call.type(i);
    if (t.isMatrix() && t.valueType != ValueType::Size)
        wrongOperand(call, i, "a position list");
}

TypeDesc positions() { return TypeDesc::matrix(ValueType::Size, -1, 1); }

bool isKnownColumn(const TypeDesc &t) { return t.isMatrix() && t.cols == 1 && t.valueType != ValueType::Unknown; }

/// Something about the operands is not known before they are there.
bool unlessColumnsKnown(const InferCall &call) {
    for (const Arg &a : call.args)
        if (!isKnownColumn(a.type) && !(a.type.isScalar() && a.type.valueType != ValueType::Unknown))
            return true;
    return false;
}

// ---- selections

/// colSelectXx(column, column or scalar)
Types colSelect(const InferCall &call) {
    needColumn(call, 0);
    if (!call.type(1).isScalar())
        needColumn(call, 1);
    ewCompare(call);
    return {positions()};
}

/// colIntersect(positions, positions), colMerge(positions, positions)
Types combinePositions(const InferCall &call) {
    needPositions(call, 0);
    needPositions(call, 1);
    return {positions()};
}

/// colProject(column or frame, positions [, number of rows the positions were chosen from])
Types colProject(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    needPositions(call, 1);
    if (call.args.size() > 2)
        needNumericScalar(call, 2);
    if (call.type(0).isUnknown())
        return {call.type(0)};
    TypeDesc result = withoutSparsity(call.type(0));
    result.rows = call.type(1).rows;
    return {result};
}

/// Positions lie within the rows they were chosen from; whether those are rows of the operand is checked if the
/// compiler could not prove it.
bool colProjectMayFail(const InferCall &call) { return call.args.size() > 2 || call.type(0).isUnknown(); }

// ---- joins

void needComparableKeys(const InferCall &call) {
    needColumn(call, 0);
    needColumn(call, 1);
    ValueType a = valueTypeOf(call.type(0)), b = valueTypeOf(call.type(1));
    bool known = a != ValueType::Unknown && b != ValueType::Unknown;
    if (known && !areAlike(a, b))
        throw wrong(call, "cannot compare a column of type " + std::string(dslName(a)) + " with one of type " +
                              std::string(dslName(b)));
}

/// colJoin(keys, keys): the rows of all pairs of equal keys
Types colJoin(const InferCall &call) {
    needComparableKeys(call);
    return {positions(), positions()};
}

/// colSemiJoin(keys, keys): the rows on the left that have a match
Types colSemiJoin(const InferCall &call) {
    needComparableKeys(call);
    return {positions()};
}

// ---- groups

TypeDesc groupNumbers(int64_t rows) { return TypeDesc::matrix(ValueType::UI32, rows, 1); }

/// colGroupFirst(keys): the number of every row's group, and a row of every group
Types colGroupFirst(const InferCall &call) {
    needColumn(call, 0);
    return {groupNumbers(call.type(0).rows), positions()};
}

/// colGroupNext(group numbers, a row of every group, keys): the same for groups cut further by another key
Types colGroupNext(const InferCall &call) {
    needColumn(call, 0);
    needPositions(call, 1);
    needColumn(call, 2);
    return {groupNumbers(call.type(0).rows), positions()};
}

TypeDesc sumType(const TypeDesc &cells) { return TypeDesc::scalar(ops::sumType(valueTypeOf(cells))); }

void needNumbers(const InferCall &call) {
    needColumn(call, 0);
    needNumericMatrix(call, 0);
}

/// colSumGrp(cells, group numbers, a row of every group, whether to split sums)
Types colSumGrp(const InferCall &call) {
    needNumbers(call);
    needColumn(call, 1);
    needPositions(call, 2);
    needNumericScalar(call, 3);
    return {TypeDesc::matrix(sumType(call.type(0)).valueType, call.type(2).rows, 1)};
}

/// colSumAll(cells)
Types colSumAll(const InferCall &call) {
    needNumbers(call);
    return {sumType(call.type(0))};
}

// ---- arithmetic

/// colCalcXx(column or scalar, column or scalar)
Types colCalc(const InferCall &call) {
    for (size_t i : {0, 1})
        if (!call.type(i).isScalar())
            needColumn(call, i);
    return ewArithmetic(call);
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "colSelectEq", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSelectNeq", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSelectLt", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSelectLe", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSelectGt", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSelectGe", .minArgs = 2, .maxArgs = 2, .infer = colSelect, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colIntersect", .minArgs = 2, .maxArgs = 2, .infer = combinePositions, .commutative = true},
    {.mnemonic = "colMerge", .minArgs = 2, .maxArgs = 2, .infer = combinePositions, .commutative = true},
    {.mnemonic = "colProject", .minArgs = 2, .maxArgs = 3, .infer = colProject, .mayFail = colProjectMayFail},
    {.mnemonic = "colJoin", .minArgs = 2, .maxArgs = 2, .numResults = 2, .infer = colJoin,
     .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSemiJoin", .minArgs = 2, .maxArgs = 2, .infer = colSemiJoin, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colGroupFirst", .numResults = 2, .infer = colGroupFirst, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colGroupNext", .minArgs = 3, .maxArgs = 3, .numResults = 2, .infer = colGroupNext,
     .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSumGrp", .minArgs = 4, .maxArgs = 4, .infer = colSumGrp, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colSumAll", .infer = colSumAll, .mayFail = unlessColumnsKnown},
    {.mnemonic = "colCalcSub", .minArgs = 2, .maxArgs = 2, .infer = colCalc, .mayFail = unlessColumnsKnown,
     .zeroPreserving = true},
    {.mnemonic = "colCalcMul", .minArgs = 2, .maxArgs = 2, .infer = colCalc, .mayFail = unlessColumnsKnown,
     .commutative = true, .zeroPreserving = true},
};
// clang-format on

} // namespace

void addColumnar(Registry &r) { r.add(kOps); }

} // namespace daphne::ops
