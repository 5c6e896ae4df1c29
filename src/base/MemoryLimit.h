// SPDX-License-Identifier: Apache-2.0
/// How much more memory this process may take, as far as somebody has limited it.
#pragma once

#include <cstdint>
#include <limits>

namespace daphne {

constexpr uint64_t kNoMemoryLimit = std::numeric_limits<uint64_t>::max();

/// Bytes of address space below RLIMIT_AS, kNoMemoryLimit without one. Takes a microsecond without a limit.
uint64_t addressSpaceLeft();

/// Bytes below the limits of the control groups of this process, kNoMemoryLimit without one. Pages of files that the
/// system can give back do not count. Reads several files.
uint64_t groupMemoryLeft();

} // namespace daphne
