// SPDX-License-Identifier: Apache-2.0
/// The range of `digits` of print, shared by inference and kernel.
#pragma once

#include <string>

#include "ops/WholeNumber.h"

namespace daphne::ops {

constexpr int kMostDigits = 17; ///< they tell any two numbers apart

inline std::string digitsText(double x) {
    return "digits must be 1 to " + std::to_string(kMostDigits) + ", or 0 for the shortest text, got " + numberText(x);
}

} // namespace daphne::ops
