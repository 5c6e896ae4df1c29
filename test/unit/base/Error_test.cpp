// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/CallTrace.h"
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

TEST(Nearest, TakesWhatFingersDo) {
    EXPECT_EQ(nearest("pritn", {"print"}), "print");  // exchanged
    EXPECT_EQ(nearest("prnt", {"print"}), "print");   // one less
    EXPECT_EQ(nearest("printt", {"print"}), "print"); // one more
    EXPECT_EQ(nearest("prinf", {"print"}), "print");  // another one
    EXPECT_EQ(nearest("sqtr", {"sqrt"}), "sqrt");
    EXPECT_EQ(nearest("rpint", {"print"}), "print");
    EXPECT_EQ(nearest("transpoze", {"transpose"}), "transpose");
    EXPECT_EQ(nearest("partitionning", {"partitioning"}), "partitioning");
    EXPECT_EQ(nearest("lenght", {"length"}), "length");
    EXPECT_EQ(nearest("TAPERED", {"TAPER"}), "TAPER");
    EXPECT_EQ(nearest("means", {"mean", "median"}), "mean");
}

TEST(Nearest, ShortWordsOfOtherLettersAreOtherWords) {
    EXPECT_EQ(nearest("sort", {"sqrt"}), "");
    EXPECT_EQ(nearest("help", {"exp", "head"}), "");
    EXPECT_EQ(nearest("ls", {"ln"}), "");
    EXPECT_EQ(nearest("X", {"t", "Y"}), "");
    EXPECT_EQ(nearest("dot", {"not", "diff"}), "");
    EXPECT_EQ(nearest("size", {"sine", "sinh"}), "");
}

TEST(Nearest, LongWordsMustBeginAlike) {
    EXPECT_EQ(nearest("sprintf", {"print"}), "");
    EXPECT_EQ(nearest("library", {"binary"}), "");
    EXPECT_EQ(nearest("reshape", {"deshape"}), "deshape"); // a single letter
}

TEST(Nearest, LooksAtCaseLast) {
    EXPECT_EQ(nearest("PRINT", {"print", "sprint"}), "print");
    EXPECT_EQ(nearest("x", {"y", "X"}), "X");
    EXPECT_EQ(nearest("Aggmin", {"aggMin", "aggMax"}), "aggMin");
}

TEST(Nearest, NumbersTellNamesApart) {
    EXPECT_EQ(nearest("column_1", {"column_2", "column_3"}), "");
    EXPECT_EQ(nearest("max2", {"max"}), "");
    EXPECT_EQ(nearest("measurement_11", {"measurement_1", "measurement_12"}), "");
    EXPECT_EQ(nearest("colunm_1", {"column_2", "column_1"}), "column_1");
}

TEST(Nearest, TakesTheNearestOfSeveral) { EXPECT_EQ(nearest("colmun", {"columns", "column", "colour"}), "column"); }

TEST(Nearest, StandsOddWords) {
    EXPECT_EQ(nearest("", {"a", ""}), "");
    EXPECT_EQ(nearest(std::string(100, 'a'), {"aaa"}), "");
    EXPECT_EQ(nearest("print", {std::string_view(), "print"}), ""); // it is the word itself
}

TEST(CallTraces, AreNotesFromTheInside) {
    Error e = executionError("x");
    addCallTrace(e, {{"f", {1, 5, 6}}, {"g", {1, 7, 8}}});
    ASSERT_EQ(e.notes.size(), 2u);
    EXPECT_EQ(e.notes[0].text, "in f, called");
    EXPECT_EQ(e.notes[0].where.begin, 5u);
    EXPECT_EQ(e.notes[1].text, "in g, called");
    addCallTrace(e, {{"h", {1, 9, 10}}}); // whoever lets the error go knows less
    EXPECT_EQ(e.notes.size(), 2u);
}

TEST(CallTraces, LoseTheirMiddle) {
    for (size_t n : {8, 9, 10, 100, 1008, 1009}) {
        Error e = executionError("x");
        std::vector<CallInScript> calls;
        for (uint32_t i = 0; i < n; ++i)
            calls.push_back({"f" + std::to_string(i), {1, i, i + 1}});
        addCallTrace(e, calls);
        EXPECT_EQ(e.notes.size(), std::min<size_t>(n, 9));
        EXPECT_EQ(e.notes.front().text, "in f0, called");
        EXPECT_EQ(e.notes.back().text, "in f" + std::to_string(n - 1) + ", called");
        if (n > 9) {
            std::string count = n > 1008 ? "over 1000" : std::to_string(n - 8);
            EXPECT_EQ(e.notes[5].text, "... " + count + " more calls ...");
            EXPECT_EQ(e.notes[6].text, "in f" + std::to_string(n - 3) + ", called");
        }
    }
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
