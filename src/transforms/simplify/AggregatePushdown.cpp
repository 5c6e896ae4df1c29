// SPDX-License-Identifier: Apache-2.0
/// Sums over a product without the product. With c = column sums of A and
/// r = row sums of B:
///     sum(A @ B)             = c @ r             O(nk + km) instead of O(nkm)
///     sum(A @ B, rows)       = A @ r
///     sum(A @ B, columns)    = c @ B
///     sum(diagVector(A @ B)) = sum(A * t(B))
///     sum(X * s)             = s * sum(X)        integers only
///     sum(sum(X, any axis))  = sum(X)
/// Integers of 64 bits wrap in sums as in
/// products, so these hold for all values. Floats are added in another
/// order, which changes at most digits that are not printed; s * sum(X) may
/// overflow where no sum of s * x does, so it stays away from floats. All need
/// known shapes: a shape error must still be raised by the product.
#include "transforms/Passes.h"

#include "ops/SumTypes.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

/// A matrix and whether it is meant transposed.
struct Operand {
    mlir::Value matrix;
    bool transpose;
};

/// A product of two matrices of one value type whose only user is the aggregate, and which cannot fail.
struct Product {
    Operand lhs, rhs;
    int64_t rows, cols;
};

std::optional<Product> productFor(DaphneOp user, mlir::Value v) {
    DaphneOp op = onlyFor(user, v, "matMul");
    if (!op || ir::mustKeep(op))
        return std::nullopt;
    TypeDesc l = typeOf(op->getOperand(0)), r = typeOf(op->getOperand(1)), t = typeOf(v);
    // Otherwise sums of one factor would be computed in its own, narrower type, or cells that wrap or are rounded in
    // the product would no longer be so.
    if (l.valueType != r.valueType || ops::sumPrecision(t.valueType) != t.valueType || !t.hasShape())
        return std::nullopt;
    return Product{{op->getOperand(0), *constantFlag(op->getOperand(2))},
                   {op->getOperand(1), *constantFlag(op->getOperand(3))},
                   t.rows,
                   t.cols};
}

/// Column sums of op(x) as a row; row sums of op(x) as a column. Of a transposed matrix they are the other sums.
Operand columnSums(Operand x, Rewrite &rewrite) {
    return {rewrite.create(x.transpose ? ops::OpName("sumRow") : ops::OpName("sumCol"), x.matrix), x.transpose};
}
Operand rowSums(Operand x, Rewrite &rewrite) {
    return {rewrite.create(x.transpose ? ops::OpName("sumCol") : ops::OpName("sumRow"), x.matrix), x.transpose};
}

SmallVector<mlir::Value> productOperands(Operand l, Operand r, Rewrite &rewrite) {
    return {l.matrix, r.matrix, rewrite.boolean(l.transpose), rewrite.boolean(r.transpose)};
}

/// sum(diagVector(A @ B)): the cells of A and t(B) that meet, added up.
bool pushIntoTrace(DaphneOp op, Rewrite &rewrite) {
    DaphneOp diagonal = onlyFor(op, op->getOperand(0), "diagVector");
    auto p = diagonal ? productFor(diagonal, diagonal->getOperand(0)) : std::nullopt;
    if (!p)
        return false;
    Operand a = p->lhs, b = p->rhs;
    // op(A) * t(op(B)); if both sides would be transposed, neither needs to be.
    mlir::Value x = a.matrix, y = b.matrix;
    if (a.transpose == b.transpose)
        (a.transpose ? x : y) = rewrite.create("transpose", a.transpose ? x : y);
    return rewrite.replaceWith("sumAll", rewrite.create("ewMul", {x, y}));
}

/// sum(X * s) with a scalar s of the same integer type, of 64 bits: cells of others wrap, their sum does not.
bool pushIntoScaling(DaphneOp op, Rewrite &rewrite) {
    DaphneOp scaled = onlyFor(op, op->getOperand(0), "ewMul");
    if (!scaled)
        return false;
    mlir::Value x = scaled->getOperand(0), s = scaled->getOperand(1);
    if (typeOf(x).isScalar())
        std::swap(x, s);
    TypeDesc matrix = typeOf(x), scalar = typeOf(s);
    bool fits = matrix.isMatrix() && scalar.isScalar() && matrix.valueType == scalar.valueType &&
                isIntegerLike(matrix.valueType) && ops::sumType(matrix.valueType) == matrix.valueType;
    return fits && rewrite.replaceWith("ewMul", {rewrite.create("sumAll", x), s});
}

bool pushIntoSums(DaphneOp op, Rewrite &rewrite) {
    for (ops::OpName partial : std::initializer_list<ops::OpName>{"sumRow", "sumCol"})
        if (DaphneOp inner = onlyFor(op, op->getOperand(0), partial); inner && !ir::mustKeep(inner))
            return rewrite.replaceWith("sumAll", inner->getOperand(0));
    return false;
}

bool pushSumAll(DaphneOp op, Rewrite &rewrite) {
    auto p = productFor(op, op->getOperand(0));
    if (!p)
        return pushIntoTrace(op, rewrite) || pushIntoScaling(op, rewrite) || pushIntoSums(op, rewrite);
    if (p->rows == 1 && p->cols == 1)
        return false; // that is what the rule yields
    Operand columns = columnSums(p->lhs, rewrite), rows = rowSums(p->rhs, rewrite);
    return rewrite.replaceWith("sumAll", rewrite.create("matMul", productOperands(columns, rows, rewrite)));
}

bool pushDown(DaphneOp op, Rewrite &rewrite) {
    if (op.is("sumAll"))
        return pushSumAll(op, rewrite);
    // A vector would only be summed earlier: nothing gained.
    if (op.is("sumRow")) {
        auto p = productFor(op, op->getOperand(0));
        return p && p->cols != 1 &&
               rewrite.replaceWith("matMul", productOperands(p->lhs, rowSums(p->rhs, rewrite), rewrite));
    }
    if (op.is("sumCol")) {
        auto p = productFor(op, op->getOperand(0));
        return p && p->rows != 1 &&
               rewrite.replaceWith("matMul", productOperands(columnSums(p->lhs, rewrite), p->rhs, rewrite));
    }
    return false;
}

} // namespace

void pushDownAggregates(ModuleOp module) { applyEverywhere(module, pushDown); }

} // namespace daphne::transforms
