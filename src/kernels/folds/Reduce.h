// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace daphne {

/// Folds (kernels/folds/Folds.h) by number, as loop programs and messages between machines write them. DotSparse is a
/// sum of products of stored cells, which is added up in another order.
enum class Reduce : uint8_t { Sum, Min, Max, DotSparse };

} // namespace daphne
