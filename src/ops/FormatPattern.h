// SPDX-License-Identifier: Apache-2.0
/// Patterns of format(pattern, values...): texts and places for values, {}, {k} and
/// {:spec}, with spec = [[fill](<|>|^)][+][0][width][,][.precision][type] or, for
/// dates and times, parts like %d.%m.%Y.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ValueType.h"

namespace daphne::ops {

struct FormatSpec {
    std::string fill = " "; ///< one character
    char align = 0;         ///< '<', '>' or '^'; 0: numbers to the right, everything else to the left
    bool sign = false;      ///< '+' before numbers that are not negative
    bool zeros = false;     ///< zeros between sign and digits
    bool thousands = false; ///< ',' between groups of three digits
    uint32_t width = 0;     ///< at least so many characters
    int precision = -1;     ///< -1: none given
    char type = 0;          ///< one of "dxbogfe%s"; 0: none given, as toStr
    std::string dateParts;  ///< "%d.%m.%Y"; empty: none
    std::string text;       ///< as it was written, for messages
};

struct FormatPiece {
    static constexpr size_t kText = ~size_t(0);
    size_t value = kText; ///< position among the values
    std::string text;     ///< of a piece without a value
    FormatSpec spec;
};

/// Throws Error (status 3) with the pattern and what is wrong with it. Every value must be used.
std::vector<FormatPiece> parseFormat(std::string_view pattern, size_t numValues);

/// Throws Error (status 3) if values of this type cannot be written so. Unknown fits everything.
void checkFormat(const FormatSpec &spec, ValueType type);

} // namespace daphne::ops
