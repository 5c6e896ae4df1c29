// SPDX-License-Identifier: Apache-2.0
/// Joins, groups and set operations on frames (builtins 11), and what queries
/// need besides them.
#include <algorithm>

#include "base/NoColumn.h"
#include "ops/Operands.h"
#include "ops/QueryBlock.h"
#include "ops/SumTypes.h"

namespace daphne::ops {

namespace {

using namespace rule;

// ---- labels

/// All labels and types of operand i are known.
bool knowsColumns(const TypeDesc &t) { return t.schema && t.schema->labels.size() == t.schema->types.size(); }

/// The text of operand i; nothing if it is not a constant. Throws unless it may be a string.
std::optional<std::string> label(const InferCall &call, size_t i) {
    needString(call, i);
    const auto &constant = call.args[i].constant;
    if (!constant || constant->type != ValueType::Str)
        return std::nullopt;
    return constant->s;
}

/// Position of a column of operand `frame` named by operand i; -1 if not known. Throws if there is certainly none.
int64_t column(const InferCall &call, size_t frame, size_t i) {
    auto name = label(call, i);
    if (!name || !knowsColumns(call.type(frame)))
        return -1;
    const auto &labels = call.type(frame).schema->labels;
    auto found = std::find(labels.begin(), labels.end(), *name);
    if (found != labels.end())
        return found - labels.begin();
    throw wrong(call, "the frame has no column \"" + *name + "\"").withHint(hintForLabel(*name, labels));
}

/// Positions named by operand i, which may be "*" or "prefix.*"; nothing if not known.
std::optional<std::vector<size_t>> columns(const InferCall &call, size_t frame, size_t i) {
    auto name = label(call, i);
    if (!name || !knowsColumns(call.type(frame)))
        return std::nullopt;
    const auto &labels = call.type(frame).schema->labels;
    std::vector<size_t> positions;
    if (std::find(labels.begin(), labels.end(), *name) == labels.end())
        for (size_t c = 0; c < labels.size(); ++c)
            if (*name == "*" || labels[c].substr(0, labels[c].find('.') + 1) + "*" == *name)
                positions.push_back(c);
    if (positions.empty())
        positions.push_back(static_cast<size_t>(column(call, frame, i)));
    return positions;
}

void needComparable(const InferCall &call, int64_t lhs, int64_t rhs) {
    if (lhs < 0 || rhs < 0)
        return;
    ValueType a = call.type(0).schema->types[static_cast<size_t>(lhs)];
    ValueType b = call.type(1).schema->types[static_cast<size_t>(rhs)];
    if ((a == ValueType::Str) != (b == ValueType::Str))
        throw wrong(call, "cannot compare a column of type " + std::string(dslName(a)) + " with one of type " +
                              std::string(dslName(b)));
}

void needFrames(const InferCall &call) {
    needFrame(call, 0);
    needFrame(call, 1);
}

// ---- joins

/// All columns of both frames.
TypeDesc besideEachOther(const InferCall &call, int64_t rows = -1) {
    const TypeDesc &l = call.type(0), &r = call.type(1);
    int64_t cols = l.cols < 0 || r.cols < 0 ? -1 : l.cols + r.cols;
    if (!l.schema || !r.schema)
        return TypeDesc::frame(nullptr, rows, cols);
    auto schema = std::make_shared<FrameSchema>(*l.schema);
    schema->types.insert(schema->types.end(), r.schema->types.begin(), r.schema->types.end());
    schema->labels.insert(schema->labels.end(), r.schema->labels.begin(), r.schema->labels.end());
    if (!knowsColumns(l) || !knowsColumns(r))
        schema->labels.clear();
    return TypeDesc::frame(schema, rows, cols);
}

/// Labels of lhs from operand 2 on, then as many of rhs.
void needLabelPairs(const InferCall &call, size_t numPairs) {
    for (size_t k = 0; k < numPairs; ++k) {
        int64_t l = column(call, 0, 2 + k), r = column(call, 1, 2 + numPairs + k);
        needComparable(call, l, r);
    }
}

Types cartesian(const InferCall &call) {
    needFrames(call);
    int64_t l = call.type(0).rows, r = call.type(1).rows, rows = -1;
    if (l >= 0 && r >= 0 && __builtin_mul_overflow(l, r, &rows))
        rows = -1;
    return {besideEachOther(call, rows)};
}

Types innerJoin(const InferCall &call) {
    needFrames(call);
    needLabelPairs(call, 1);
    if (call.args.size() > 4)
        needNumericScalar(call, 4);
    return {besideEachOther(call)};
}

Types outerJoin(const InferCall &call) {
    needFrames(call);
    needLabelPairs(call, call.args.size() / 2 - 1);
    return {besideEachOther(call)};
}

Types antiJoin(const InferCall &call) {
    needFrames(call);
    needLabelPairs(call, call.args.size() / 2 - 1);
    return {TypeDesc::frame(call.type(0).schema, -1, call.type(0).cols)};
}

/// thetaJoin(lhs, rhs, [label of lhs, comparison, label of rhs]...)
Types thetaJoin(const InferCall &call) {
    needFrames(call);
    if ((call.args.size() - 2) % 3 != 0)
        throw wrong(call, "needs conditions of a left label, a comparison and a right label each");
    for (size_t i = 2; i < call.args.size(); i += 3) {
        auto compare = label(call, i + 1);
        constexpr std::string_view kComparisons[] = {"=", "==", "<>", "!=", "<", "<=", ">", ">="};
        if (compare && std::find(std::begin(kComparisons), std::end(kComparisons), *compare) == std::end(kComparisons))
            throw wrong(call, "unknown comparison \"" + *compare + "\"").withHint("one of = <> != < <= > >=");
        int64_t l = column(call, 0, i), r = column(call, 1, i + 2);
        needComparable(call, l, r);
    }
    return {besideEachOther(call)};
}

TypeDesc frameOf(const std::vector<std::string> &labels, const std::vector<ValueType> &types) {
    auto schema = std::make_shared<FrameSchema>();
    schema->labels = labels;
    schema->types = types;
    return TypeDesc::frame(schema, -1, static_cast<int64_t>(types.size()));
}

Types semiJoin(const InferCall &call) {
    needFrames(call);
    needLabelPairs(call, 1);
    if (call.args.size() > 4)
        needNumericScalar(call, 4);
    int64_t key = column(call, 0, 2);
    TypeDesc keys = TypeDesc::frame(nullptr, -1, 1);
    if (key >= 0)
        keys = frameOf({*label(call, 2)}, {call.type(0).schema->types[static_cast<size_t>(key)]});
    return {keys, TypeDesc::matrix(ValueType::Size, -1, 1)};
}

void needNumbers(const InferCall &call, ValueType type, const std::string &name) {
    if (type == ValueType::Str)
        throw wrong(call, "cannot sum the strings of column \"" + name + "\"");
}

Types groupJoin(const InferCall &call) {
    needFrames(call);
    needLabelPairs(call, 1);
    int64_t key = column(call, 0, 2), summed = column(call, 1, 4);
    TypeDesc sums = TypeDesc::frame(nullptr, -1, 2);
    if (summed >= 0)
        needNumbers(call, call.type(1).schema->types[static_cast<size_t>(summed)], *label(call, 4));
    if (key >= 0 && summed >= 0)
        sums = frameOf({*label(call, 2), "SUM(" + *label(call, 4) + ")"},
                       {call.type(0).schema->types[static_cast<size_t>(key)],
                        sumType(call.type(1).schema->types[static_cast<size_t>(summed)])});
    return {sums, TypeDesc::matrix(ValueType::Size, -1, 1)};
}

// ---- groups

ValueType aggregateType(const InferCall &call, const std::string &function, ValueType cell, const std::string &name) {
    if (function == "COUNT" || function == "COUNT_DISTINCT")
        return ValueType::SI64;
    if (function == "MIN" || function == "MAX")
        return cell;
    needNumbers(call, cell, name);
    if (function == "SUM")
        return sumType(cell);
    return ValueType::F64;
}

struct Grouping {
    std::vector<std::string> labels;
    std::vector<ValueType> types;

    void addKey(const FrameSchema &from, size_t c) {
        if (std::find(labels.begin(), labels.end(), from.labels[c]) != labels.end())
            return;
        labels.push_back(from.labels[c]);
        types.push_back(from.types[c]);
    }
    void addAggregate(const InferCall &call, const std::string &function, int64_t c) {
        const FrameSchema &from = *call.type(0).schema;
        auto position = static_cast<size_t>(c);
        labels.push_back(function + "(" + from.labels[position] + ")");
        types.push_back(aggregateType(call, function, from.types[position], from.labels[position]));
    }
};

/// group(frame, numKeys, keys..., [aggregate, label, mask]...)
Types group(const InferCall &call) {
    needFrame(call, 0);
    auto numKeys = static_cast<size_t>(std::max<int64_t>(0, sizeOperand(call, 1)));
    bool known = call.args[1].constant && knowsColumns(call.type(0));
    Grouping grouping;
    for (size_t k = 0; k < numKeys; ++k) {
        auto positions = columns(call, 0, 2 + k);
        known &= positions.has_value();
        if (positions && known)
            for (size_t c : *positions)
                grouping.addKey(*call.type(0).schema, c);
    }
    for (size_t i = 2 + numKeys; i + 2 < call.args.size(); i += 3) {
        auto function = label(call, i);
        int64_t c = column(call, 0, i + 1);
        known &= function && c >= 0;
        if (known)
            grouping.addAggregate(call, *function, c);
    }
    return {known ? frameOf(grouping.labels, grouping.types) : TypeDesc::frame(nullptr)};
}

/// groupSum(frame, keys..., summed)
Types groupSum(const InferCall &call) {
    needFrame(call, 0);
    size_t last = call.args.size() - 1;
    bool known = true;
    Grouping grouping;
    for (size_t i = 1; i <= last; ++i) {
        int64_t c = column(call, 0, i);
        known &= c >= 0;
        if (known && i < last) {
            grouping.labels.push_back(call.type(0).schema->labels[static_cast<size_t>(c)]);
            grouping.types.push_back(call.type(0).schema->types[static_cast<size_t>(c)]);
        } else if (known) {
            grouping.addAggregate(call, "SUM", c);
        }
    }
    return {known ? frameOf(grouping.labels, grouping.types)
                  : TypeDesc::frame(nullptr, -1, static_cast<int64_t>(last))};
}

// ---- sets

Types rowSet(const InferCall &call) {
    needFrames(call);
    const TypeDesc &l = call.type(0), &r = call.type(1);
    if (l.cols >= 0 && r.cols >= 0 && l.cols != r.cols)
        throw wrongAtRunTime(call, "needs frames with equal numbers of columns, got " + l.shapeText() + " and " +
                                       r.shapeText());
    if (l.schema && r.schema && l.schema->types != r.schema->types)
        throw wrongAtRunTime(call, "needs columns of equal types, got " + l.typeText() + " and " + r.typeText());
    return {TypeDesc::frame(l.schema, -1, l.cols)};
}

/// limitRows(frame, offset, limit)
Types limitRows(const InferCall &call) {
    needFrame(call, 0);
    int64_t offset = sizeOperand(call, 1), limit = sizeOperand(call, 2), rows = call.type(0).rows;
    if (rows >= 0)
        rows = offset >= 0 && limit >= 0 ? std::min(limit, std::max<int64_t>(0, rows - offset)) : -1;
    return {TypeDesc::frame(call.type(0).schema, rows, call.type(0).cols)};
}

bool limitRowsMayFail(const InferCall &call) { return !call.type(0).isFrame() || !constantsFrom(call, 1); }

/// isMember(cells, set): 1 where a cell of a column is in another column
Types isMember(const InferCall &call) {
    for (size_t i : {0, 1}) {
        needMatrix(call, i);
        if (call.type(i).isMatrix() && call.type(i).cols >= 0 && call.type(i).cols != 1)
            wrongOperand(call, i, "a matrix with one column");
    }
    ValueType a = call.type(0).valueType, b = call.type(1).valueType;
    bool known = a != ValueType::Unknown && b != ValueType::Unknown;
    if (known && (a == ValueType::Str) != (b == ValueType::Str))
        throw wrong(call, "cannot compare " + std::string(dslName(a)) + " with " + std::string(dslName(b)));
    return {TypeDesc::matrix(ValueType::SI64, call.type(0).rows, 1)};
}

/// like(strings, pattern): 1 where a string fits a pattern of SQL
Types like(const InferCall &call) {
    const TypeDesc &t = call.type(0);
    bool fits = (t.isScalar() || t.isMatrix()) && (t.valueType == ValueType::Str || t.valueType == ValueType::Unknown);
    if (!t.isUnknown() && !fits)
        wrongOperand(call, 0, "strings");
    needString(call, 1);
    if (t.isUnknown())
        return {t};
    return {t.isScalar() ? TypeDesc::scalar(ValueType::SI64) : TypeDesc::matrix(ValueType::SI64, t.rows, t.cols)};
}

bool likeMayFail(const InferCall &call) {
    return call.type(0).valueType != ValueType::Str || call.type(1).valueType != ValueType::Str;
}

/// queryBlock(text of a QueryBlock, sources..., scalars...)
Types queryBlock(const InferCall &call) {
    auto text = label(call, 0);
    if (!text)
        return {TypeDesc::frame(nullptr)};
    auto schema = std::make_shared<FrameSchema>(QueryBlock::parse(*text).schema());
    auto cols = static_cast<int64_t>(schema->labels.size());
    return {TypeDesc::frame(std::move(schema), -1, cols)};
}

// ---- views

Types registerView(const InferCall &call) {
    needString(call, 0);
    const TypeDesc &t = call.type(1);
    if (!t.isUnknown() && !t.isFrame() && !t.isMatrix())
        wrongOperand(call, 1, "a frame");
    return {};
}

/// sql(query), and view(name): some frame
Types someFrame(const InferCall &call) {
    needString(call, 0);
    return {TypeDesc::frame(nullptr)};
}

/// withoutNulls(frame): the frame, which must have no null indicators
Types withoutNulls(const InferCall &call) {
    needFrame(call, 0);
    return {call.type(0)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "cartesian", .minArgs = 2, .maxArgs = 2, .infer = cartesian, .mayFail = always},
    {.mnemonic = "innerJoin", .minArgs = 4, .maxArgs = 5, .infer = innerJoin, .mayFail = always},
    {.mnemonic = "thetaJoin", .minArgs = 5, .maxArgs = kVariadic, .infer = thetaJoin, .mayFail = always},
    {.mnemonic = "leftOuterJoin", .minArgs = 4, .maxArgs = kVariadic, .infer = outerJoin, .mayFail = always},
    {.mnemonic = "fullOuterJoin", .minArgs = 4, .maxArgs = kVariadic, .infer = outerJoin, .mayFail = always},
    {.mnemonic = "antiJoin", .minArgs = 4, .maxArgs = kVariadic, .infer = antiJoin, .mayFail = always},
    {.mnemonic = "semiJoin", .minArgs = 4, .maxArgs = 5, .numResults = 2, .infer = semiJoin, .mayFail = always},
    {.mnemonic = "groupJoin", .minArgs = 5, .maxArgs = 5, .numResults = 2, .infer = groupJoin, .mayFail = always},
    {.mnemonic = "group", .minArgs = 2, .maxArgs = kVariadic, .infer = group, .mayFail = always},
    {.mnemonic = "groupSum", .minArgs = 3, .maxArgs = kVariadic, .infer = groupSum, .mayFail = always},
    {.mnemonic = "intersect", .minArgs = 2, .maxArgs = 2, .infer = rowSet, .mayFail = always},
    {.mnemonic = "merge", .minArgs = 2, .maxArgs = 2, .infer = rowSet, .mayFail = always},
    {.mnemonic = "except", .minArgs = 2, .maxArgs = 2, .infer = rowSet, .mayFail = always},
    {.mnemonic = "limitRows", .minArgs = 3, .maxArgs = 3, .infer = limitRows, .mayFail = limitRowsMayFail},
    {.mnemonic = "isMember", .minArgs = 2, .maxArgs = 2, .infer = isMember, .mayFail = always},
    {.mnemonic = "like", .minArgs = 2, .maxArgs = 2, .infer = like, .mayFail = likeMayFail},
    {.mnemonic = "queryBlock", .minArgs = 2, .maxArgs = kVariadic, .infer = queryBlock, .mayFail = always},
    {.mnemonic = "withoutNulls", .minArgs = 1, .maxArgs = 1, .infer = withoutNulls, .mayFail = always},
    {.mnemonic = "registerView", .minArgs = 2, .maxArgs = 2, .numResults = 0, .infer = registerView,
     .mayFail = always, .sideEffect = true},
    {.mnemonic = "sql", .minArgs = 1, .maxArgs = 1, .infer = someFrame, .mayFail = always, .sideEffect = true},
    {.mnemonic = "view", .minArgs = 1, .maxArgs = 1, .infer = someFrame, .mayFail = always, .sideEffect = true},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "sql(query)", .op = "sql", .parseTimeConstants = 1,
     .doc = "The result of a query over the frames registered with registerView before.",
     .example = "registerView(\"t\", {\"a\": [2, 1, 2], \"b\": [10, 20, 30]});\n"
                "print(sql(\"SELECT t.a, sum(t.b) AS s FROM t GROUP BY t.a;\"));",
     .expect = "Frame(2x2, [t.a:int64_t, s:int64_t])\n1 20\n2 40\n"},
    {.signature = "registerView(viewName, view)", .op = "registerView", .parseTimeConstants = 1,
     .doc = "Makes the frame a table of later queries under this name; a matrix counts as as.frame(matrix).",
     .example = "registerView(\"t\", {\"a\": [1, 2]});\nprint(sql(\"SELECT t.a FROM t WHERE t.a > 1\"));",
     .expect = "Frame(1x1, [t.a:int64_t])\n2\n"},
    {.signature = "cartesian(lhs, rhs)", .op = "cartesian",
     .doc = "All pairs of a row of lhs and a row of rhs, those of the first row of lhs first.",
     .example = "print(cartesian({\"a\": [1, 2]}, {\"b\": [3, 4]}));",
     .expect = "Frame(4x2, [a:int64_t, b:int64_t])\n1 3\n1 4\n2 3\n2 4\n"},
    {.signature = "innerJoin(lhs, rhs, lhsOn, rhsOn[, numRowRes])", .op = "innerJoin",
     .doc = "Pairs of rows whose cells in column lhsOn of lhs and rhsOn of rhs are equal, in the order of lhs, then of "
            "rhs. numRowRes, the expected number of rows, has no influence on the result.",
     .example = "print(innerJoin({\"a\": [1, 2, 3]}, {\"b\": [2, 2, 1], \"c\": [5, 6, 7]}, \"a\", \"b\"));",
     .expect = "Frame(3x3, [a:int64_t, b:int64_t, c:int64_t])\n1 1 7\n2 2 5\n2 2 6\n"},
    {.signature = "thetaJoin(lhs, rhs, lhsOn, comparison, rhsOn...)", .op = "thetaJoin", .positionalOnly = true,
     .doc = "thetaJoin(lhs, rhs, lhsOn1, cmp1, rhsOn1, ...): pairs of rows for which all comparisons (= <> < <= > >=) "
            "hold, in the order of lhs, then of rhs.",
     .example = "print(thetaJoin({\"a\": [1, 2]}, {\"b\": [1, 2, 3]}, \"a\", \"<\", \"b\"));",
     .expect = "Frame(3x2, [a:int64_t, b:int64_t])\n1 2\n1 3\n2 3\n"},
    {.signature = "leftOuterJoin(lhs, rhs, lhsOn, rhsOn...)", .op = "leftOuterJoin", .positionalOnly = true,
     .doc = "leftOuterJoin(lhs, rhs, lhsOn1, ..., rhsOn1, ...): pairs of rows with equal keys; a row of lhs without a "
            "match stands beside 0, NaN or \"\".",
     .example = "print(leftOuterJoin({\"a\": [1, 2]}, {\"b\": [2], \"c\": [0.5]}, \"a\", \"b\"));",
     .expect = "Frame(2x3, [a:int64_t, b:int64_t, c:double])\n1 0 nan\n2 2 0.5\n"},
    {.signature = "fullOuterJoin(lhs, rhs, lhsOn, rhsOn...)", .op = "fullOuterJoin", .positionalOnly = true,
     .doc = "As leftOuterJoin; rows of rhs without a match follow beside 0, NaN or \"\".",
     .example = "print(fullOuterJoin({\"a\": [1, 2]}, {\"b\": [2, 3]}, \"a\", \"b\"));",
     .expect = "Frame(3x2, [a:int64_t, b:int64_t])\n1 0\n2 2\n0 3\n"},
    {.signature = "antiJoin(lhs, rhs, lhsOn, rhsOn...)", .op = "antiJoin", .positionalOnly = true,
     .doc = "antiJoin(lhs, rhs, lhsOn1, ..., rhsOn1, ...): the rows of lhs without a row of rhs with equal keys.",
     .example = "print(antiJoin({\"a\": [1, 2, 3]}, {\"b\": [2]}, \"a\", \"b\"));",
     .expect = "Frame(2x1, [a:int64_t])\n1\n3\n"},
    {.signature = "semiJoin(lhs, rhs, lhsOn, rhsOn[, numRowRes])", .op = "semiJoin",
     .doc = "The cells of column lhsOn that are in column rhsOn of rhs, as a frame, and their row positions.",
     .example = "f, p = semiJoin({\"a\": [3, 1, 3]}, {\"b\": [3, 4]}, \"a\", \"b\");\nprint(f);\nprint(p);",
     .expect = "Frame(2x1, [a:int64_t])\n3\n3\nDenseMatrix(2x1, uint64_t)\n0\n2\n"},
    {.signature = "groupJoin(lhs, rhs, lhsOn, rhsOn, rhsAgg)", .op = "groupJoin",
     .doc = "For every key of lhs with a match in rhs the sum of column rhsAgg over its matches, and the positions of "
            "these keys in lhs. Of equal keys of lhs the first counts.",
     .example = "f, p = groupJoin({\"a\": [1, 2]}, {\"b\": [2, 2], \"c\": [5, 6]}, \"a\", \"b\", \"c\");\n"
                "print(f);\nprint(p);",
     .expect = "Frame(1x2, [a:int64_t, SUM(c):int64_t])\n2 11\nDenseMatrix(1x1, uint64_t)\n1\n"},
    {.signature = "groupSum(arg, keyLabel, sumLabel...)", .op = "groupSum", .positionalOnly = true,
     .doc = "groupSum(arg, key1, ..., keyK, summed): one row for every combination of keys, ascending, with the sum of "
            "the last column.",
     .example = "print(groupSum({\"k\": [2, 1, 2], \"x\": [10, 20, 30]}, \"k\", \"x\"));",
     .expect = "Frame(2x2, [k:int64_t, SUM(x):int64_t])\n1 20\n2 40\n"},
    {.signature = "intersect(lhs, rhs)", .op = "intersect",
     .doc = "The different rows of lhs that are in rhs, in the order of first appearance.",
     .example = "print(intersect({\"a\": [3, 1, 3]}, {\"b\": [3, 4]}));", .expect = "Frame(1x1, [a:int64_t])\n3\n"},
    {.signature = "merge(lhs, rhs)", .op = "merge",
     .doc = "The different rows of both frames, in the order of first appearance.",
     .example = "print(merge({\"a\": [3, 1, 3]}, {\"b\": [3, 4]}));", .expect = "Frame(3x1, [a:int64_t])\n3\n1\n4\n"},
    {.signature = "except(lhs, rhs)", .op = "except",
     .doc = "The different rows of lhs that are not in rhs, in the order of first appearance.",
     .example = "print(except({\"a\": [3, 1, 3]}, {\"b\": [3, 4]}));", .expect = "Frame(1x1, [a:int64_t])\n1\n"},
};
// clang-format on

} // namespace

void addRelational(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
