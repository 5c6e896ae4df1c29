// SPDX-License-Identifier: Apache-2.0
/// What the environment of a process says about scheduling.
#pragma once

#include <functional>

#include "sched/Settings.h"

namespace daphne::driver {

using Environment = std::function<const char *(const char *)>; ///< like getenv
Environment environmentOfThisProcess();

/// DAPHNE_FAKE_TOPOLOGY names a machine, SLURM_CPUS_ON_NODE and SLURM_CPUS_PER_TASK the most threads. Throws Error
/// (status 1) for mistakes in variables.
void applyEnvironment(sched::Settings &settings, const Environment &environment);

/// Sets variables for libraries that the scheduler uses. To be called before there are threads.
void prepareEnvironment();

} // namespace daphne::driver
