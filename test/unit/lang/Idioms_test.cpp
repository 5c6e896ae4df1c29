// SPDX-License-Identifier: Apache-2.0
/// Valid text must pass: examples of all builtins, and what larger scripts do.
#include "lang/FrontendRun.h"
#include "ops/Registry.h"

using namespace daphne;
using namespace daphne::lang;

TEST(Idioms, EveryExampleOfABuiltinIsAccepted) {
    for (const ops::BuiltinInfo &b : ops::Registry::get().builtins())
        if (!b.row->example.empty())
            expectValid(std::string(b.row->example));
}

TEST(Idioms, SizesAndSequences) {
    expectValid("X = [1.0, 2.0, 3.0, 4.0](2, 2); n = nrow(X); "
                "a = seq(1, n, 1); b = seq(1.0, n, 1); c = idxMax(X, 0) + 1; d = as.f64(idxMax(X, 0)) + 1; "
                "def s(x: si64) { } s(n - as.si64(7)); def f(x: f64) { } f(n - as.si64(7) + 0.5); f(0.5); "
                "lo = 1.0; hi = 2.0; e = X[, 0:ncol(X) - 1]; g = X[, lo - 1:hi - 1]; k = 2.0; "
                "h = fill(1, k, 1); i = rand(k, 1, 0.0, 1.0, 1, 7); j = reshape(X, n * ncol(X), 1); "
                "s(2 * (2 ^ 3 - 1)); f(1 + floor(log(8, 2)));");
}

TEST(Idioms, TypesOfSequencesNeverWidenByTheDefaultStep) {
    expectValid("X = [1]; def m(x: matrix<si64>) { } m(seq(1, nrow(X), 1)); m(seq(1, 3));");
    expectValid("def m(x: matrix<f64>) { } X = [1]; m(seq(1.0, nrow(X), 1)); m(seq(1, 5.0, 1)); m(seq(0.0, 1.0));");
    expectValid("def m(x: matrix<f32>) { } m(seq(1.0f, 2.0f));");
}

TEST(Idioms, LogicalExpressionsAndSelections) {
    expectValid("X = rand(4, 4, 0.0, 1.0, 1.0, 1); v = X[, 0] > 0.5 && X[, 1] > 0.5; def u(x: matrix<ui64>) { } u(v); "
                "Y = v * X; Z = X[[v, ]]; w = cumSum(v); u(w); q = t(X) @ v; r = X[, 2] == 1 || X[, 3] == 1; "
                "a = (X > 0.0) ? 3 * X : X; b = (X > 0.0) ? X : 0.5; s = 2; k = 3; c = 4 - X; d = s - X / k * Y; "
                "e = X * sum(X, 0) - aggMax(X, 1); f = replace(X, nan, 0);");
}

TEST(Idioms, WorkQueues) {
    expectValid("q = createList([1], [2]); x = [0]; while(length(q) > 0) { q, x = remove(q, 0); "
                "if(as.scalar(x[0, 0]) > 1) q = append(q, [1]); } print(x);");
}

TEST(Idioms, LoopsWithStableTypes) {
    expectValid("A = [1.0]; B = [2.0]; done = as.f64(false); delta = inf; "
                "while(as.si64(done == false) && delta > 0) { done = (sum(A != B) == 0); delta = sum(A != B); }");
    expectValid("S = fill(0.0, 10, 2); for(i in 0:9) S[i, ] = cbind(as.matrix(7), as.matrix(0.5));");
}

TEST(Idioms, CallsWithTypesKnownOnlyLater) {
    expectValid("def f(x) -> si64, matrix<f64>, si64 { a = x ? 1 : 2; return a, ctable([0], [0]), a; } "
                "a, B, c = f(1); def g(b: bool) { } g(as.bool(a == 2));");
    expectValid("def pick(mode, x) { if(mode == \"a\") return x; else if(mode == \"b\") return x; "
                "else stop(\"unknown mode: \" + mode); } y = pick(\"a\", 1);");
    expectValid("start = now(); print(\"ms: \" + as.f64(now() - start) / 1e6 + \".\");");
    expectValid("F = readFrame(\"f.csv\"); codes, dict = recode(as.matrix(F[, 3]), true); "
                "X = cbind(bin(as.matrix(F[, 0]), 4), codes);");
}

TEST(Idioms, FunctionNamesAsVariables) {
    expectValid("end = 1; sum = 2; t = [1]; seq = 3; I = 4; list = 5; map = 6; size = t(t); x = sum(t) + sum;");
}

TEST(Idioms, VariablesMayChangeKindThroughAnIf) {
    expectValid("x = 0.0; if(x > 1) x = [1.0]; else x = [2.0]; y = x[0, ];");
    expectValid("def f(v, isFirst: bool) { r = 0.0; if(isFirst) { r = sum(v); } return r; } z = f([1.0], true);");
}
