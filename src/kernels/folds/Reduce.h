// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace daphne {

/// Folds (kernels/folds/Folds.h) by number, as loop programs and messages between machines write them; new ones come
/// last. DotSparse is a sum of products of stored cells, which is added up in another order.
enum class Reduce : uint8_t { DotSparse, Sum, Min, Max, MinNumber, MaxNumber };
constexpr Reduce kLastReduce = Reduce::MaxNumber;

} // namespace daphne
