// SPDX-License-Identifier: Apache-2.0
/// Identities and strength reduction, on numbers and on matrices of numbers.
/// Every rule keeps the result bit for bit, -0.0, NaN and infinities included:
/// x + 0.0 is not x (-0.0 + 0.0 is 0.0), but x - 0.0, x * 1.0 and x / 1.0 are.
/// Integers wrap, so their rules hold for all values. No rule changes whether
/// an operation fails.
#include "transforms/Passes.h"

#include <cmath>

#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::Constant;
using ops::TypeDesc;

namespace {

/// Operands and types of a binary operation on numeric data; a.kind is Unknown if it is none.
struct Pair {
    mlir::Value x, y;
    TypeDesc a, b, result;
    std::optional<Constant> cx, cy;
    /// The result is x (or y) unchanged if the operation is the identity: it has the same value type and shape.
    bool resultIsLike(const TypeDesc &t) const {
        return t.kind == result.kind && t.valueType == result.valueType && t.rows == result.rows &&
               t.cols == result.cols;
    }
    bool integers() const { return isIntegerLike(a.valueType) && isIntegerLike(b.valueType); }
};

std::optional<Pair> numericPair(DaphneOp op) {
    if (op->getNumOperands() != 2)
        return std::nullopt;
    Pair p{.x = op->getOperand(0), .y = op->getOperand(1)};
    p.a = typeOf(p.x), p.b = typeOf(p.y), p.result = typeOf(op->getResult(0));
    if (!isNumericData(p.a) || !isNumericData(p.b) || !isNumericData(p.result))
        return std::nullopt;
    p.cx = ir::constantOf(p.x), p.cy = ir::constantOf(p.y);
    return p;
}

bool isNumber(const std::optional<Constant> &c, double value) { return c && c->asDouble() == value; }
bool isZero(const std::optional<Constant> &c) { return isNumber(c, 0) && !std::signbit(c->asDouble()); }
bool isNegativeZero(const std::optional<Constant> &c) { return isNumber(c, 0) && std::signbit(c->asDouble()); }

/// All cells of the result are this integer; matrices need a known shape.
bool replaceWithInteger(const TypeDesc &result, int64_t value, Rewrite &rewrite) {
    Constant cell{.type = result.valueType, .i = value};
    if (result.isScalar())
        return rewrite.replaceWith(rewrite.constant(cell));
    if (!result.hasShape())
        return false;
    auto size = [&](int64_t n) { return rewrite.constant({.type = ValueType::Size, .i = n}); };
    return rewrite.replaceWith("fill", {rewrite.constant(cell), size(result.rows), size(result.cols)});
}

// ---- sums, products, quotients

/// The negation that yields v, if its operand has the type of v: truth values become numbers.
DaphneOp negationOf(mlir::Value v) {
    DaphneOp minus = definedBy(v, "ewMinus");
    return minus && typeOf(minus->getOperand(0)).valueType == typeOf(v).valueType ? minus : DaphneOp();
}

bool simplifyAdd(const Pair &p, Rewrite &rewrite) {
    if ((p.integers() && isZero(p.cy)) || isNegativeZero(p.cy))
        if (p.resultIsLike(p.a))
            return rewrite.replaceWith(p.x);
    if ((p.integers() && isZero(p.cx)) || isNegativeZero(p.cx))
        if (p.resultIsLike(p.b))
            return rewrite.replaceWith(p.y);
    // x + (-y), if the negation wrapped in the type of the sum. Floats: a negated NaN prints with a sign.
    if (DaphneOp minus = negationOf(p.y); minus && p.integers() && p.b.valueType == p.result.valueType)
        return rewrite.replaceWith("ewSub", {p.x, minus->getOperand(0)});
    return false;
}

bool simplifySub(const Pair &p, Rewrite &rewrite) {
    if (isZero(p.cy) && p.resultIsLike(p.a))
        return rewrite.replaceWith(p.x);
    if (p.x == p.y && p.integers()) // not for floats: inf - inf and nan - nan are nan
        return replaceWithInteger(p.result, 0, rewrite);
    if (DaphneOp minus = negationOf(p.y); minus && p.integers() && p.b.valueType == p.result.valueType)
        return rewrite.replaceWith("ewAdd", {p.x, minus->getOperand(0)});
    return false;
}

/// Both operands fit together for certain: replacing the operation hides no shape error.
bool cannotFail(const Pair &p) { return !p.a.isMatrix() || !p.b.isMatrix() || (p.a.hasShape() && p.b.hasShape()); }

bool simplifyMul(const Pair &p, Rewrite &rewrite) {
    if (isNumber(p.cy, 1) && p.resultIsLike(p.a))
        return rewrite.replaceWith(p.x);
    if (isNumber(p.cx, 1) && p.resultIsLike(p.b))
        return rewrite.replaceWith(p.y);
    if (p.integers() && (isZero(p.cx) || isZero(p.cy)) && cannotFail(p))
        return replaceWithInteger(p.result, 0, rewrite);
    return false;
}

/// 1 / c without rounding: c is a power of two whose reciprocal is a normal number of the type.
std::optional<double> exactReciprocal(const std::optional<Constant> &c, ValueType type) {
    if (!c || !isFloat(type))
        return std::nullopt;
    int exponent = 0;
    double value = c->asDouble();
    if (!std::isfinite(value) || std::abs(std::frexp(value, &exponent)) != 0.5)
        return std::nullopt;
    int limit = type == ValueType::F32 ? 126 : 1022;
    return std::abs(exponent - 1) <= limit ? std::optional(1 / value) : std::nullopt;
}

bool simplifyDiv(const Pair &p, Rewrite &rewrite) {
    if (isNumber(p.cy, 1) && p.resultIsLike(p.a))
        return rewrite.replaceWith(p.x);
    // x / 2 and x * 0.5 round the same exact value. Only where x is not converted.
    if (p.a.valueType == p.result.valueType)
        if (auto factor = exactReciprocal(p.cy, p.result.valueType))
            return rewrite.replaceWith("ewMul", {p.x, rewrite.constant({.type = p.result.valueType, .d = *factor})});
    return false;
}

// ---- powers

/// x is not negative and not -0.0; NaN is possible.
bool isNonNegative(mlir::Value x, ValueType type) {
    return (isIntegerLike(type) && !isSigned(type) && type != ValueType::Bool) ||
           (isFloat(type) && (definedBy(x, "ewAbs") || definedBy(x, "ewExp")));
}

bool simplifyPow(const Pair &p, Rewrite &rewrite) {
    ValueType type = p.result.valueType;
    bool unconverted = p.resultIsLike(p.a);
    if (isNumber(p.cy, 1) && unconverted)
        return rewrite.replaceWith(p.x);
    // x * x is the correctly rounded square, which is what the kernel computes for matrices; the library's pow, used
    // for scalars, promises it only up to the last bit. Powers of integers are products.
    if (isNumber(p.cy, 2) && unconverted)
        return rewrite.replaceWith("ewMul", {p.x, p.x});
    // sqrt fails for negative numbers where the power is nan. Otherwise it is the power correctly rounded.
    if (isNumber(p.cy, 0.5) && type == ValueType::F64 && p.a.kind == p.result.kind &&
        isNonNegative(p.x, p.a.valueType) && p.a.valueType != ValueType::F32)
        return rewrite.replaceWith("ewSqrt", p.x);
    return false;
}

// ---- comparisons, truth values

/// Comparison of a value with itself; floats may be NaN.
bool simplifyComparison(DaphneOp op, const Pair &p, Rewrite &rewrite) {
    if (p.x != p.y || !p.integers() || !p.result.isScalar())
        return false;
    bool isTrue = op.is("ewEq") || op.is("ewLe") || op.is("ewGe");
    return replaceWithInteger(p.result, isTrue, rewrite);
}

/// On bool only: other types become 0 or 1.
bool simplifyLogical(DaphneOp op, const Pair &p, Rewrite &rewrite) {
    if (p.a.valueType != ValueType::Bool || p.b.valueType != ValueType::Bool || !p.result.isScalar())
        return false;
    if (p.x == p.y)
        return rewrite.replaceWith(p.x);
    double neutral = op.is("ewAnd") ? 1 : 0;
    if (p.cx)
        return rewrite.replaceWith(isNumber(p.cx, neutral) ? p.y : p.x);
    if (p.cy)
        return rewrite.replaceWith(isNumber(p.cy, neutral) ? p.x : p.y);
    return false;
}

bool simplifyBinary(DaphneOp op, Rewrite &rewrite) {
    auto pair = numericPair(op);
    if (!pair)
        return false;
    const Pair &p = *pair;
    if (op.is("ewAdd"))
        return simplifyAdd(p, rewrite);
    if (op.is("ewSub"))
        return simplifySub(p, rewrite);
    if (op.is("ewMul"))
        return simplifyMul(p, rewrite);
    if (op.is("ewDiv"))
        return simplifyDiv(p, rewrite);
    if (op.is("ewPow"))
        return simplifyPow(p, rewrite);
    if (op.is("ewMin") || op.is("ewMax"))
        // Of floating-point cells it makes one NaN of all.
        return p.x == p.y && p.resultIsLike(p.a) && !isFloat(p.a.valueType) && rewrite.replaceWith(p.x);
    if (op.is("ewAnd") || op.is("ewOr"))
        return simplifyLogical(op, p, rewrite);
    if (op.is("ewEq") || op.is("ewNeq") || op.is("ewLt") || op.is("ewLe") || op.is("ewGt") || op.is("ewGe"))
        return simplifyComparison(op, p, rewrite);
    return false;
}

// ---- unary

bool simplifyUnary(DaphneOp op, Rewrite &rewrite) {
    mlir::Value x = op->getOperand(0);
    TypeDesc t = typeOf(x);
    if (!isNumericData(t))
        return false;
    if (op.is("ewMinus"))
        if (DaphneOp inner = negationOf(x))
            return rewrite.replaceWith(inner->getOperand(0));
    if (op.is("ewNot"))
        if (DaphneOp inner = definedBy(x, "ewNot"); inner && t.valueType == ValueType::Bool)
            return rewrite.replaceWith(inner->getOperand(0));
    if (op.is("ewAbs"))
        if (DaphneOp inner = negationOf(x); inner && isSigned(t.valueType))
            return rewrite.replaceWith("ewAbs", inner->getOperand(0));
    bool rounds = op.is("ewFloor") || op.is("ewCeil") || op.is("ewRound");
    if (rounds &&
        (isIntegerLike(t.valueType) || definedBy(x, "ewFloor") || definedBy(x, "ewCeil") || definedBy(x, "ewRound")))
        return rewrite.replaceWith(x);
    if (op.is("ewAbs") && definedBy(x, "ewAbs"))
        return rewrite.replaceWith(x);
    return false;
}

// ---- others

/// The value of a scalar condition does not matter or is known. Branches of a matrix condition may be scalars.
bool simplifyCond(DaphneOp op, Rewrite &rewrite) {
    TypeDesc c = typeOf(op->getOperand(0));
    // Branches of unknown types are compared at run time.
    if (!c.isScalar() || !isNumeric(c.valueType) || ir::mustKeep(op))
        return false;
    if (op->getOperand(1) == op->getOperand(2))
        return rewrite.replaceWith(op->getOperand(1));
    auto known = constantFlag(op->getOperand(0));
    return known && rewrite.replaceWith(op->getOperand(*known ? 1 : 2));
}

bool simplifySize(DaphneOp op, Rewrite &rewrite) {
    TypeDesc t = typeOf(op->getOperand(0));
    int64_t n = op.is("numRows") ? t.rows : op.is("numCols") ? t.cols : -1;
    if (op.is("numCells") && t.hasShape() && __builtin_mul_overflow(t.rows, t.cols, &n))
        n = -1;
    return n >= 0 && rewrite.replaceWith(rewrite.constant({.type = ValueType::Size, .i = n}));
}

bool simplify(DaphneOp op, Rewrite &rewrite) {
    switch (op.info().family) {
    case ops::Family::EwBinary: return simplifyBinary(op, rewrite);
    case ops::Family::EwUnary: return simplifyUnary(op, rewrite);
    default: break;
    }
    if (op.is("cond"))
        return simplifyCond(op, rewrite);
    if (op.is("numRows") || op.is("numCols") || op.is("numCells"))
        return simplifySize(op, rewrite);
    if (op.is("condition"))
        return typeOf(op->getOperand(0)) == TypeDesc::scalar(ValueType::Bool) && rewrite.replaceWith(op->getOperand(0));
    return false;
}

} // namespace

void simplifyAlgebra(ModuleOp module) { applyEverywhere(module, simplify); }

} // namespace daphne::transforms
