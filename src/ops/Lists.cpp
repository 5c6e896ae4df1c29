// SPDX-License-Identifier: Apache-2.0
/// Lists. The compiler follows the type of elements where all are matrices of one.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// Lists whose elements are matrices of one value type have a type of their own; of others only the run time knows what
/// they hold.
TypeDesc listOf(const InferCall &call, size_t first) {
    ValueType common = ValueType::Unknown;
    for (size_t i = first; i < call.args.size(); ++i) {
        const TypeDesc &t = call.type(i);
        bool fits = t.isMatrix() && (i == first || t.valueType == common);
        common = fits ? t.valueType : ValueType::Unknown;
        if (common == ValueType::Unknown)
            break;
    }
    return TypeDesc::list(common);
}

Types createList(const InferCall &call) { return {listOf(call, 0)}; }

bool appendsAll(const InferCall &call) { return call.args.size() > 3 && call.args[3].constant->asInt() != 0; }

/// append(list, element [, position, all])
Types append(const InferCall &call) {
    needList(call, 0);
    if (appendsAll(call))
        needList(call, 1);
    const TypeDesc &list = call.type(0), &element = call.type(1);
    bool fits = (appendsAll(call) ? element.isList() : element.isMatrix()) && list.isList() &&
                list.valueType == element.valueType;
    return {TypeDesc::list(fits ? list.valueType : ValueType::Unknown)};
}

bool appendMayFail(const InferCall &call) { return !call.type(0).isList() || call.args.size() > 2; }

Types remove(const InferCall &call) {
    needList(call, 0);
    needNumericScalar(call, 1);
    ValueType t = valueTypeOf(call.type(0));
    return {TypeDesc::list(t), t == ValueType::Unknown ? TypeDesc::unknown() : TypeDesc::matrix(t)};
}

Types length(const InferCall &call) {
    needList(call, 0);
    return {TypeDesc::scalar(ValueType::Size)};
}

bool lengthMayFail(const InferCall &call) { return !call.type(0).isList(); }

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "createList", .minArgs = 0, .maxArgs = kVariadic, .infer = createList},
    {.mnemonic = "append", .minArgs = 2, .maxArgs = 4, .infer = append, .mayFail = appendMayFail, .reusable = 1},
    {.mnemonic = "remove", .minArgs = 2, .maxArgs = 3, .numResults = 2, .infer = remove, .mayFail = always,
     .reusable = 1},
    {.mnemonic = "length", .infer = length, .mayFail = lengthMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "list([elem...])", .op = "createList", .positionalOnly = true, .atParse = ResultAtParse::Unknown,
     .doc = "List of values of any types, lists included; without arguments an empty one. l[i] is an element, l[a:b] a "
            "list of those from a to before b; l[i] = v replaces an element of the variable l.",
     .example = "l = list(1, \"a\", [2, 3]);\nl[0] = 7;\nprint(l[0]);\nprint(l);",
     .expect = "7\nList(3)\n7\na\nDenseMatrix(2x1, int64_t)\n2\n3\n"},
    {.signature = "createList([elem...])", .op = "createList", .positionalOnly = true,
     .atParse = ResultAtParse::Unknown, .doc = "The same as list.",
     .example = "print(createList([1, 2], [3]));",
     .expect = "List(2, DenseMatrix, int64_t)\nDenseMatrix(2x1, int64_t)\n1\n2\nDenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "append(list, elem)", .op = "append", .atParse = ResultAtParse::Unknown,
     .doc = "New list with one more element at its end; the given list stays as it is.",
     .example = "print(length(append(createList([1, 2]), [3])));", .expect = "2\n"},
    {.signature = "extend(list, other)", .op = "append", .atParse = ResultAtParse::Unknown,
     .doc = "New list with the elements of the one, then those of the other.",
     .example = "print(length(extend(list(1, 2), list(\"a\"))));", .expect = "3\n"},
    {.signature = "remove(list, idx)", .op = "remove", .atParse = ResultAtParse::Unknown,
     .doc = "Two results: the list without the element at position idx, and that element.",
     .example = "l, e = remove(createList([1, 2], [3]), 1);\nprint(length(l));\nprint(e);",
     .expect = "1\nDenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "length(list)", .op = "length", .doc = "Number of elements of a list.",
     .example = "print(length(createList([1, 2], [3])));", .expect = "2\n"},
};
// clang-format on

} // namespace

void addLists(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
