// SPDX-License-Identifier: Apache-2.0
/// print, stop, the clock.
#include "ops/Operands.h"
#include "ops/PrintDigits.h"

namespace daphne::ops {

namespace {

using Types = std::vector<TypeDesc>;

Types stop(const InferCall &call) {
    rule::needString(call, 0);
    return {};
}

/// printValues(newline, err, sep, digits, values...)
Types printValues(const InferCall &call) {
    rule::needNumericScalar(call, 0);
    rule::needNumericScalar(call, 1);
    rule::needString(call, 2);
    rule::needWholeNumber(call, 3);
    const auto &digits = call.args[3].constant;
    if (digits && (digits->asDouble() < 0 || digits->asDouble() > kMostDigits))
        throw compileError({}, digitsText(digits->asDouble()));
    return {};
}

bool printValuesMayFail(const InferCall &call) { return !call.args[3].constant; }

/// assert(condition, message): irgen evaluates the condition, the operation has failed when it is reached.
Types failedAssert(const InferCall &call) {
    if (call.args.size() == 1)
        rule::needString(call, 0);
    return {};
}

Types now(const InferCall &) { return {TypeDesc::scalar(ValueType::SI64)}; }

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "print", .minArgs = 3, .maxArgs = 3, .numResults = 0, .infer = rule::none, .sideEffect = true},
    {.mnemonic = "printValues", .minArgs = 5, .maxArgs = kVariadic, .numResults = 0, .infer = printValues,
     .mayFail = printValuesMayFail, .sideEffect = true},
    {.mnemonic = "stop", .numResults = 0, .infer = stop, .mayFail = rule::always, .sideEffect = true},
    {.mnemonic = "assert", .numResults = 0, .infer = failedAssert, .mayFail = rule::always, .sideEffect = true},
    {.mnemonic = "now", .minArgs = 0, .maxArgs = 0, .infer = now, .sideEffect = true},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "print(arg..., newline = true, err = false, sep = \" \", digits = 6)", .op = "print",
     .doc = "Prints values on one line with sep between them, on standard error if err is true. A matrix, frame or list "
            "starts a new line. newline = false omits the line end after a scalar. digits is the number of significant "
            "digits of floating-point numbers; 0 is the shortest text that reads back equal. One or two further "
            "arguments that are literals true, false, 0 or 1 are newline and err.",
     .example = "print(\"a\", false); print(1.5);\nprint(\"x\", 1 / 3.0, 2);\nprint(0.1 + 0.2, digits = 0);",
     .expect = "a1.5\nx 0.333333 2\n0.30000000000000004\n"},
    {.signature = "stop(message = \"unspecified reason\")", .op = "stop",
     .doc = "Ends the program with status 3 after printing \"system stopped: \" and the message.",
     .example = "if(1 > 2) stop(\"never\"); print(\"still here\");", .expect = "still here\n"},
    {.signature = "assert(condition [, message])", .op = "assert",
     .doc = "An error with status 3 if the condition is false, which is tested as in an if. Its text is \"assertion "
            "failed: \" and the message, or what the condition says. The message is evaluated only then.",
     .example = "assert(1 < 2, \"order\"); try { assert(2 < 1); } catch (e) { print(e); }",
     .expect = "assertion failed: 2 < 1\n"},
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
