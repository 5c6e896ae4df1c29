// SPDX-License-Identifier: Apache-2.0
/// What the options say about scheduling, for the scheduler.
#pragma once

#include "engine/Options.h"
#include "sched/Settings.h"

namespace daphne::engine {

/// The result refers to the schemes of the options, which it shares.
sched::Settings schedulerSettings(const Options &options);

} // namespace daphne::engine
