// SPDX-License-Identifier: Apache-2.0
#include "ops/IndexRules.h"

namespace daphne::ops::rule {

Bounds boundsOperand(const InferCall &call, size_t i, int64_t n, Dim d, Normalise normalised) {
    needWholeNumber(call, i);
    needWholeNumber(call, i + 1);
    const auto &lo = call.args[i].constant, &hi = call.args[i + 1].constant;
    if (!lo || !hi)
        return {};
    if (n < 0)
        return {std::nullopt, sizeWithoutDimension(lo->asInt(), hi->asInt())};
    auto range = normalised(lo->asInt(), hi->asInt(), n);
    if (!range)
        throw compileError({}, outOfRangeText(lo->asInt(), hi->asInt(), n, nameOf(d)));
    return {range, range->size()};
}

void needMarks(const TypeDesc &marks, int64_t n, Dim d) {
    if (marks.cols >= 0 && marks.cols != 1)
        throw compileError({}, "a filter must have one column, got " + marks.shapeText());
    if (marks.rows >= 0 && n >= 0 && marks.rows != n)
        throw compileError({}, std::string("a ") + nameOf(d) + " filter needs one entry per " + nameOf(d) + ", got " +
                                   std::to_string(marks.rows) + " entries for " + std::to_string(n) + " " + nameOf(d) +
                                   "s");
}

void needEqualShapes(const TypeDesc &x, const TypeDesc &marks) {
    auto differ = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
    if (differ(x.rows, marks.rows) || differ(x.cols, marks.cols))
        throw compileError({}, "the matrix that marks cells must have the shape " + x.shapeText() +
                                   " of the matrix they are in, got " + marks.shapeText());
}

} // namespace daphne::ops::rule
