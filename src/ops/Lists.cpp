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

TypeDesc elementOf(const TypeDesc &list) {
    return list.valueType == ValueType::Unknown ? TypeDesc::unknown() : TypeDesc::matrix(list.valueType);
}

Types createList(const InferCall &call) { return {listOf(call, 0)}; }

/// append(list, element), putElement(list, element, position)
Types withElement(const InferCall &call) {
    needList(call, 0);
    const TypeDesc &list = call.type(0), &element = call.type(1);
    bool fits = list.isList() && element.isMatrix() && list.valueType == element.valueType;
    return {TypeDesc::list(fits ? list.valueType : ValueType::Unknown)};
}

bool unlessList(const InferCall &call) { return !call.type(0).isList(); }

Types extend(const InferCall &call) {
    needList(call, 0);
    needList(call, 1);
    return {join(TypeDesc::list(valueTypeOf(call.type(0))), TypeDesc::list(valueTypeOf(call.type(1))))};
}

bool extendMayFail(const InferCall &call) { return !call.type(0).isList() || !call.type(1).isList(); }

/// remove(list, position), takeElement(list, position): a list and the element
Types withoutElement(const InferCall &call) {
    needList(call, 0);
    needNumericScalar(call, 1);
    return {TypeDesc::list(valueTypeOf(call.type(0))), elementOf(call.type(0))};
}

Types element(const InferCall &call) {
    needList(call, 0);
    needNumericScalar(call, 1);
    return {elementOf(call.type(0))};
}

Types length(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    if (!x.isMatrix() && !x.isString())
        needList(call, 0);
    if (x.isMatrix() && x.hasShape() && x.rows != 1 && x.cols != 1)
        throw wrong(call, "needs one row or one column, got " + x.shapeText())
            .withHint("nrow, ncol and ncell tell the size of a matrix");
    return {TypeDesc::scalar(ValueType::Size)};
}

bool lengthMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    return !x.isList() && !x.isString() && !(x.isMatrix() && x.hasShape());
}

/// asList(x, message, hint)
Types asList(const InferCall &call) {
    return {call.type(0).isList() ? call.type(0) : TypeDesc::list(ValueType::Unknown)};
}

/// asTable(x, message, hint)
Types asTable(const InferCall &call) { return {call.type(0)}; }

bool asTableMayFail(const InferCall &call) { return !call.type(0).isMatrix() && !call.type(0).isFrame(); }

/// function(parts): its text, its number, what it has captured
Types function(const InferCall &) { return {TypeDesc::unknown()}; }

Types functionParts(const InferCall &) { return {TypeDesc::list(ValueType::Unknown)}; }

Types orderOfKeys(const InferCall &call) {
    needList(call, 0);
    return {TypeDesc::matrix(ValueType::SI64, -1, 1)};
}

Types equal(const InferCall &) { return {TypeDesc::scalar(ValueType::Bool)}; }

/// Functions cannot be compared, nor what holds them.
bool equalMayFail(const InferCall &call) {
    auto mayHoldFunction = [](const Arg &a) {
        return a.type.isUnknown() || (a.type.isList() && a.type.valueType == ValueType::Unknown);
    };
    return mayHoldFunction(call.args[0]) || mayHoldFunction(call.args[1]);
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "createList", .minArgs = 0, .maxArgs = kVariadic, .infer = createList},
    {.mnemonic = "append", .minArgs = 2, .maxArgs = 2, .infer = withElement, .mayFail = unlessList, .reusable = 1},
    {.mnemonic = "extend", .minArgs = 2, .maxArgs = 2, .infer = extend, .mayFail = extendMayFail, .reusable = 1},
    {.mnemonic = "remove", .minArgs = 2, .maxArgs = 2, .numResults = 2, .infer = withoutElement, .mayFail = always,
     .reusable = 1},
    // l[i] = v: the place of an element that is taken stays, empty, until one is put there.
    {.mnemonic = "takeElement", .minArgs = 2, .maxArgs = 2, .numResults = 2, .infer = withoutElement,
     .mayFail = always, .reusable = 1},
    {.mnemonic = "putElement", .minArgs = 3, .maxArgs = 3, .infer = withElement, .mayFail = always, .reusable = 1},
    {.mnemonic = "element", .minArgs = 2, .maxArgs = 2, .infer = element, .mayFail = always},
    {.mnemonic = "asList", .minArgs = 3, .maxArgs = 3, .infer = asList, .mayFail = unlessList},
    {.mnemonic = "asTable", .minArgs = 3, .maxArgs = 3, .infer = asTable, .mayFail = asTableMayFail},
    {.mnemonic = "function", .infer = function},
    {.mnemonic = "functionParts", .infer = functionParts, .mayFail = always},
    {.mnemonic = "orderOfKeys", .infer = orderOfKeys, .mayFail = always},
    {.mnemonic = "equal", .minArgs = 2, .maxArgs = 2, .infer = equal, .mayFail = equalMayFail},
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
    {.signature = "extend(list, other)", .op = "extend", .atParse = ResultAtParse::Unknown,
     .doc = "New list with the elements of the one, then those of the other.",
     .example = "print(length(extend(list(1, 2), list(\"a\"))));", .expect = "3\n"},
    {.signature = "remove(list, idx)", .op = "remove", .atParse = ResultAtParse::Unknown,
     .doc = "Two results: the list without the element at position idx, and that element.",
     .example = "l, e = remove(createList([1, 2], [3]), 1);\nprint(length(l));\nprint(e);",
     .expect = "1\nDenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "equal(a, b)", .op = "equal",
     .doc = "Whether two values of any kinds are equal, down to the cells of the matrices in lists: the same shapes and "
            "labels, and cells that are == or both NaN. Value types and representations make no difference.",
     .example = "l = list(1, \"a\", [2, nan]);\nprint(equal(l, list(1.0, \"a\", [2.0, nan])), equal(l, list(1)));",
     .expect = "1 0\n"},
    {.signature = "length(x)", .op = "length",
     .doc = "Number of elements of a list, of characters of a string, of cells of one row or one column.",
     .example = "print(length(createList([1, 2], [3]))); print(length([7, 8, 9])); print(length(\"größe\"));",
     .expect = "2\n3\n5\n"},
};
// clang-format on

} // namespace

void addLists(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
