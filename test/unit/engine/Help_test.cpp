// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/Engine.h"

namespace daphne::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// The names at the place of the bar.
std::vector<std::string> namesAtBar(std::string text) {
    size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return namesAt(text, cursor);
}

TEST(Help, IsWantedForTheNameAtTheCursor) {
    EXPECT_THAT(namesAtBar("y = su|m(X);"), ElementsAre("sum"));
    EXPECT_THAT(namesAtBar("y = |sum(X);"), ElementsAre("sum"));
    EXPECT_THAT(namesAtBar("abc|"), ElementsAre("abc"));
    EXPECT_THAT(namesAtBar("|"), IsEmpty());
    EXPECT_THAT(namesAtBar("1 + 2|"), IsEmpty());
    EXPECT_THAT(namesAtBar("# sum|"), IsEmpty());
    EXPECT_THAT(namesAtBar("\"sum|"), IsEmpty());
}

TEST(Help, IsWantedForTheFunctionAroundTheCursorToo) {
    EXPECT_THAT(namesAtBar("y = seq(|"), ElementsAre("seq"));
    EXPECT_THAT(namesAtBar("y = seq(1, f(2), |"), ElementsAre("seq"));
    EXPECT_THAT(namesAtBar("y = seq(1, n|);"), ElementsAre("n", "seq"));
    EXPECT_THAT(namesAtBar("y = seq(1, (n + 2) * (|"), ElementsAre("seq"));
    EXPECT_THAT(namesAtBar("y = seq(1, 2) |"), IsEmpty());
    EXPECT_THAT(namesAtBar("if (a) { b = sum(X[|"), ElementsAre("sum"));
}

TEST(Help, VariablesHideFunctionsAndTheseBuiltins) {
    Engine engine{Options{}};
    auto session = engine.newSession();
    EXPECT_THAT(meaningOf("sum", *session).text, StartsWith("sum("));
    EXPECT_STREQ(meaningOf("sum", *session).kind, "builtin");
    session->run("def twice(x: f64) -> f64 { return 2.0 * x; } M = [1.5, 2.0](1, 2);");
    Meaning function = meaningOf("twice", *session);
    EXPECT_STREQ(function.kind, "function");
    EXPECT_EQ(function.text, "def twice(x: f64) -> f64\n");
    EXPECT_EQ(function.source, "def twice(x: f64) -> f64 { return 2.0 * x; }\n");
    EXPECT_EQ(meaningOf("M", *session).text, "M = 1x2 matrix, f64\n");
    session->run("sum = 3;");
    EXPECT_EQ(meaningOf("sum", *session).text, "sum = 3\n");
    EXPECT_EQ(meaningOf("nobody", *session).text, "");
    EXPECT_STREQ(meaningOf("nobody", *session).kind, "");
}

} // namespace
} // namespace daphne::engine
