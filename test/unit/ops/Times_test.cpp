// SPDX-License-Identifier: Apache-2.0
#include "ops/Times.h"

#include <gtest/gtest.h>

#include "base/Error.h"

namespace daphne::ops {
namespace {

using enum ValueType;

TypeDesc result(std::string_view op, const std::vector<TypeDesc> &operands, TypeDesc castTarget = {}) {
    std::vector<Arg> args;
    for (const TypeDesc &t : operands)
        args.push_back({t, {}});
    const OpInfo &info = *Registry::get().findOp(op);
    return info.resultTypes({info, args, castTarget})[0];
}
std::string rejection(std::string_view op, const std::vector<TypeDesc> &operands, TypeDesc castTarget = {}) {
    try {
        result(op, operands, castTarget);
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Compile);
        return e.message;
    }
    return {};
}
TypeDesc scalar(ValueType t) { return TypeDesc::scalar(t); }
TypeDesc matrix(ValueType t, int64_t rows = -1, int64_t cols = -1) { return TypeDesc::matrix(t, rows, cols); }

TEST(Times, CombineAsTheLanguageSays) {
    struct Rule {
        std::string_view op;
        ValueType a, b, result;
    };
    const Rule rules[] = {
        {"ewSub", Date, Date, SI64},
        {"ewAdd", Date, SI64, Date},
        {"ewAdd", SI8, Date, Date},
        {"ewSub", Date, SI32, Date},
        {"ewSub", Timestamp, Timestamp, Duration},
        {"ewSub", Timestamp, Date, Duration},
        {"ewSub", Date, Timestamp, Duration},
        {"ewAdd", Date, Duration, Timestamp},
        {"ewSub", Date, Duration, Timestamp},
        {"ewAdd", Duration, Timestamp, Timestamp},
        {"ewSub", Timestamp, Duration, Timestamp},
        {"ewAdd", Duration, Duration, Duration},
        {"ewSub", Duration, Duration, Duration},
        {"ewMul", Duration, F64, Duration},
        {"ewMul", SI64, Duration, Duration},
        {"ewDiv", Duration, SI64, Duration},
        {"ewDiv", Duration, Duration, F64},
        {"ewEq", Date, Timestamp, SI64},
        {"ewLt", Duration, Duration, SI64},
        {"ewMin", Date, Date, Date},
        {"ewMax", Date, Timestamp, Timestamp},
        {"ewFmin", Duration, Duration, Duration},
        {"ewAdd", Str, Date, Str},
    };
    for (const Rule &r : rules) {
        EXPECT_EQ(result(r.op, {scalar(r.a), scalar(r.b)}), scalar(r.result)) << r.op << dslName(r.a) << dslName(r.b);
        EXPECT_EQ(result(r.op, {matrix(r.a, 3, 2), scalar(r.b)}), matrix(r.result, 3, 2)) << r.op;
    }
}

TEST(Times, DoNotCombineOtherwise) {
    const std::pair<ValueType, ValueType> nonsense[] = {{Date, Date},      {Timestamp, Timestamp}, {Date, F64},
                                                        {Duration, SI64},  {Timestamp, SI64},      {SI64, Duration},
                                                        {Timestamp, Date}, {Bool, Timestamp}};
    for (auto [a, b] : nonsense)
        EXPECT_NE(rejection("ewAdd", {scalar(a), scalar(b)}), "") << dslName(a) << dslName(b);
    for (ValueType other : {SI64, F64, Str, Duration})
        EXPECT_NE(rejection("ewEq", {scalar(Date), scalar(other)}), "") << dslName(other);
    for (std::string_view op : {"ewMod", "ewPow", "ewAnd", "ewOr", "ewLog", "matMul", "outerSub"})
        EXPECT_NE(rejection(op, {matrix(Duration, 2, 2), matrix(Duration, 2, 2)}), "") << op;
    EXPECT_NE(rejection("ewDiv", {scalar(SI64), scalar(Duration)}), "");
    EXPECT_NE(rejection("ewSub", {scalar(SI64), scalar(Date)}), "");
}

TEST(Times, AreNamedInMessages) {
    EXPECT_EQ(rejection("ewAdd", {scalar(Date), matrix(Timestamp, 2, 1)}),
              "'+' does not work on date and matrix<timestamp> 2x1");
    EXPECT_EQ(rejection("ewSqrt", {matrix(Duration)}), "'sqrt' does not work on matrix<duration>");
}

TEST(Times, HaveSumsAndMeansOnlyIfTheyAreDurations) {
    for (std::string_view op : {"sumAll", "meanAll", "nanSumAll", "nanMeanAll"}) {
        EXPECT_EQ(result(op, {matrix(Duration, 4, 2)}), scalar(Duration)) << op;
        EXPECT_NE(rejection(op, {matrix(Date, 4, 2)}), "") << op;
        EXPECT_NE(rejection(op, {matrix(Timestamp, 4, 2)}), "") << op;
    }
    EXPECT_EQ(result("meanRow", {matrix(Duration, 4, 2)}), matrix(Duration, 4, 1));
    EXPECT_EQ(result("maxCol", {matrix(Date, 4, 2)}), matrix(Date, 1, 2));
    EXPECT_EQ(result("idxminRow", {matrix(Date, 4, 2)}), matrix(Size, 4, 1));
    EXPECT_EQ(result("nanCountAll", {matrix(Date, 4, 2)}), scalar(SI64));
}

TEST(Times, StandAmongTheirLikeOnly) {
    EXPECT_EQ(result("rowBind", {matrix(Date, 2, 1), matrix(Date, 3, 1)}), matrix(Date, 5, 1));
    EXPECT_NE(rejection("rowBind", {matrix(Date, 2, 1), matrix(SI32, 3, 1)}), "");
    EXPECT_NE(rejection("rowBind", {matrix(Date, 2, 1), matrix(Timestamp, 3, 1)}), "");
    EXPECT_NE(rejection("matrixConstant", {scalar(Date), scalar(SI64)}), "");
    EXPECT_NE(rejection("cond", {scalar(Bool), scalar(Date), scalar(SI32)}), "");
    EXPECT_NE(rejection("sliceRow", {matrix(F64, 2, 2), scalar(Date), scalar(SI64)}), "");
}

TEST(Times, OfATypeNotKnownYetMayBeAnything) {
    EXPECT_EQ(result("ewAdd", {scalar(Date), TypeDesc::unknown()}), TypeDesc::unknown());
    EXPECT_EQ(result("ewAdd", {matrix(Date, 2, 2), matrix(Unknown, 2, 2)}), matrix(Unknown, 2, 2));
}

TEST(Times, AreCastToWhatTheyCanBe) {
    auto cast = [](ValueType from, ValueType to) { return rejection("cast", {scalar(from)}, {.valueType = to}); };
    for (ValueType time : {Date, Timestamp, Duration})
        for (ValueType other : {Str, SI64, F64}) {
            EXPECT_EQ(cast(time, other), "") << dslName(time) << dslName(other);
            EXPECT_EQ(cast(other, time), "") << dslName(time) << dslName(other);
        }
    EXPECT_EQ(cast(Date, Timestamp), "");
    EXPECT_EQ(cast(Timestamp, Date), "");
    EXPECT_NE(cast(Duration, Date), "");
    EXPECT_NE(cast(Timestamp, Duration), "");
    EXPECT_NE(cast(Date, Bool), "");
}

TEST(Times, ThatAreComputedWithMayFail) {
    const Registry &registry = Registry::get();
    auto canFail = [&](std::string_view op, const std::vector<TypeDesc> &operands) {
        std::vector<Arg> args;
        for (const TypeDesc &t : operands)
            args.push_back({t, {}});
        const OpInfo &info = *registry.findOp(op);
        return info.canFail({info, args, {}});
    };
    EXPECT_TRUE(canFail("ewAdd", {scalar(Date), scalar(SI64)})) << "the result may be beyond the year 9999";
    EXPECT_FALSE(canFail("ewAdd", {scalar(SI64), scalar(SI64)}));
    EXPECT_FALSE(canFail("transpose", {matrix(Date, 2, 2)}));
}

/// Whoever adds an operation says what it does with times, or it refuses them.
TEST(Times, AreRefusedByEveryOperationThatDoesNotNameThem) {
    for (std::string_view op :
         {"ewExp", "ewMinus", "ewAbs", "ewNot", "sumCum", "prodAll", "varCol", "medianAll", "diff", "kron", "solve",
          "oneHot", "tri", "sparsity", "condition", "strlen", "parseNum"}) {
        const OpInfo &info = *Registry::get().findOp(op);
        std::vector<TypeDesc> operands(info.minArgs, matrix(Date, 2, 2));
        EXPECT_NE(rejection(op, operands).find("matrix<date>"), std::string::npos) << op;
    }
}

} // namespace
} // namespace daphne::ops
