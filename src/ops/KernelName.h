// SPDX-License-Identifier: Apache-2.0
/// Names of built-in kernels: "_" + mnemonic + "__" + type for every result, then every argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/TypeDesc.h"

namespace daphne::ops {

std::string kernelName(std::string_view mnemonic, const std::vector<TypeDesc> &results,
                       const std::vector<TypeDesc> &args);
/// Equal, a dense and a CSR matrix of the same value type standing for each other.
bool sameKernel(std::string_view a, std::string_view b);

} // namespace daphne::ops
