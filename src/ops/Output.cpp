// SPDX-License-Identifier: Apache-2.0
/// print, stop, the clock.
#include "ops/Rules.h"

namespace daphne::ops {

namespace {

using Types = std::vector<TypeDesc>;

Types stop(const InferCall &call) {
    rule::needString(call, 0);
    return {};
}

Types now(const InferCall &) { return {TypeDesc::scalar(ValueType::SI64)}; }

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "print", .minArgs = 3, .maxArgs = 3, .numResults = 0, .infer = rule::none, .sideEffect = true},
    {.mnemonic = "stop", .numResults = 0, .infer = stop, .mayFail = rule::always, .sideEffect = true},
    {.mnemonic = "now", .minArgs = 0, .maxArgs = 0, .infer = now, .sideEffect = true},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "print(arg, newline = true, err = false)", .op = "print",
     .doc = "Prints a value on standard output, or on standard error if err is true. newline = false omits the line "
            "end after a scalar.",
     .example = "print(\"a\", false); print(1.5);", .expect = "a1.5\n"},
    {.signature = "stop(message = \"unspecified reason\")", .op = "stop",
     .doc = "Ends the program with status 3 after printing \"system stopped: \" and the message.",
     .example = "if(1 > 2) stop(\"never\"); print(\"still here\");", .expect = "still here\n"},
    {.signature = "now()", .op = "now", .positionalOnly = true,
     .doc = "Nanoseconds since the epoch.", .example = "print(now() > 0);", .expect = "1\n"},
};
// clang-format on

} // namespace

void addOutput(Registry &registry) {
    registry.add(kOps);
    registry.add(kBuiltins);
}

} // namespace daphne::ops
