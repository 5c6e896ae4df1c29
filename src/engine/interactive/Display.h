// SPDX-License-Identifier: Apache-2.0
/// How prompts and notebooks show a value: aligned, and cut to what a terminal can hold. Only the cells that are shown
/// are looked at, so the size of the value does not matter.
///
///     2x2 matrix, f64
///        1.5  -20
///       0.25    3
#pragma once

#include <string>

#include "data/Value.h"

namespace daphne::engine {

/// Lines, each with its end. Tables are cut to `width` characters.
std::string displayText(const Value &value, size_t width);

/// One line without an end: the text of a scalar, else what displayText begins with.
std::string summaryText(const Value &value);

} // namespace daphne::engine
