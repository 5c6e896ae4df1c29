// SPDX-License-Identifier: Apache-2.0
/// The error of a label that no column has: one text for all that look for columns.
#pragma once

#include <string>
#include <vector>

#include "base/Error.h"

namespace daphne {

/// The hint: a label that is nearly the same, or those that there are; "" if there are many.
std::string hintForLabel(const std::string &label, const std::vector<std::string> &known);

/// 'the frame has no column "x"', without a position.
Error noColumn(Stage stage, const std::string &label, const std::vector<std::string> &known);

} // namespace daphne
