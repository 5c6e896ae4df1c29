// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/Error.h"
#include "ops/Registry.h"

namespace daphne::ops {
namespace {

using enum ValueType;

Arg typed(TypeDesc t) { return {std::move(t), {}}; }
Arg scalar(ValueType t) { return typed(TypeDesc::scalar(t)); }
Arg matrix(ValueType t, int64_t rows = -1, int64_t cols = -1, double sparsity = -1) {
    return typed(TypeDesc::matrix(t, rows, cols, sparsity));
}
Arg anything() { return typed(TypeDesc::unknown()); }
Arg integer(int64_t value) { return {TypeDesc::scalar(SI64), Constant{.type = SI64, .i = value, .d = 0, .s = {}}}; }
Arg real(double value) { return {TypeDesc::scalar(F64), Constant{.type = F64, .i = 0, .d = value, .s = {}}}; }

TypeDesc infer(std::string_view op, std::vector<Arg> args, TypeDesc castTarget = {}) {
    const OpInfo &info = *Registry::get().findOp(op);
    return info.infer({info, args, castTarget})[0];
}
bool mayFail(std::string_view op, std::vector<Arg> args, TypeDesc castTarget = {}) {
    const OpInfo &info = *Registry::get().findOp(op);
    return info.mayFail && info.mayFail({info, args, castTarget});
}
std::string rejection(std::string_view op, std::vector<Arg> args, TypeDesc castTarget = {}) {
    try {
        infer(op, std::move(args), std::move(castTarget));
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Compile);
        return e.message;
    }
    return {};
}

TEST(Rules, ArithmeticGivesTheMostGeneralType) {
    EXPECT_EQ(infer("ewAdd", {scalar(SI64), scalar(F32)}), TypeDesc::scalar(F32));
    EXPECT_EQ(infer("ewSub", {scalar(Size), scalar(SI64)}), TypeDesc::scalar(SI64));
    EXPECT_EQ(infer("ewMul", {scalar(Bool), scalar(Bool)}), TypeDesc::scalar(SI64));
    EXPECT_EQ(infer("ewMul", {matrix(SI8, 2, 3), scalar(UI8)}), TypeDesc::matrix(UI8, 2, 3));
    EXPECT_EQ(infer("ewLog", {scalar(SI64), scalar(SI64)}), TypeDesc::scalar(F64));
    EXPECT_EQ(infer("ewMin", {scalar(Bool), scalar(Bool)}), TypeDesc::scalar(Bool));
}

TEST(Rules, ComparisonsAndLogicalsHaveTheirOwnTypes) {
    EXPECT_EQ(infer("ewLt", {scalar(F64), scalar(SI64)}), TypeDesc::scalar(F64));
    EXPECT_EQ(infer("ewEq", {scalar(Str), scalar(Str)}), TypeDesc::scalar(SI64));
    EXPECT_EQ(infer("ewEq", {scalar(Bool), scalar(Bool)}), TypeDesc::scalar(Bool));
    EXPECT_EQ(infer("ewAnd", {scalar(F64), scalar(SI64)}), TypeDesc::scalar(UI64));
    EXPECT_EQ(infer("ewOr", {scalar(SI8), scalar(Bool)}), TypeDesc::scalar(SI8));
    EXPECT_EQ(infer("ewNot", {scalar(F64)}), TypeDesc::scalar(F64));
}

TEST(Rules, StringsConcatenate) {
    EXPECT_EQ(infer("ewAdd", {scalar(Str), scalar(F64)}), TypeDesc::scalar(Str));
    EXPECT_EQ(infer("ewAdd", {matrix(F64, 2, 1), scalar(Str)}), TypeDesc::matrix(Str, 2, 1));
    EXPECT_EQ(infer("ewConcat", {scalar(SI64), scalar(SI64)}), TypeDesc::scalar(Str));
    EXPECT_NE(rejection("ewSub", {scalar(Str), scalar(F64)}), "");
    EXPECT_NE(rejection("ewEq", {scalar(Str), scalar(F64)}), "");
    EXPECT_EQ(rejection("ewExp", {scalar(Str)}), "'exp' needs a number or a numeric matrix as argument 1, got str");
}

TEST(Rules, BroadcastingMergesShapes) {
    auto shape = [](Arg a, Arg b) { return infer("ewAdd", {std::move(a), std::move(b)}).shapeText(); };
    EXPECT_EQ(shape(matrix(F64, 2, 3), matrix(F64, 1, 3)), "2x3");
    EXPECT_EQ(shape(matrix(F64, 2, 1), matrix(F64, 2, 3)), "2x3");
    EXPECT_EQ(shape(matrix(F64, 1, 1), matrix(F64, 2, 3)), "2x3");
    EXPECT_EQ(shape(matrix(F64, 0, 3), matrix(F64, 1, 3)), "0x3");
    EXPECT_EQ(shape(matrix(F64, 4, -1), matrix(F64, -1, 3)), "4x3");
    EXPECT_EQ(shape(matrix(F64, 1, 3), matrix(F64, -1, 3)), "?x3");
    EXPECT_EQ(shape(matrix(F64, 1, 3), matrix(F64, -1, 1)), "1x3");
    EXPECT_EQ(rejection("ewAdd", {matrix(F64, 3, 4), matrix(F64, 4, 3)}),
              "'+' needs equal shapes or a vector to broadcast, got 3x4 and 4x3");
    EXPECT_NE(rejection("ewAdd", {matrix(F64, 1, 3), matrix(F64, 2, 1)}), "");
    EXPECT_EQ(infer("ewAdd", {matrix(F64, 2, 1), anything()}), TypeDesc::matrix(Unknown, 2, -1));
    EXPECT_TRUE(infer("ewAdd", {scalar(F64), anything()}).isUnknown());
}

TEST(Rules, SparsityIsEstimated) {
    EXPECT_DOUBLE_EQ(infer("ewAdd", {matrix(F64, 2, 2, 0.5), matrix(F64, 2, 2, 0.5)}).sparsity, 0.75);
    EXPECT_DOUBLE_EQ(infer("ewMul", {matrix(F64, 2, 2, 0.5), matrix(F64, 2, 2, 0.5)}).sparsity, 0.25);
    EXPECT_DOUBLE_EQ(infer("ewMul", {matrix(F64, 2, 2), matrix(F64, 2, 2, 0.5)}).sparsity, 0.5);
    EXPECT_DOUBLE_EQ(infer("ewMul", {scalar(F64), matrix(F64, 2, 2, 0.5)}).sparsity, 0.5);
    EXPECT_EQ(infer("ewAdd", {matrix(F64, 2, 2, 0.5), scalar(F64)}).sparsity, -1);
    EXPECT_EQ(infer("ewAdd", {matrix(F64, 2, 2, 0.5), matrix(F64, 2, 2)}).sparsity, -1);
    EXPECT_EQ(infer("ewGt", {matrix(F64, 2, 2, 0.5), matrix(F64, 2, 2, 0.5)}).sparsity, -1);
    EXPECT_EQ(infer("ewMinus", {matrix(F64, 2, 2, 0.5)}).sparsity, -1);
}

TEST(Rules, FramesCombineWithScalars) {
    auto schema = std::make_shared<FrameSchema>(FrameSchema{{"a", "b"}, {SI64, F64}});
    Arg frame = typed(TypeDesc::frame(schema, 2, 2));
    EXPECT_EQ(infer("ewAdd", {frame, scalar(F64)}), frame.type);
    EXPECT_FALSE(mayFail("ewAdd", {frame, scalar(F64)}));
    EXPECT_TRUE(mayFail("ewDiv", {frame, scalar(SI64)}));
    EXPECT_FALSE(mayFail("ewDiv", {frame, integer(2)}));
    EXPECT_NE(rejection("ewAdd", {frame, matrix(F64, 2, 2)}), "");
    EXPECT_NE(rejection("ewAdd", {frame, scalar(Str)}), "");
}

TEST(Rules, ConditionalNeedsEqualTypes) {
    EXPECT_EQ(infer("cond", {scalar(Bool), matrix(F64, 2, 2), matrix(F64, 2, 3)}), TypeDesc::matrix(F64, 2, -1));
    EXPECT_EQ(infer("cond", {matrix(F64, 2, 2), matrix(SI64, 2, 2), scalar(SI64)}), TypeDesc::matrix(SI64, 2, 2));
    EXPECT_TRUE(infer("cond", {anything(), scalar(F64), scalar(F64)}).isUnknown());
    EXPECT_NE(rejection("cond", {scalar(Bool), scalar(SI64), scalar(F64)}), "");
    EXPECT_NE(rejection("cond", {matrix(Bool, 2, 2), matrix(F64, 2, 3), scalar(F64)}), "");
    EXPECT_NE(rejection("cond", {scalar(Str), scalar(F64), scalar(F64)}), "");
    EXPECT_FALSE(mayFail("cond", {scalar(Bool), matrix(F64), matrix(F64)}));
    EXPECT_TRUE(mayFail("cond", {matrix(Bool), matrix(F64, 2, 2), scalar(F64)}));
    EXPECT_TRUE(mayFail("condition", {matrix(F64)}));
    EXPECT_FALSE(mayFail("condition", {matrix(F64, 1, 1)}));
    EXPECT_NE(rejection("condition", {matrix(F64, 2, -1)}), "");
}

TEST(Rules, FaultsArePrecise) {
    EXPECT_FALSE(mayFail("ewAdd", {scalar(F64), scalar(F64)}));
    EXPECT_FALSE(mayFail("ewAdd", {matrix(F64), scalar(F64)}));
    EXPECT_FALSE(mayFail("ewAdd", {matrix(F64, 2, 2), matrix(F64, 2, 2)}));
    EXPECT_TRUE(mayFail("ewAdd", {matrix(F64), matrix(F64, 2, 2)}));
    EXPECT_TRUE(mayFail("ewAdd", {anything(), scalar(F64)}));
    EXPECT_TRUE(mayFail("ewDiv", {scalar(SI64), scalar(SI64)}));
    EXPECT_FALSE(mayFail("ewDiv", {scalar(SI64), integer(2)}));
    EXPECT_TRUE(mayFail("ewMod", {scalar(SI64), integer(0)}));
    EXPECT_FALSE(mayFail("ewDiv", {scalar(SI64), scalar(F64)}));
    EXPECT_TRUE(mayFail("ewSqrt", {matrix(F64, 2, 2)}));
    EXPECT_FALSE(mayFail("ewSqrt", {real(2)}));
    EXPECT_TRUE(mayFail("ewSqrt", {integer(-2)}));
    EXPECT_FALSE(mayFail("ewSqrt", {matrix(UI8)}));
    EXPECT_FALSE(mayFail("ewAsin", {real(-1)}));
    EXPECT_TRUE(mayFail("ewAsin", {real(1.5)}));
    EXPECT_TRUE(mayFail("ewAsin", {scalar(UI8)}));
    EXPECT_FALSE(mayFail("ewAsin", {scalar(Bool)}));
    EXPECT_FALSE(mayFail("ewLog", {real(8), integer(2)}));
    EXPECT_TRUE(mayFail("ewLog", {scalar(F64), integer(2)}));
    EXPECT_FALSE(mayFail("outerAdd", {matrix(F64, -1, 1), matrix(F64, 1, -1)}));
    EXPECT_TRUE(mayFail("outerAdd", {matrix(F64), matrix(F64)}));
    EXPECT_TRUE(mayFail("outerDiv", {matrix(SI64, 2, 1), matrix(SI64, 1, 2)}));
    EXPECT_FALSE(mayFail("sumAll", {matrix(F64)}));
    EXPECT_TRUE(mayFail("sumAll", {anything()}));
    EXPECT_FALSE(mayFail("idxminRow", {matrix(F64)}));
}

TEST(Rules, AggregatesKnowTheirShapes) {
    EXPECT_EQ(infer("sumAll", {matrix(SI64, 2, 3)}), TypeDesc::scalar(SI64));
    EXPECT_EQ(infer("sumRow", {matrix(Bool, 2, 3)}), TypeDesc::matrix(SI64, 2, 1));
    EXPECT_EQ(infer("meanCol", {matrix(SI64, 2, 3)}), TypeDesc::matrix(F64, 1, 3));
    EXPECT_EQ(infer("varAll", {matrix(F32)}), TypeDesc::scalar(F32));
    EXPECT_EQ(infer("idxmaxRow", {matrix(F64, 2, 3)}), TypeDesc::matrix(Size, 2, 1));
    EXPECT_EQ(infer("maxCum", {matrix(UI8, 2, 3)}), TypeDesc::matrix(UI8, 2, 3));
    EXPECT_NE(rejection("sumAll", {scalar(F64)}), "");
    EXPECT_NE(rejection("sumAll", {matrix(Str)}), "");
}

TEST(Rules, CastsChangeKindAndValueType) {
    TypeDesc toSi64{.kind = Kind::Unknown, .valueType = SI64}, toScalar = TypeDesc::scalar(Unknown);
    TypeDesc toMatrix = TypeDesc::matrix(Unknown), toFrame = TypeDesc::frame(nullptr);
    EXPECT_EQ(infer("cast", {matrix(F64, 2, 3)}, toSi64), TypeDesc::matrix(SI64, 2, 3));
    EXPECT_EQ(infer("cast", {scalar(Str)}, toSi64), TypeDesc::scalar(SI64));
    EXPECT_EQ(infer("cast", {matrix(F64, 2, 3)}, toScalar), TypeDesc::scalar(F64));
    EXPECT_EQ(infer("cast", {scalar(F32)}, toMatrix), TypeDesc::matrix(F32, 1, 1));
    TypeDesc frame = infer("cast", {matrix(F64, 2, 2)}, toFrame);
    ASSERT_TRUE(frame.schema);
    EXPECT_EQ(frame.schema->labels, (std::vector<std::string>{"col_0", "col_1"}));
    EXPECT_EQ(infer("cast", {typed(frame)}, toMatrix), TypeDesc::matrix(F64, 2, 2));
    EXPECT_NE(rejection("cast", {typed(frame)}, toSi64), "");
    EXPECT_TRUE(mayFail("cast", {scalar(Str)}, toSi64));
    EXPECT_FALSE(mayFail("cast", {scalar(F64)}, toSi64));
    EXPECT_FALSE(mayFail("cast", {matrix(F64)}, toSi64));
    EXPECT_TRUE(mayFail("cast", {matrix(F64)}, toScalar));
    EXPECT_FALSE(mayFail("cast", {matrix(F64, 1, 1)}, toScalar));
    EXPECT_FALSE(mayFail("cast", {matrix(Str)}, toFrame));
    EXPECT_FALSE(mayFail("cast", {scalar(F64)}, {.kind = Kind::Unknown, .valueType = Str}));
}

} // namespace
} // namespace daphne::ops
