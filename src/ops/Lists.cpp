// SPDX-License-Identifier: Apache-2.0
/// Lists of matrices.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// createList(m1, ...): matrices of one value type.
Types createList(const InferCall &call) {
    ValueType element = ValueType::Unknown;
    for (size_t i = 0; i < call.args.size(); ++i) {
        needMatrix(call, i);
        ValueType t = valueTypeOf(call.type(i));
        if (t == ValueType::Unknown)
            continue;
        if (element != ValueType::Unknown && element != t)
            throw wrong(call, "the matrices of a list need one value type, got " + std::string(dslName(element)) +
                                  " and " + std::string(dslName(t)));
        element = t;
    }
    return {TypeDesc::list(element)};
}

bool createListMayFail(const InferCall &call) {
    for (const Arg &a : call.args)
        if (!a.type.isMatrix() || a.type.valueType == ValueType::Unknown)
            return true;
    return false;
}

Types append(const InferCall &call) {
    needList(call, 0);
    needMatrix(call, 1);
    ValueType list = valueTypeOf(call.type(0)), element = valueTypeOf(call.type(1));
    if (list != ValueType::Unknown && element != ValueType::Unknown && list != element)
        throw wrong(call, "the matrices of a list need one value type, got " + std::string(dslName(list)) + " and " +
                              std::string(dslName(element)));
    return {TypeDesc::list(list != ValueType::Unknown ? list : element)};
}

bool appendMayFail(const InferCall &call) {
    const TypeDesc &list = call.type(0), &element = call.type(1);
    return !list.isList() || !element.isMatrix() || list.valueType == ValueType::Unknown ||
           list.valueType != element.valueType;
}

Types remove(const InferCall &call) {
    needList(call, 0);
    needNumericScalar(call, 1);
    ValueType t = valueTypeOf(call.type(0));
    return {TypeDesc::list(t), TypeDesc::matrix(t)};
}

Types length(const InferCall &call) {
    if (!call.type(0).isString())
        needList(call, 0);
    return {TypeDesc::scalar(ValueType::Size)};
}

bool lengthMayFail(const InferCall &call) { return !call.type(0).isList() && !call.type(0).isString(); }

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "createList", .minArgs = 1, .maxArgs = kVariadic, .infer = createList, .mayFail = createListMayFail},
    {.mnemonic = "append", .minArgs = 2, .maxArgs = 2, .infer = append, .mayFail = appendMayFail, .reusable = 1},
    {.mnemonic = "remove", .minArgs = 2, .maxArgs = 2, .numResults = 2, .infer = remove, .mayFail = always,
     .reusable = 1},
    {.mnemonic = "length", .infer = length, .mayFail = lengthMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "createList(elem...)", .op = "createList", .positionalOnly = true, .atParse = ResultAtParse::Unknown,
     .doc = "List of one or more matrices of the same value type.",
     .example = "print(createList([1, 2], [3]));",
     .expect = "List(2, DenseMatrix, int64_t)\nDenseMatrix(2x1, int64_t)\n1\n2\nDenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "append(list, elem)", .op = "append", .atParse = ResultAtParse::Unknown,
     .doc = "New list with one more matrix at its end; the given list stays as it is.",
     .example = "print(length(append(createList([1, 2]), [3])));", .expect = "2\n"},
    {.signature = "remove(list, idx)", .op = "remove", .atParse = ResultAtParse::Unknown,
     .doc = "Two results: the list without the element at position idx, and that element.",
     .example = "l, e = remove(createList([1, 2], [3]), 1);\nprint(length(l));\nprint(e);",
     .expect = "1\nDenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "length(list)", .op = "length", .doc = "Number of elements of a list, or of characters of a string.",
     .example = "print(length(createList([1, 2], [3]))); print(length(\"größe\"));", .expect = "2\n5\n"},
};
// clang-format on

} // namespace

void addLists(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
