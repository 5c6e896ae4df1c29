// SPDX-License-Identifier: Apache-2.0
/// Operations of DaphneIR that no builtin and no kernel knows: constants,
/// conversions of types, reference counts. They are not in the Registry.
#pragma once

#include <span>

#include "ops/Registry.h"

namespace daphne::ops {

std::span<const OpInfo> internalOps();
/// The rule of operations whose result types are not inferred.
std::vector<TypeDesc> noInference(const InferCall &);

} // namespace daphne::ops
