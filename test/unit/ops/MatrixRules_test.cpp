// SPDX-License-Identifier: Apache-2.0
/// Shapes, sparsities and schemas that follow from constants and known operands.
#include <gtest/gtest.h>

#include "base/Error.h"
#include "ops/Registry.h"

namespace daphne::ops {
namespace {

using enum ValueType;

Arg typed(TypeDesc t) { return {std::move(t), {}}; }
Arg matrix(ValueType t, int64_t rows = -1, int64_t cols = -1, double sparsity = -1) {
    return typed(TypeDesc::matrix(t, rows, cols, sparsity));
}
Arg anything() { return typed(TypeDesc::unknown()); }
Arg someInteger() { return typed(TypeDesc::scalar(SI64)); }
Arg integer(int64_t value) { return {TypeDesc::scalar(SI64), Constant{.type = SI64, .i = value, .d = 0, .s = {}}}; }
Arg real(double value) { return {TypeDesc::scalar(F64), Constant{.type = F64, .i = 0, .d = value, .s = {}}}; }
Arg text(std::string value) {
    return {TypeDesc::scalar(Str), Constant{.type = Str, .i = 0, .d = 0, .s = std::move(value)}};
}
Arg frame(std::vector<std::string> labels, std::vector<ValueType> types, int64_t rows = 3) {
    auto cols = static_cast<int64_t>(types.size());
    return typed(
        TypeDesc::frame(std::make_shared<FrameSchema>(FrameSchema{std::move(labels), std::move(types)}), rows, cols));
}

TypeDesc infer(std::string_view op, std::vector<Arg> args) {
    const OpInfo &info = *Registry::get().findOp(op);
    return info.infer({info, args, {}})[0];
}
std::string rejection(std::string_view op, std::vector<Arg> args) {
    try {
        infer(op, std::move(args));
    } catch (const Error &e) {
        return e.message;
    }
    return {};
}
Stage stageOf(std::string_view op, std::vector<Arg> args) {
    try {
        infer(op, std::move(args));
    } catch (const Error &e) {
        return e.stage;
    }
    return Stage::Internal;
}

TEST(GenerationRules, TakeShapesFromConstants) {
    EXPECT_EQ(infer("fill", {real(1), real(2.0), integer(3)}), TypeDesc::matrix(F64, 2, 3));
    EXPECT_EQ(infer("fill", {text("a"), someInteger(), integer(3)}), TypeDesc::matrix(Str, -1, 3));
    EXPECT_EQ(infer("randMatrix", {integer(2), integer(3), integer(1), integer(9), real(.5), integer(1)}),
              TypeDesc::matrix(SI64, 2, 3, .5));
    EXPECT_NE(rejection("randMatrix", {integer(2), integer(3), integer(1), real(9), real(.5), integer(1)}), "");
    EXPECT_EQ(infer("seq", {integer(1), integer(10), integer(4)}), TypeDesc::matrix(SI64, 3, 1, 1));
    EXPECT_EQ(infer("seq", {integer(3), integer(1)}), TypeDesc::matrix(SI64, 0, 1, 1));
    EXPECT_EQ(infer("seq", {real(1), integer(10)}), TypeDesc::matrix(F64, -1, 1, 1));
    EXPECT_EQ(infer("matrixConstant", {integer(0), integer(2)}), TypeDesc::matrix(SI64, 2, 1, .5));
    EXPECT_EQ(infer("matrixConstant", {integer(0), someInteger()}), TypeDesc::matrix(SI64, 2, 1, -1));
}

TEST(ReorganisationRules, KnowShapesAndSparsities) {
    EXPECT_EQ(infer("transpose", {matrix(F64, 2, 3, .1)}), TypeDesc::matrix(F64, 3, 2, .1));
    EXPECT_EQ(infer("colBind", {matrix(SI64, 2, 3), matrix(F64, -1, 1)}), TypeDesc::matrix(F64, 2, 4));
    EXPECT_EQ(infer("rowBind", {matrix(SI64, 2, 3), matrix(SI64)}), TypeDesc::matrix(SI64, -1, 3));
    EXPECT_EQ(infer("reshape", {matrix(F64, 2, 3, .5), integer(3), integer(2)}), TypeDesc::matrix(F64, 3, 2, .5));
    EXPECT_EQ(infer("diagMatrix", {matrix(F64, 4, 1, .5)}), TypeDesc::matrix(F64, 4, 4, .125));
    EXPECT_EQ(infer("diagMatrix", {matrix(F64, 4, 1)}), TypeDesc::matrix(F64, 4, 4, .25));
    EXPECT_EQ(infer("tri", {matrix(F64, 4, 4, .5), integer(0), integer(0), integer(0)}),
              TypeDesc::matrix(F64, 4, 4, .25));
    EXPECT_NE(rejection("reshape", {matrix(F64, 2, 3), integer(2), integer(2)}), "");
    EXPECT_NE(rejection("colBind", {matrix(F64, 2, 1), matrix(F64, 3, 1)}), "");
    EXPECT_EQ(stageOf("colBind", {matrix(F64), frame({"a"}, {F64})}), Stage::Compile);
}

TEST(ReorganisationRules, OrderNeedsAnEvenNumberOfArguments) {
    Arg x = matrix(F64, 3, 2), zero = integer(0), one = integer(1);
    EXPECT_EQ(infer("order", {x, zero, one, one}), TypeDesc::matrix(Size, 3, 1));
    EXPECT_EQ(infer("order", {x, zero, one, zero}), TypeDesc::matrix(F64, 3, 2));
    EXPECT_TRUE(infer("order", {x, zero, one, someInteger()}).isUnknown());
    EXPECT_EQ(stageOf("order", {x, zero, one, one, one}), Stage::Parse);
}

TEST(IndexingRules, KnowTheShapeOfConstantRanges) {
    EXPECT_EQ(infer("sliceRow", {matrix(F64, 5, 2), integer(1), integer(4)}), TypeDesc::matrix(F64, 3, 2));
    EXPECT_EQ(infer("sliceCol", {matrix(F64, 5, 2), integer(-1), integer(0)}), TypeDesc::matrix(F64, 5, 1));
    EXPECT_EQ(infer("sliceRow", {matrix(F64), integer(2), integer(3)}), TypeDesc::matrix(F64, 1, -1));
    EXPECT_EQ(infer("sliceRow", {matrix(F64, 5, 2), someInteger(), integer(3)}), TypeDesc::matrix(F64, -1, 2));
    EXPECT_TRUE(infer("sliceRow", {anything(), integer(2), integer(3)}).isUnknown());
}

TEST(IndexingRules, RejectConstantRangesOutOfBounds) {
    EXPECT_EQ(rejection("sliceRow", {matrix(F64, 5, 2), integer(5), integer(6)}),
              "row 5 is out of range: there are 5 rows");
    EXPECT_EQ(rejection("sliceCol", {matrix(F64, 5, 2), integer(0), integer(3)}),
              "columns 0:3 are out of range: there are 2 columns");
    EXPECT_EQ(rejection("sliceRow", {matrix(F64, -1, 2), integer(5), integer(6)}), "");
}

TEST(IndexingRules, KeepFrameSchemas) {
    Arg f = frame({"p.a", "p.b", "c"}, {SI64, Str, F64});
    EXPECT_EQ(infer("sliceCol", {f, integer(1), integer(3)}), frame({"p.b", "c"}, {Str, F64}).type);
    EXPECT_EQ(infer("extractCol", {f, text("c")}), frame({"c"}, {F64}).type);
    EXPECT_EQ(infer("extractCol", {f, text("p.*")}), frame({"p.a", "p.b"}, {SI64, Str}).type);
    EXPECT_NE(rejection("extractCol", {f, text("d")}), "");
    EXPECT_EQ(infer("sliceRow", {f, integer(1), integer(3)}), frame({"p.a", "p.b", "c"}, {SI64, Str, F64}, 2).type);
    EXPECT_EQ(infer("filterRow", {f, matrix(SI64, 3, 1)}), frame({"p.a", "p.b", "c"}, {SI64, Str, F64}, -1).type);
}

TEST(IndexingRules, CheckLeftIndexing) {
    Arg x = matrix(F64, 3, 3);
    EXPECT_EQ(infer("insertRow", {x, matrix(F64, 1, 3), integer(0), integer(1)}), TypeDesc::matrix(F64, 3, 3));
    EXPECT_NE(rejection("insertRow", {x, matrix(F64, 1, 2), integer(0), integer(1)}), "");
    EXPECT_EQ(infer("insertRow", {x, matrix(SI64, 1, 3), integer(0), integer(1)}), TypeDesc::matrix(F64, 3, 3));
    EXPECT_NE(rejection("insertRow", {matrix(SI64, 3, 3), matrix(F64, 1, 3), integer(0), integer(1)}), "");
    EXPECT_NE(rejection("insertRow", {x, matrix(F64, 1, 3), integer(3), integer(4)}), "");
    EXPECT_EQ(infer("insert", {x, real(1), integer(0), integer(1), integer(0), integer(1)}),
              TypeDesc::matrix(F64, 3, 3));
    EXPECT_NE(rejection("insert", {matrix(SI64, 3, 3), real(1), integer(0), integer(1), integer(0), integer(1)}), "");
}

TEST(FrameRules, KnowTheSchema) {
    EXPECT_EQ(infer("createFrame", {matrix(SI64, 3, 1), matrix(Str, 3, 1), text("a"), text("b")}),
              frame({"a", "b"}, {SI64, Str}).type);
    EXPECT_EQ(infer("createFrame", {matrix(SI64, 3, 1)}), frame({"col_0"}, {SI64}).type);
    EXPECT_EQ(infer("setColLabelsPrefix", {frame({"a", "x.b"}, {SI64, F64}), text("p")}),
              frame({"p.a", "p.b"}, {SI64, F64}).type);
    EXPECT_EQ(stageOf("createFrame", {matrix(SI64, 3, 1), text("a"), text("b")}), Stage::Parse);
    EXPECT_EQ(stageOf("createFrame", {matrix(SI64, 3, 1), text("a"), matrix(SI64, 3, 1)}), Stage::Parse);
    EXPECT_EQ(stageOf("createFrame", {real(1)}), Stage::Parse);
    EXPECT_EQ(stageOf("createFrame", {text("a")}), Stage::Parse);
    EXPECT_EQ(stageOf("createFrame", {matrix(SI64, 3, 1), matrix(SI64, 2, 1)}), Stage::Compile);
    EXPECT_EQ(stageOf("createFrame", {matrix(SI64, 3, 2)}), Stage::Compile);
}

TEST(ProductRules, HonourTheTransposeFlags) {
    Arg no = integer(0), yes = integer(1);
    EXPECT_EQ(infer("matMul", {matrix(F64, 2, 3), matrix(SI64, 3, 4), no, no}), TypeDesc::matrix(F64, 2, 4));
    EXPECT_EQ(infer("matMul", {matrix(F64, 3, 2), matrix(F64, 4, 3), yes, yes}), TypeDesc::matrix(F64, 2, 4));
    EXPECT_EQ(infer("matMul", {matrix(F64, 2, 2, .5), matrix(F64, 2, 2, .5), no, no}),
              TypeDesc::matrix(F64, 2, 2, 1 - .75 * .75));
    EXPECT_EQ(infer("matMul", {matrix(F64, 2, 3), matrix(F64, 3, 4)}), TypeDesc::matrix(F64, 2, 4)) << "while parsing";
    EXPECT_NE(rejection("matMul", {matrix(F64, 2, 3), matrix(F64, 2, 3), no, no}), "");
}

TEST(PreprocessingRules, ReadTheFormsOfCtableAndBin) {
    Arg a = matrix(SI64, 5, 1);
    EXPECT_EQ(infer("ctable", {a, a}), TypeDesc::matrix(F64));
    EXPECT_EQ(infer("ctable", {a, a, integer(2)}), TypeDesc::matrix(SI64));
    EXPECT_EQ(infer("ctable", {a, a, integer(2), integer(3)}), TypeDesc::matrix(F64, 2, 3));
    EXPECT_EQ(infer("ctable", {a, a, integer(1), integer(2), integer(-1)}), TypeDesc::matrix(SI64, 2, -1));
    EXPECT_EQ(stageOf("bin", {a, integer(2), integer(0)}), Stage::Parse);
}

} // namespace
} // namespace daphne::ops
