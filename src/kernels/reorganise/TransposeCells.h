// SPDX-License-Identifier: Apache-2.0
/// out(c, r) = in(r, c) for cells of 1, 4 or 8 bytes (numbers of any type), bound
/// by memory rather than by the processor.
#pragma once

#include "kernels/RawCells.h"
#include "kernels/RunContext.h"

namespace daphne {

/// out has in.cols rows and in.rows columns; the two do not overlap.
void transposeCells(RunContext &context, const RawView<const std::byte> &in, const RawView<std::byte> &out);

} // namespace daphne
