// SPDX-License-Identifier: Apache-2.0
/// Layers of neural networks that need no image shape. A row of their input is
/// one sample; where there are channels, they are equal parts of the row.
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

/// The language gives rows that cannot be cut into the channels to the run time.
void needWholeChannels(const InferCall &call, size_t i, int64_t channels) {
    const TypeDesc &x = call.type(i);
    if (x.cols >= 0 && channels >= 0 && (channels == 0 ? x.cols != 0 : x.cols % channels != 0))
        throw wrongAtRunTime(call, "the number of columns must be a multiple of the " + std::to_string(channels) +
                                       " channels, got " + x.shapeText());
}

/// biasAdd(input, bias)
Types biasAdd(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    const TypeDesc &x = call.type(0), &bias = call.type(1);
    if (bias.cols >= 0 && bias.cols != 1)
        throw wrong(call, "needs a bias with one column, got " + bias.shapeText());
    needWholeChannels(call, 0, bias.rows);
    return {TypeDesc::matrix(valueTypeOf(x), x.rows, x.cols)};
}

bool biasAddMayFail(const InferCall &call) {
    return !allShapesKnown(call) || !numericMatrix(call.type(0)) || !numericMatrix(call.type(1));
}

/// affine(input, weights, bias)
Types affine(const InferCall &call) {
    for (size_t i = 0; i < 3; ++i)
        needNumericMatrix(call, i);
    const TypeDesc &x = call.type(0), &weights = call.type(1), &bias = call.type(2);
    if (x.cols >= 0 && weights.rows >= 0 && x.cols != weights.rows)
        throw wrong(call, "needs as many columns in the input as rows in the weights, got " + x.shapeText() + " and " +
                              weights.shapeText());
    bool single = bias.rows == 1 && bias.cols == 1;
    needVector(call, 2, single ? 1 : weights.cols, "the bias");
    ValueType product = generalise(call, {0, 1});
    if (product == ValueType::Bool)
        product = ValueType::SI64; // products of bool are counts
    return {TypeDesc::matrix(mostGeneral(product, valueTypeOf(bias)), x.rows, weights.cols)};
}

bool affineMayFail(const InferCall &call) {
    for (const Arg &a : call.args)
        if (!numericMatrix(a.type))
            return true;
    return !allShapesKnown(call);
}

/// batch_norm2d(input, gamma, beta, emaMean, emaVar, eps)
Types batchNorm2d(const InferCall &call) {
    needNumericMatrix(call, 0);
    int64_t channels = needVector(call, 1, -1, "gamma");
    channels = needVector(call, 2, channels, "beta");
    channels = needVector(call, 3, channels, "emaMean");
    channels = needVector(call, 4, channels, "emaVar");
    needNumericScalar(call, 5);
    needWholeChannels(call, 0, channels);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(floatOf(valueTypeOf(x)), x.rows, x.cols)};
}

/// batch_norm2d_backward(mean, invVar, input, dout, gamma, eps): dX, dGamma, dBeta
Types batchNorm2dBackward(const InferCall &call) {
    int64_t channels = needVector(call, 0, -1, "mean");
    channels = needVector(call, 1, channels, "invVar");
    channels = needVector(call, 4, channels, "gamma");
    needNumericMatrix(call, 2);
    needNumericMatrix(call, 3);
    needNumericScalar(call, 5);
    const TypeDesc &x = call.type(2), &dout = call.type(3);
    auto differ = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
    if (differ(x.rows, dout.rows) || differ(x.cols, dout.cols))
        throw wrong(call, "input and dout must have the same shape, got " + x.shapeText() + " and " + dout.shapeText());
    needWholeChannels(call, 2, channels);
    needWholeChannels(call, 3, channels);
    ValueType type = floatOf(generalise(call, {2, 3}));
    TypeDesc perChannel = TypeDesc::matrix(type, channels, 1);
    return {TypeDesc::matrix(type, x.rows >= 0 ? x.rows : dout.rows, x.cols >= 0 ? x.cols : dout.cols), perChannel,
            perChannel};
}

bool batchNorm2dBackwardMayFail(const InferCall &call) {
    for (size_t i = 0; i < 5; ++i)
        if (!numericMatrix(call.type(i)))
            return true;
    return !allShapesKnown(call) || !call.type(5).isScalar() || !isNumeric(call.type(5).valueType);
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "softmax", .infer = softmax, .mayFail = numericMayFail, .reusable = 1},
    {.mnemonic = "relu", .infer = relu, .mayFail = numericMayFail, .zeroPreserving = true, .reusable = 1},
    {.mnemonic = "biasAdd", .minArgs = 2, .maxArgs = 2, .infer = biasAdd, .mayFail = biasAddMayFail, .reusable = 1},
    {.mnemonic = "affine", .minArgs = 3, .maxArgs = 3, .infer = affine, .mayFail = affineMayFail},
    {.mnemonic = "batchNorm2d", .minArgs = 6, .maxArgs = 6, .infer = batchNorm2d, .mayFail = always, .reusable = 1},
    {.mnemonic = "batchNorm2dBackward", .minArgs = 6, .maxArgs = 6, .numResults = 3, .infer = batchNorm2dBackward,
     .mayFail = batchNorm2dBackwardMayFail},
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
    {.signature = "affine(input, weights, bias)", .op = "affine",
     .doc = "input @ weights + bias: a fully connected layer. bias has one cell per column of weights, as a row or as a "
            "column, or is 1x1 and added everywhere.",
     .example = "print(affine([1.0, 2.0](1, 2), [1.0, 2.0, 3.0, 4.0](2, 2), [10.0, 20.0](1, 2)));",
     .expect = "DenseMatrix(1x2, double)\n17 30\n"},
    {.signature = "batch_norm2d(input, gamma, beta, emaMean, emaVar, eps)", .op = "batchNorm2d",
     .doc = "Normalises every channel (the c-th of the equal parts of every row) with given statistics: "
            "(x - emaMean[c]) / sqrt(emaVar[c] + eps) * gamma[c] + beta[c]. The four vectors have one cell per channel, "
            "as columns or rows. The result has the value type of input, f64 if that is not floating point. "
            "A negative emaVar[c] + eps is an error.",
     .example = "print(batch_norm2d([1.0, 3.0, 5.0, 7.0](1, 4), [2.0, 1.0], [0.0, 10.0], [1.0, 5.0], [3.0, 3.0], 1.0));",
     .expect = "DenseMatrix(1x4, double)\n0 2 10 11\n"},
    {.signature = "batch_norm2d_backward(mean, invVar, input, dout, gamma, eps)", .op = "batchNorm2dBackward",
     .doc = "Gradients of batch normalisation in training, where mean and variance of every channel are those of input "
            "itself. invVar is 1 / sqrt(variance + eps), as the forward pass computed it, so eps itself plays no further "
            "part; dout is the gradient with respect to the normalised output. Three results, with "
            "n the cells of a channel in the batch and z = (input - mean) * invVar: dX = gamma * invVar * (dout - "
            "dBeta / n - z * dGamma / n), and per channel the columns dGamma = sum(dout * z) and dBeta = sum(dout).",
     .example = "dX, dGamma, dBeta = batch_norm2d_backward([2.0], [0.5], [0.0, 4.0](2, 1), [1.0, 3.0](2, 1), [1.0], "
                "0.0);\nprint(dX);\nprint(dGamma);\nprint(dBeta);",
     .expect = "DenseMatrix(2x1, double)\n0\n0\nDenseMatrix(1x1, double)\n2\nDenseMatrix(1x1, double)\n4\n"},
};
// clang-format on

} // namespace

void addNeural(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
