// SPDX-License-Identifier: Apache-2.0
/// What daphne.try and daphne.keep agree upon.
///
/// daphne.try calls the function that its attribute `callee` names and catches
/// its errors. Its first operands, as many as the attribute `value` says, are
/// the variables that the function keeps, the others are its arguments. Results:
/// the kept variables; the way in which the function was left, kFailed after an
/// error; what it returns; message and place of the error. The function calls
/// daphne.keep for every new value of a variable, and for the way and what it
/// returns before it ends: attribute `value` is the number of the result, whose
/// type is the attribute kKeptType.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace daphne::ir {

/// Attribute of functions that daphne.try calls.
inline constexpr llvm::StringLiteral kTryBody = "daphne.try_body";
inline constexpr llvm::StringLiteral kKeptType = "type";
inline constexpr int64_t kFailed = 16;

} // namespace daphne::ir
