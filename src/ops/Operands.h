// SPDX-License-Identifier: Apache-2.0
/// Small questions inference rules ask about their operands.
#pragma once

#include <initializer_list>
#include <string>

#include "base/Error.h"
#include "ops/Registry.h"
#include "ops/Rules.h"
#include "ops/WholeNumber.h"

namespace daphne::ops::rule {

using Types = std::vector<TypeDesc>;

/// "<op>: <message>" as a compile-time error without position.
inline Error wrong(const InferCall &call, const std::string &message) {
    return compileError({}, std::string(userName(call.op.mnemonic)) + ": " + message);
}

/// A mistake the language gives to the run time although the compiler sees it: the operation fails when it is reached.
inline Error wrongAtRunTime(const InferCall &call, const std::string &message) {
    return executionError(std::string(userName(call.op.mnemonic)) + ": " + message);
}

/// Throws unless operand i is, or may be, a whole number: a position, a bound, a size or a count.
inline void needWholeNumber(const InferCall &call, size_t i) {
    needNumericScalar(call, i);
    const auto &constant = call.args[i].constant;
    if (constant && !isWhole(constant->asDouble()))
        throw compileError({}, notWholeText(constant->asDouble())).withHint(std::string(kWholeNumberHint));
}

/// A size operand: its constant value, -1 if not known. Throws if it is no whole number or certainly negative.
inline int64_t sizeOperand(const InferCall &call, size_t i) {
    needWholeNumber(call, i);
    const auto &constant = call.args[i].constant;
    if (!constant)
        return -1;
    double value = constant->asDouble();
    if (value <= -1)
        throw wrongAtRunTime(call, "a size must not be negative, got " + std::to_string(constant->asInt()));
    // Sizes beyond the range of the type's dimension are left to the kernel.
    return value < 9e18 ? constant->asInt() : -1;
}

/// The constant truth value of operand i; nothing if not known.
inline std::optional<bool> flagOperand(const InferCall &call, size_t i) {
    needNumericScalar(call, i);
    const auto &constant = call.args[i].constant;
    return constant ? std::optional(constant->asDouble() != 0) : std::nullopt;
}

/// Value type of a scalar, matrix or list; Unknown if not known.
inline ValueType valueTypeOf(const TypeDesc &t) { return t.isFrame() ? ValueType::Unknown : t.valueType; }

/// Most general value type of operands; Unknown if one is not known.
inline ValueType generalise(const InferCall &call, std::initializer_list<size_t> operands) {
    ValueType g = ValueType::Bool;
    for (size_t i : operands)
        g = mostGeneral(g, call.type(i).isUnknown() ? ValueType::Unknown : valueTypeOf(call.type(i)));
    return g;
}

/// Throws unless operand i is, or may be, a matrix or a frame.
inline void needMatrixOrFrame(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (!t.isUnknown() && !t.isMatrix() && !t.isFrame())
        wrongOperand(call, i, "a matrix or frame");
}

/// Throws unless operand i is, or may be, a frame.
inline void needFrame(const InferCall &call, size_t i) {
    if (!call.type(i).isUnknown() && !call.type(i).isFrame())
        wrongOperand(call, i, "a frame");
}

/// Throws unless operand i is, or may be, a list.
inline void needList(const InferCall &call, size_t i) {
    if (!call.type(i).isUnknown() && !call.type(i).isList())
        wrongOperand(call, i, "a list");
}

/// The same type without its sparsity, which an operation changed.
inline TypeDesc withoutSparsity(TypeDesc t) {
    t.sparsity = -1;
    return t;
}

/// Every matrix or frame operand has a known shape and no operand is of unknown kind.
inline bool allShapesKnown(const InferCall &call) {
    for (const Arg &a : call.args)
        if (a.type.isUnknown() || ((a.type.isMatrix() || a.type.isFrame()) && !a.type.hasShape()))
            return false;
    return true;
}

/// All scalar operands from `first` on are constants.
inline bool constantsFrom(const InferCall &call, size_t first) {
    for (size_t i = first; i < call.args.size(); ++i)
        if (!call.args[i].constant)
            return false;
    return true;
}

/// Throws unless operand i is, or may be, a numeric row or column, with n cells if n is not -1. Returns n or, if that
/// is -1, the number of cells as far as it is known. `what` begins the message: "the bias".
inline int64_t needVector(const InferCall &call, size_t i, int64_t n, const std::string &what) {
    needNumericMatrix(call, i);
    const TypeDesc &t = call.type(i);
    if (!t.hasShape())
        return n;
    bool isVector = t.rows == 1 || t.cols == 1;
    if (!isVector || (n >= 0 && t.rows * t.cols != n))
        throw wrong(call, what + " must be a row or a column" +
                              (n >= 0 ? " with " + std::to_string(n) + " cells" : std::string()) + ", got " +
                              t.shapeText());
    return t.rows * t.cols;
}

/// The value types of the operands are known and numeric.
inline bool numericMatrix(const TypeDesc &t) { return t.isMatrix() && isNumeric(t.valueType); }

} // namespace daphne::ops::rule
