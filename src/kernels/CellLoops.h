// SPDX-License-Identifier: Apache-2.0
/// The inner loops of elementwise operations: one function per operation and
/// computation type, working on adjacent cells. Drivers (ElementwiseBinary,
/// ElementwiseUnary, Outer) are compiled once and choose a loop per call.
///
/// Every loop returns the number of cells done: n, or the position of the first
/// cell outside the operation's domain, which the driver reports. The result
/// may be the very storage of an operand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ValueType.h"

namespace daphne {

enum class BinaryOp : uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Mod,
    Log,
    Min,
    Max,
    Eq,
    Neq,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Xor,
    Concat,
};

struct BinaryLoops {
    using Fn = size_t (*)(const void *lhs, const void *rhs, void *result, size_t n);
    Fn cells;       ///< result[i] = lhs[i] op rhs[i]
    Fn rightSingle; ///< result[i] = lhs[i] op rhs[0]
    Fn leftSingle;  ///< result[i] = lhs[0] op rhs[i]
    ValueType compute, result;
};

/// Loops for operands whose most general value type is g, a numeric type. Not for Concat.
BinaryLoops binaryLoops(BinaryOp op, ValueType g);
BinaryLoops arithmeticLoops(BinaryOp op, ValueType g); ///< Add ... Max
BinaryLoops truthLoops(BinaryOp op, ValueType g);      ///< Eq ... Xor

enum class UnaryOp : uint8_t {
    Minus,
    Abs,
    Sign,
    Exp,
    Ln,
    Sqrt,
    Round,
    Floor,
    Ceil,
    Sin,
    Cos,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    Asin,
    Acos,
    Atan,
    Isnan,
    Not,
};

struct UnaryLoop {
    size_t (*cells)(const void *arg, void *result, size_t n);
    ValueType type; ///< of computation and result
};

/// Loop for an operand of the numeric type t.
UnaryLoop unaryLoop(UnaryOp op, ValueType t);

} // namespace daphne
