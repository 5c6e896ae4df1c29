// SPDX-License-Identifier: Apache-2.0
/// Making frames and naming their columns.
#include <algorithm>

#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// Argument errors of createFrame are the parser's to report (status 1).
[[noreturn]] void badArgument(const std::string &message) { throw Error(Stage::Parse, "createFrame: " + message); }

/// Number of leading columns among the arguments: all of them, or half if labels follow. Unknown kinds may be either.
size_t numColumns(const InferCall &call) {
    size_t columns = 0, labels = 0;
    for (size_t i = 0; i < call.args.size(); ++i) {
        const TypeDesc &t = call.type(i);
        if (t.isUnknown())
            continue;
        if (t.isString()) {
            ++labels;
        } else if (!t.isMatrix()) {
            badArgument("arguments are columns (matrices) and then labels (strings), got " + t.text() +
                        " as argument " + std::to_string(i + 1));
        } else if (labels > 0) {
            badArgument("argument " + std::to_string(i + 1) + " is a matrix after the first label");
        } else {
            ++columns;
        }
    }
    bool kindsKnown = columns + labels == call.args.size();
    if (kindsKnown && columns == 0)
        badArgument("needs at least one column");
    if (kindsKnown && labels > 0 && labels != columns)
        badArgument("needs one label per column, got " + std::to_string(labels) + " labels for " +
                    std::to_string(columns) + " columns");
    return labels > 0 ? call.args.size() / 2 : call.args.size();
}

/// The labels given after n columns, if all are constants; defaults if there are none; empty if not known.
std::vector<std::string> labelsAfter(const InferCall &call, size_t n) {
    std::vector<std::string> labels;
    for (size_t k = 0; k < n; ++k) {
        if (call.args.size() == n) {
            labels.push_back("col_" + std::to_string(k));
            continue;
        }
        const auto &constant = call.args[n + k].constant;
        if (!constant || constant->type != ValueType::Str)
            return {};
        labels.push_back(constant->s);
    }
    return labels;
}

bool anyUnknown(const InferCall &call) {
    for (const Arg &a : call.args)
        if (a.type.isUnknown())
            return true;
    return false;
}

/// createFrame(columns..., labels...)
Types createFrame(const InferCall &call) {
    size_t n = numColumns(call);
    if (anyUnknown(call))
        return {TypeDesc::frame(nullptr)};
    auto schema = std::make_shared<FrameSchema>();
    int64_t rows = -1;
    bool typesKnown = true;
    for (size_t c = 0; c < n; ++c) {
        const TypeDesc &t = call.type(c);
        if (t.cols >= 0 && t.cols != 1)
            throw wrong(call, "a column must be a matrix with one column, got " + t.shapeText() + " as argument " +
                                  std::to_string(c + 1));
        if (rows >= 0 && t.rows >= 0 && rows != t.rows)
            throw wrong(call, "columns need equal numbers of rows, got " + std::to_string(rows) + " and " +
                                  std::to_string(t.rows));
        rows = rows >= 0 ? rows : t.rows;
        typesKnown &= t.valueType != ValueType::Unknown;
        schema->types.push_back(t.valueType);
    }
    schema->labels = labelsAfter(call, n);
    return {TypeDesc::frame(typesKnown ? schema : nullptr, rows, static_cast<int64_t>(n))};
}

bool hasDuplicates(std::vector<std::string> labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) != labels.end();
}

bool createFrameMayFail(const InferCall &call) {
    if (anyUnknown(call) || !allShapesKnown(call))
        return true;
    auto labels = labelsAfter(call, numColumns(call));
    return labels.empty() || hasDuplicates(labels);
}

/// setColLabels(frame, labels...)
Types setColLabels(const InferCall &call) {
    needFrame(call, 0);
    std::vector<std::string> labels;
    bool known = true;
    for (size_t i = 1; i < call.args.size(); ++i) {
        needString(call, i);
        known &= call.args[i].constant && call.args[i].constant->type == ValueType::Str;
        if (known)
            labels.push_back(call.args[i].constant->s);
    }
    const TypeDesc &f = call.type(0);
    if (f.cols >= 0 && static_cast<size_t>(f.cols) + 1 != call.args.size())
        throw wrongAtRunTime(call, "needs one label per column, got " + std::to_string(call.args.size() - 1) +
                                       " labels for " + std::to_string(f.cols) + " columns");
    if (!f.schema)
        return {TypeDesc::frame(nullptr, f.rows, f.cols)};
    auto schema = std::make_shared<FrameSchema>(*f.schema);
    schema->labels = known ? labels : std::vector<std::string>{};
    return {TypeDesc::frame(schema, f.rows, f.cols)};
}

bool setColLabelsMayFail(const InferCall &call) {
    std::vector<std::string> labels;
    for (size_t i = 1; i < call.args.size(); ++i) {
        if (!call.args[i].constant)
            return true;
        labels.push_back(call.args[i].constant->s);
    }
    return !call.type(0).isFrame() || call.type(0).cols < 0 || hasDuplicates(labels);
}

std::string prefixed(const std::string &prefix, const std::string &label) {
    size_t dot = label.find('.');
    return prefix + "." + (dot == label.npos ? label : label.substr(dot + 1));
}

/// setColLabelsPrefix(frame, prefix)
Types setColLabelsPrefix(const InferCall &call) {
    needFrame(call, 0);
    needString(call, 1);
    const TypeDesc &f = call.type(0);
    if (!f.schema)
        return {TypeDesc::frame(nullptr, f.rows, f.cols)};
    auto schema = std::make_shared<FrameSchema>(*f.schema);
    const auto &prefix = call.args[1].constant;
    if (!prefix || prefix->type != ValueType::Str)
        schema->labels.clear();
    for (std::string &label : schema->labels)
        label = prefixed(prefix->s, label);
    return {TypeDesc::frame(schema, f.rows, f.cols)};
}

bool setColLabelsPrefixMayFail(const InferCall &call) {
    const TypeDesc &f = call.type(0);
    if (!f.schema || f.schema->labels.size() != f.schema->types.size() || !call.type(1).isString())
        return true;
    // Labels may become equal by losing different prefixes.
    std::vector<std::string> labels;
    for (const std::string &label : f.schema->labels)
        labels.push_back(prefixed("", label));
    return hasDuplicates(labels);
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "createFrame", .minArgs = 1, .maxArgs = kVariadic, .infer = createFrame,
     .mayFail = createFrameMayFail},
    {.mnemonic = "setColLabels", .minArgs = 2, .maxArgs = kVariadic, .infer = setColLabels,
     .mayFail = setColLabelsMayFail},
    {.mnemonic = "setColLabelsPrefix", .minArgs = 2, .maxArgs = 2, .infer = setColLabelsPrefix,
     .mayFail = setColLabelsPrefixMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "createFrame(col...)", .op = "createFrame", .positionalOnly = true,
     .doc = "createFrame(col1, ..., colN, label1, ..., labelN): frame of the given columns; without labels they are "
            "called col_0, col_1, ...",
     .example = "print(createFrame([1, 2], [0.5, 1.5], \"a\", \"b\"));",
     .expect = "Frame(2x2, [a:int64_t, b:double])\n1 0.5\n2 1.5\n"},
    {.signature = "setColLabels(frame, label...)", .op = "setColLabels", .positionalOnly = true,
     .doc = "The same columns under new labels, one per column.",
     .example = "print(setColLabels({\"a\": [1], \"b\": [2]}, \"x\", \"y\"));",
     .expect = "Frame(1x2, [x:int64_t, y:int64_t])\n1 2\n"},
    {.signature = "setColLabelsPrefix(frame, prefix)", .op = "setColLabelsPrefix",
     .doc = "Puts prefix and a dot before every label; a text up to the first dot of a label is replaced.",
     .example = "print(setColLabelsPrefix({\"a\": [1], \"old.b\": [2]}, \"p\"));",
     .expect = "Frame(1x2, [p.a:int64_t, p.b:int64_t])\n1 2\n"},
};
// clang-format on

} // namespace

void addFrames(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
