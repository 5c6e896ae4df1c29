// SPDX-License-Identifier: Apache-2.0
#include "ops/Rules.h"

#include "base/Error.h"
#include "ops/ListHints.h"

namespace daphne::ops::rule {

namespace {

[[noreturn]] void reject(std::string message) { throw compileError({}, std::move(message)); }

std::string quoted(const InferCall &call) { return "'" + std::string(userName(call.op.mnemonic)) + "'"; }

bool known(ValueType t) { return t != ValueType::Unknown; }

/// Whether `other` can be spread over `full`, unknown dimensions fitting anything.
bool fitsInto(const TypeDesc &full, const TypeDesc &other) {
    auto fits = [](int64_t n, int64_t k) { return n < 0 || k < 0 || k == 1 || k == n; };
    return fits(full.rows, other.rows) && fits(full.cols, other.cols);
}

/// One dimension of a broadcast of sizes a and b that fit together.
int64_t mergeDimension(int64_t a, int64_t b) {
    if (a < 0)
        return b == 1 ? -1 : b;
    return a == 1 ? b : a;
}

} // namespace

ValueType floatOf(ValueType g) {
    if (!known(g) || isFloat(g))
        return g;
    return ValueType::F64;
}

Shape broadcast(const InferCall &call, const TypeDesc &a, const TypeDesc &b) {
    bool lhsFull = fitsInto(a, b), rhsFull = fitsInto(b, a);
    if (!lhsFull && !rhsFull)
        throw compileError({}, quoted(call) + " needs equal shapes or a vector to broadcast, got " + a.shapeText() +
                                   " and " + b.shapeText())
            .withHint(call.op.mnemonic == "ewMul" && a.cols == b.rows ? "the product of matrices is written A @ B"
                                                                      : "");
    Shape s{mergeDimension(a.rows, b.rows), mergeDimension(a.cols, b.cols)};
    // Where only one operand can have the shape of the result, its dimensions are the result's, even if they are 1.
    if (lhsFull != rhsFull) {
        const TypeDesc &full = lhsFull ? a : b;
        if (full.rows >= 0)
            s.rows = full.rows;
        if (full.cols >= 0)
            s.cols = full.cols;
    }
    return s;
}

void wrongOperand(const InferCall &call, size_t i, std::string_view what) {
    bool wantsMatrix = what.find("matrix") != what.npos && what.find("frame") == what.npos;
    throw compileError({}, quoted(call) + " needs " + std::string(what) + " as argument " + std::to_string(i + 1) +
                               ", got " + call.type(i).text())
        .withHint(wantsMatrix && call.type(i).isFrame()
                      ? "as.matrix(F) makes a matrix of a frame of numbers, F[, \"label\"] selects columns"
                      : "");
}

void needMatrix(const InferCall &call, size_t i) {
    if (!call.type(i).isUnknown() && !call.type(i).isMatrix())
        wrongOperand(call, i, "a matrix");
}

void needNumericMatrix(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (!t.isUnknown() && (!t.isMatrix() || t.valueType == ValueType::Str))
        wrongOperand(call, i, "a numeric matrix");
}

void needScalar(const InferCall &call, size_t i) {
    if (!call.type(i).isUnknown() && !call.type(i).isScalar())
        wrongOperand(call, i, "a scalar");
}

void needNumericScalar(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (!t.isUnknown() && (!t.isScalar() || t.valueType == ValueType::Str))
        wrongOperand(call, i, "a number");
}

void needString(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (!t.isUnknown() && !(t.isScalar() && (t.valueType == ValueType::Str || !known(t.valueType))))
        wrongOperand(call, i, "a string");
}

std::vector<TypeDesc> none(const InferCall &) { return {}; }
std::vector<TypeDesc> sameAsFirst(const InferCall &call) { return {call.type(0)}; }

// ---------------------------------------------------------------------- unary

namespace {

/// The result of an elementwise function: like the operand, with another value type.
TypeDesc mapped(const InferCall &call, ValueType result) {
    const TypeDesc &t = call.type(0);
    if (t.isUnknown())
        return TypeDesc::unknown();
    if ((!t.isScalar() && !t.isMatrix()) || t.valueType == ValueType::Str)
        wrongOperand(call, 0, "a number or a numeric matrix");
    return t.isScalar() ? TypeDesc::scalar(result) : TypeDesc::matrix(result, t.rows, t.cols);
}

} // namespace

std::vector<TypeDesc> ewUnary(const InferCall &call) { return {mapped(call, call.type(0).valueType)}; }
std::vector<TypeDesc> ewUnaryFloat(const InferCall &call) { return {mapped(call, floatOf(call.type(0).valueType))}; }

// --------------------------------------------------------------------- binary

namespace {

/// Estimate of the fraction of non-zeros of a sum, difference or product (builtins 2.1); unknown otherwise.
double sparsityOf(const InferCall &call) {
    const TypeDesc &a = call.type(0), &b = call.type(1);
    std::string_view op = call.op.mnemonic;
    if (op == "ewMul") {
        if (a.sparsity < 0 || !a.isMatrix())
            return b.isMatrix() ? b.sparsity : -1;
        return b.sparsity < 0 || !b.isMatrix() ? a.sparsity : a.sparsity * b.sparsity;
    }
    bool isSum = op == "ewAdd" || op == "ewSub";
    if (!isSum || !a.isMatrix() || !b.isMatrix() || a.sparsity < 0 || b.sparsity < 0)
        return -1;
    return a.sparsity + b.sparsity - a.sparsity * b.sparsity;
}

ValueType generalOf(const TypeDesc &a, const TypeDesc &b) {
    if (!known(a.valueType) || !known(b.valueType))
        return ValueType::Unknown;
    return mostGeneral(a.valueType, b.valueType);
}

[[noreturn]] void rejectPair(const InferCall &call, std::string_view why, std::string_view hint = {}) {
    throw compileError({}, quoted(call) + " " + std::string(why) + ", got " + call.type(0).text() + " and " +
                               call.type(1).text())
        .withHint(std::string(hint));
}

/// What other languages do with texts and operators.
std::string_view hintForStrings(std::string_view mnemonic) {
    if (mnemonic == "ewMul")
        return "repeat(s, n) repeats a text";
    if (mnemonic == "ewMod")
        return "format(\"{} of {:.2f}\", n, x) makes a text of values";
    if (mnemonic == "ewDiv")
        return "split(s, separator) takes a text apart";
    return {};
}

/// frame (+) scalar: every column keeps its own type, as at run time.
TypeDesc frameWithScalar(const InferCall &call) {
    bool frameLeft = call.type(0).isFrame();
    const TypeDesc &f = call.type(frameLeft ? 0 : 1), &s = call.type(frameLeft ? 1 : 0);
    if (!s.isScalar() && !s.isUnknown())
        rejectPair(call, "combines a frame only with a scalar");
    if (s.valueType == ValueType::Str)
        rejectPair(call, "needs a number beside a frame");
    if (f.schema)
        for (ValueType t : f.schema->types)
            if (t == ValueType::Str)
                rejectPair(call, "needs numeric columns");
    return TypeDesc::frame(f.schema, f.rows, f.cols);
}

/// Data type and shape of an elementwise result (language 4) with cells of the given type.
TypeDesc combined(const InferCall &call, ValueType result) {
    const TypeDesc &a = call.type(0), &b = call.type(1);
    if (a.isList() || b.isList())
        rejectPair(call, "does not work on lists", hintForList(call.op.mnemonic));
    if (a.isFrame() || b.isFrame())
        return frameWithScalar(call);
    if (a.isMatrix() && b.isMatrix()) {
        Shape s = broadcast(call, a, b);
        return TypeDesc::matrix(result, s.rows, s.cols, sparsityOf(call));
    }
    if (a.isScalar() && b.isScalar())
        return TypeDesc::scalar(result);
    if (!a.isMatrix() && !b.isMatrix())
        return TypeDesc::unknown();
    const TypeDesc &m = a.isMatrix() ? a : b;
    if (a.isUnknown() || b.isUnknown()) // a scalar or another matrix: a dimension of 1 may grow
        return TypeDesc::matrix(result, mergeDimension(m.rows, -1), mergeDimension(m.cols, -1));
    return TypeDesc::matrix(result, m.rows, m.cols, sparsityOf(call));
}

void rejectStrings(const InferCall &call) {
    for (size_t i : {0, 1})
        if (call.type(i).valueType == ValueType::Str)
            rejectPair(call, "does not work on strings", hintForStrings(call.op.mnemonic));
}

void rejectMixedStrings(const InferCall &call) {
    const TypeDesc &a = call.type(0), &b = call.type(1);
    if (known(a.valueType) && known(b.valueType) && (a.valueType == ValueType::Str) != (b.valueType == ValueType::Str))
        rejectPair(call, "needs two strings or two numbers");
}

bool involvesString(const InferCall &call) {
    return call.type(0).valueType == ValueType::Str || call.type(1).valueType == ValueType::Str;
}

} // namespace

std::vector<TypeDesc> ewArithmetic(const InferCall &call) {
    rejectStrings(call);
    ValueType g = generalOf(call.type(0), call.type(1));
    return {combined(call, g == ValueType::Bool ? ValueType::SI64 : g)};
}

std::vector<TypeDesc> ewAdd(const InferCall &call) {
    return involvesString(call) ? ewConcat(call) : ewArithmetic(call);
}

std::vector<TypeDesc> ewMinMax(const InferCall &call) {
    rejectMixedStrings(call);
    return {combined(call, generalOf(call.type(0), call.type(1)))};
}

std::vector<TypeDesc> ewFloat(const InferCall &call) {
    rejectStrings(call);
    return {combined(call, floatOf(generalOf(call.type(0), call.type(1))))};
}

std::vector<TypeDesc> ewCompare(const InferCall &call) {
    rejectMixedStrings(call);
    ValueType g = generalOf(call.type(0), call.type(1));
    return {combined(call, g == ValueType::Str ? ValueType::SI64 : g)};
}

std::vector<TypeDesc> ewLogical(const InferCall &call) {
    rejectStrings(call);
    ValueType g = generalOf(call.type(0), call.type(1));
    return {combined(call, known(g) && !isIntegerLike(g) ? ValueType::UI64 : g)};
}

std::vector<TypeDesc> ewConcat(const InferCall &call) {
    for (size_t i : {0, 1})
        if (call.type(i).isFrame())
            wrongOperand(call, i, "a scalar or a matrix");
    TypeDesc result = combined(call, ValueType::Str);
    result.sparsity = -1;
    return {result};
}

// --------------------------------------------------------------------- faults

bool always(const InferCall &) { return true; }

bool unlessShapesKnown(const InferCall &call) {
    bool matrices = false, shapes = true;
    for (const Arg &arg : call.args) {
        if (!arg.type.isComplete())
            return true;
        matrices |= !arg.type.isScalar();
        shapes &= arg.type.isScalar() || arg.type.hasShape();
    }
    return matrices && !shapes;
}

} // namespace daphne::ops::rule
