// SPDX-License-Identifier: Apache-2.0
/// Shapes of neural-network layers that follow from constants, and the stage
/// of what is certainly wrong.
#include <gtest/gtest.h>

#include "base/Error.h"
#include "ops/ImageWindows.h"
#include "ops/Registry.h"

namespace daphne::ops {
namespace {

using enum ValueType;
using Args = std::vector<Arg>;
using Sizes = std::vector<int64_t>; ///< -1: not a constant

Arg matrix(ValueType t, int64_t rows = -1, int64_t cols = -1) { return {TypeDesc::matrix(t, rows, cols), {}}; }
Arg unknown() { return {TypeDesc::unknown(), {}}; }

Args with(Args args, const Sizes &sizes) {
    for (int64_t n : sizes) {
        std::optional<Constant> constant;
        if (n >= 0)
            constant = Constant{.type = SI64, .i = n, .d = 0, .s = {}};
        args.push_back({TypeDesc::scalar(SI64), constant});
    }
    return args;
}

const OpInfo &op(std::string_view mnemonic) { return *Registry::get().findOp(mnemonic); }
std::vector<TypeDesc> infer(std::string_view mnemonic, const Args &args) {
    return op(mnemonic).infer({op(mnemonic), args, {}});
}
bool mayFail(std::string_view mnemonic, const Args &args) { return op(mnemonic).mayFail({op(mnemonic), args, {}}); }
/// Internal if nothing is rejected.
Stage stageOf(std::string_view mnemonic, const Args &args) {
    try {
        infer(mnemonic, args);
    } catch (const Error &e) {
        return e.stage;
    }
    return Stage::Internal;
}

TEST(WindowAxis, CountsWindows) {
    EXPECT_EQ((WindowAxis{5, 2, 1, 0}).count(), 4u);
    EXPECT_EQ((WindowAxis{5, 2, 2, 0}).count(), 2u);
    EXPECT_EQ((WindowAxis{5, 2, 2, 1}).count(), 3u);
    EXPECT_EQ((WindowAxis{5, 5, 9, 0}).count(), 1u);
}

TEST(WindowAxis, KnowsItsProblems) {
    using enum EmptyWindows;
    EXPECT_EQ(problemOf({3, 2, 1, 2}, "height", Allowed), "");
    EXPECT_EQ(problemOf({3, 2, 1, 1}, "height", Rejected), "");
    EXPECT_NE(problemOf({3, 2, 1, 2}, "height", Rejected), "");
    EXPECT_NE(problemOf({3, 4, 1, 0}, "height", Allowed), "");
    EXPECT_NE(problemOf({0, 1, 1, 1}, "height", Allowed), "");
    EXPECT_NE(problemOf({3, 0, 1, 0}, "height", Allowed), "");
    EXPECT_NE(problemOf({3, 2, 0, 0}, "height", Allowed), "");
    EXPECT_NE(problemOf({3, 2, 1, ~0ull}, "height", Allowed), "");
    EXPECT_NE(problemOf({~0ull, 2, 1, 0}, "height", Allowed), "");
    EXPECT_EQ(problemOf({3, 2, ~0ull, 0}, "height", Allowed), "");
}

TEST(WindowAxis, ProductsOfSizesMustFit) {
    EXPECT_EQ(productOf({2, 3, 4}), 24u);
    EXPECT_EQ(productOf({0, ~0ull, ~0ull}), 0u);
    EXPECT_EQ(productOf({1ull << 32, 1ull << 31}), std::nullopt);
    EXPECT_EQ(productOf({1ull << 40, 1ull << 40}), std::nullopt);
}

TEST(PoolingRules, KnowShapesAndTypes) {
    Sizes sizes = {2, 3, 4, 5, 2, 2, 2, 1, 0, 1};
    auto types = infer("avgPool2d", with({matrix(SI64, 2, 60)}, sizes));
    EXPECT_EQ(types[0], TypeDesc::matrix(F64, 2, 36));
    EXPECT_EQ(types[1], TypeDesc::scalar(Size));
    EXPECT_EQ(types[2], TypeDesc::scalar(Size));
    EXPECT_EQ(infer("maxPool2d", with({matrix(SI64)}, sizes))[0], TypeDesc::matrix(SI64, 2, 36));
    EXPECT_EQ(infer("maxPool2d", with({matrix(F32, 7, -1)}, {-1, 3, 4, 5, 2, -1, 2, 1, 0, 1}))[0],
              TypeDesc::matrix(F32, 7, -1));
    EXPECT_EQ(infer("maxPool2dBackward", with({matrix(SI64), matrix(F32)}, sizes))[0], TypeDesc::matrix(F32, 2, 60));
    EXPECT_EQ(infer("avgPool2dBackward", with({unknown(), matrix(F32)}, sizes))[0], TypeDesc::matrix(Unknown, 2, 60));
    EXPECT_FALSE(mayFail("avgPool2d", with({matrix(SI64, 2, 60)}, sizes)));
    EXPECT_TRUE(mayFail("avgPool2d", with({matrix(SI64, 2, -1)}, sizes)));
    EXPECT_TRUE(mayFail("avgPool2d", with({matrix(SI64, 2, 60)}, {2, 3, 4, 5, 2, 2, 2, 1, 0, -1})));
}

TEST(PoolingRules, RejectShapesWhenCompilingAndSizesWhenRunning) {
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(F64, 2, 61)}, {2, 3, 4, 5, 2, 2, 2, 1, 0, 1})), Stage::Compile);
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(F64, 3, 60)}, {2, 3, 4, 5, 2, 2, 2, 1, 0, 1})), Stage::Compile);
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(Str)}, {2, 3, 4, 5, 2, 2, 2, 1, 0, 1})), Stage::Compile);
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(F64)}, {2, 3, 4, 5, 2, 2, 0, 1, 0, 1})), Stage::Execute);
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(F64)}, {2, 3, 4, 5, 7, 2, 1, 1, 1, 1})), Stage::Execute);
    EXPECT_EQ(stageOf("maxPool2d", with({matrix(F64)}, {2, 3, 4, 5, 2, 2, 1, 1, 2, 1})), Stage::Execute);
    EXPECT_EQ(stageOf("avgPool2d", with({matrix(F64)}, {2, 3, 4, 5, 2, 2, 1, 1, 2, 1})), Stage::Internal);
    EXPECT_EQ(stageOf("avgPool2dBackward", with({matrix(F64), matrix(F64, 2, 35)}, {2, 3, 4, 5, 2, 2, 2, 1, 0, 1})),
              Stage::Compile);
}

TEST(ConvolutionRules, KnowShapesAndTypes) {
    Sizes sizes = {2, 3, 4, 5, 2, 2, 2, 1, 0, 1};
    Args call = with({matrix(F32, 2, 60), matrix(F32, 7, 12)}, sizes);
    EXPECT_EQ(infer("conv2d", call)[0], TypeDesc::matrix(F32, 2, 84));
    EXPECT_FALSE(mayFail("conv2d", call));
    call.push_back(matrix(F64, 7, 1));
    EXPECT_EQ(infer("conv2d", call)[0], TypeDesc::matrix(F64, 2, 84));
    call.back() = matrix(F64, 6, 1);
    EXPECT_EQ(stageOf("conv2d", call), Stage::Compile);
    EXPECT_EQ(stageOf("conv2d", with({matrix(F32), matrix(F32, 7, 13)}, sizes)), Stage::Compile);
    EXPECT_EQ(infer("conv2d", with({matrix(UI8), matrix(SI8, 7)}, sizes))[0], TypeDesc::matrix(F64, 2, 84));
    call = with({matrix(F32), matrix(F32)}, sizes);
    call.push_back(matrix(F32, 1, 7)); // the bias tells the number of filters
    EXPECT_EQ(infer("conv2d", call)[0], TypeDesc::matrix(F32, 2, 84));
}

TEST(ConvolutionRules, KnowTheShapesOfGradients) {
    Sizes sizes = {2, 1, 0, 1, /*images*/ 2, 3, 4, 5, /*filters*/ 7, 3, 2, 2};
    EXPECT_EQ(infer("conv2dBackwardFilter", with({matrix(F64), matrix(F32)}, sizes))[0], TypeDesc::matrix(F64, 7, 12));
    EXPECT_EQ(infer("conv2dBackwardData", with({matrix(F32), matrix(F32)}, sizes))[0], TypeDesc::matrix(F32, 2, 60));
    EXPECT_FALSE(mayFail("conv2dBackwardData", with({matrix(F32, 7, 12), matrix(F32, 2, 84)}, sizes)));
    EXPECT_EQ(stageOf("conv2dBackwardData", with({matrix(F32, 7, 11), matrix(F32)}, sizes)), Stage::Compile);
    EXPECT_EQ(stageOf("conv2dBackwardFilter", with({matrix(F32), matrix(F32, 2, 83)}, sizes)), Stage::Compile);
    sizes[9] = 4;
    EXPECT_EQ(stageOf("conv2dBackwardFilter", with({matrix(F32), matrix(F32)}, sizes)), Stage::Execute);
}

TEST(LayerRules, KnowShapesAndTypes) {
    EXPECT_EQ(infer("affine", {matrix(SI64, 5, 3), matrix(SI64, 3, 2), matrix(F64)})[0], TypeDesc::matrix(F64, 5, 2));
    EXPECT_EQ(infer("affine", {matrix(Bool), matrix(Bool, -1, 2), matrix(UI8, 2, 1)})[0],
              TypeDesc::matrix(SI64, -1, 2));
    EXPECT_EQ(stageOf("affine", {matrix(F64, 5, 3), matrix(F64, 4, 2), matrix(F64)}), Stage::Compile);
    EXPECT_EQ(stageOf("affine", {matrix(F64, 5, 3), matrix(F64, 3, 2), matrix(F64, 5, 1)}), Stage::Compile);
    EXPECT_EQ(stageOf("affine", {matrix(F64, 5, 3), matrix(F64, 3, 2), matrix(F64, 1, 1)}), Stage::Internal);
    Arg x = matrix(F32, 5, 6), v = matrix(F64, 3, 1);
    EXPECT_EQ(infer("batchNorm2d", with({x, v, v, v, v}, {1}))[0], TypeDesc::matrix(F32, 5, 6));
    EXPECT_EQ(stageOf("batchNorm2d", with({matrix(F32, 5, 7), v, v, v, v}, {1})), Stage::Execute);
    EXPECT_EQ(stageOf("batchNorm2d", with({x, v, v, matrix(F64, 2, 1), v}, {1})), Stage::Compile);
    auto gradients = infer("batchNorm2dBackward", with({v, v, matrix(F32, 5), matrix(SI64, -1, 6), v}, {1}));
    EXPECT_EQ(gradients[0], TypeDesc::matrix(F32, 5, 6));
    EXPECT_EQ(gradients[1], TypeDesc::matrix(F32, 3, 1));
    EXPECT_EQ(gradients[2], TypeDesc::matrix(F32, 3, 1));
    EXPECT_FALSE(mayFail("batchNorm2dBackward", with({v, v, x, x, v}, {1})));
    EXPECT_EQ(stageOf("batchNorm2dBackward", with({v, v, x, matrix(F32, 5, 3), v}, {1})), Stage::Compile);
    EXPECT_EQ(stageOf("biasAdd", {matrix(F64, 2, 5), matrix(F64, 2, 1)}), Stage::Execute);
}

} // namespace
} // namespace daphne::ops
