// SPDX-License-Identifier: Apache-2.0
/// The parts of a matrix or frame that a loop runs through without making a
/// list of them: for (x in rows(X)), cols(X), cells(X).
#pragma once

#include <optional>

#include "lang/dsl/Ast.h"

namespace daphne::lang {

enum class Parts : uint8_t { Rows, Cols, Cells };

/// Which parts the call means, if no function hides the name.
inline std::optional<Parts> partsNamed(std::string_view callee) {
    if (callee == "rows")
        return Parts::Rows;
    if (callee == "cols")
        return Parts::Cols;
    if (callee == "cells")
        return Parts::Cells;
    return std::nullopt;
}

} // namespace daphne::lang
