// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace daphne {

/// The processor that BLAS has its loops for, as OpenBLAS calls it: with those for another one, sums may be rounded
/// otherwise.
std::string blasProcessor();

} // namespace daphne
