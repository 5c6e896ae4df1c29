// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Input.h"

#include <gtest/gtest.h>

namespace daphne::lang {
namespace {

using Texts = std::vector<std::string>;

Texts parts(const std::string &text) {
    Texts result;
    for (const InputStatement &s : splitInput(text, {}))
        result.push_back(text.substr(s.begin, s.end - s.begin));
    return result;
}

TEST(Input, IsTakenApartIntoItsStatements) {
    EXPECT_EQ(parts("a = 1; if (a > 0) { b = 2; c = 3; }\nprint(a);"),
              (Texts{"a = 1;", "if (a > 0) { b = 2; c = 3; }", "print(a);"}));
    EXPECT_EQ(parts("def f(x) { return x; } f(1)"), (Texts{"def f(x) { return x; }", "f(1)"}));
    EXPECT_EQ(parts("# nothing"), Texts{});
}

TEST(Input, MayLackTheLastSemicolon) {
    auto statements = splitInput("a = 1; a + 1", {});
    ASSERT_EQ(statements.size(), 2u);
    EXPECT_FALSE(statements[0].lacksEnd);
    EXPECT_TRUE(statements[1].lacksEnd);
    EXPECT_TRUE(statements[1].isExpression);
    EXPECT_FALSE(splitInput("a + 1;", {})[0].isExpression);
    EXPECT_FALSE(splitInput("a = 1", {})[0].isExpression);
    EXPECT_TRUE(splitInput("a = 1", {})[0].lacksEnd);
    EXPECT_FALSE(splitInput("if (true) f(1)", {})[0].isExpression);
}

TEST(Input, WithErrorsHasNoStatements) {
    for (const char *text : {"a = ;", "a = 1; b = (", "x = 1 y = 2", "a = 1\nb = 2;", "}", "\"open"})
        EXPECT_TRUE(splitInput(text, {}).empty()) << text;
}

TEST(Input, KnowsTheArgumentsOfTheScript) {
    EXPECT_EQ(splitInput("$n + 1", {{"n", "3"}}).size(), 1u);
    EXPECT_TRUE(splitInput("$n + 1", {}).empty());
}

} // namespace
} // namespace daphne::lang
