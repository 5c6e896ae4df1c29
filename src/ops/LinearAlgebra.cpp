// SPDX-License-Identifier: Apache-2.0
/// Matrix products, linear systems, eigenvalues.
#include <cmath>

#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// Products of bool are counts.
ValueType productType(ValueType g) { return g == ValueType::Bool ? ValueType::SI64 : g; }

/// Estimate for a product with common dimension k (builtins 2.1).
double productSparsity(double s1, double s2, int64_t k) {
    return s1 < 0 || s2 < 0 || k < 0 ? -1 : 1 - std::pow(1 - s1 * s2, static_cast<double>(k));
}

/// Shape of op(t) when it is known whether t is transposed.
Shape orient(const TypeDesc &t, std::optional<bool> transposed) {
    if (!transposed)
        return {};
    return *transposed ? Shape{t.cols, t.rows} : Shape{t.rows, t.cols};
}

std::string text(const Shape &s) { return TypeDesc::matrix(ValueType::F64, s.rows, s.cols).shapeText(); }

TypeDesc product(const InferCall &call, const Shape &l, const Shape &r) {
    if (l.cols >= 0 && r.rows >= 0 && l.cols != r.rows)
        throw compileError({}, "'" + std::string(userName(call.op.mnemonic)) +
                                   "' needs as many columns on the left as "
                                   "rows on the right, got " +
                                   text(l) + " and " + text(r))
            .withHint(l.rows >= 0 && l.rows == r.rows ? "t(A) @ B fits: the transpose is t(A)" : "");
    int64_t common = l.cols >= 0 ? l.cols : r.rows;
    return TypeDesc::matrix(productType(generalise(call, {0, 1})), l.rows, r.cols,
                            productSparsity(call.type(0).sparsity, call.type(1).sparsity, common));
}

/// matMul(lhs, rhs, transposeLhs, transposeRhs); the flags are absent while parsing.
Types matMul(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    bool flags = call.args.size() == 4;
    return {product(call, orient(call.type(0), flags ? flagOperand(call, 2) : false),
                    orient(call.type(1), flags ? flagOperand(call, 3) : false))};
}

bool productMayFail(const InferCall &call) {
    return !allShapesKnown(call) || !constantsFrom(call, 2) || !numericMatrix(call.type(0)) ||
           !numericMatrix(call.type(1));
}

/// syrk(arg) = t(arg) @ arg
Types syrk(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(productType(valueTypeOf(x)), x.cols, x.cols)};
}

bool numericMayFail(const InferCall &call) { return !numericMatrix(call.type(0)); }

/// gemv(lhs, rhs) = t(lhs) @ rhs with one column in rhs
Types gemv(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &x = call.type(1);
    if (x.cols >= 0 && x.cols != 1)
        throw wrong(call, "needs a right-hand side with one column, got " + x.shapeText());
    return {product(call, orient(call.type(0), true), {x.rows, 1})};
}

Types solve(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &a = call.type(0), &b = call.type(1);
    if (a.hasShape() && a.rows != a.cols)
        throw wrongAtRunTime(call, "needs a square matrix on the left, got " + a.shapeText());
    int64_t n = a.rows >= 0 ? a.rows : a.cols;
    if (n >= 0 && b.rows >= 0 && n != b.rows)
        throw wrongAtRunTime(call, "needs equal numbers of rows, got " + a.shapeText() + " and " + b.shapeText());
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), n >= 0 ? n : b.rows, b.cols)};
}

Types eigenCal(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    if (x.hasShape() && x.rows != x.cols)
        throw wrongAtRunTime(call, "needs a square matrix, got " + x.shapeText());
    ValueType t = valueTypeOf(x);
    if (t != ValueType::Unknown && !isFloat(t))
        throw wrongAtRunTime(call, "needs a matrix of f64 or f32, got " + x.text())
            .withHint("convert it with as.f64(...)");
    int64_t n = x.rows >= 0 ? x.rows : x.cols;
    return {TypeDesc::matrix(t, n, 1), TypeDesc::matrix(t, n, n)};
}

Types isSymmetric(const InferCall &call) {
    needMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    if (x.hasShape() && x.rows != x.cols)
        throw wrongAtRunTime(call, "needs a square matrix, got " + x.shapeText());
    return {TypeDesc::scalar(ValueType::Bool)};
}

bool squareMayFail(const InferCall &call) { return !call.type(0).isMatrix() || !allShapesKnown(call); }

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "matMul", .minArgs = 4, .maxArgs = 4, .infer = matMul, .mayFail = productMayFail,
     .product = ProductForm::TwoSides},
    {.mnemonic = "syrk", .infer = syrk, .mayFail = numericMayFail, .product = ProductForm::Gram},
    {.mnemonic = "gemv", .minArgs = 2, .maxArgs = 2, .infer = gemv, .mayFail = productMayFail},
    {.mnemonic = "solve", .minArgs = 2, .maxArgs = 2, .infer = solve, .mayFail = always},
    {.mnemonic = "eigenCal", .numResults = 2, .infer = eigenCal, .mayFail = always},
    {.mnemonic = "isSymmetric", .infer = isSymmetric, .mayFail = squareMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "syrk(arg)", .op = "syrk", .doc = "t(arg) @ arg, exactly symmetric.",
     .example = "print(syrk([1.0, 2.0, 3.0, 4.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n10 14\n14 20\n"},
    {.signature = "gemv(lhs, rhs)", .op = "gemv", .doc = "t(lhs) @ rhs for a rhs with one column.",
     .example = "print(gemv([1.0, 2.0, 3.0, 4.0](2, 2), [1.0, 1.0]));", .expect = "DenseMatrix(2x1, double)\n4\n6\n"},
    {.signature = "solve(lhs, rhs)", .op = "solve",
     .doc = "x with lhs @ x = rhs, by LU decomposition with partial pivoting. A singular lhs is an error.",
     .example = "print(solve([2.0, 0.0, 0.0, 4.0](2, 2), [2.0, 2.0]));",
     .expect = "DenseMatrix(2x1, double)\n1\n0.5\n"},
    {.signature = "eigen(arg)", .op = "eigenCal",
     .doc = "Eigenvalues of a symmetric matrix in ascending order, and its unit eigenvectors as columns.",
     .example = "values, vectors = eigen([2.0, 0.0, 0.0, 3.0](2, 2));\nprint(values);",
     .expect = "DenseMatrix(2x1, double)\n2\n3\n"},
    {.signature = "isSymmetric(arg)", .op = "isSymmetric",
     .doc = "Whether a square matrix equals its transpose.",
     .example = "print(isSymmetric([1, 2, 2, 3](2, 2)));", .expect = "1\n"},
};
// clang-format on

} // namespace

void addLinearAlgebra(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
