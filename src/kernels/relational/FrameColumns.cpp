// SPDX-License-Identifier: Apache-2.0
#include "kernels/relational/FrameColumns.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/Cancellable.h"
#include "base/NoColumn.h"

namespace daphne::relational {

size_t positionOf(const Frame &frame, const std::string &label) {
    size_t c = frame.find(label);
    if (c == Frame::npos)
        throw noColumn(Stage::Execute, label, frame.labels);
    return c;
}

std::vector<size_t> positionsOf(const Frame &frame, const std::string &label) {
    std::vector<size_t> positions;
    if (size_t c = frame.find(label); c != Frame::npos)
        return {c};
    if (label == "*") {
        positions.resize(frame.cols());
        std::iota(positions.begin(), positions.end(), size_t(0));
    } else if (label.ends_with(".*")) {
        std::string_view prefix = std::string_view(label).substr(0, label.size() - 1);
        for (size_t c = 0; c < frame.cols(); ++c)
            if (frame.labels[c].substr(0, frame.labels[c].find('.') + 1) == prefix)
                positions.push_back(c);
    }
    if (positions.empty())
        throw noColumn(Stage::Execute, label, frame.labels);
    return positions;
}

Columns columnsOf(const Frame &frame, std::span<const std::string> labels) {
    Columns columns;
    for (const std::string &label : labels)
        columns.push_back(frame.columns[positionOf(frame, label)]);
    return columns;
}

std::vector<std::string> textArguments(const KernelCall &call, size_t first, size_t n) {
    std::vector<std::string> texts;
    for (size_t i = first; i < first + n; ++i) {
        if (!call.args[i].isString())
            wrongArgument(call, i, "a string");
        texts.push_back(call.args[i].text());
    }
    return texts;
}

namespace {

/// Codes of the same dictionary; nothing if a default is wanted that has none.
Ref<Dense> pickCodes(const Dense &column, std::span<const size_t> rows) {
    auto in = column.codes();
    uint32_t missing = in.dictionary->find("");
    BufferRef codes(Buffer::create(ValueType::UI32, rows.size(), Buffer::Init::None));
    uint32_t *out = codes.as<uint32_t>();
    for (size_t k : cancellable(rows.size())) {
        out[k] = rows[k] == kNoRow ? missing : in.view(rows[k], 0);
        if (out[k] == Dictionary::kNone)
            return {};
    }
    return Dense::coded(in.dictionary, codes.detach(), rows.size());
}

} // namespace

Ref<Dense> pickOrDefault(const Dense &column, std::span<const size_t> rows) {
    if (column.isCoded())
        if (auto picked = pickCodes(column, rows))
            return picked;
    auto result = Dense::create(column.type(), rows.size(), 1);
    withValueType(column.type(), [&]<class T>(TypeTag<T>) {
        auto in = column.view<T>();
        T *out = result->mutableView<T>().data;
        T missing{};
        if constexpr (std::is_floating_point_v<T>)
            missing = std::numeric_limits<T>::quiet_NaN();
        for (size_t k : cancellable(rows.size()))
            out[k] = rows[k] == kNoRow ? missing : in(rows[k], 0);
    });
    return result;
}

Ref<Frame> besideEachOther(const Frame &lhs, std::span<const size_t> lhsRows, const Frame &rhs,
                           std::span<const size_t> rhsRows) {
    // Labels are compared before anything large is copied.
    for (const std::string &label : rhs.labels)
        if (lhs.find(label) != Frame::npos)
            throw executionError("both frames have a column \"" + label + "\"")
                .withHint("give one of them other labels with setColLabelsPrefix");
    auto result = Ref<Frame>::make(lhsRows.size());
    for (size_t c = 0; c < lhs.cols(); ++c)
        result->addColumn(lhs.labels[c], pickOrDefault(*lhs.columns[c], lhsRows));
    for (size_t c = 0; c < rhs.cols(); ++c)
        result->addColumn(rhs.labels[c], pickOrDefault(*rhs.columns[c], rhsRows));
    return result;
}

Ref<Dense> positionColumn(std::span<const size_t> rows) {
    auto result = Dense::create(ValueType::Size, rows.size(), 1);
    std::copy(rows.begin(), rows.end(), result->mutableView<uint64_t>().data);
    return result;
}

} // namespace daphne::relational
