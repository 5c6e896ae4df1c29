// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "Library.h"

using namespace daphne;
using namespace daphne::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string completions(Session &session, const std::string &text) {
    return daphne_session_completions(session.get(), text.c_str(), text.size());
}

std::string explanations(Session &session, const std::string &text) {
    return daphne_session_explanations(session.get(), text.c_str(), text.size());
}

std::string display(const Value &value, size_t width) {
    std::string text(daphne_display(value.get(), width, nullptr, 0), ' ');
    EXPECT_EQ(daphne_display(value.get(), width, text.data(), text.size() + 1), text.size());
    return text;
}

TEST(Notebooks, EvaluateACellAsAWhole) {
    Engine engine;
    Session session = engine.session();
    EXPECT_FALSE(session.evaluate("a = 1; b = 2;"));
    EXPECT_EQ(session.evaluate("a = a + 1;\na + b").number<int64_t>(), 4);
    Printed printed;
    failureOf([&] { session.evaluate("print(1); a = 100; [1][5, 0]", printed.options()); });
    EXPECT_EQ(session.get("a").number<int64_t>(), 2);
    Error error = failureOf([&] { session.evaluate("x = 1;\nnobody + x"); });
    EXPECT_THAT(error.json(), HasSubstr("\"line\":2"));
    EXPECT_THAT(error.json(), HasSubstr("\"column\":1"));
    EXPECT_FALSE(session.get("x"));
    Error named = failureOf([&] { session.evaluate("a +\n nobody", {}, "cell 3"); });
    EXPECT_THAT(named.rendered(), HasSubstr("cell 3:2:2"));
    EXPECT_FALSE(session.get("__result__"));
}

/// What has been printed when the rest of the program runs, as its pieces came.
std::vector<std::string> piecesOf(uint32_t atOnce) {
    Engine engine;
    Session session = engine.session();
    std::vector<std::string> pieces;
    daphne_options options{};
    options.size = sizeof options;
    options.user = &pieces;
    options.write = [](void *user, daphne_sink, const char *text, size_t length) {
        static_cast<std::vector<std::string> *>(user)->emplace_back(text, length);
    };
    options.at_once = atOnce;
    EXPECT_EQ(daphne_session_evaluate(session.get(), "print(1); print(2); print(3)", nullptr, &options, nullptr,
                                      nullptr, nullptr),
              DAPHNE_OK);
    return pieces;
}

TEST(Notebooks, GetEveryPrintAtOnceIfTheyWant) {
    EXPECT_THAT(piecesOf(1), ElementsAre("1\n", "2\n", "3\n"));
    EXPECT_THAT(piecesOf(0), ElementsAre("1\n2\n3\n"));
}

TEST(Notebooks, ForgetVariables) {
    Engine engine;
    Session session = engine.session();
    session.set("a", Value::number(1.5));
    EXPECT_EQ(daphne_session_set(session.get(), "a", nullptr, nullptr), DAPHNE_OK);
    EXPECT_EQ(daphne_session_set(session.get(), "never", nullptr, nullptr), DAPHNE_OK);
    EXPECT_FALSE(session.get("a"));
    EXPECT_THAT(failureOf([&] { session.evaluate("a"); }).message(), HasSubstr("'a'"));
}

TEST(Notebooks, KnowWhetherATextGoesOn) {
    for (const char *text : {"f(", "if (a) {", "x = 1 +", "\"abc", "/* c"})
        EXPECT_TRUE(daphne_is_incomplete(text)) << text;
    for (const char *text : {"", "x = 1", "x = 1;", "f(1)", "x = )"})
        EXPECT_FALSE(daphne_is_incomplete(text)) << text;
    EXPECT_FALSE(daphne_is_incomplete(nullptr));
}

TEST(Notebooks, CompleteNames) {
    Engine engine;
    Session session = engine.session();
    session.run("summit = 1; F = createFrame([1.0], \"price\"); def sumAll(x: f64) -> f64 { return x; }");
    std::string found = completions(session, "y = sum");
    EXPECT_THAT(found, HasSubstr("\"begin\":4"));
    EXPECT_THAT(found, HasSubstr("{\"kind\":\"variable\",\"text\":\"summit\"}"));
    EXPECT_THAT(found, HasSubstr("{\"kind\":\"function\",\"text\":\"sumAll\"}"));
    EXPECT_THAT(found, HasSubstr("{\"kind\":\"builtin\",\"text\":\"sum\"}"));
    EXPECT_THAT(completions(session, "F[, \"pr"), HasSubstr("{\"kind\":\"column\",\"text\":\"price\"}"));
    EXPECT_THAT(completions(session, ""), HasSubstr("\"candidates\":[]"));
    EXPECT_STREQ(daphne_session_completions(session.get(), "su", 999), completions(session, "su").c_str());
    EXPECT_THAT(daphne_session_completions(nullptr, "su", 2), HasSubstr("\"candidates\": []"));
}

TEST(Notebooks, ExplainNames) {
    Engine engine;
    Session session = engine.session();
    session.run("M = [1, 2, 3]; def half(x: f64) -> f64 { return x / 2.0; }");
    std::string found = explanations(session, "sum(M");
    EXPECT_THAT(found, HasSubstr("\"text\":\"M = 3x1 matrix, si64\\n\""));
    EXPECT_LT(found.find("\"name\":\"M\""), found.find("\"name\":\"sum\""));
    EXPECT_THAT(found, HasSubstr("\"kind\":\"builtin\""));
    EXPECT_THAT(explanations(session, "half"), HasSubstr("return x / 2.0;"));
    EXPECT_THAT(explanations(session, "summ"), HasSubstr("\"near\":\"sum\""));
    EXPECT_EQ(explanations(session, "1 + "), "[]");
    EXPECT_STREQ(daphne_session_explanations(nullptr, "sum", 3), "[]");
}

TEST(Values, AreDisplayedAsAtThePrompt) {
    Value matrix = Value::matrix<double>({1.5, -20, 0.25, 3}, 2, 2);
    EXPECT_EQ(display(matrix, 80), "2x2 matrix, f64\n   1.5  -20\n  0.25    3\n");
    EXPECT_EQ(display(Value::number(0.1), 80), "0.1\n");
    char few[4];
    EXPECT_EQ(daphne_display(Value::number(123456).get(), 80, few, sizeof few), 7u);
    EXPECT_STREQ(few, "123");
    EXPECT_EQ(daphne_display(nullptr, 80, few, sizeof few), 0u);
}

} // namespace
