// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/Error.h"
#include "base/ValueType.h"

using namespace daphne;

namespace {

struct Rendering : testing::Test {
    SourceManager sources;
    uint32_t file = sources.add("a.daph", "x = 1;\nW = X + t(Y);\n");
};

TEST_F(Rendering, ShowsPlaceLineAndCaret) {
    std::string text = render(parseError({file, 11, 12}, "undefined variable X"), sources);
    EXPECT_EQ(text, "error: undefined variable X\n --> a.daph:2:5\n2 | W = X + t(Y);\n  |     ^\n");
}

TEST_F(Rendering, LabelsStandUnderTheirOperands) {
    Error e = compileError({file, 13, 14}, "shapes differ");
    e.withLabel({file, 11, 12}, "3x4").withLabel({file, 15, 19}, "4x3");
    EXPECT_EQ(render(e, sources), "error: shapes differ\n --> a.daph:2:7\n2 | W = X + t(Y);\n  |     ~ ^ ~~~~ 4x3\n"
                                  "  |     3x4\n");
}

TEST_F(Rendering, AddsNotesHintAndOperation) {
    Error e = executionError("bad").at({file, 0, 1});
    e.operation = "ewAdd";
    e.withNote("defined here", {file, 7, 8}).withHint("try this");
    EXPECT_EQ(render(e, sources), "error: ewAdd: bad\n --> a.daph:1:1\n1 | x = 1;\n  | ^\n"
                                  "   = note: defined here at a.daph:2:1\n   = hint: try this\n");
}

TEST_F(Rendering, WithoutPositionIsOneLine) {
    EXPECT_EQ(render(parseError({}, "no script"), sources), "error: no script\n");
}

TEST_F(Rendering, PositionAtTheEndOfTheTextIsShown) {
    std::string text = render(parseError({file, 21, 21}, "unexpected end"), sources);
    EXPECT_NE(text.find("a.daph:3:1"), text.npos);
}

TEST_F(Rendering, VeryLongLinesAreCut) {
    SourceManager many;
    uint32_t f = many.add("long", std::string(100000, 'x'));
    std::string text = render(parseError({f, 50000, 50001}, "here"), many);
    EXPECT_LT(text.size(), 600u);
    EXPECT_NE(text.find('^'), text.npos);
}

TEST_F(Rendering, VeryLongMessagesAreCut) {
    std::string name;
    for (int i = 0; i < 100000; ++i)
        name += "\xc3\xa9";
    std::string text = render(parseError({}, "undefined: " + name), sources);
    EXPECT_LT(text.size(), 1100u);
    EXPECT_TRUE(text.ends_with("\xa9...\n")) << text;
}

TEST(Nearest, FindsATypoAndNothingFarAway) {
    EXPECT_EQ(nearest("agMin", {"aggMin", "aggMax", "sum"}), "aggMin");
    EXPECT_EQ(nearest("zzz", {"aggMin", "sum"}), "");
}

TEST(ValueTypes, AreOrderedByGenerality) {
    EXPECT_EQ(mostGeneral(ValueType::Size, ValueType::SI64), ValueType::SI64);
    EXPECT_EQ(mostGeneral(ValueType::UI64, ValueType::SI64), ValueType::UI64);
    EXPECT_EQ(mostGeneral(ValueType::SI8, ValueType::UI8), ValueType::UI8);
    EXPECT_EQ(mostGeneral(ValueType::F32, ValueType::SI64), ValueType::F32);
}

TEST(ValueTypes, NamesRoundTripExceptSize) {
    for (int i = 0; i < kNumValueTypes; ++i) {
        auto t = static_cast<ValueType>(i);
        EXPECT_EQ(parseValueType(dslName(t)), t == ValueType::Size ? ValueType::Unknown : t);
    }
    EXPECT_EQ(cppName(ValueType::Size), "uint64_t");
    EXPECT_EQ(cppScalarName(ValueType::Str), "const char*");
}

TEST(Sources, LinesAndColumnsCountFromOne) {
    SourceManager s;
    uint32_t f = s.add("n", "ab\r\n\ncd");
    EXPECT_EQ(s.position(f, 0).line, 1u);
    EXPECT_EQ(s.position(f, 5).line, 3u);
    EXPECT_EQ(s.position(f, 6).column, 2u);
    EXPECT_EQ(s.line(f, 1), "ab");
    EXPECT_EQ(s.line(f, 2), "");
}

} // namespace
