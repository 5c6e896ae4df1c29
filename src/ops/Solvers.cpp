// SPDX-License-Identifier: Apache-2.0
/// Least squares, pseudo-inverse, eigenvalues of any square matrix, iterative solvers, the Fourier transform.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

ValueType floatingType(const InferCall &call) {
    needNumericMatrix(call, 0);
    return floatOf(valueTypeOf(call.type(0)));
}

/// Side of operand 0, which must be square.
int64_t squareSide(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    if (x.hasShape() && x.rows != x.cols)
        throw wrongAtRunTime(call, "needs a square matrix, got " + x.shapeText());
    return x.rows >= 0 ? x.rows : x.cols;
}

void needEqualRows(const InferCall &call) {
    needNumericMatrix(call, 1);
    const TypeDesc &a = call.type(0), &b = call.type(1);
    if (a.rows >= 0 && b.rows >= 0 && a.rows != b.rows)
        throw wrongAtRunTime(call, "needs equal numbers of rows, got " + a.shapeText() + " and " + b.shapeText());
}

Types lstsq(const InferCall &call) {
    needNumericMatrix(call, 0);
    needEqualRows(call);
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), call.type(0).cols, call.type(1).cols)};
}

Types pinv(const InferCall &call) {
    ValueType t = floatingType(call);
    return {TypeDesc::matrix(t, call.type(0).cols, call.type(0).rows)};
}

Types eigenGeneral(const InferCall &call) {
    int64_t n = squareSide(call);
    ValueType t = floatOf(valueTypeOf(call.type(0)));
    TypeDesc values = TypeDesc::matrix(t, n, 1), vectors = TypeDesc::matrix(t, n, n);
    return {values, values, vectors, vectors};
}

/// cg(matrix, rhs, tol, maxIter, precond), gmres(..., restart): solution, iterations, residual
Types iterative(const InferCall &call) {
    int64_t n = squareSide(call);
    needEqualRows(call);
    const TypeDesc &b = call.type(1);
    if (b.cols >= 0 && b.cols != 1)
        throw wrongAtRunTime(call, "needs a right-hand side with one column, got " + b.shapeText());
    for (size_t i : {2, 3})
        needNumericScalar(call, i);
    needString(call, 4);
    if (call.args.size() > 5)
        needNumericScalar(call, 5);
    const auto &precond = call.args[4].constant;
    if (precond && precond->s != "none" && precond->s != "jacobi" && precond->s != "ilu0")
        throw wrong(call, "unknown preconditioner \"" + precond->s + "\"")
            .withHint("it is one of \"none\", \"jacobi\" and \"ilu0\"");
    return {TypeDesc::matrix(ValueType::F64, n >= 0 ? n : b.rows, 1), TypeDesc::scalar(ValueType::SI64),
            TypeDesc::scalar(ValueType::F64)};
}

/// fft(re[, im])
Types fourier(const InferCall &call) {
    ValueType t = floatingType(call);
    const TypeDesc &re = call.type(0);
    TypeDesc result = TypeDesc::matrix(t, re.rows, re.cols);
    if (call.args.size() > 1) {
        needNumericMatrix(call, 1);
        const TypeDesc &im = call.type(1);
        if (re.hasShape() && im.hasShape() && (re.rows != im.rows || re.cols != im.cols))
            throw wrong(call, "needs real and imaginary parts of one shape, got " + re.shapeText() + " and " +
                                  im.shapeText());
        result.valueType = floatOf(generalise(call, {0, 1}));
    }
    return {result, result};
}
bool fourierMayFail(const InferCall &call) {
    return !allShapesKnown(call) || !numericMatrix(call.type(0)) ||
           (call.args.size() > 1 && !numericMatrix(call.type(1)));
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "lstsq", .minArgs = 2, .maxArgs = 2, .infer = lstsq, .mayFail = always},
    {.mnemonic = "pinv", .infer = pinv, .mayFail = always},
    {.mnemonic = "eigenGeneral", .numResults = 4, .infer = eigenGeneral, .mayFail = always},
    {.mnemonic = "cg", .minArgs = 5, .maxArgs = 5, .numResults = 3, .infer = iterative, .mayFail = always},
    {.mnemonic = "gmres", .minArgs = 6, .maxArgs = 6, .numResults = 3, .infer = iterative, .mayFail = always},
    {.mnemonic = "fft", .minArgs = 1, .maxArgs = 2, .numResults = 2, .infer = fourier, .mayFail = fourierMayFail},
    {.mnemonic = "ifft", .minArgs = 1, .maxArgs = 2, .numResults = 2, .infer = fourier, .mayFail = fourierMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "lstsq(lhs, rhs)", .op = "lstsq",
     .doc = "x that makes the columns of lhs @ x - rhs as short as possible, the shortest one if there are several; lhs "
            "may have any shape and rank. By singular values; those of at most max(m, n) * eps times the largest count "
            "as 0. nan and inf are errors.",
     .example = "A = [1.0, 0.0, 1.0, 1.0, 1.0, 2.0](3, 2); print(lstsq(A, [1.0, 3.0, 5.0]));",
     .expect = "DenseMatrix(2x1, double)\n1\n2\n"},
    {.signature = "pinv(arg)", .op = "pinv",
     .doc = "The pseudo-inverse (Moore, Penrose) of a matrix of any shape and rank; small singular values as for lstsq.",
     .example = "print(pinv([2.0, 0.0, 0.0, 0.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n0.5 0\n0 0\n"},
    {.signature = "eigenGeneral(arg)", .op = "eigenGeneral",
     .doc = "re, im, vre, vim: real and imaginary parts of the eigenvalues of a square matrix, ascending, and those of "
            "their eigenvectors as columns of length 1, whose largest component is real and positive.",
     .example = "re, im, vre, vim = eigenGeneral([0.0, -1.0, 1.0, 0.0](2, 2)); print(im);",
     .expect = "DenseMatrix(2x1, double)\n-1\n1\n"},
    {.signature = "cg(lhs, rhs, tol = 1e-8, maxIter = 1000, precond = \"none\")", .op = "cg",
     .doc = "x, iters, res: x with lhs @ x = rhs for a symmetric, positive definite matrix lhs, dense or sparse, by "
            "conjugate gradients: at most maxIter iterations, until the residual is at most tol. res is the length of "
            "rhs - lhs @ x relative to that of rhs. precond is \"none\", \"jacobi\" or \"ilu0\".",
     .example = "x, iters, res = cg([4.0, 1.0, 1.0, 3.0](2, 2), [6.0, 7.0]); print(x); print(iters);",
     .expect = "DenseMatrix(2x1, double)\n1\n2\n2\n"},
    {.signature = "gmres(lhs, rhs, tol = 1e-8, maxIter = 1000, precond = \"none\", restart = 30)", .op = "gmres",
     .doc = "As cg for any invertible matrix, by generalised minimal residuals, started again after so many iterations.",
     .example = "x, iters, res = gmres([4.0, 1.0, 2.0, 3.0](2, 2), [6.0, 8.0]); print(x);",
     .expect = "DenseMatrix(2x1, double)\n1\n2\n"},
    {.signature = "fft(re[, im])", .op = "fft",
     .doc = "Real and imaginary parts of the discrete Fourier transform of every column, of any length n: result k is "
            "the sum over j of x[j] * e^(-2 pi i j k / n).",
     .example = "re, im = fft([1.0, 2.0, 3.0, 4.0]); print(t(re)); print(t(im));",
     .expect = "DenseMatrix(1x4, double)\n10 -2 -2 -2\nDenseMatrix(1x4, double)\n0 2 0 -2\n"},
    {.signature = "ifft(re[, im])", .op = "ifft",
     .doc = "The inverse of fft: result j is the sum over k of x[k] * e^(2 pi i j k / n), divided by n.",
     .example = "a, b = fft([1.0, 2.0, 3.0, 4.0]); re, im = ifft(a, b); print(t(re));",
     .expect = "DenseMatrix(1x4, double)\n1 2 3 4\n"},
};
// clang-format on

} // namespace

void addSolvers(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
