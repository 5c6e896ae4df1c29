// SPDX-License-Identifier: Apache-2.0
#include "lang/FrontendRun.h"

using namespace daphne;
using namespace daphne::lang;

namespace {

/// The expression fully parenthesised.
std::string shape(const Expr *e) {
    switch (e->kind) {
    case ExprKind::IntLit: return std::to_string(as<IntLit>(e).value);
    case ExprKind::Var: return std::string(as<Var>(e).name);
    case ExprKind::Unary: {
        constexpr const char *kOps[] = {"+", "-", "!"};
        return std::string("(") + kOps[int(as<Unary>(e).op)] + shape(as<Unary>(e).operand) + ")";
    }
    case ExprKind::Binary:
        return "(" + shape(as<Binary>(e).lhs) + " " + std::string(as<Binary>(e).op) + " " + shape(as<Binary>(e).rhs) +
               ")";
    case ExprKind::Cond:
        return "(" + shape(as<Cond>(e).condition) + " ? " + shape(as<Cond>(e).thenValue) + " : " +
               shape(as<Cond>(e).elseValue) + ")";
    case ExprKind::Index: return shape(as<Index>(e).base) + "[]";
    case ExprKind::Filter: return shape(as<Filter>(e).base) + "[[]]";
    default: return "?";
    }
}

constexpr const char *kNames = "a = 1; b = 1; c = 1; d = 1; e = 1; X = [1, 2];";

std::string shapeOf(const std::string &expression) {
    FrontendRun run(std::string(kNames) + "r = " + expression + ";");
    EXPECT_EQ(run.numErrors(), 0u) << run.report();
    return run.numErrors() ? "" : shape(run.value(6));
}

void expectExpr(const std::string &expression) { expectValid(std::string(kNames) + "r = " + expression + ";"); }
void expectNoExpr(const std::string &expression) { expectRejected(std::string(kNames) + "r = " + expression + ";"); }

} // namespace

TEST(Parser, PrecedenceFollowsTheTable) {
    EXPECT_EQ(shapeOf("-2^2"), "((-2) ^ 2)");
    EXPECT_EQ(shapeOf("2^3^2"), "((2 ^ 3) ^ 2)");
    EXPECT_EQ(shapeOf("2*7%4"), "(2 * (7 % 4))");
    EXPECT_EQ(shapeOf("12/2*3"), "((12 / 2) * 3)");
    EXPECT_EQ(shapeOf("a@b^c"), "((a @ b) ^ c)");
    EXPECT_EQ(shapeOf("a^b@c"), "(a ^ (b @ c))");
    EXPECT_EQ(shapeOf("a%b^c"), "(a % (b ^ c))");
    EXPECT_EQ(shapeOf("a+b*c-d"), "((a + (b * c)) - d)");
    EXPECT_EQ(shapeOf("1<2==1"), "((1 < 2) == 1)");
    EXPECT_EQ(shapeOf("a+b<c&&d||e"), "((((a + b) < c) && d) || e)");
    EXPECT_EQ(shapeOf("a||b&&c"), "(a || (b && c))");
    EXPECT_EQ(shapeOf("a&&b==c"), "(a && (b == c))");
    EXPECT_EQ(shapeOf("-X[0,0]"), "(-X[])");
    EXPECT_EQ(shapeOf("-a@b"), "((-a) @ b)");
    EXPECT_EQ(shapeOf("(a+b)*c"), "((a + b) * c)");
}

TEST(Parser, ConditionalsGroupToTheLeft) {
    EXPECT_EQ(shapeOf("a ? b : c ? d : e"), "((a ? b : c) ? d : e)");
    EXPECT_EQ(shapeOf("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
    EXPECT_EQ(shapeOf("a || b ? c + 1 : d"), "((a || b) ? (c + 1) : d)");
    EXPECT_EQ(shapeOf("a ? b : (c ? d : e)"), "(a ? b : (c ? d : e))");
}

TEST(Parser, PrefixOperatorsMayBeStacked) {
    EXPECT_EQ(shapeOf("- -3"), "(-(-3))");
    EXPECT_EQ(shapeOf("--3"), "(-(-3))");
    EXPECT_EQ(shapeOf("-+-3"), "(-(+(-3)))");
    EXPECT_EQ(shapeOf("!a && !!b"), "((!a) && (!(!b)))");
    EXPECT_EQ(shapeOf("a - -b"), "(a - (-b))");
    EXPECT_EQ(shapeOf("!a == b"), "((!a) == b)");
}

TEST(Parser, PostfixOperatorsChainOnAnyPrimary) {
    EXPECT_EQ(shapeOf("X[, 0][[X, ]]"), "X[][[]]");
    for (const char *text :
         {"(a ? X : X)[[X, ]]", "[4, 5, 6][1, 0]", "t(X)[0, ]", "as.matrix(a)[0, 0]", "X[,]", "X[:, :]", "X[1:, :2]",
          "X[a - 1:b - 1, ]", "X[(a ? 0 : 1), ]", "X[[,]]", "X[[X, X]]", "X[[X]]", "X[[X > 1]]"})
        expectExpr(text);
}

TEST(Parser, AnIndexHasTwoParts) {
    for (const char *text : {"X[1]", "X[]", "X[1, 2, 3]", "X[1:2:3, ]", "X[a ? 0 : 1, ]", "X[[]]", "X[[X]", "X[[X, X]",
                             "X[0, 1", "X[::, ]"})
        expectNoExpr(text);
}

TEST(Parser, DoubleBracketsAreResolvedByContext) {
    auto kind = [](const std::string &text) {
        FrontendRun run("X = [1, 2]; b = [1, 0]; r = " + text + ";");
        EXPECT_EQ(run.numErrors(), 0u) << run.report();
        return run.numErrors() ? ExprKind::Var : run.value(2)->kind;
    };
    EXPECT_EQ(kind("X[[b, ]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[[ , b]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[[[1,0] , ]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[[ , [1,0] ]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[[ , [1,0]]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[[X[0:2, 0], ]]"), ExprKind::Filter);
    EXPECT_EQ(kind("X[ [0, 1], ]"), ExprKind::Index);
    EXPECT_EQ(kind("X[[0, 1], ]"), ExprKind::Index);
    EXPECT_EQ(kind("X[[0], [0]]"), ExprKind::Index);
    EXPECT_EQ(kind("X[ [0], [0]]"), ExprKind::Index);
    EXPECT_EQ(kind("X[0, X[0, 0]]"), ExprKind::Index);
}

TEST(Parser, MatrixLiteralsTakeAShape) {
    for (const char *text : {"[1, 2]", "[1, 2](1, 2)", "[1, 2](, 2)", "[1, 2](1, )", "[1, 2](,)", "[a + 1, 2] (a, 2)"})
        expectExpr(text);
    for (const char *text : {"[1, 2,]", "[1, , 2]", "[1, 2](2)", "[1, 2]()", "[1, 2](1, 2, 3)", "[1 2]"})
        expectNoExpr(text);
}

TEST(Parser, FrameLiteralsHaveTwoForms) {
    FrontendRun columns("x = {\"a\": [1], \"b\": [2]};"), rows("x = {[\"a\", \"b\"], [1, 2], [3, 4]};");
    ASSERT_EQ(columns.value(0)->kind, ExprKind::FrameColumns);
    ASSERT_EQ(rows.value(0)->kind, ExprKind::FrameRows);
    EXPECT_EQ(as<FrameRows>(rows.value(0)).labels.size(), 2u);
    EXPECT_EQ(as<FrameRows>(rows.value(0)).cells.size(), 4u);
    for (const char *text : {"x = {\"a\": [1], };", "x = {\"a\" [1]};", "x = {[\"a\"], [1], };", "x = {[\"a\"], 1};"})
        expectRejected(text);
}

TEST(Parser, AStatementStartingWithABraceIsABlock) {
    FrontendRun run("{} {x = 1;}; {{}}");
    ASSERT_EQ(run.numErrors(), 0u) << run.report();
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(run.statement(i)->kind, StmtKind::Block);
}

TEST(Parser, ThereIsNoEmptyStatement) {
    expectError(";", "no empty statement");
    expectError("x = 1;;", "no empty statement");
    expectError("{};;", "no empty statement");
    expectError("x = true; if(x) ;", "no empty statement");
    expectValid("{}; do {} while(false); do {} while(false)");
    expectError("do {} while(false);;", "no empty statement");
}

TEST(Parser, ControlStatementsTakeAnySingleStatement) {
    expectValid("x = 1; if(x) x = 2; else x = 3;");
    expectValid("x = 1; if(x) {x = 2;}; else if(x) x = 3; else {x = 4;}");
    expectValid("x = 1; while(x < 3) x = x + 1;");
    expectValid("x = 1; do x = x + 1; while(x < 3)");
    expectValid("x = 1; for(i in 1:3) for(j in 3:1:-1) if(i == j) x = i;");
    for (const char *text : {"if x == 1 {}", "if() {}", "while(true)", "do {}", "do {} until(true);", "for(i = 1:2) {}",
                             "for(i in 1) {}", "for(i in 1:2:3:4) {}", "for(1 in 1:2) {}", "else {}", "if(1) {} else"})
        expectRejected(text);
}

TEST(Parser, ADanglingElseBelongsToTheNearestIf) {
    FrontendRun run("x = 1; if(x) if(x) x = 2; else x = 3;");
    ASSERT_EQ(run.numErrors(), 0u) << run.report();
    const If &outer = as<If>(run.statement(1));
    EXPECT_EQ(outer.elseBody, nullptr);
    EXPECT_NE(as<If>(outer.thenBody).elseBody, nullptr);
}

TEST(Parser, TrailingCommasAreAllowedInCallsAndParametersOnly) {
    expectValid("def f(a, b,) { return a; } x = f(1, 2,);");
    expectRejected("def f(,) { }");
    expectRejected("def f() { } f(,);");
    expectRejected("def f(a) { } f(1,,);");
    expectRejected("def f() -> si64, { return 1; }");
    expectRejected("def f() { return 1, ; }");
}

TEST(Parser, FunctionDefinitionsKeepTheirParts) {
    FrontendRun run(
        "def f(a, b: f64, c: matrix<si64>, d: matrix) -> matrix<f64>, si64 { return as.matrix<f64>(c), 1; }");
    ASSERT_EQ(run.numErrors(), 0u) << run.report();
    const FuncDef &f = as<FuncDef>(run.statement(0));
    EXPECT_EQ(f.name, "f");
    ASSERT_EQ(f.params.size(), 4u);
    EXPECT_FALSE(f.params[0].typed);
    EXPECT_EQ(f.params[1].type.valueType, ValueType::F64);
    EXPECT_EQ(f.params[2].type.dataType, DataType::Matrix);
    EXPECT_EQ(f.params[3].type.valueType, ValueType::Unknown);
    EXPECT_EQ(f.results.size(), 2u);
    EXPECT_EQ(f.script, run.result.program.main);
    expectRejected("def f() return 1;");
    expectRejected("def f(x: queue) { }");
    expectRejected("def f(x = ) { }");
    expectRejected("def f(x: matrix<>) { }");
    expectRejected("def f(x) -> { }");
    expectRejected("def (x) { }");
}

TEST(Parser, CastsNameADataTypeOrAValueType) {
    for (const char *text : {"as.f64(a)", "as.scalar(X)", "as.scalar<f64>(X)", "as.matrix(a)", "as.matrix<f32>(a)",
                             "as . str ( a )", "as.frame(X)"})
        expectExpr(text);
    for (const char *text :
         {"as.list(a)", "as.f64", "as(a)", "as.f64<f64>(a)", "as.f64()", "as.f64(a, b)", "as.size(a)"})
        expectNoExpr(text);
}

TEST(Parser, BlanksAroundPointsAndParenthesesDoNotMatter) {
    FrontendRun run("X = [1]; r = sum (X); q = a . b . c;");
    ASSERT_EQ(run.numErrors(), 1u) << run.report();
    EXPECT_EQ(as<Var>(run.value(2)).name, "a.b.c");
    EXPECT_EQ(as<Call>(run.value(1)).callee, "sum");
}

TEST(Parser, KernelHintsAreKept) {
    FrontendRun run("X = [1]; r = sum::my_kernel(X); q = X +::add2 X; p = X * ::mul2 X;");
    ASSERT_EQ(run.numErrors(), 0u) << run.report();
    EXPECT_EQ(as<Call>(run.value(1)).hint, "my_kernel");
    EXPECT_EQ(as<Binary>(run.value(2)).hint, "add2");
    EXPECT_EQ(as<Binary>(run.value(3)).hint, "mul2");
    expectRejected("X = [1]; r = X ^::k X;");
    expectRejected("X = [1]; r = sum::k;");
}

TEST(Parser, OnlyVariablesAndTheirPartsCanBeAssigned) {
    expectValid("X = [1, 2]; Y = X; X[0, 0] = [5]; X[,] = Y; X[0:1, ] = [7];");
    expectValid(
        "X = [1, 2]; X[0, 0] = 5; X[[X, ]] = 1; X[[X]] = 2; X[[X > 1]] += 3; X[0, ] *= 2; x = 1; x -= 1; x /= 1;");
    expectValid("x, y = 1, 2; x, y = y, x; X = [1]; X[0, 0], x = x, y;");
    for (const char *text :
         {"x = 1; (x) = 2;", "x = 1; -x = 2;", "x = 1; x + 1 = 2;", "sum([1]) = 2;", "1 = 2;",
          "X = [1]; X[0, 0][0, 0] = [1];", "X = [1]; t(X)[[X, ]] = [1];", "X = [1]; X[[X]][0, 0] = 1;", "x = y = 1;",
          "x = 1; x += y = 1;", "x = 1; x, x += 1;", "x = 1; x += 1, 2;", "x = 1; x + = 1;", "x = 1; (x) += 1;",
          "\"a\" = 1;", "x, = 1;", ", x = 1;", "x 1;", "$a = 1;"})
        expectRejected(text);
}

TEST(Parser, AMissingSemicolonIsReportedWhereItBelongs) {
    FrontendRun run("x = 1\ny = x;\nz = y\n");
    ASSERT_EQ(run.numErrors(), 2u) << run.report();
    EXPECT_EQ(run.position(0).line, 1u);
    EXPECT_EQ(run.position(0).column, 6u);
    EXPECT_EQ(run.position(1).line, 3u);
    EXPECT_NE(run.report().find("expected ';' after the statement"), std::string::npos);
}

TEST(Parser, ReportsSeveralErrorsButNotTooMany) {
    FrontendRun run("x = ;\ny = (1;\nif x {}\nz = 1;\ndef f( { }\nw = 2;");
    EXPECT_GE(run.numErrors(), 4u) << run.report();
    FrontendRun many(repeat("x = ;\n", 1000));
    EXPECT_EQ(many.numErrors(), kMaxErrors);
}

TEST(Parser, ErrorsInABlockDoNotSpoilTheRest) {
    FrontendRun run("def f(x) {\n  y = ;\n  return y;\n}\nz = f(1);\nw = );\n");
    EXPECT_EQ(run.numErrors(), 2u) << run.report();
}

TEST(Parser, UnbalancedBracketsAreRejected) {
    for (const char *text : {"x = (1;", "x = 1);", "x = [1;", "x = 1];", "{", "}", "{ x = 1;", "x = 1; }", "f(",
                             "x = {\"a\":", "x = ([)];", "((((((", "))))))", "[[[[", "]]]]", "{{{{"})
        expectRejected(text);
    FrontendRun open("{{{{{{");
    EXPECT_EQ(open.numErrors(), 1u) << open.report();
}

TEST(Parser, SpansCoverParentheses) {
    std::string text = "a = 1; x = (a + 2) * (3 - a);";
    FrontendRun run(text);
    ASSERT_EQ(run.numErrors(), 0u);
    SourceSpan span = run.value(1)->span;
    EXPECT_EQ(text.substr(span.begin, span.end - span.begin), "(a + 2) * (3 - a)");
}

TEST(Parser, DeepNestingParsesOrFailsClearly) {
    onLargeStack([] {
        expectValid("x = " + repeat("(", 5000) + "1" + repeat(")", 5000) + ";");
        expectValid("x = " + repeat("-", 9000) + "1;");
        expectValid(repeat("{", 5000) + repeat("}", 5000));
        expectError("x = " + repeat("(", 20000) + "1" + repeat(")", 20000) + ";", "nested too deeply");
        expectRejected(repeat("if(1)", 30000));
        expectRejected(repeat("[", 100000));
        expectRejected(repeat("f(", 100000));
    });
}

TEST(Parser, LongChainsParseOrFailClearly) {
    onLargeStack([] {
        expectValid("x = 1" + repeat("+1", 90000) + ";");
        expectValid("X = [1]; Y = X" + repeat("[0,0]", 20000) + ";");
        expectValid("x = 1" + repeat("?1:1", 20000) + ";");
        expectError("x = 1" + repeat("*1", 200000) + ";", "too large");
    });
}

TEST(Parser, ScriptArgumentsAreReplacedByTheirLiterals) {
    FrontendOptions options;
    options.scriptArgs = {{"i", "5"},   {"n", "-2.5"},    {"s", "\"a\\tb\""}, {"b", "true"},
                          {"z", "nan"}, {"m", "-\"no\""}, {"unused", "1 +"}};
    FrontendRun run("a = $i; b = $n; c = $s; d = $b; e = $z; f = $ i;", options);
    ASSERT_EQ(run.numErrors(), 0u) << run.report();
    EXPECT_EQ(as<IntLit>(as<ScriptArg>(run.value(0)).value).value, 5);
    EXPECT_EQ(as<ScriptArg>(run.value(1)).value->kind, ExprKind::Unary);
    EXPECT_EQ(as<StrLit>(as<ScriptArg>(run.value(2)).value).value, "a\tb");
    EXPECT_EQ(as<ScriptArg>(run.value(0)).name, "i");
}

TEST(Parser, ScriptArgumentsMustBeGivenAndLiteral) {
    expectError("x = $missing;", "no value was given for the script argument $missing");
    for (const char *value : {"", "abc", "1 2", "--1", "+1", "1+1", "[1]", "x", "\"open", "01", "'a'", "f64", "-", "1;",
                              "99999999999999999999", "$a"}) {
        FrontendOptions options;
        options.scriptArgs = {{"a", value}};
        expectError("x = $a;", "is not a literal", options);
    }
    expectRejected("x = $;");
    expectRejected("x = $1;");
}

TEST(Parser, IncompleteInputAsksForMoreLines) {
    for (const char *text :
         {"x = (", "x = [1,", "if(true)", "if(true) {", "def f(x) {\n", "\"abc", "/* abc", "x = 1; /*",
          "x =", "for(i in", "do {}", "x = {\"a\":", "f(1,", "{ x = \"a", "1 +", "a, b", "{ x = 1"})
        EXPECT_TRUE(isIncomplete(text)) << text;
    for (const char *text : {"", "  \n", "x = 1;", "x = 1", "if (a) b", "if(true) {}", "x = );", "x = = (", "# note",
                             "x = 01 ", "}", "x = \"\\q\";", "undefined;", "x = 1 y = ("})
        EXPECT_FALSE(isIncomplete(text)) << text;
}
