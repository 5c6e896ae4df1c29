// SPDX-License-Identifier: Apache-2.0
/// Builtins that take a function. They are no operations of their own: irgen
/// makes loops and operations of them.
#include "ops/Registry.h"

namespace daphne::ops {

namespace {

// clang-format off: one row per paragraph
constexpr Builtin kBuiltins[] = {
    {.signature = "map(arg, udf)", .op = {}, .atParse = ResultAtParse::Unknown,
     .doc = "The function applied to every cell of a matrix, or to every element of a list. The result is a matrix of "
            "the same shape, whose value type is that of the function's results, or a list.",
     .example = "print(map([1, 2], x -> x * x + 1));\ndef half(x) { return x / 2.0; }\nprint(map([1, 2], half));",
     .expect = "DenseMatrix(2x1, int64_t)\n2\n5\nDenseMatrix(2x1, double)\n0.5\n1\n"},
    {.signature = "reduce(arg, f [, init])", .op = {}, .atParse = ResultAtParse::Unknown,
     .doc = "Folds the elements of a list or the cells of a matrix, row by row: f(f(init, first), second) and so on. "
            "Without init it begins with the first one, and fails if there is none.",
     .example = "print(reduce([1, 2, 3], (a, b) -> a * 10 + b));\nprint(reduce(list(\"a\", \"b\"), (s, x) -> s + x, "
                "\">\"));",
     .expect = "123\n>ab\n"},
    {.signature = "filter(arg, f)", .op = {}, .atParse = ResultAtParse::Unknown,
     .doc = "The elements of a list, or the rows of a matrix or frame, for which the function is true.",
     .example = "print(filter([5, 1, 7], row -> row > 2));", .expect = "DenseMatrix(2x1, int64_t)\n5\n7\n"},
    {.signature = "apply(arg, f, axis)", .op = {}, .parseTimeConstants = 4, .atParse = ResultAtParse::Unknown,
     .doc = "The function applied to every row (axis 0) or column (axis 1) of a matrix or frame. Numbers and strings "
            "make one column or row, rows and columns of equal length those of a matrix.",
     .example = "X = [1, 2, 3, 4](2, 2);\nprint(apply(X, r -> sum(r * r), 0));\nprint(apply(X, c -> c / sum(c * 1.0), 1));",
     .expect = "DenseMatrix(2x1, int64_t)\n5\n25\nDenseMatrix(2x2, double)\n0.25 0.333333\n0.75 0.666667\n"},
    {.signature = "sortBy(arg, f)", .op = {}, .atParse = ResultAtParse::Unknown,
     .doc = "The elements of a list, or the rows of a matrix or frame, in ascending order of what the function yields "
            "for them; equal ones keep their order.",
     .example = "print(sortBy([3, -1, 2], r -> -as.scalar(r)));", .expect = "DenseMatrix(3x1, int64_t)\n3\n2\n-1\n"},
};
// clang-format on

} // namespace

void addSecondOrder(Registry &r) { r.add(kBuiltins); }

} // namespace daphne::ops
