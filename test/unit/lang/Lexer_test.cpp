// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "lang/FrontendRun.h"
#include "lang/dsl/Lexer.h"

using namespace daphne;
using namespace daphne::lang;

namespace {

std::vector<std::string> words(std::string_view text) {
    Diagnostics diagnostics;
    std::vector<std::string> out;
    for (const Token &t : tokenize(text, 1, diagnostics).tokens)
        if (t.kind != TokenKind::End)
            out.emplace_back(text.substr(t.begin, t.end - t.begin));
    EXPECT_EQ(diagnostics.count(), 0u) << text;
    return out;
}

TokenKind kindOf(std::string_view text) {
    Diagnostics diagnostics;
    auto tokens = tokenize(text, 1, diagnostics).tokens;
    EXPECT_EQ(tokens.size(), 2u) << text;
    return tokens[0].kind;
}

using Words = std::vector<std::string>;

/// The literal that `x = <text>;` assigns.
template <class Literal> Literal literal(const std::string &text) {
    FrontendRun run("x = " + text + ";");
    EXPECT_EQ(run.numErrors(), 0u) << run.report();
    return as<Literal>(run.value(0));
}

std::string stringValue(const std::string &text) {
    FrontendRun run("x = " + text + ";");
    EXPECT_EQ(run.numErrors(), 0u) << run.report();
    return std::string(as<StrLit>(run.value(0)).value);
}

} // namespace

TEST(Lexer, TheLongestTokenWins) {
    EXPECT_EQ(words("a<=b==c!=d>=e->f::g&&h||i"),
              (Words{"a", "<=", "b", "==", "c", "!=", "d", ">=", "e", "->", "f", "::", "g", "&&", "h", "||", "i"}));
    EXPECT_EQ(words("a<-b"), (Words{"a", "<", "-", "b"}));
    EXPECT_EQ(words("=== !!="), (Words{"==", "=", "!", "!="}));
}

TEST(Lexer, WordsThatOnlyStartLikeKeywordsAreIdentifiers) {
    for (const char *word : {"matrix1", "nano", "iff", "truex", "f640", "_1", "list", "map", "size", "inffx", "If"})
        EXPECT_EQ(kindOf(word), TokenKind::Identifier) << word;
}

TEST(Lexer, ReservedWordsCannotBeNames) {
    for (const char *word : {"if", "in", "as", "def", "matrix", "frame", "scalar", "f64", "str", "bool", "nan", "nanf",
                             "inf", "inff", "true", "import"}) {
        expectRejected(std::string(word) + " = 1;");
        expectRejected("def " + std::string(word) + "() { }");
        expectRejected("def f(" + std::string(word) + ") { }");
    }
}

TEST(Lexer, CommentsCountAsWhiteSpaceAnywhere) {
    expectValid("# first\nx /* a *//* b */ = // c\n [1, /* d */ 2 # e\n];");
    expectValid("def f(/* none */ a, // first\n b) { return a; }\n y = f(1 /* x */, 2);");
    EXPECT_EQ(words("1 /* // */ 2"), (Words{"1", "2"}));
    EXPECT_EQ(words("1 /***/ 2 /**/ 3"), (Words{"1", "2", "3"}));
    EXPECT_EQ(words("1 // end"), (Words{"1"}));
}

TEST(Lexer, BlockCommentsDoNotNestAndMustEnd) {
    expectRejected("/* a /* b */ c */ x = 1;");
    expectError("x = 1; /* never", "comment is never closed");
    expectRejected("x = 1; /*/");
}

TEST(Lexer, IntegersHaveTheTypeOfTheirSuffix) {
    EXPECT_EQ(literal<IntLit>("7").type, ValueType::SI64);
    EXPECT_EQ(literal<IntLit>("7l").type, ValueType::SI64);
    EXPECT_EQ(literal<IntLit>("7u").type, ValueType::UI64);
    EXPECT_EQ(literal<IntLit>("7ull").type, ValueType::UI64);
    EXPECT_EQ(literal<IntLit>("7z").type, ValueType::Size);
    EXPECT_EQ(literal<IntLit>("0").value, 0);
    EXPECT_EQ(literal<IntLit>("1_000'000").value, 1000000);
    EXPECT_EQ(literal<IntLit>("18446744073709551615u").value, -1);
    EXPECT_EQ(literal<IntLit>("9223372036854775807").value, INT64_MAX);
}

TEST(Lexer, FloatsHaveF64UnlessMarked) {
    EXPECT_EQ(literal<FloatLit>("1.5").value, 1.5);
    EXPECT_EQ(literal<FloatLit>("1.5").type, ValueType::F64);
    EXPECT_EQ(literal<FloatLit>("0.25").value, 0.25);
    EXPECT_EQ(literal<FloatLit>("1e3").value, 1000);
    EXPECT_EQ(literal<FloatLit>("1E0").value, 1);
    EXPECT_EQ(literal<FloatLit>("1.5E-7").value, 1.5e-7);
    EXPECT_EQ(literal<FloatLit>("1_000.000_1").value, 1000.0001);
    EXPECT_EQ(literal<FloatLit>("1.5f").type, ValueType::F32);
    EXPECT_EQ(literal<FloatLit>("1e3f").type, ValueType::F32);
    EXPECT_EQ(literal<FloatLit>("0.1f").value, double(0.1f));
    EXPECT_TRUE(std::isnan(literal<FloatLit>("nan").value));
    EXPECT_TRUE(std::isinf(literal<FloatLit>("inf").value));
    EXPECT_EQ(literal<FloatLit>("1e-400").value, 0);
}

TEST(Lexer, MalformedNumbersAreOneClearError) {
    for (const char *text : {"01",   "007.5", "00", "1.",    ".5",   "1f",  "1e05",  "1e",   "1__0", "1_", "1'",
                             "0x10", "1e+",   "5x", "1.5.2", "1._5", "1ul", "1e1_0", "1.5u", "7lz",  "0_1"})
        expectError("x = " + std::string(text) + ";", "not a number");
}

TEST(Lexer, LiteralsOutOfRangeAreRejected) {
    expectError("x = 9223372036854775809;", "out of the range of si64");
    expectError("x = 9223372036854775808l;", "out of the range of si64");
    expectError("x = 99999999999999999999999999;", "out of the range of si64");
    expectError("x = 18446744073709551616u;", "out of the range of ui64");
    expectError("x = 18446744073709551616z;", "out of the range of size");
    expectError("x = 1e999;", "out of the range of f64");
    expectError("x = 1e39f;", "out of the range of f32");
}

TEST(Lexer, TwoToThe63IsTheOneExceptionForTheSakeOfItsNegation) {
    expectValid("x = -9223372036854775808;");
    expectValid("x = 1 - -9'223'372'036'854'775'808;");
    expectError("x = 9223372036854775808;", "out of the range of si64");
    expectError("x = +9223372036854775808;", "out of the range of si64");
    expectError("x = 1 - 9223372036854775808;", "out of the range of si64");
    expectError("x = -(9223372036854775808);", "out of the range of si64");
}

TEST(Lexer, EscapesAreDecodedOnceFromLeftToRight) {
    EXPECT_EQ(stringValue(R"("a\tb\n\"\\\r\b\f")"), "a\tb\n\"\\\r\b\f");
    EXPECT_EQ(stringValue(R"("\\n")"), "\\n");
    EXPECT_EQ(stringValue("\"two\nlines\""), "two\nlines");
    EXPECT_EQ(stringValue("\"# // /* \""), "# // /* ");
    EXPECT_EQ(stringValue("\"\xc3\xa4\""), "\xc3\xa4");
    EXPECT_EQ(stringValue("\"\""), "");
}

TEST(Lexer, UnknownEscapesAndOpenStringsAreRejected) {
    expectError(R"(x = "a\qb";)", "unknown escape");
    expectError(R"(x = "\u0041";)", "unknown escape");
    expectRejected("x = \"abc;");
    expectRejected(R"(x = "abc\";)");
    expectRejected("x = \"\\");
    expectRejected("x = 'a';");
}

TEST(Lexer, CharactersThatStartNoTokenAreRejected) {
    expectError("x = 1 ~;", "unexpected character '~'");
    expectRejected("x = a & b;");
    expectRejected("x = a | b;");
    expectRejected("x = \\;");
    expectRejected("\xef\xbb\xbfx = 1;");
    expectRejected(std::string("x = 1;\0 y = 2;", 14));
    expectRejected("\xff\xfe\x80");
    expectError("x\f = 1;", "byte 0x0c");
}

TEST(Lexer, SeveralLexicalErrorsAreReportedInOneRun) {
    FrontendRun run("x = 01;\ny = \"\\q\";\nz = 1f;\n");
    EXPECT_EQ(run.numErrors(), 3u) << run.report();
}

TEST(Lexer, AnyBytesGiveAResult) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 300; ++i) {
        std::string text;
        for (size_t n = 0; n < 200; ++n) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text += static_cast<char>(state >> 32);
        }
        FrontendRun run(text);
        EXPECT_LE(run.numErrors(), kMaxErrors);
        run.report();
        isIncomplete(text);
    }
}
