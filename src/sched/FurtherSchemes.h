// SPDX-License-Identifier: Apache-2.0
/// Partitioning schemes that need to know something of the work, or make it up:
/// profiled (FSC, FAC, MFAC, TAP), weighted (WF), adaptive (AWF_B to AWF_E, AF,
/// MAF), random (RAND) and static stealing (STEAL).
///
/// Profiled ones without a profile are FAC2. Adaptive ones learn from the tasks of
/// the same loop; their sizes depend on time, so no task is known in advance.
#pragma once

#include <span>

#include "sched/Scheme.h"

namespace daphne::sched {

std::span<const Scheme> furtherSchemes();

} // namespace daphne::sched
