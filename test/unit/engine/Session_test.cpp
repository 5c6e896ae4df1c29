// SPDX-License-Identifier: Apache-2.0
#include "engine/Session.h"

#include <gtest/gtest.h>

#include "engine/Engine.h"

namespace daphne::engine {
namespace {

class SessionTest : public ::testing::Test {
  protected:
    Engine engine{Options{}};
    std::unique_ptr<Session> session = engine.newSession();
    std::vector<Value> shown;
    std::string printed;

    void run(const std::string &input) {
        RunOptions options;
        options.out = [this](std::string_view text) { printed += text; };
        session->runStatements(input, [this](const Value &v) { shown.push_back(v); }, options);
    }
    std::string failure(const std::string &input) {
        try {
            run(input);
        } catch (const Failure &failure) {
            return failure.rendered();
        }
        return "nothing failed";
    }
    void evaluate(const std::string &input) {
        RunOptions options;
        options.out = [this](std::string_view text) { printed += text; };
        session->evaluate({input}, [this](const Value &v) { shown.push_back(v); }, options);
    }
    std::string failedEvaluation(const std::string &input) {
        try {
            evaluate(input);
        } catch (const Failure &failure) {
            return failure.rendered();
        }
        return "nothing failed";
    }
    double number(const std::string &name) { return session->variables.at(name).as<double>(); }
};

TEST_F(SessionTest, ShowsTheValueOfAnExpressionWithoutSemicolon) {
    run("a = 1; b = a + 1; a + b");
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_EQ(shown[0].as<double>(), 3);
    run("a + b;");
    EXPECT_EQ(shown.size(), 1u);
    EXPECT_EQ(session->variables.size(), 2u);
}

TEST_F(SessionTest, AnExpressionWithoutValueIsAStatement) {
    run("print(7)");
    EXPECT_EQ(printed, "7\n");
    EXPECT_TRUE(shown.empty());
}

TEST_F(SessionTest, KeepsWhatTheStatementsBeforeAFailureHaveDone) {
    EXPECT_NE(failure("a = 1; a = 2; b = [1][7, 0]; a = 3;").find("out of range"), std::string::npos);
    EXPECT_EQ(number("a"), 2);
    EXPECT_FALSE(session->variables.contains("b"));
}

TEST_F(SessionTest, RunsNothingIfAStatementIsWrong) {
    EXPECT_NE(failure("a = 1; b = unknown;").find("unknown"), std::string::npos);
    EXPECT_NE(failure("a = 1; b = ;").find("error"), std::string::npos);
    EXPECT_TRUE(session->variables.empty());
}

TEST_F(SessionTest, ErrorsShowWhatWasTyped) {
    EXPECT_NE(failure("a = [1, 2];\n  a[5, 0]").find("input:2:"), std::string::npos);
    std::string text = failure("a = [1, 2]; a[5, 0]");
    EXPECT_NE(text.find("a = [1, 2]; a[5, 0]\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("__result__"), std::string::npos) << text;
}

TEST_F(SessionTest, KeepsFunctionsAndTellsHowTheyWereWritten) {
    run("def twice(x: f64) -> f64 {\n  return 2.0 * x;\n}");
    run("twice(1.5)");
    EXPECT_EQ(shown.at(0).as<double>(), 3);
    ASSERT_EQ(session->definitions().size(), 1u);
    EXPECT_EQ(session->headingOf(*session->definitions()[0]), "twice(x: f64) -> f64");
}

TEST_F(SessionTest, EvaluatesATextAndShowsItsLastExpression) {
    evaluate("a = 1;\na + 1 # two");
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_EQ(shown[0].as<double>(), 2);
    evaluate("a + 1;");
    evaluate("b = 5");
    evaluate("print(b)");
    evaluate("# nothing\n");
    EXPECT_EQ(shown.size(), 1u);
    EXPECT_EQ(printed, "5\n");
    EXPECT_EQ(session->variables.size(), 2u);
}

TEST_F(SessionTest, AnEvaluationThatFailsChangesNothing) {
    evaluate("a = 1; b = 2;");
    EXPECT_NE(failedEvaluation("a = 2; c = 3; b = [1][7, 0]; b").find("out of range"), std::string::npos);
    EXPECT_NE(failedEvaluation("a = 2; unknown").find("input:1:8"), std::string::npos);
    EXPECT_NE(failedEvaluation("a = 2;\n  sqrt(\"x\")").find("input:2:"), std::string::npos);
    EXPECT_NE(failedEvaluation("a = ;").find("error"), std::string::npos);
    EXPECT_EQ(number("a"), 1);
    EXPECT_EQ(number("b"), 2);
    EXPECT_EQ(session->variables.size(), 2u);
    EXPECT_TRUE(shown.empty());
}

TEST_F(SessionTest, AnEvaluationThatIsCancelledAtItsVeryEndChangesNothing) {
    evaluate("a = 1;");
    std::atomic<bool> cancel{false};
    RunOptions options;
    options.cancelFlag = &cancel;
    options.out = [&](std::string_view) { cancel = true; }; // gets its text when all statements are done
    EXPECT_THROW(session->evaluate({"a = 2; print(a);"}, {}, options), Failure);
    EXPECT_EQ(number("a"), 1);
}

TEST_F(SessionTest, ErrorsInTheLastExpressionAreWhereItIsWritten) {
    std::string text = failedEvaluation("X = [1, 2, 3];\nX @ X");
    EXPECT_NE(text.find("input:2:3"), std::string::npos) << text;
    EXPECT_NE(text.find("X @ X\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("__result__"), std::string::npos) << text;
}

} // namespace
} // namespace daphne::engine
