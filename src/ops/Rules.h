// SPDX-License-Identifier: Apache-2.0
/// Stock inference and fault rules, and small pieces to build others from.
/// All throw Error(Stage::Compile) on operands that are certain to be wrong.
#pragma once

#include "ops/Registry.h"

namespace daphne::ops::rule {

/// g if floating point, else f64; Unknown stays Unknown.
ValueType floatOf(ValueType g);

/// Shape of a broadcast of two matrices (language 4.2); throws with both shapes if impossible.
struct Shape {
    int64_t rows = -1, cols = -1;
};
Shape broadcast(const InferCall &call, const TypeDesc &a, const TypeDesc &b);

/// Throws if operand i is known not to be what is needed; otherwise no effect.
void needMatrix(const InferCall &call, size_t i);
void needNumericMatrix(const InferCall &call, size_t i);
void needScalar(const InferCall &call, size_t i);
void needNumericScalar(const InferCall &call, size_t i);
void needString(const InferCall &call, size_t i);
/// The error all of them throw: "<op> needs <what> as <n>. argument, got <type>".
[[noreturn]] void wrongOperand(const InferCall &call, size_t i, std::string_view what);

// Inference rules
std::vector<TypeDesc> none(const InferCall &);          ///< no result
std::vector<TypeDesc> sameAsFirst(const InferCall &);   ///< type and shape of operand 0
std::vector<TypeDesc> ewUnary(const InferCall &);       ///< numeric, same type and shape
std::vector<TypeDesc> ewUnaryFloat(const InferCall &);  ///< numeric, floatOf, same shape
std::vector<TypeDesc>
ewArithmetic(const InferCall &); ///< g with broadcasting; frame (+) scalar; two bools: si64; strings rejected
std::vector<TypeDesc> ewAdd(const InferCall &);     ///< ewArithmetic, or concatenation if a string is involved
std::vector<TypeDesc> ewMinMax(const InferCall &);  ///< ewArithmetic, strings allowed, two bools: bool
std::vector<TypeDesc> ewFloat(const InferCall &);   ///< floatOf(g) with broadcasting
std::vector<TypeDesc> ewCompare(const InferCall &); ///< g with broadcasting; si64 for strings; bool for two bools
std::vector<TypeDesc> ewLogical(const InferCall &); ///< g if integer-like else ui64
std::vector<TypeDesc> ewConcat(const InferCall &);  ///< strings; numbers are converted

// Fault rules
bool always(const InferCall &);
/// Fails unless all operands are scalars or all shapes are known (infer has checked them).
bool unlessShapesKnown(const InferCall &);

} // namespace daphne::ops::rule
