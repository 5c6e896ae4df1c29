// SPDX-License-Identifier: Apache-2.0
/// Making frames and naming their columns. Columns are shared, never copied.
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

Value createFrame(KernelCall &call, std::span<const Value> args) {
    size_t numColumns = 0;
    while (numColumns < args.size() && args[numColumns].isMatrix())
        ++numColumns;
    for (size_t i = numColumns; i < args.size(); ++i)
        if (!args[i].isString())
            wrongArgument(call, i, i == 0 ? "a matrix" : "a string");
    size_t numLabels = args.size() - numColumns;
    if (numColumns == 0)
        throw executionError("a frame needs at least one column");
    if (numLabels != 0 && numLabels != numColumns)
        throw executionError("a frame needs one label per column, got " + std::to_string(numLabels) + " labels for " +
                             std::to_string(numColumns) + " columns");
    auto result = Ref<Frame>::make(args[0].dense().rows());
    for (size_t c = 0; c < numColumns; ++c)
        result->addColumn(numLabels ? args[numColumns + c].text() : "col_" + std::to_string(c), args[c].denseRef());
    return result;
}

Value setColLabels(KernelCall &call, const Frame &frame, std::span<const Value> labels) {
    for (size_t i = 0; i < labels.size(); ++i)
        if (!labels[i].isString())
            wrongArgument(call, i + 1, "a string");
    if (labels.size() != frame.cols())
        throw executionError("needs one label per column, got " + std::to_string(labels.size()) + " labels for " +
                             std::to_string(frame.cols()) + " columns");
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t c = 0; c < frame.cols(); ++c)
        result->addColumn(labels[c].text(), frame.columns[c]);
    return result;
}

Value setColLabelsPrefix(KernelCall &, const Frame &frame, const std::string &prefix) {
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t c = 0; c < frame.cols(); ++c) {
        const std::string &label = frame.labels[c];
        size_t dot = label.find('.');
        result->addColumn(prefix + "." + (dot == label.npos ? label : label.substr(dot + 1)), frame.columns[c]);
    }
    return result;
}

} // namespace

void addFrames(KernelTable &t) {
    t.add<&createFrame>("createFrame");
    t.add<&setColLabels>("setColLabels");
    t.add<&setColLabelsPrefix>("setColLabelsPrefix");
}

} // namespace daphne
