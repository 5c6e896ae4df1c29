// SPDX-License-Identifier: Apache-2.0
/// Loop programs from their text, for programs that come from elsewhere. Nothing
/// is believed: spaces, levels and types of all nodes are derived again from
/// their operands and must be those of the text, so that what passes is a
/// program the planner could have made, and running it on arrays of the right
/// size touches nothing else.
#pragma once

#include <string_view>

#include "exec/LoopProgram.h"

namespace daphne::exec {

/// Throws Error (status 3) that names the line.
LoopProgram parseProgram(std::string_view text);

} // namespace daphne::exec
