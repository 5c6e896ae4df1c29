// SPDX-License-Identifier: Apache-2.0
/// Operations on constants, evaluated at compile time by the kernels the program
/// itself would call: a folded operation cannot differ from an executed one.
#pragma once

#include <optional>
#include <span>

#include "ops/Registry.h"

namespace daphne {

/// Result of an op with one scalar result; nothing if it must not be folded: it has effects or no operands, no kernel
/// exists, or the result is no scalar or too long a text for the program. Throws what the kernel throws.
std::optional<ops::Constant> evaluate(const ops::OpInfo &op, std::span<const ops::Constant> args,
                                      const ops::TypeDesc &castTarget = {});

} // namespace daphne
