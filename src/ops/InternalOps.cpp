// SPDX-License-Identifier: Apache-2.0
#include "ops/InternalOps.h"

namespace daphne::ops {

std::vector<TypeDesc> noInference(const InferCall &) { return {}; }

namespace {

constexpr OpInfo kInternalOps[] = {
    // A scalar constant; attribute `value`.
    {.mnemonic = "constant", .minArgs = 0, .maxArgs = 0, .infer = noInference},
    // A value nobody looks at: on paths that never reach its use.
    {.mnemonic = "undef", .minArgs = 0, .maxArgs = 0, .infer = noInference},
    // Raises a run-time error with attribute `message`.
    {.mnemonic = "fail", .minArgs = 0, .maxArgs = 0, .numResults = 0, .infer = noInference, .sideEffect = true},
    // The same value with more or fewer facts in its type; checked at run time where facts are added.
    {.mnemonic = "adapt", .infer = noInference, .mayFail = [](const InferCall &) { return true; }},
    // Number of iterations of for(i in from:to:step).
    {.mnemonic = "tripCount", .minArgs = 3, .maxArgs = 3, .infer = noInference},
    // Cell-wise application of the function `callee`, whose first arguments are the operands behind the matrix.
    {.mnemonic = "map", .maxArgs = kVariadic, .infer = noInference, .sideEffect = true},
    // Calls the function `callee` and catches its errors, see ir/Try.h.
    {.mnemonic = "try",
     .minArgs = 0,
     .maxArgs = kVariadic,
     .numResults = kVariadic,
     .infer = noInference,
     .sideEffect = true},
    // In that function: the new value of what an operation `try` yields.
    {.mnemonic = "keep", .numResults = 0, .infer = noInference, .sideEffect = true},
    {.mnemonic = "retain", .numResults = 0, .infer = noInference, .sideEffect = true},
    {.mnemonic = "release", .numResults = 0, .infer = noInference, .sideEffect = true},
};

} // namespace

std::span<const OpInfo> internalOps() { return kInternalOps; }

} // namespace daphne::ops
