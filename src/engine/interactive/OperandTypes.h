// SPDX-License-Identifier: Apache-2.0
/// What operations take and give, asked of their inference rules, for help and the pages of the reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/KernelTable.h"
#include "ops/Registry.h"

namespace daphne::engine {

/// Operands to ask about: of operations with any number of them, a few.
size_t numOperands(const ops::OpInfo &op);

/// The types of results; none if the rule rejects the operands.
std::optional<std::vector<ops::TypeDesc>> resultsOf(const ops::OpInfo &op, const std::vector<ops::Arg> &operands);

/// Whether the kernel converts operand i to a number, so that its rule does not say what it is.
bool isNumber(const Kernel &kernel, size_t i);

/// What parameter i of a builtin takes: "matrix, number", "text", "0 or 1".
std::string parameterTypes(const ops::BuiltinInfo &b, size_t i);

/// What an operation gives, for each kind of first operand: "`matrix<f64>` → `f64`; `matrix<si64>` → `si64`".
std::string resultTypes(const ops::OpInfo &op);

} // namespace daphne::engine
