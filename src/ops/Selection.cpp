// SPDX-License-Identifier: Apache-2.0
/// Sorting cells, different cells, positions of cells, the first and last rows.
#include <algorithm>

#include "base/Widening.h"
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

bool matrixMayFail(const InferCall &call) { return !call.type(0).isMatrix(); }

/// sort(arg, ascending[, axis])
Types sort(const InferCall &call) {
    needMatrix(call, 0);
    needNumericScalar(call, 1);
    if (call.args.size() > 2) {
        needNumericScalar(call, 2);
        const auto &axis = call.args[2].constant;
        if (axis && axis->asDouble() != 0 && axis->asDouble() != 1)
            throw wrong(call, "the axis must be 0 (each row) or 1 (each column), got " + std::to_string(axis->asInt()));
    }
    return {withoutSparsity(call.type(0).isMatrix() ? call.type(0) : TypeDesc::matrix(ValueType::Unknown))};
}
bool sortMayFail(const InferCall &call) {
    return matrixMayFail(call) || (call.args.size() > 2 && !call.args[2].constant);
}

Types unique(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    const TypeDesc &x = call.type(0);
    if (x.isFrame())
        return {TypeDesc::frame(x.schema, -1, x.cols)};
    return {x.isMatrix() ? TypeDesc::matrix(x.valueType, -1, 1) : TypeDesc::unknown()};
}
bool uniqueMayFail(const InferCall &call) { return call.type(0).isUnknown(); }

/// where(condition[, then, otherwise])
Types where(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &c = call.type(0);
    if (call.args.size() == 1)
        return {TypeDesc::matrix(ValueType::SI64, -1, c.cols < 0 ? -1 : c.cols == 1 ? 1 : 2)};
    if (call.args.size() != 3)
        throw wrong(call, "takes a condition alone, or a condition and two values");
    TypeDesc result = TypeDesc::matrix(ValueType::Unknown, c.rows, c.cols);
    for (size_t i : {1, 2}) {
        const TypeDesc &x = call.type(i);
        if (x.isFrame() || x.isList())
            wrongOperand(call, i, "a scalar or a matrix of the shape of the condition");
        auto differs = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
        if (x.isMatrix() && (differs(x.rows, c.rows) || differs(x.cols, c.cols)))
            throw wrong(call,
                        "needs values of the shape of the condition, " + c.shapeText() + ", got " + x.shapeText());
    }
    ValueType a = valueTypeOf(call.type(1)), b = valueTypeOf(call.type(2));
    if (a == ValueType::Unknown || b == ValueType::Unknown)
        return {result};
    auto common = leastCommonType(a, b);
    if (!common)
        throw wrong(call, "there is no type that " + std::string(dslName(a)) + " and " + std::string(dslName(b)) +
                              " both widen to")
            .withHint("convert one of them, for example with as.f64(...)");
    result.valueType = *common;
    return {result};
}
bool whereMayFail(const InferCall &call) { return !numericMatrix(call.type(0)) || call.args.size() > 1; }

/// head, tail: rows of a matrix or frame, elements of a list
Types rowsOf(const InferCall &call) {
    needNumericScalar(call, 1);
    const TypeDesc &x = call.type(0);
    int64_t n = sizeOperand(call, 1);
    if (x.isScalar())
        wrongOperand(call, 0, "a matrix, frame or list");
    if (x.isList() || x.isUnknown())
        return {x};
    int64_t rows = n >= 0 && x.rows >= 0 ? std::min(n, x.rows) : -1;
    if (x.isFrame())
        return {TypeDesc::frame(x.schema, rows, x.cols)};
    return {TypeDesc::matrix(x.valueType, rows, x.cols, x.sparsity)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "sort", .minArgs = 2, .maxArgs = 3, .infer = sort, .mayFail = sortMayFail},
    {.mnemonic = "unique", .infer = unique, .mayFail = uniqueMayFail},
    {.mnemonic = "where", .minArgs = 1, .maxArgs = 3, .infer = where, .mayFail = whereMayFail},
    {.mnemonic = "head", .minArgs = 2, .maxArgs = 2, .infer = rowsOf, .mayFail = always},
    {.mnemonic = "tail", .minArgs = 2, .maxArgs = 2, .infer = rowsOf, .mayFail = always},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "sort(arg, ascending = true[, axis])", .op = "sort",
     .doc = "The cells of every row (axis 0) or column (axis 1) sorted, nan last in both directions. Without an axis a "
            "single row is sorted as a row, every other matrix by columns.",
     .example = "print(sort([3, 1, 2])); print(sort([3, 1, 2](1, 3), false));",
     .expect = "DenseMatrix(3x1, int64_t)\n1\n2\n3\nDenseMatrix(1x3, int64_t)\n3 2 1\n"},
    {.signature = "unique(arg)", .op = "unique",
     .doc = "The different cells of a matrix, ascending, as a column; nan, once, comes last. Of a frame: its different "
            "rows in the order in which they first appear.",
     .example = "print(unique([3, 1, 3, 1](2, 2)));", .expect = "DenseMatrix(2x1, int64_t)\n1\n3\n"},
    {.signature = "where(condition[, then, otherwise])", .op = "where",
     .doc = "Positions of the cells that are not 0, row by row: the row of each, and in a second column its column if "
            "the matrix has not just one. With two values, each a scalar or a matrix of the same shape: the first one "
            "where the condition is not 0, the second one elsewhere.",
     .example = "x = [5, 0, 7]; print(where(x)); print(where(x > 5, x, 0.5));",
     .expect = "DenseMatrix(2x1, int64_t)\n0\n2\nDenseMatrix(3x1, double)\n0.5\n0.5\n7\n"},
    {.signature = "head(arg, n = 5)", .op = "head",
     .doc = "The first n rows of a matrix or frame, the first n elements of a list; all of them if there are fewer.",
     .example = "print(head(seq(1, 9), 2));", .expect = "DenseMatrix(2x1, int64_t)\n1\n2\n"},
    {.signature = "tail(arg, n = 5)", .op = "tail",
     .doc = "The last n rows of a matrix or frame, the last n elements of a list; all of them if there are fewer.",
     .example = "print(tail(seq(1, 9), 2));", .expect = "DenseMatrix(2x1, int64_t)\n8\n9\n"},
};
// clang-format on

} // namespace

void addSelection(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
