// SPDX-License-Identifier: Apache-2.0
/// Sizes, positions, bounds and counts may be of any numeric type but must be
/// whole numbers; the rule is shared by inference, kernels and generated code.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace daphne::ops {

/// False for fractions and nan. What is beyond every dimension is out of range, not fractional.
inline bool isWhole(double x) { return x == std::trunc(x); }

constexpr std::string_view kWholeNumberHint = "write floor(x) to round down";

/// The shortest text for x.
inline std::string numberText(double x) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}

/// The message about an x that is not whole.
inline std::string notWholeText(double x) { return "positions and sizes must be whole numbers, got " + numberText(x); }

} // namespace daphne::ops
