// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace daphne {

/// The version of BLAS and the processor that its loops are for: with others, sums may be rounded otherwise.
std::string blasLoops();

} // namespace daphne
