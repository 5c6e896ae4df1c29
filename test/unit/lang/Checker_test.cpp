// SPDX-License-Identifier: Apache-2.0
#include "lang/FrontendRun.h"

using namespace daphne;
using namespace daphne::lang;

// ------------------------------------------------------- variables and scopes

TEST(Checker, VariablesMustBeAssignedBeforeUse) {
    expectError("y = x;", "undefined variable 'x'");
    expectError("x = x + 1;", "undefined variable 'x'");
    expectError("count = 1; y = cuont;", "did you mean 'count'?");
    expectError("y = x; z = x + x;", "undefined variable 'x'");
    expectError("x = sum;", "'sum' is a builtin function");
    expectValid("x = 1; x = \"a\"; x = [1.5];");
}

TEST(Checker, VariablesAndFunctionsAreSeparateNameSpaces) {
    expectValid("t = [1, 2]; sum = sum(t(t)); y = sum + 1;");
    expectValid("f = 1; def f(f) { return f; } g = f(f);");
    expectValid("def f(x) { return x; } y = f;");
}

TEST(Checker, NewVariablesEndWithTheirBlock) {
    expectError("{ x = 1; } y = x;", "block that has ended");
    expectError("if(true) x = 1; else x = 2; y = x;", "undefined variable 'x'");
    expectError("while(false) x = 1; y = x;", "undefined variable 'x'");
    expectError("for(i in 1:2) { } y = i;", "undefined variable 'i'");
    expectError("do x = 1; while(x < 3);", "undefined variable 'x'");
    expectValid("x = 0; { x = 1; y = x; { z = y; } } w = x;");
    expectValid("{ y = 1; } { y = \"a\"; } y = 2;");
    expectValid("x = 0; do { x = x + 1; y = x; } while(x < 3);");
}

TEST(Checker, FunctionsDoNotSeeGlobals) {
    expectError("x = 1; def f() { return x; }", "functions do not see global variables");
    expectValid("x = 1; def f(x) { x = x + 1; y = x; return y; } z = f(x);");
    expectError("def f(a) { b = a; return b; } c = b;", "undefined variable 'b'");
}

TEST(Checker, LoopVariablesAreReadOnly) {
    expectError("for(i in 1:3) i = 2;", "loop variable 'i'");
    expectError("for(i in 1:3) { if(true) { i = 2; } }", "loop variable 'i'");
    expectError("for(i in 1:3) { i[0, 0] = [1]; }", "loop variable 'i'");
    expectError("for(i in 1:3) for(i in 1:2) { }", "variable of an enclosing loop");
    expectValid("i = 5; for(i in 1:i) { x = i; } i = 7;");
    expectValid("for(i in 1:3) { } for(i in 1:3) { }");
    expectError("for(i in 1:i) { }", "undefined variable 'i'");
}

// -------------------------------------------------------------------- if types

TEST(Checker, BranchesMustAgreeOnTheTypeOfAVariable) {
    expectError("x = 1; if(true) x = \"a\";", "the type of 'x' is ambiguous");
    expectError("x = 1; if(true) x = 2; else x = 2u;", "the type of 'x' is ambiguous");
    expectError("M = [1]; x = \"a\"; if(true) x = nrow(M);", "size if the condition holds, str otherwise");
    expectError("x = 1; if(true) { if(true) x = [1]; }", "the type of 'x' is ambiguous");
    expectError("x = [1]; if(true) x = [\"a\"];", "matrix<str> if the condition holds, matrix<si64> otherwise");
    expectError("x = {\"a\": [1]}; if(true) x = {\"a\": [1.0]};", "the type of 'x' is ambiguous");
    expectError("x = 1; if(true) { x = \"a\"; stop(\"no\"); }", "the type of 'x' is ambiguous");
}

TEST(Checker, OnlyTheBranchResultsAreCompared) {
    expectValid("x = 0.0; if(true) x = [1.0]; else x = [2.0, 3.0]; y = x[0, 0];");
    expectValid("x = 1; if(true) { x = 2.0; x = 3; }");
    expectValid("x = 1; if(true) { y = 2.0; } else { y = 3; }");
    expectValid("x = {\"a\": [1]}; if(true) x = {\"b\": [1, 2]};");
    expectValid("x = 1; if(true) x = 2; else if(false) x = 3; else x = 4;");
}

TEST(Checker, TypesUnknownWhileParsingAreTolerated) {
    expectValid("x = 1; if(true) x = (true ? 1.0 : 2.0);");
    expectValid("def f(p) { x = 1; if(true) x = p; return x; }");
    expectValid("x = [1]; if(true) x = ctable([0], [0]);");
    expectValid("l = createList([1]); if(true) l = append(l, [2]);");
    expectValid("M = readMatrix(\"m.csv\"); if(true) M = [1.0];");
    expectError("M = readMatrix(\"m.csv\"); if(true) M = 1.0;", "the type of 'M' is ambiguous");
}

TEST(Checker, BranchesThatReturnDoNotTakePartInTheMerge) {
    expectValid("def f(c) { x = 1; if(c) { x = 2.0; return x; } x = x + 1; return as.f64(x); }");
    expectValid("def f(c) { x = 1; if(c) return 1; else x = 2; return x; }");
}

TEST(Checker, LoopsWidenVariablesAndKeepOtherTypesOfBefore) {
    expectValid("x = 1; while(x < 3) { x = x + 1.5; }");
    expectError("def f(a: si64) -> si64 { return a; } x = 1; while(x < 3) { x = x + 1.5; } y = f(x);", "got f64");
    expectValid("def f(a: si64) -> si64 { return a; } x = 1; while(x < 3) { x = [2]; } y = f(x);");
}

// ------------------------------------------------------------------ assignment

TEST(Checker, ResultCountsMustMatchTheTargets) {
    expectError("a, b = 3;", "one value cannot be assigned to 2 variables");
    expectError("X = [1]; a = recode(X, true);", "yields 2 values");
    expectError("X = [1]; a, b = sum(X);", "yields 1 value");
    expectError("a = print(1);", "yields no values");
    expectError("X = [1]; a, b, c = recode(X, true);", "3 variables to assign");
    expectError("def f() { } x = f();", "yields no values");
    expectError("def f() { return 1, 2; } x = f();", "yields 2 values");
    expectValid("X = [1]; a, b = recode(X, true); c = a + b;");
    expectValid("def f() { return 1, 2; } x, y = f(); f();");
    expectValid("X = [1]; recode(X, true); print(1);");
}

TEST(Checker, CallsWithoutExactlyOneResultCannotBeUsedInExpressions) {
    for (const char *use : {"x = 1 + v();", "x = -v();", "if(v()) { }", "while(v()) { }", "x = [v()];", "x = sum(v());",
                            "x = (v());", "(v());", "x = v()[0, 0];", "x = true ? v() : 1;", "x = as.f64(v());",
                            "for(i in 1:v()) { }", "x = {\"a\": v()};", "x = w(v());"})
        for (const char *def :
             {"def v() { } def w(a) { return a; } ", "def v() { return 1, 2; } def w(a) { return a; } "})
            expectError(std::string(def) + use, "cannot be used where one value is needed");
    expectError("def v() { return 1, 2; } a, b = (v());", "cannot be used where one value is needed");
    expectError("def v() { } def w() { return v(); }", "cannot be used where one value is needed");
}

TEST(Checker, DottedNamesCannotBeAssigned) {
    expectError("a.b = 1;", "cannot assign to 'a.b'");
    expectRejected("a = 1; a.b, a = 1;");
}

// --------------------------------------------------------------- left indexing

TEST(Checker, LeftIndexingNeedsAVariableAndPositions) {
    expectValid("X = [1, 2, 3]; X[0, 0] = [5]; X[-1, ] = [6]; X[0:2, 0] = [7, 8]; i = 1.5; X[i, ] = [9];");
    expectError("X[0, 0] = [5];", "undefined variable 'X'");
    expectError("X = [1]; X[[0], ] = [5];", "only a position, a range or a bool matrix");
    expectError("X = [1]; p = [0]; X[, p] = [5];", "only a position, a range or a bool matrix");
    expectError("X = [1]; X[, \"a\"] = [5];", "a label cannot select");
    expectError("X = [1]; X[\"a\", ] = [5];", "a label cannot select");
    expectValid("X = [1]; X[, ] = \"other\"; y = X + \"a\";");
    expectValid("def f(Z) { return Z, Z; } X = [1]; X[0, ], Y = f(X);");
    expectRejected("X = [1]; X[0, ], Y = X;");
}

// -------------------------------------------------------------------- indexing

TEST(Checker, LabelsSelectColumnsOfFramesOnly) {
    expectValid("F = {\"a\": [1], \"b\": [2.0]}; G = F[, \"a\"]; H = F[0, \"b\"]; l = \"a\"; I = F[, l];");
    expectError("F = {\"a\": [1]}; G = F[\"a\", ];", "rows have no labels");
    expectError("X = [1]; G = X[, \"a\"];", "columns of a matrix have no labels");
    expectError("F = {\"a\": [1]}; G = F[, \"a\":\"b\"];", "a range needs positions");
    expectError("def f(X) { return X[\"a\", ]; }", "rows have no labels");
    expectValid("def f(X) { return X[, \"a\"]; }");
}

TEST(Checker, FrameColumnTypesFollowConstantIndices) {
    expectError("F = {\"a\": [1], \"b\": [2.0]}; G = F[, \"a\"]; if(true) G = F[, \"b\"];", "ambiguous");
    expectError("F = {\"a\": [1], \"b\": [2.0]}; G = F[, 0]; if(true) G = F[, 1];", "ambiguous");
    expectError("F = {\"a\": [1], \"b\": [2.0]}; G = F[, 0:1]; if(true) G = F[, 1:];", "ambiguous");
    expectValid("F = {\"a\": [1], \"b\": [2.0]}; i = 0; G = F[, i + 0]; if(true) G = F[, 1];");
}

// -------------------------------------------------------------------- literals

TEST(Checker, MatrixLiteralsHoldScalarsOfOneSort) {
    expectError("x = [];", "at least one element");
    expectError("x = [[1, 2], [3, 4]];", "must be scalars");
    expectError("X = [1]; x = [1, X];", "must be scalars");
    expectError("x = [1, \"a\"];", "cannot mix strings and numbers");
    expectError("s = \"a\"; x = [s, true];", "cannot mix strings and numbers");
    expectValid("x = [\"a\", \"b\"]; y = [true, 2, 3.5]; z = [nrow(x)]; n = [1 + 2, -3](1, 2);");
    expectValid("def f(a) { return [a, 1], [a, \"s\"]; }");
}

TEST(Checker, MatrixLiteralsHaveTheMostGeneralType) {
    expectValid("def f(x: matrix<f64>) { } f([1, 2.5]);");
    expectValid("def f(x: matrix<si64>) { } f([true, 3]);");
    expectValid("def f(x: matrix<bool>) { } f([true, false]);");
    expectValid("X = [1]; def f(x: matrix<ui64>) { } f([nrow(X)]);");
    expectError("def f(x: matrix<si64>) { } f([1, 2.5]);", "needs matrix<si64>, got matrix<f64>");
}

TEST(Checker, FrameLiteralsNeedLabelsAndColumns) {
    expectValid("l = \"a\"; x = {l: [1], \"b\" + \"c\": [2.5]};");
    expectError("x = {1: [1]};", "must be a string");
    expectError("x = {\"a\": 1};", "must be a matrix");
    expectError("x = {\"a\": \"b\"};", "must be a matrix");
    expectError("x = {};", "at least one column");
    expectValid("x = {[\"a\", \"b\"], [1, 2.5], [3, 4]}; y = {[\"a\"], [\"text\"]};");
    expectError("x = {[\"a\", \"b\"], [1]};", "1 cells, but there are 2 labels");
    expectError("x = {[\"a\", \"b\"]};", "at least one row of data");
    expectRejected("x = {[], []};");
    expectError("x = {[1], [1]};", "must be a string");
    expectError("x = {[\"a\"], [[1]]};", "must be scalars");
    expectError("x = {[\"a\"], [1], [\"b\"]};", "cannot mix strings and numbers");
}

// ----------------------------------------------------------------------- casts

TEST(Checker, FramesCannotBeCastToValueTypes) {
    expectError("F = {\"a\": [1]}; x = as.f64(F);", "cannot be cast");
    expectError("x = as.frame<f64>([1]);", "no cast to frame<f64>");
    expectError("def f(x) { return as.frame<f64>(x); }", "no cast to frame<f64>");
    expectValid("F = {\"a\": [1]}; x = as.matrix<f64>(F); y = as.scalar(F); z = as.frame(x); w = as.f64(x);");
}

TEST(Checker, CastsGiveKnownTypes) {
    expectValid("def f(x: f64) { } f(as.f64(1)); f(as.scalar<f64>([1])); f(as.scalar([1.5]));");
    expectValid("def f(x: matrix<f32>) { } f(as.f32([1])); f(as.matrix<f32>(1));");
    expectValid("def f(x: bool) { } f(as.bool(1 == 2));");
    expectError("def f(x: bool) { } f(1 == 2);", "needs bool, got si64");
}

// -------------------------------------------------------------------- builtins

TEST(Checker, UnknownFunctionsAreReportedWithASuggestion) {
    expectError("x = summ([1]);", "did you mean 'sum'?");
    expectError("def myFunction(x) { return x; } y = myFuncton(1);", "did you mean 'myFunction'?");
    expectError("y = f(1); def f(x) { return x; }", "it is defined later");
    expectError("xqzwv(1);", "unknown function 'xqzwv'");
}

TEST(Checker, BuiltinsHaveAnArity) {
    expectError("x = nrow();", "'nrow' takes 1 argument, got 0");
    expectError("x = nrow([1], 2);", "'nrow' takes 1 argument, got 2");
    expectError("x = seq(1);", "'seq' takes 2 to 3 arguments, got 1");
    expectError("x = createFrame();", "at least 1 argument");
    expectError("X = [1.0]; x = bin(X, 2, 0.0);", "2 or 4 arguments");
    expectError("X = [1]; x = order(X, 0, true);", "even number");
    expectError("X = [1]; x = order(X, 0, true, 1, false);", "even number");
    expectValid("X = [1]; x = order(X, 0, true, false); y = bin(X, 2,); z = bin(X, 2, 0, 1);");
}

TEST(Checker, KeywordArgumentsFollowTheRules) {
    expectValid("x = fill(value = 1, numRows = 2, numCols = 3); y = fill(1, numCols = 2, numRows = 3);");
    expectValid("x = seq(1, inc = 2, to = 9); print(1, newline = false);");
    expectError("x = fill(value = 1, 2, 3);", "positional arguments must come before");
    expectError("x = fill(1, numRows = 2, numRows = 3);", "given twice");
    expectError("x = fill(1, 2, value = 3);", "given twice");
    expectError("x = fill(1, 2, columns = 3);", "has no parameter 'columns'");
    expectError("x = fill(numRows = 2, numCols = 2);", "takes 3 arguments");
    expectError("seq(1, inc = 2);", "is missing");
    expectError("print(1, end = 2);", "no parameter");
    expectValid("print(1, err = true); X = readMatrix(\"f.csv\", lenient = true); write(X, \"g.csv\", digits = 3);");
    expectError("x = createFrame(col = [1]);", "takes no keyword arguments");
    expectError("x = now(a = 1);", "takes no arguments");
    expectError("x = ctable([0], [0], resNumRows = 1, resNumCols = 1);", "is missing");
}

TEST(Checker, TheAxisIsAConstantZeroOrOne) {
    expectValid("X = [1]; a = sum(X); b = sum(X, 0); c = mean(X, 1); d = idxMax(X, 0); e = sum(X, 1u);");
    expectValid("X = [1]; k = 0; a = sum(X, k); k = 1; b = sum(X, k);");
    expectError("X = [1]; a = sum(X, 2);", "must be 0 or 1");
    expectError("X = [1]; a = sum(X, 1.0);", "must be 0 or 1");
    expectError("X = [1]; a = sum(X, \"0\");", "must be 0 or 1");
    expectError("X = [1]; a = sum(X, nrow(X));", "must be a constant");
    expectError("def f(X, k) { return sum(X, k); }", "must be a constant");
    expectError("X = [1]; a = idxMin(X);", "takes 2 arguments");
}

TEST(Checker, MergedVariablesAreNoConstants) {
    expectError("X = [1]; k = 0; if(true) k = 1; a = sum(X, k);", "must be a constant");
    expectError("X = [1]; k = 0; while(true) { a = sum(X, k); k = 1; }", "must be a constant");
    expectError("X = [1]; k = 0; while(true) { k = 1; } a = sum(X, k);", "must be a constant");
    expectError("X = [1]; k = 0; for(k in 0:1) { } a = sum(X, k);", "must be a constant");
    expectError("X = [1]; for(k in 0:1) { a = sum(X, k); }", "must be a constant");
    expectError("X = [1]; k = 0; while(true) { if(true) { while(false) { a = sum(X, k); } k = 1; } }", "a constant");
    expectValid("X = [1]; k = 0; while(true) { a = sum(X, k); }");
    expectValid("X = [1]; k = 0; while(true) { k = 1; a = sum(X, k); }");
    expectValid("X = [1]; k = 0; if(true) { b = 1; } else { k2 = k; } a = sum(X, k);");
    expectValid("X = [1]; k = 0; if(true) k = 1; k = 0; a = sum(X, k);");
}

TEST(Checker, ScriptArgumentsAreConstants) {
    FrontendOptions options;
    options.scriptArgs = {{"axis", "1"}, {"negative", "-1"}};
    expectValid("X = [1]; a = sum(X, $axis); k = $axis; b = sum(X, k);", options);
    expectRejected("X = [1]; a = sum(X, $negative);", options);
}

TEST(Checker, CreateFrameTakesColumnsThenLabels) {
    expectValid("c = [1]; F = createFrame(c); G = createFrame(c, c, \"a\", \"b\");");
    expectError("F = createFrame(1);", "takes columns (matrices) and labels");
    expectError("F = createFrame(\"a\");", "at least one column");
    expectError("F = createFrame([1], \"a\", [2]);", "all columns before the labels");
    expectError("F = createFrame([1], [2], \"a\");", "as many labels as columns");
    expectError("F = createFrame({\"a\": [1]});", "takes columns (matrices) and labels");
    expectValid("def f(x) { return createFrame(x, \"a\", \"b\"); }");
}

TEST(Checker, RejectedOperandsAreNotTheParsersBusiness) {
    expectValid("x = \"a\" - 1; y = [1] @ \"b\"; z = -\"s\"; w = sum(1);");
    expectValid("if(false) { x = sqrt(\"a\"); y = [1, 2] + [1, 2, 3]; }");
}

// ----------------------------------------------------------------- definitions

TEST(Checker, FunctionsAndImportsBelongToTheTopLevel) {
    expectError("{ def f() { } }", "only be defined at the top level");
    expectError("if(true) def f() { }", "only be defined at the top level");
    expectError("def f() { def g() { } }", "only be defined at the top level");
    expectError("while(false) { def f() { } }", "only be defined at the top level");
    expectError("{ import \"x.daph\"; }", "imports are only possible at the top level");
    expectError("def f() { import \"x.daph\"; }", "imports are only possible at the top level");
}

TEST(Checker, ParametersAreDistinctAndOfAllowedTypes) {
    expectError("def f(a, b, a) { }", "two parameters named 'a'");
    for (const char *type : {"scalar", "scalar<f64>", "frame<f64>"}) {
        expectError("def f(a: " + std::string(type) + ") { }", "cannot be the type of a parameter");
        expectError("def f(a) -> " + std::string(type) + " { return a; }", "cannot be the type of a result");
    }
    expectValid("def f(a: matrix, b: matrix<str>, c: bool, d: str) -> matrix, ui8 { return a, as.ui8(c); }");
}

TEST(Checker, ReturnsMatchTheDeclaration) {
    expectError("def f() -> si64 { return 1.5; }", "returns f64, but 'f' declares si64");
    expectError("def f() -> si64 { return 1, 2; }", "returns 2 values, but 'f' declares 1 value");
    expectError("def f() -> si64 { return; }", "returns 0 values");
    expectError("def f() -> si64 { }", "does not return any");
    expectError("def f(x) -> si64 { if(x) return 1; }", "on every path");
    expectError("def f(x: matrix<f64>) -> si64 { return nrow(x); }", "returns size");
    expectError("def f(x: matrix<f64>) -> matrix<f32> { return x; }", "declares matrix<f32>");
    expectValid("def f(x) -> si64 { return x; } def g(x: matrix<f64>) -> matrix { return x; }");
    expectValid("def f(x: si64) -> si64 { if(x < 0) return -1; if(x == 0) return 0; return 1; }");
    expectValid("def f(x) -> si64 { if(x) { return 1; } else { return 2; } }");
    expectValid("def f(x) -> si64 { if(x) { return 1; } else { stop(\"no\"); } }");
}

TEST(Checker, ReturnsAgreeWithEachOther) {
    expectError("def f(x) { if(x) return 1; return 1, 2; }", "another 'return'");
    expectError("def f(x) { if(x) return 1; return \"a\"; }", "another 'return'");
    expectError("def f(x) { if(x) return; return 1; }", "another 'return'");
    expectError("def f(x) { if(x) return 1; }", "on every path");
    expectValid("def f(x) { if(x) return; x = 1; }");
    expectValid("def f(x) { if(x) return x; return 1; }");
    expectValid("def f(x) { return 1; x = 2; return 3; }");
}

TEST(Checker, ReturnsStandInFunctions) {
    expectError("return 1;", "only possible in a function");
    expectError("if(true) return;", "only possible in a function");
    expectValid("def f() { while(true) { return 1; } }");
    expectValid("def f() { for(i in 1:2) if(true) return 1; return 2; }");
    expectValid("def f() { do return 1; while(true); return 2; }");
    expectError("def f() { while(true) { if(true) return 1; break; } }", "on every path");
    expectError("def f() { for(i in 1:2) return 1; }", "on every path");
}

TEST(Checker, JumpsStandInLoops) {
    expectError("break;", "only possible in a loop");
    expectError("for(i in 1:2) { } continue;", "only possible in a loop");
    expectError("for(i in 1:2) { } def f() { break; }", "only possible in a loop");
    expectValid("for(i in 1:2) { if(i) break; else continue; }");
    expectValid("break = 1; break;");
}

TEST(Checker, NumbersWidenWherePathsMeet) {
    expectValid("x = 1; if(true) x = 2.0; x = [x, 1.5];");
    expectValid("def f(x: f64) { } x = 1; for(i in 1:2) { f(x); x = x * 0.5; }");
    expectValid("def f() -> f64 { x = 1; while(true) { if(x > 3) return x; x = x * 1.5; } }");
    expectValid("def f() -> f64 { x = 1; while(x < 3) { if(x > 2) { x = 0.5; break; } } return x; }");
    expectError("def f() -> si64 { x = 1; for(i in 1:2) x = x * 0.5; return x; }", "this returns f64");
    expectError("x = 1; try { x = \"a\"; } catch { }", "the type of 'x' is ambiguous after this 'try'");
}

TEST(Checker, RecursionNeedsDeclaredResults) {
    expectValid("def f(n: si64) -> si64 { if(n < 2) return 1; return n * f(n - 1); } x = f(5);");
    expectError("def f(n) { if(n < 2) return 1; return n * f(n - 1); }", "result types are not declared");
    expectError("def f() { g(); } def g() { f(); }", "it is defined later");
    expectValid("def f(a) { return a; } def f(a, b) { return f(a); } x = f(1, 2);");
}

TEST(Checker, UncalledFunctionsGetTheChecksAsWell) {
    expectError("def f() { return undefinedName; }", "undefined variable");
    expectError("def f(x) { return nrow(x, x); }", "takes 1 argument");
    expectError("def f() { return g(); }", "unknown function 'g'");
}

// ----------------------------------------------------------------------- calls

TEST(Checker, CallsPickTheFirstFittingOverload) {
    std::string defs = "def f(x: si64) -> si64 { return x; } def f(x: matrix) -> str { return \"m\"; } "
                       "def f(x: si64, y) -> bool { return true; } def s(x: str) { } def b(x: bool) { } ";
    expectValid(defs + "s(f([1])); s(f([1.5])); b(f(1, 2)); x = f(1) + 1;");
    expectError(defs + "x = f(1.5);", "no overload of 'f' takes (f64)");
    expectError(defs + "x = f();", "no overload of 'f' takes 0 arguments");
    expectError(defs + "x = f(1, 2, 3);", "no overload of 'f' takes 3 arguments");
    expectError(defs + "s(f(1));", "needs str, got si64");
}

TEST(Checker, ArgumentsOnlyWiden) {
    expectError("def f(x: f32) { } f(1);", "write as.f32(x)");
    expectValid("def f(x: f64) { } f(1); def g(x: si64) { } X = [1]; g(nrow(X));");
    expectError("def f(x: matrix) { } f(1);", "needs matrix, got si64");
    expectError("def f(x: si64) { } f([1]);", "needs si64, got matrix<si64>");
    expectError("def f(x: f64) { } f({\"a\": [1]});", "needs f64");
    expectValid("def f(x: f64) { } f(true ? 1 : 2); def g(p) { f(p); f(p + 1); }");
    expectValid("def f(x: matrix<f64>) { } f(readMatrix(\"a.csv\")); f(ctable([0], [0]));");
    expectError("def f(x: f64) { } f(readMatrix(\"a.csv\"));", "needs f64, got matrix");
    expectValid("def f(x) { } f(1); f([1]); f({\"a\": [1]}); f(createList([1])); f(\"a\");");
}

TEST(Checker, ResultTypesFollowFromTheBody) {
    std::string defs = "def one() { return 1; } def same(x) { return x; } def needs(x: str) { } ";
    expectError(defs + "needs(one());", "needs str, got si64");
    expectValid(defs + "needs(same(1));");
    expectError("def pair() { return 1.5, 2; } def needs(x: si64) { } a, b = pair(); needs(b); needs(a);",
                "needs si64, got f64");
}

TEST(Checker, KeywordCallsOfUserFunctions) {
    std::string defs = "def f(a: si64, b: str) -> si64 { return a; } ";
    expectValid(defs + "x = f(1, b = \"s\"); y = f(b = \"s\", a = 1);");
    expectError(defs + "x = f(b = 1, a = \"s\");", "needs si64, got str");
    expectError(defs + "x = f(a = 1, \"s\");", "positional arguments must come before");
    expectError(defs + "x = f(1, a = 2);", "given twice");
    expectError(defs + "x = f(a = 1, a = 2);", "given twice");
    expectError(defs + "x = f(1, c = \"s\");", "has no parameter 'c'");
    expectError(defs + "x = f(a = 1);", "takes 2 arguments");
    expectError("def g(a: si64) { } def g(b: f64) { } g(a = 1);", "keyword arguments are ambiguous");
    expectValid("def g(a: si64) { } def g(b: f64) { } g(1); g(1.5);");
}

TEST(Checker, UserFunctionsHideBuiltins) {
    expectValid("def sum(x, y, z) { return x; } a = sum(1, 2, 3);");
    expectError("def sum(x, y, z) { return x; } a = sum([1]);", "takes 3 arguments, got 1");
    expectValid("def stop() { } def f() { stop(); }");
}

TEST(Checker, KernelHintsBelongToBuiltins) {
    expectError("def f(x) { return x; } y = f::k(1);", "kernel hint is not possible");
    expectValid("y = sum::anyName([1]); z = 1 +::anyName 2;");
}

// ------------------------------------------------------------------------- map

TEST(Checker, MapTakesAMatrixAndAFunctionName) {
    std::string defs = "def inc(x) { return x + 1; } def two(a, b) { return a; } def num(x: f64) -> f64 { return x; } "
                       "def needs(x: matrix<f64>) { } X = [1.5]; ";
    expectValid(defs + "Y = map(X, inc); Z = map(udf = inc, arg = X); needs(map(X, num));");
    expectValid(defs + "inc = 5; Y = map(X, inc);");
    expectError(defs + "Y = map(X, nothing);", "undefined variable 'nothing'");
    expectError(defs + "Y = map(X, incc);", "undefined variable 'incc'");
    expectError(defs + "Y = map(X, two);", "one parameter");
    expectError(defs + "Y = map(1.5, inc);", "must be a matrix or list, got f64");
    expectError(defs + "Y = map(inc, X);", "the order is map(data, function)");
    expectError(defs + "Y = map(X, \"inc\");", "must be a function, got str");
    expectError(defs + "Y = map(X, sqrt);", "'sqrt' is a builtin function");
    expectValid(defs + "Y = map([1], num);");
    expectError(defs + "Y = map([\"a\"], num);", "takes a cell of type str");
    expectError(defs + "Y = map(X);", "takes 2 arguments, got 1");
    expectError(defs + "Y = map(X, inc, 1);", "takes 2 arguments, got 3");
    expectError(defs + "f = 1; Y = map(X, f);", "must be a function, got si64");
    expectError(defs + "Y = map(Q, inc);", "undefined variable 'Q'");
    expectValid("def f(x: str) -> str { return x; } def f(x: f64) -> f64 { return x; } Y = map([1.0], f);");
    expectValid("def map(a) { return a; } x = map(1);");
}

// --------------------------------------------------------------------- session

TEST(Checker, EarlierInputsOfASessionAreVisible) {
    FrontendRun first("def f(a: f64) { return a * 2; } x = 1.5;");
    ASSERT_EQ(first.numErrors(), 0u);
    SessionNames session;
    session.variables["x"] = ops::TypeDesc::scalar(ValueType::F64);
    session.variables["n"] = ops::TypeDesc::scalar(ValueType::SI64);
    session.functions.push_back(&as<FuncDef>(first.statement(0)));
    FrontendRun second("y = f(x); z = f(y);", {}, session);
    EXPECT_EQ(second.numErrors(), 0u) << second.report();
    FrontendRun wrong("y = f([n]);", {}, session);
    EXPECT_EQ(wrong.numErrors(), 1u) << wrong.report();
    FrontendRun redefined("def f(a) { return x; }", {}, session);
    EXPECT_EQ(redefined.numErrors(), 1u) << redefined.report();
}

TEST(Checker, ErrorsComeInTheOrderOfTheText) {
    FrontendRun run("a = u1;\nb = nrow();\nif(true) { c = u2; }\nd = u3;");
    ASSERT_EQ(run.numErrors(), 4u) << run.report();
    for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(run.position(i).line, i + 1);
}
