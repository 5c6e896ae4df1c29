// SPDX-License-Identifier: Apache-2.0
/// The numbers that for(v in from : to : step) runs through.
#include "ops/Rules.h"

namespace daphne::ops {

namespace {

using Types = std::vector<TypeDesc>;

Types rangeCount(const InferCall &call) {
    for (size_t i = 0; i < 3; ++i)
        rule::needNumericScalar(call, i);
    return {TypeDesc::scalar(ValueType::Size)};
}

Types rangeEnd(const InferCall &call) {
    rule::needNumericScalar(call, 0);
    rule::needNumericScalar(call, 1);
    return {TypeDesc::scalar(ValueType::SI64)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    // Of floating-point from, to and step: how many numbers there are.
    {.mnemonic = "rangeCount", .minArgs = 3, .maxArgs = 3, .infer = rangeCount, .mayFail = rule::always},
    // Of a floating-point end: the last integer that steps of this sign may reach.
    {.mnemonic = "rangeEnd", .minArgs = 2, .maxArgs = 2, .infer = rangeEnd, .mayFail = rule::always},
};
// clang-format on

} // namespace

void addRanges(Registry &registry) { registry.add(kOps); }

} // namespace daphne::ops
