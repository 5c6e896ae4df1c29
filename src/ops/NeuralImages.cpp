// SPDX-License-Identifier: Apache-2.0
/// Convolution and pooling of batches of images, and their gradients.
///
/// Shapes that do not fit are compile-time errors where they are known; sizes
/// that make no sense (a stride of 0, a window larger than the padded image)
/// are errors of the run, like other invalid arguments.
#include "ops/ImageWindows.h"
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

// ---------------------------------------------------------------------- sizes

/// The sizes of a call as far as they are constants; -1 = unknown.
struct KnownSizes {
    int64_t images = -1, channels = -1, imageH = -1, imageW = -1, windowH = -1, windowW = -1, outH = -1, outW = -1;
};

struct AxisArgs {
    size_t image, window, stride, padding;
};

int64_t windowCount(const InferCall &call, const AxisArgs &at, std::string_view name, EmptyWindows empty) {
    int64_t image = sizeOperand(call, at.image), window = sizeOperand(call, at.window);
    int64_t stride = sizeOperand(call, at.stride), padding = sizeOperand(call, at.padding);
    if (image < 0 || window < 0 || stride < 0 || padding < 0)
        return -1;
    auto size = [](int64_t n) { return static_cast<uint64_t>(n); };
    WindowAxis axis{size(image), size(window), size(stride), size(padding)};
    if (std::string problem = problemOf(axis, name, empty); !problem.empty())
        throw wrongAtRunTime(call, problem);
    return static_cast<int64_t>(axis.count());
}

KnownSizes sizesOf(const InferCall &call, const WindowArgs &at, EmptyWindows empty) {
    return {.images = sizeOperand(call, at.images),
            .channels = sizeOperand(call, at.channels),
            .imageH = sizeOperand(call, at.imageH),
            .imageW = sizeOperand(call, at.imageW),
            .windowH = sizeOperand(call, at.windowH),
            .windowW = sizeOperand(call, at.windowW),
            .outH = windowCount(call, {at.imageH, at.windowH, at.strideH, at.paddingH}, "height", empty),
            .outW = windowCount(call, {at.imageW, at.windowW, at.strideW, at.paddingW}, "width", empty)};
}

/// Cells of `channels` planes of height x width; -1 if a size is unknown.
int64_t cellCount(const InferCall &call, int64_t channels, int64_t height, int64_t width) {
    if (channels < 0 || height < 0 || width < 0)
        return -1;
    auto n = productOf({static_cast<uint64_t>(channels), static_cast<uint64_t>(height), static_cast<uint64_t>(width)});
    if (!n)
        throw wrongAtRunTime(call, std::to_string(channels) + " channels of " + std::to_string(height) + "x" +
                                       std::to_string(width) + " cells are too large");
    return static_cast<int64_t>(*n);
}

void needShape(const InferCall &call, size_t i, const Shape &wanted, std::string_view what) {
    needNumericMatrix(call, i);
    const TypeDesc &t = call.type(i);
    auto differ = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
    if (differ(t.rows, wanted.rows) || differ(t.cols, wanted.cols))
        throw wrong(call, std::string(what) + " must be " +
                              TypeDesc::matrix(ValueType::F64, wanted.rows, wanted.cols).shapeText() +
                              " by the given sizes, got " + t.shapeText());
}

int64_t firstKnown(int64_t a, int64_t b) { return a >= 0 ? a : b; }

/// Operands from `first` on are known sizes.
bool sizesKnown(const InferCall &call, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i)
        if (sizeOperand(call, i) < 0)
            return false;
    return true;
}

// -------------------------------------------------------------------- pooling

Types pool(const InferCall &call, ValueType result, EmptyWindows empty) {
    KnownSizes s = sizesOf(call, kPoolArgs, empty);
    needShape(call, 0, {s.images, cellCount(call, s.channels, s.imageH, s.imageW)}, "the input");
    return {
        TypeDesc::matrix(result, firstKnown(s.images, call.type(0).rows), cellCount(call, s.channels, s.outH, s.outW)),
        TypeDesc::scalar(ValueType::Size), TypeDesc::scalar(ValueType::Size)};
}

Types avgPool2d(const InferCall &call) {
    needNumericMatrix(call, 0);
    return pool(call, floatOf(valueTypeOf(call.type(0))), EmptyWindows::Allowed);
}

Types maxPool2d(const InferCall &call) {
    needNumericMatrix(call, 0);
    return pool(call, valueTypeOf(call.type(0)), EmptyWindows::Rejected);
}

bool poolMayFail(const InferCall &call) {
    return !numericMatrix(call.type(0)) || !call.type(0).hasShape() || !sizesKnown(call, 1, call.args.size());
}

/// (input, dOut, sizes...)
Types poolBackward(const InferCall &call, EmptyWindows empty) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    KnownSizes s = sizesOf(call, kPoolBackwardArgs, empty);
    int64_t images = firstKnown(s.images, firstKnown(call.type(0).rows, call.type(1).rows));
    int64_t cells = cellCount(call, s.channels, s.imageH, s.imageW);
    needShape(call, 0, {images, cells}, "the input");
    needShape(call, 1, {images, cellCount(call, s.channels, s.outH, s.outW)}, "the gradient of the output");
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), images, firstKnown(cells, call.type(0).cols))};
}

Types avgPool2dBackward(const InferCall &call) { return poolBackward(call, EmptyWindows::Allowed); }
Types maxPool2dBackward(const InferCall &call) { return poolBackward(call, EmptyWindows::Rejected); }

bool twoMatricesMayFail(const InferCall &call) {
    for (size_t i : {0, 1})
        if (!numericMatrix(call.type(i)) || !call.type(i).hasShape())
            return true;
    return !sizesKnown(call, 2, call.args.size());
}

// ---------------------------------------------------------------- convolution

/// conv2d(input, filter, sizes... [, bias])
Types conv2d(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    KnownSizes s = sizesOf(call, kConvArgs, EmptyWindows::Allowed);
    needShape(call, 0, {s.images, cellCount(call, s.channels, s.imageH, s.imageW)}, "the input");
    needShape(call, 1, {-1, cellCount(call, s.channels, s.windowH, s.windowW)}, "the filter");
    int64_t filters = call.type(1).rows;
    ValueType type = generalise(call, {0, 1});
    if (call.args.size() > kConvBias) {
        filters = needVector(call, kConvBias, filters, "the bias");
        type = generalise(call, {0, 1, kConvBias});
    }
    return {TypeDesc::matrix(floatOf(type), firstKnown(s.images, call.type(0).rows),
                             cellCount(call, filters, s.outH, s.outW)),
            TypeDesc::scalar(ValueType::Size), TypeDesc::scalar(ValueType::Size)};
}

bool conv2dMayFail(const InferCall &call) {
    for (size_t i : {size_t(0), size_t(1), kConvBias})
        if (i < call.args.size() && (!numericMatrix(call.type(i)) || !call.type(i).hasShape()))
            return true;
    return !sizesKnown(call, 2, kConvBias);
}

struct BackwardShapes {
    Shape input, filter, output;
};

/// What the size arguments of the backward functions say, without looking at the matrices.
BackwardShapes backwardShapes(const InferCall &call) {
    KnownSizes s = sizesOf(call, kConvBackwardArgs, EmptyWindows::Allowed);
    int64_t filters = sizeOperand(call, kConvBackwardFilters);
    int64_t filterChannels = sizeOperand(call, kConvBackwardFilterChannels);
    if (s.channels >= 0 && filterChannels >= 0 && s.channels != filterChannels)
        throw wrongAtRunTime(call, "the input and the filter must have equally many channels, got " +
                                       std::to_string(s.channels) + " and " + std::to_string(filterChannels));
    int64_t channels = firstKnown(s.channels, filterChannels);
    return {.input = {s.images, cellCount(call, channels, s.imageH, s.imageW)},
            .filter = {filters, cellCount(call, channels, s.windowH, s.windowW)},
            .output = {s.images, cellCount(call, filters, s.outH, s.outW)}};
}

constexpr std::string_view kOutputGradient = "the gradient of the output";

/// (input, output, sizes...)
Types conv2dBackwardFilter(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    BackwardShapes shapes = backwardShapes(call);
    needShape(call, 0, shapes.input, "the input");
    needShape(call, 1, shapes.output, kOutputGradient);
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), shapes.filter.rows, shapes.filter.cols)};
}

/// (filter, output, sizes...)
Types conv2dBackwardData(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    BackwardShapes shapes = backwardShapes(call);
    needShape(call, 0, shapes.filter, "the filter");
    needShape(call, 1, shapes.output, kOutputGradient);
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), firstKnown(shapes.input.rows, call.type(1).rows),
                             shapes.input.cols)};
}

// ----------------------------------------------------------------------- rows

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "avgPool2d", .minArgs = 11, .maxArgs = 11, .numResults = 3, .infer = avgPool2d, .mayFail = poolMayFail},
    {.mnemonic = "maxPool2d", .minArgs = 11, .maxArgs = 11, .numResults = 3, .infer = maxPool2d, .mayFail = poolMayFail},
    {.mnemonic = "avgPool2dBackward", .minArgs = 12, .maxArgs = 12, .infer = avgPool2dBackward,
     .mayFail = twoMatricesMayFail},
    {.mnemonic = "maxPool2dBackward", .minArgs = 12, .maxArgs = 12, .infer = maxPool2dBackward,
     .mayFail = twoMatricesMayFail},
    {.mnemonic = "conv2d", .minArgs = 12, .maxArgs = 13, .numResults = 3, .infer = conv2d, .mayFail = conv2dMayFail},
    {.mnemonic = "conv2dBackwardFilter", .minArgs = 14, .maxArgs = 14, .infer = conv2dBackwardFilter,
     .mayFail = twoMatricesMayFail},
    {.mnemonic = "conv2dBackwardData", .minArgs = 14, .maxArgs = 14, .infer = conv2dBackwardData,
     .mayFail = twoMatricesMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "avg_pool2d(input, numImages, numChannels, imgHeight, imgWidth, poolH, poolW, strideH, strideW, "
                  "paddingH, paddingW)",
     .op = "avgPool2d",
     .doc = "Means over windows of poolH x poolW cells, strideH and strideW apart, of every channel of a batch of "
            "images. input has one row per image: its channels one after another, each row by row. Every channel is "
            "surrounded by paddingH rows and paddingW columns of zeros, which count: the sum of a window is always "
            "divided by poolH * poolW. Three results: the means (one row per image), and the height "
            "(imgHeight + 2 * paddingH - poolH) / strideH + 1 and the width of a channel of them.",
     .example = "Y, h, w = avg_pool2d(reshape(seq(1.0, 16.0), 1, 16), 1, 1, 4, 4, 2, 2, 2, 2, 0, 0);\nprint(Y);\n"
                "print(h);",
     .expect = "DenseMatrix(1x4, double)\n3.5 5.5 11.5 13.5\n2\n"},
    {.signature = "max_pool2d(input, numImages, numChannels, imgHeight, imgWidth, poolH, poolW, strideH, strideW, "
                  "paddingH, paddingW)",
     .op = "maxPool2d",
     .doc = "Maxima over windows, with arguments and results as of avg_pool2d. The padding does not count, so it must "
            "be smaller than the window. A window with a nan has the maximum nan. The cells keep their value type.",
     .example = "Y, h, w = max_pool2d([-4, -3, -2, -1](1, 4), 1, 1, 2, 2, 2, 2, 1, 1, 1, 1);\nprint(Y);\nprint(w);",
     .expect = "DenseMatrix(1x9, int64_t)\n-4 -3 -3 -2 -1 -1 -2 -1 -1\n3\n"},
    {.signature = "avg_pool2d_backward(input, dOut, batchSize, numChannels, imgH, imgW, poolH, poolW, strideH, "
                  "strideW, padH, padW)",
     .op = "avgPool2dBackward",
     .doc = "Gradient of avg_pool2d with respect to its input, given the gradient dOut with respect to its result: "
            "every cell of dOut is spread evenly over its window, dOut / (poolH * poolW) per cell; what falls on the "
            "padding is lost. Only the shape of input matters.",
     .example = "print(avg_pool2d_backward(fill(0.0, 1, 9), [4.0, 8.0, 12.0, 16.0](1, 4), 1, 1, 3, 3, 2, 2, 1, 1, 0, "
                "0));",
     .expect = "DenseMatrix(1x9, double)\n1 3 2 4 10 6 3 7 4\n"},
    {.signature = "max_pool2d_backward(input, dOut, batchSize, numChannels, imgH, imgW, poolH, poolW, strideH, "
                  "strideW, padH, padW)",
     .op = "maxPool2dBackward",
     .doc = "Gradient of max_pool2d with respect to its input, given the gradient dOut with respect to its result: "
            "every cell of dOut is added to the first greatest cell, row by row, of its window of input.",
     .example = "print(max_pool2d_backward([5.0, 7.0, 7.0, 1.0](1, 4), [3.0](1, 1), 1, 1, 2, 2, 2, 2, 1, 1, 0, 0));",
     .expect = "DenseMatrix(1x4, double)\n0 3 0 0\n"},
    {.signature = "conv2d(input, filter, numImages, numChannels, imgHeight, imgWidth, filterH, filterW, strideH, "
                  "strideW, paddingH, paddingW[, bias])",
     .op = "conv2d",
     .doc = "Cross-correlation of a batch of images with filters. input is laid out as for avg_pool2d; filter has one "
            "row per output channel, with numChannels * filterH * filterW cells. Cell (i, j) of an output channel is "
            "the sum over channels c and positions (a, b) of the filter of input(c, i * strideH + a - paddingH, "
            "j * strideW + b - paddingW) * filter(c, a, b), the padding being zeros, plus the channel's cell of bias (a "
            "column or a row). Three results: the output (one row per image), height and width of its channels. The "
            "value type is the most general one of the matrices, f64 if that is not floating point.",
     .example = "Y, h, w = conv2d(reshape(seq(1.0, 9.0), 1, 9), [1.0, 0.0, 0.0, 1.0](1, 4), 1, 1, 3, 3, 2, 2, 1, 1, 0, "
                "0, [0.5]);\nprint(Y);\nprint(h);",
     .expect = "DenseMatrix(1x4, double)\n6.5 8.5 12.5 14.5\n2\n"},
    {.signature = "conv2d_backward_filter(input, output, strideH, strideW, padH, padW, inputBatchSize, "
                  "inputNumChannels, inputH, inputW, filterNumFilters, filterNumChannels, filterH, filterW)",
     .op = "conv2dBackwardFilter",
     .doc = "Gradient of conv2d with respect to its filter. output is the gradient with respect to the output of "
            "conv2d and has its shape; the result has the shape of the filter. filterNumChannels is inputNumChannels.",
     .example = "print(conv2d_backward_filter(reshape(seq(1.0, 9.0), 1, 9), [1.0, 0.0, 0.0, 1.0](1, 4), 1, 1, 0, 0, 1, "
                "1, 3, 3, 1, 1, 2, 2));",
     .expect = "DenseMatrix(1x4, double)\n6 8 12 14\n"},
    {.signature = "conv2d_backward_data(filter, output, strideH, strideW, padH, padW, inputBatchSize, "
                  "inputNumChannels, inputH, inputW, filterNumFilters, filterNumChannels, filterH, filterW)",
     .op = "conv2dBackwardData",
     .doc = "Gradient of conv2d with respect to its input. output is the gradient with respect to the output of conv2d "
            "and has its shape; the result has the shape of the input. filterNumChannels is inputNumChannels.",
     .example = "print(conv2d_backward_data([1.0, 2.0, 3.0, 4.0](1, 4), [1.0, 0.0, 0.0, 1.0](1, 4), 1, 1, 0, 0, 1, 1, "
                "3, 3, 1, 1, 2, 2));",
     .expect = "DenseMatrix(1x9, double)\n1 2 0 3 5 2 0 3 4\n"},
};
// clang-format on

} // namespace

void addNeuralImages(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
