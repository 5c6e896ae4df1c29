// SPDX-License-Identifier: Apache-2.0
#include "exec/Distribution.h"

#include <utility>

namespace daphne::exec {

namespace {
thread_local Distribution *current = nullptr;
}

Distribution *activeDistribution() { return current; }

DistributionScope::DistributionScope(Distribution *distribution) : outer(std::exchange(current, distribution)) {}
DistributionScope::~DistributionScope() { current = outer; }

} // namespace daphne::exec
