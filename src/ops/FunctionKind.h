// SPDX-License-Identifier: Apache-2.0
/// Values that are functions have no type of their own: to the compiler they are
/// of unknown type, at run time a kind behind all others tells them. `cast` makes
/// them of lists of their parts, and such lists of them; only irgen asks for that.
#pragma once

#include "ops/TypeDesc.h"

namespace daphne::ops {

/// As the wanted kind of a cast.
constexpr Kind kFunctionKind{static_cast<uint8_t>(Kind::List) + 1};

} // namespace daphne::ops
