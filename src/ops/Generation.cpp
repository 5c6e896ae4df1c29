// SPDX-License-Identifier: Apache-2.0
/// Operations that make matrices from scalars.
#include <algorithm>

#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

Types fill(const InferCall &call) {
    needScalar(call, 0);
    return {TypeDesc::matrix(valueTypeOf(call.type(0)), sizeOperand(call, 1), sizeOperand(call, 2))};
}

bool fillMayFail(const InferCall &call) {
    return !call.type(0).isScalar() || sizeOperand(call, 1) < 0 || sizeOperand(call, 2) < 0;
}

/// zeros, ones
Types constantCells(const InferCall &call) {
    return {TypeDesc::matrix(ValueType::F64, sizeOperand(call, 0), sizeOperand(call, 1))};
}
bool constantCellsMayFail(const InferCall &call) { return sizeOperand(call, 0) < 0 || sizeOperand(call, 1) < 0; }

/// eye(numRows[, numCols])
Types eye(const InferCall &call) {
    int64_t rows = sizeOperand(call, 0), cols = call.args.size() > 1 ? sizeOperand(call, 1) : rows;
    double longer = static_cast<double>(std::max(rows, cols));
    return {TypeDesc::matrix(ValueType::F64, rows, cols, rows > 0 && cols > 0 ? 1 / longer : -1)};
}
bool eyeMayFail(const InferCall &call) {
    return sizeOperand(call, 0) < 0 || sizeOperand(call, call.args.size() - 1) < 0;
}

/// randMatrix(numRows, numCols, min, max, sparsity, seed)
Types randMatrix(const InferCall &call) {
    needNumericScalar(call, 2);
    needNumericScalar(call, 3);
    needNumericScalar(call, 4);
    needNumericScalar(call, 5);
    const TypeDesc &min = call.type(2), &max = call.type(3);
    if (min.isScalar() && max.isScalar() && min.valueType != max.valueType)
        throw wrong(call, "min and max must have the same type, got " + min.text() + " and " + max.text())
            .withHint("write both bounds with a decimal point for f64, or both without for si64");
    const auto &sparsity = call.args[4].constant;
    return {TypeDesc::matrix(valueTypeOf(min), sizeOperand(call, 0), sizeOperand(call, 1),
                             sparsity ? sparsity->asDouble() : -1)};
}

/// sample(range, size, withReplacement, seed)
Types sample(const InferCall &call) {
    needNumericScalar(call, 0);
    needNumericScalar(call, 2);
    needNumericScalar(call, 3);
    return {TypeDesc::matrix(valueTypeOf(call.type(0)), sizeOperand(call, 1), 1)};
}

/// Length of an integer sequence whose bounds are constants; -1 if they are not or the numbers are not small.
int64_t sequenceLength(const InferCall &call) {
    constexpr int64_t kSmall = int64_t(1) << 53;
    int64_t v[3] = {0, 0, 1};
    for (size_t i = 0; i < call.args.size(); ++i) {
        const auto &constant = call.args[i].constant;
        if (!constant || !isIntegerLike(constant->type))
            return -1;
        v[i] = constant->asInt();
        if (v[i] < (isSigned(constant->type) ? -kSmall : 0) || v[i] > kSmall)
            return -1;
    }
    auto [from, to, inc] = v;
    if (inc == 0)
        return -1;
    int64_t distance = inc > 0 ? to - from : from - to;
    return distance < 0 ? 0 : distance / std::abs(inc) + 1;
}

/// seq(from, to [, inc]); the default increment has type si8, so that it does not widen the others.
Types seq(const InferCall &call) {
    ValueType g = ValueType::SI8;
    for (size_t i = 0; i < call.args.size(); ++i) {
        needNumericScalar(call, i);
        g = mostGeneral(g, call.type(i).isUnknown() ? ValueType::Unknown : call.type(i).valueType);
    }
    // Unsigned and narrow results wrap, so constants say nothing simple about their length.
    bool simple = g == ValueType::SI64;
    return {TypeDesc::matrix(g, simple ? sequenceLength(call) : -1, 1, 1.0)};
}

bool seqMayFail(const InferCall &call) {
    for (const Arg &a : call.args)
        if (!a.type.isScalar() || !isIntegerLike(a.type.valueType))
            return true;
    return call.args.size() > 2 && (!call.args[2].constant || call.args[2].constant->asInt() == 0);
}

/// Fraction of non-zero cells of a literal of constants; -1 for computed cells, bool and str.
double literalSparsity(const InferCall &call, ValueType g) {
    size_t nonZeros = 0;
    for (const Arg &a : call.args) {
        if (!a.constant)
            return -1;
        nonZeros += a.constant->asDouble() != 0;
    }
    return isNumeric(g) && g != ValueType::Bool ? double(nonZeros) / double(call.args.size()) : -1;
}

/// matrixConstant(cells...): a column of the most general type.
Types matrixConstant(const InferCall &call) {
    ValueType g = ValueType::Bool;
    bool strings = false, numbers = false;
    for (size_t i = 0; i < call.args.size(); ++i) {
        needScalar(call, i);
        const TypeDesc &t = call.type(i);
        strings |= t.isString();
        numbers |= t.isScalar() && isNumeric(t.valueType);
        g = mostGeneral(g, t.isScalar() ? t.valueType : ValueType::Unknown);
    }
    if (strings && numbers)
        throw compileError({}, "a matrix literal cannot mix strings and numbers");
    if (g == ValueType::Size)
        g = ValueType::UI64;
    return {TypeDesc::matrix(g, static_cast<int64_t>(call.args.size()), 1, literalSparsity(call, g))};
}

bool matrixConstantMayFail(const InferCall &call) {
    for (const Arg &a : call.args)
        if (!a.type.isScalar())
            return true;
    return false;
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "fill", .minArgs = 3, .maxArgs = 3, .infer = fill, .mayFail = fillMayFail},
    {.mnemonic = "zeros", .minArgs = 2, .maxArgs = 2, .infer = constantCells, .mayFail = constantCellsMayFail},
    {.mnemonic = "ones", .minArgs = 2, .maxArgs = 2, .infer = constantCells, .mayFail = constantCellsMayFail},
    {.mnemonic = "eye", .minArgs = 1, .maxArgs = 2, .infer = eye, .mayFail = eyeMayFail},
    // Unseeded draws differ from call to call, so neither may be merged, moved or dropped.
    {.mnemonic = "randMatrix", .minArgs = 6, .maxArgs = 6, .infer = randMatrix, .mayFail = always, .sideEffect = true},
    {.mnemonic = "sample", .minArgs = 4, .maxArgs = 4, .infer = sample, .mayFail = always, .sideEffect = true},
    {.mnemonic = "seq", .minArgs = 2, .maxArgs = 3, .infer = seq, .mayFail = seqMayFail},
    {.mnemonic = "matrixConstant", .minArgs = 1, .maxArgs = kVariadic, .infer = matrixConstant,
     .mayFail = matrixConstantMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "fill(value, numRows, numCols)", .op = "fill",
     .doc = "Matrix with every cell equal to value, which may be a string.",
     .example = "print(fill(1.5, 2, 3));", .expect = "DenseMatrix(2x3, double)\n1.5 1.5 1.5\n1.5 1.5 1.5\n"},
    {.signature = "zeros(r, c)", .op = "zeros", .doc = "Matrix of zeros (f64).",
     .example = "print(zeros(1, 3));", .expect = "DenseMatrix(1x3, double)\n0 0 0\n"},
    {.signature = "ones(r, c)", .op = "ones", .doc = "Matrix of ones (f64).",
     .example = "print(ones(1, 3));", .expect = "DenseMatrix(1x3, double)\n1 1 1\n"},
    {.signature = "eye(n[, m])", .op = "eye",
     .doc = "Matrix (f64) with ones on its diagonal and zeros elsewhere, n x m, or square.",
     .example = "print(eye(2)); print(eye(1, 2));",
     .expect = "DenseMatrix(2x2, double)\n1 0\n0 1\nDenseMatrix(1x2, double)\n1 0\n"},
    {.signature = "rand(numRows, numCols, min, max, sparsity, seed)", .op = "randMatrix",
     .doc = "Matrix of uniform random values between min and max, of which the fraction sparsity is not zero. "
            "Equal seeds give equal values; seed -1 gives others in every run.",
     .example = "print(rand(1, 4, 1, 6, 1.0, 42));", .expect = "DenseMatrix(1x4, int64_t)\n3 5 6 2\n"},
    {.signature = "sample(range, size, withReplacement, seed)", .op = "sample",
     .doc = "Column of size random values from [0, range). Equal seeds give equal values; seed -1 gives others in "
            "every run.",
     .example = "print(sum(sample(5, 5, false, 1)));", .expect = "10\n"},
    {.signature = "seq(from, to, inc = 1)", .op = "seq",
     .doc = "Column of the values from, from + inc, ... up to and including to; empty if inc points away from to.",
     .example = "print(seq(1, 5, 2));", .expect = "DenseMatrix(3x1, int64_t)\n1\n3\n5\n"},
};
// clang-format on

} // namespace

void addGeneration(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
