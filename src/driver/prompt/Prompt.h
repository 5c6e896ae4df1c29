// SPDX-License-Identifier: Apache-2.0
/// The interactive prompt: read a statement (several lines if need be), run it,
/// keep its variables and functions.
#pragma once

#include "driver/machines/Distributed.h"

namespace daphne::driver {

/// Returns the exit status.
int runPrompt(CommandLine options, std::shared_ptr<dist::TransportModule> job);

} // namespace daphne::driver
