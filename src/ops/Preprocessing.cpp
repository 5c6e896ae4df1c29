// SPDX-License-Identifier: Apache-2.0
/// Contingency tables and the encodings that prepare data for learning.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

void needColumn(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (t.cols >= 0 && t.cols != 1)
        throw wrongAtRunTime(call, "needs a matrix with one column as argument " + std::to_string(i + 1) + ", got " +
                                       t.shapeText());
}

/// A constant result size; negative means automatic.
int64_t tableSize(const InferCall &call, size_t i) {
    needWholeNumber(call, i);
    return call.dimension(i);
}

/// ctable(lhs, rhs), (lhs, rhs, weight), (lhs, rhs, rows, cols), (lhs, rhs, weight, rows, cols)
Types ctable(const InferCall &call) {
    size_t n = call.args.size();
    for (size_t i = 0; i < 2; ++i) {
        needNumericMatrix(call, i);
        needColumn(call, i);
    }
    const TypeDesc &l = call.type(0), &r = call.type(1);
    if (l.rows >= 0 && r.rows >= 0 && l.rows != r.rows)
        throw wrongAtRunTime(call, "needs columns of equal length, got " + l.shapeText() + " and " + r.shapeText());
    bool weighted = n == 3 || n == 5, sized = n >= 4;
    ValueType type = ValueType::F64;
    if (weighted) {
        needNumericScalar(call, 2);
        type = valueTypeOf(call.type(2));
    }
    return {TypeDesc::matrix(type, sized ? tableSize(call, n - 2) : -1, sized ? tableSize(call, n - 1) : -1)};
}

/// recode(arg, orderPreserving): codes, dictionary
Types recode(const InferCall &call) {
    needMatrix(call, 0);
    needColumn(call, 0);
    needNumericScalar(call, 1);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(ValueType::SI64, x.rows, 1), TypeDesc::matrix(valueTypeOf(x), -1, 1)};
}

bool recodeMayFail(const InferCall &call) { return !call.type(0).isMatrix() || call.type(0).cols != 1; }

/// oneHot(arg, info)
Types oneHot(const InferCall &call) {
    needMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &x = call.type(0), &info = call.type(1);
    if (info.rows >= 0 && info.rows != 1)
        throw wrongAtRunTime(call, "needs an info matrix with one row, got " + info.shapeText());
    if (x.cols >= 0 && info.cols >= 0 && x.cols != info.cols)
        throw wrongAtRunTime(call, "needs one info entry per column, got " + std::to_string(info.cols) +
                                       " entries for " + std::to_string(x.cols) + " columns");
    ValueType t = valueTypeOf(x);
    return {TypeDesc::matrix(t == ValueType::Str ? ValueType::SI64 : t, x.rows, -1)};
}

/// bin(arg, numBins [, min, max])
Types bin(const InferCall &call) {
    if (call.args.size() == 3)
        throw Error(Stage::Parse, "bin needs both min and max, or neither");
    needNumericMatrix(call, 0);
    for (size_t i = 1; i < call.args.size(); ++i)
        needNumericScalar(call, i);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(valueTypeOf(x), x.rows, x.cols)};
}

/// quantize(arg, min, max)
Types quantize(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericScalar(call, 1);
    needNumericScalar(call, 2);
    return {TypeDesc::matrix(ValueType::UI8, call.type(0).rows, call.type(0).cols)};
}

bool quantizeMayFail(const InferCall &call) {
    return !numericMatrix(call.type(0)) || !call.type(1).isScalar() || !call.type(2).isScalar();
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "ctable", .minArgs = 2, .maxArgs = 5, .infer = ctable, .mayFail = always},
    {.mnemonic = "recode", .minArgs = 2, .maxArgs = 2, .numResults = 2, .infer = recode, .mayFail = recodeMayFail},
    {.mnemonic = "oneHot", .minArgs = 2, .maxArgs = 2, .infer = oneHot, .mayFail = always},
    {.mnemonic = "bin", .minArgs = 2, .maxArgs = 4, .infer = bin, .mayFail = always, .reusable = 1},
    {.mnemonic = "quantize", .minArgs = 3, .maxArgs = 3, .infer = quantize, .mayFail = quantizeMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "ctable(lhs, rhs[, weight[, resNumRows, resNumCols]])", .op = "ctable",
     .atParse = ResultAtParse::Unknown,
     .doc = "Contingency table: adds weight (default 1.0) to cell (lhs[k], rhs[k]) for every k. Four positional "
            "arguments are lhs, rhs, resNumRows, resNumCols. A negative size is automatic; pairs outside a given size "
            "are ignored.",
     .example = "print(ctable([0, 1, 1], [1, 0, 0]));", .expect = "DenseMatrix(2x2, double)\n0 1\n2 0\n"},
    {.signature = "recode(arg, orderPreserving)", .op = "recode",
     .doc = "Two results: codes 0, 1, ... for the values of a column, and the dictionary of the values by code. Codes "
            "follow the order of the values if orderPreserving, else that of their first appearance.",
     .example = "codes, dict = recode([\"b\", \"a\", \"b\"], true);\nprint(codes);\nprint(dict);",
     .expect = "DenseMatrix(3x1, int64_t)\n1\n0\n1\nDenseMatrix(2x1, std::string)\na\nb\n"},
    {.signature = "oneHot(arg, info)", .op = "oneHot",
     .doc = "Replaces columns by indicators. info has one entry per column: -1 keeps the column, 0 drops it, d > 0 "
            "replaces it by d columns of which number v is 1 for the value v.",
     .example = "print(oneHot([7, 0, 8, 1](2, 2), [-1, 2](1, 2)));",
     .expect = "DenseMatrix(2x3, int64_t)\n7 1 0\n8 0 1\n"},
    {.signature = "bin(arg, numBins[, min, max])", .op = "bin",
     .doc = "Number of the bin of equal width between min and max into which each cell falls. The default bounds are "
            "the least and the greatest cell.",
     .example = "print(bin([0.0, 2.5, 10.0], 4));", .expect = "DenseMatrix(3x1, double)\n0\n0\n3\n"},
    {.signature = "quantize(arg, min, max)", .op = "quantize",
     .doc = "Linear 8-bit quantisation of the range from min to max, which is extended to contain zero.",
     .example = "print(quantize(as.f32([0.0, 1.0]), 0.0f, 1.0f));", .expect = "DenseMatrix(2x1, uint8_t)\n0\n255\n"},
};
// clang-format on

} // namespace

void addPreprocessing(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
