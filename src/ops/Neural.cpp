// SPDX-License-Identifier: Apache-2.0
/// Layers of neural networks that need no image shape.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

Types softmax(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(floatOf(valueTypeOf(x)), x.rows, x.cols)};
}

Types relu(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(valueTypeOf(x), x.rows, x.cols)};
}

bool numericMayFail(const InferCall &call) { return !numericMatrix(call.type(0)); }

/// biasAdd(input, bias)
Types biasAdd(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &x = call.type(0), &bias = call.type(1);
    if (bias.cols >= 0 && bias.cols != 1)
        throw wrong(call, "needs a bias with one column, got " + bias.shapeText());
    if (x.cols >= 0 && bias.rows >= 0 && (bias.rows == 0 ? x.cols != 0 : x.cols % bias.rows != 0))
        throw wrong(call, "the number of columns must be a multiple of the " + std::to_string(bias.rows) +
                              " channels, got " + x.shapeText());
    return {TypeDesc::matrix(valueTypeOf(x), x.rows, x.cols)};
}

bool biasAddMayFail(const InferCall &call) {
    return !allShapesKnown(call) || !numericMatrix(call.type(0)) || !numericMatrix(call.type(1));
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "softmax", .infer = softmax, .mayFail = numericMayFail, .reusable = 1},
    {.mnemonic = "relu", .infer = relu, .mayFail = numericMayFail, .zeroPreserving = true, .reusable = 1},
    {.mnemonic = "biasAdd", .minArgs = 2, .maxArgs = 2, .infer = biasAdd, .mayFail = biasAddMayFail, .reusable = 1},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "softmax(arg)", .op = "softmax",
     .doc = "Every row mapped to exponentials that sum up to 1.",
     .example = "print(softmax([0.0, 0.0](1, 2)));", .expect = "DenseMatrix(1x2, double)\n0.5 0.5\n"},
    {.signature = "relu(arg)", .op = "relu", .doc = "The greater of every cell and zero.",
     .example = "print(relu([-1.5, 2.0]));", .expect = "DenseMatrix(2x1, double)\n0\n2\n"},
    {.signature = "biasAdd(input, bias)", .op = "biasAdd",
     .doc = "Adds bias[c] to the c-th of the equal parts (channels) of every row.",
     .example = "print(biasAdd([1, 2, 3, 4](1, 4), [10, 20]));", .expect = "DenseMatrix(1x4, int64_t)\n11 12 23 24\n"},
};
// clang-format on

} // namespace

void addNeural(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
