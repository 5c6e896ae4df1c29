// SPDX-License-Identifier: Apache-2.0
/// One cell as text: in full, with some digits, or as a format's spec says.
#pragma once

#include <string>
#include <string_view>

#include "base/ValueType.h"
#include "ops/FormatPattern.h"

namespace daphne {

/// A borrowed cell of any type.
struct CellRef {
    ValueType type;
    const void *number;    ///< unless it is a text
    std::string_view text; ///< if it is one
};

/// Times and integers in decimal, floating-point numbers as the shortest text that reads back as the same number.
void appendText(std::string &out, const CellRef &cell);
/// Floating-point numbers with so many significant digits, everything else as above.
void appendSignificant(std::string &out, const CellRef &cell, int digits);
/// checkFormat() must have accepted the spec for the cell's type.
void appendFormatted(std::string &out, const ops::FormatSpec &spec, const CellRef &cell);

} // namespace daphne
