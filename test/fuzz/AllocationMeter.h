// SPDX-License-Identifier: Apache-2.0
/// Counts what the process takes from the heap: by hooks of the address sanitizer,
/// otherwise by taking the place of the C library's functions. Large matrices do
/// not come from the heap: data/BufferPool.h counts them.
#pragma once

#include <cstddef>

namespace daphne::fuzz {

/// Counts from here on.
void startMeter();
/// The most bytes that were in use at one time since startMeter(), beyond those in use then.
size_t peakBytes();

} // namespace daphne::fuzz
