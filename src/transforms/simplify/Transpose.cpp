// SPDX-License-Identifier: Apache-2.0
/// Transposes are copies of whole matrices; most of them need not happen.
/// Sums of floats may be added in another order than without these rules, which
/// changes at most digits that are not printed; extremes may not, because they
/// tell 0.0 from -0.0 by which comes first.
#include "transforms/Passes.h"

#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

/// The matrix under a transpose that cannot fail; null if v is none.
mlir::Value transposed(mlir::Value v) {
    DaphneOp op = definedBy(v, "transpose");
    return op && isNumericMatrix(typeOf(op->getOperand(0))) ? op->getOperand(0) : mlir::Value();
}

struct Product {
    mlir::Value lhs, rhs;
    bool transposeLhs, transposeRhs;
};

std::optional<Product> productOf(DaphneOp op) {
    auto l = constantFlag(op->getOperand(2)), r = constantFlag(op->getOperand(3));
    if (!l || !r)
        return std::nullopt;
    return Product{op->getOperand(0), op->getOperand(1), *l, *r};
}

/// t(A) @ B is a product with a flag; t(X) @ X is syrk, which computes one triangle only.
bool simplifyProduct(DaphneOp op, Rewrite &rewrite) {
    auto product = productOf(op);
    if (!product)
        return false;
    Product p = *product;
    bool changed = false;
    if (mlir::Value x = transposed(p.lhs)) {
        p.lhs = x;
        p.transposeLhs = !p.transposeLhs;
        changed = true;
    }
    if (mlir::Value x = transposed(p.rhs)) {
        p.rhs = x;
        p.transposeRhs = !p.transposeRhs;
        changed = true;
    }
    if (p.lhs == p.rhs && p.transposeLhs && !p.transposeRhs && isNumericMatrix(typeOf(p.lhs)))
        return rewrite.replaceWith("syrk", p.lhs);
    return changed && rewrite.replaceWith(
                          "matMul", {p.lhs, p.rhs, rewrite.boolean(p.transposeLhs), rewrite.boolean(p.transposeRhs)});
}

bool simplifyTranspose(DaphneOp op, Rewrite &rewrite) {
    mlir::Value x = op->getOperand(0);
    TypeDesc t = typeOf(x);
    if (DaphneOp inner = definedBy(x, "transpose"); inner && typeOf(inner->getOperand(0)).isMatrix())
        return rewrite.replaceWith(inner->getOperand(0));
    if (t.isMatrix() && t.rows == 1 && t.cols == 1)
        return rewrite.replaceWith(x);
    if (DaphneOp fill = definedBy(x, "fill"); fill && !ir::mustKeep(fill))
        return rewrite.replaceWith("fill", {fill->getOperand(0), fill->getOperand(2), fill->getOperand(1)});
    if (definedBy(x, "syrk"))
        return rewrite.replaceWith(x); // exactly symmetric
    // t(A @ B) = t(B) @ t(A): flags instead of a copy of the result.
    if (DaphneOp inner = onlyFor(op, x, "matMul"))
        if (auto p = productOf(inner); p && !ir::mustKeep(inner))
            return rewrite.replaceWith(
                "matMul", {p->rhs, p->lhs, rewrite.boolean(!p->transposeRhs), rewrite.boolean(!p->transposeLhs)});
    return false;
}

// ---- aggregates

struct Aggregate {
    ops::OpName mnemonic;
    ops::OpName ofTransposed; ///< the same aggregate of the transpose
    bool onFloats;            ///< the order of the cells does not matter for floats
};

constexpr Aggregate kOverAll[] = {
    {"sumAll", "sumAll", true},       {"meanAll", "meanAll", true}, {"varAll", "varAll", true},
    {"stddevAll", "stddevAll", true}, {"minAll", "minAll", false},  {"maxAll", "maxAll", false},
};

constexpr Aggregate kOverLines[] = {
    {"sumRow", "sumCol", true},       {"sumCol", "sumRow", true},       {"meanRow", "meanCol", true},
    {"meanCol", "meanRow", true},     {"varRow", "varCol", true},       {"varCol", "varRow", true},
    {"stddevRow", "stddevCol", true}, {"stddevCol", "stddevRow", true}, {"minRow", "minCol", false},
    {"minCol", "minRow", false},      {"maxRow", "maxCol", false},      {"maxCol", "maxRow", false},
    {"idxminRow", "idxminCol", true}, {"idxminCol", "idxminRow", true}, {"idxmaxRow", "idxmaxCol", true},
    {"idxmaxCol", "idxmaxRow", true},
};

bool simplifyAggregate(DaphneOp op, Rewrite &rewrite) {
    // An aggregate that may fail names the shape it saw.
    if (!definedBy(op->getOperand(0), "transpose") || ir::mustKeep(op))
        return false;
    mlir::Value x = transposed(op->getOperand(0));
    if (!x)
        return false;
    bool floats = isFloat(typeOf(x).valueType);
    for (const Aggregate &a : kOverAll)
        if (op.is(a.mnemonic) && (!floats || a.onFloats))
            return rewrite.replaceWith(a.ofTransposed, x);
    // The transpose of the result is that of a vector; worth it only if the large one disappears.
    if (!onlyFor(op, op->getOperand(0), "transpose"))
        return false;
    for (const Aggregate &a : kOverLines)
        if (op.is(a.mnemonic) && (!floats || a.onFloats))
            return rewrite.replaceWith("transpose", rewrite.create(a.ofTransposed, x));
    return false;
}

bool simplify(DaphneOp op, Rewrite &rewrite) {
    switch (op.info().family) {
    case ops::Family::AggAll:
    case ops::Family::AggRow:
    case ops::Family::AggCol: return simplifyAggregate(op, rewrite);
    default: break;
    }
    if (op.is("transpose"))
        return simplifyTranspose(op, rewrite);
    return op.is("matMul") && simplifyProduct(op, rewrite);
}

} // namespace

void simplifyTransposes(ModuleOp module) { applyEverywhere(module, simplify); }

} // namespace daphne::transforms
