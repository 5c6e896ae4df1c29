// SPDX-License-Identifier: Apache-2.0
/// What the options say about scheduling, for the scheduler.
#pragma once

#include <functional>

#include "driver/Options.h"
#include "sched/Settings.h"

namespace daphne::driver {

using Environment = std::function<const char *(const char *)>; ///< like getenv
Environment environmentOfThisProcess();

/// The result refers to the schemes of the options, which it shares. Throws Error (status 1) for mistakes in variables.
sched::Settings schedulerSettings(const Options &options, const Environment &environment = environmentOfThisProcess());

/// What variables say: DAPHNE_FAKE_TOPOLOGY a machine, SLURM_CPUS_ON_NODE and SLURM_CPUS_PER_TASK the most threads.
void applyEnvironment(sched::Settings &settings, const Environment &environment);

/// Sets variables for libraries that the scheduler uses. To be called before there are threads.
void prepareEnvironment();

/// Writes what the scheduler tells to standard error.
void writeToStandardError(std::string_view text);

} // namespace daphne::driver
