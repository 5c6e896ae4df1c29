// SPDX-License-Identifier: Apache-2.0
/// Values that are functions have no type of their own: to the compiler they are
/// of unknown type, at run time a kind behind all others tells them.
#pragma once

#include "ops/TypeDesc.h"

namespace daphne::ops {

/// Of arguments and parameters that certainly are functions, where a call chooses among definitions.
constexpr Kind kFunctionKind{static_cast<uint8_t>(Kind::List) + 1};

inline TypeDesc functionType() { return {.kind = kFunctionKind}; }

} // namespace daphne::ops
