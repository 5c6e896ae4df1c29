// SPDX-License-Identifier: Apache-2.0
/// The cases written by hand: one fused loop over rows each, OpenMP, 32-bit indices, huge pages; what a C++ programmer
/// with time would do for this machine. Compiled with -O3 -march=native -ffast-math, so that exp comes from the vector
/// library and sums are reassociated.
#pragma once

#include "Peer.h"

namespace peer {

Answer components(const Arguments &arguments);
Answer pagerank(const Arguments &arguments);
Answer cellsSum(const Arguments &arguments);
Answer cellsMap(const Arguments &arguments);
Answer regressionDirect(const Arguments &arguments);
Answer regressionCg(const Arguments &arguments);
Answer kmeans(const Arguments &arguments);
Answer nbody(const Arguments &arguments);

/// Limits of the machine: gigabytes per second of reading and of a triad, gigaflops of fused multiplications.
Answer machine(const Arguments &arguments);

} // namespace peer
