// SPDX-License-Identifier: Apache-2.0
/// Matrix decompositions, inverse, determinant, norms, the Kronecker product.
#include <algorithm>

#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// min(rows, cols) if both are known.
int64_t shorterSide(const TypeDesc &t) { return t.hasShape() ? std::min(t.rows, t.cols) : -1; }

/// The type of the factors of a numeric matrix.
ValueType factorType(const InferCall &call) {
    needNumericMatrix(call, 0);
    return floatOf(valueTypeOf(call.type(0)));
}

/// Side of operand 0, which must be square.
int64_t squareSide(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    if (x.hasShape() && x.rows != x.cols)
        throw wrongAtRunTime(call, "needs a square matrix, got " + x.shapeText());
    return x.rows >= 0 ? x.rows : x.cols;
}

Types lu(const InferCall &call) {
    ValueType t = factorType(call);
    const TypeDesc &x = call.type(0);
    int64_t k = shorterSide(x);
    return {TypeDesc::matrix(t, x.rows, k), TypeDesc::matrix(t, k, x.cols), TypeDesc::matrix(t, x.rows, x.rows)};
}

Types qr(const InferCall &call) {
    ValueType t = factorType(call);
    const TypeDesc &x = call.type(0);
    int64_t k = shorterSide(x);
    return {TypeDesc::matrix(t, x.rows, k), TypeDesc::matrix(t, k, x.cols)};
}

Types svd(const InferCall &call) {
    ValueType t = factorType(call);
    const TypeDesc &x = call.type(0);
    int64_t k = shorterSide(x);
    return {TypeDesc::matrix(t, x.rows, k), TypeDesc::matrix(t, k, 1), TypeDesc::matrix(t, x.cols, k)};
}

/// cholesky, inv
Types squareToSquare(const InferCall &call) {
    ValueType t = factorType(call);
    int64_t n = squareSide(call);
    return {TypeDesc::matrix(t, n, n)};
}

Types det(const InferCall &call) {
    ValueType t = factorType(call);
    squareSide(call);
    return {TypeDesc::scalar(t)};
}

/// norm(arg, kind)
Types norm(const InferCall &call) {
    needScalar(call, 1);
    return {TypeDesc::scalar(factorType(call))};
}

Types kron(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &a = call.type(0), &b = call.type(1);
    ValueType g = generalise(call, {0, 1});
    auto product = [](int64_t x, int64_t y) {
        int64_t result;
        return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &result) ? -1 : result;
    };
    return {
        TypeDesc::matrix(g == ValueType::Bool ? ValueType::SI64 : g, product(a.rows, b.rows), product(a.cols, b.cols))};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "lu", .numResults = 3, .infer = lu, .mayFail = always},
    {.mnemonic = "qr", .numResults = 2, .infer = qr, .mayFail = always},
    {.mnemonic = "svd", .numResults = 3, .infer = svd, .mayFail = always},
    {.mnemonic = "cholesky", .infer = squareToSquare, .mayFail = always},
    {.mnemonic = "inv", .infer = squareToSquare, .mayFail = always},
    {.mnemonic = "det", .infer = det, .mayFail = always},
    {.mnemonic = "norm", .minArgs = 2, .maxArgs = 2, .infer = norm, .mayFail = always},
    {.mnemonic = "kron", .minArgs = 2, .maxArgs = 2, .infer = kron, .mayFail = always},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "lu(arg)", .op = "lu",
     .doc = "L, U, P with P @ arg = L @ U: L lower triangular with ones on its diagonal, U upper triangular, P a "
            "permutation of rows (partial pivoting). For an m x n matrix and k = min(m, n), L is m x k, U k x n, "
            "P m x m.",
     .example = "L, U, P = lu([0.0, 2.0, 4.0, 6.0](2, 2));\nprint(U); print(P);",
     .expect = "DenseMatrix(2x2, double)\n4 6\n0 2\nDenseMatrix(2x2, double)\n0 1\n1 0\n"},
    {.signature = "qr(arg)", .op = "qr",
     .doc = "Q, R with arg = Q @ R: for an m x n matrix and k = min(m, n), Q is m x k with orthonormal columns, R is "
            "k x n, upper triangular, without negative numbers on its diagonal.",
     .example = "Q, R = qr([0.0, 2.0, -3.0, 4.0](2, 2));\nprint(R);",
     .expect = "DenseMatrix(2x2, double)\n3 -4\n0 2\n"},
    {.signature = "svd(arg)", .op = "svd",
     .doc = "U, s, V with arg = U @ diagMatrix(s) @ t(V): for an m x n matrix and k = min(m, n), the singular values s "
            "are a k x 1 column in descending order, U (m x k) and V (n x k) have orthonormal columns. The first cell "
            "of largest magnitude in every column of U is positive.",
     .example = "U, s, V = svd([0.0, 2.0, -3.0, 0.0](2, 2));\nprint(s);",
     .expect = "DenseMatrix(2x1, double)\n3\n2\n"},
    {.signature = "cholesky(arg)", .op = "cholesky",
     .doc = "The lower triangular L with arg = L @ t(L). A matrix that is not symmetric or not positive definite is an "
            "error.",
     .example = "print(cholesky([4.0, 2.0, 2.0, 5.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n2 0\n1 2\n"},
    {.signature = "inv(arg)", .op = "inv",
     .doc = "The inverse of a square matrix. A singular matrix is an error.",
     .example = "print(inv([2.0, 0.0, 0.0, 4.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n0.5 0\n0 0.25\n"},
    {.signature = "det(arg)", .op = "det", .doc = "The determinant of a square matrix; 1 for 0 x 0.",
     .example = "print(det([1.0, 2.0, 3.0, 4.0](2, 2)));", .expect = "-2\n"},
    {.signature = "norm(arg, kind = \"fro\")", .op = "norm",
     .doc = "A norm of a matrix or of a vector (a column): \"fro\" the root of the sum of squares, 1 the largest sum "
            "of magnitudes of a column, inf that of a row, 2 the largest singular value; 0 for no cells.",
     .example = "X = [3.0, 4.0]; print(norm(X)); print(norm(X, 1)); print(norm(X, inf));", .expect = "5\n7\n4\n"},
    {.signature = "kron(lhs, rhs)", .op = "kron",
     .doc = "The Kronecker product: every cell of lhs replaced by that cell times rhs.",
     .example = "print(kron([1, 2](1, 2), [1, 10]));", .expect = "DenseMatrix(2x2, int64_t)\n1 2\n10 20\n"},
};
// clang-format on

} // namespace

void addDecompositions(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
