// SPDX-License-Identifier: Apache-2.0
#include "data/NullIndicator.h"

#include <algorithm>
#include <unordered_map>

namespace daphne {

namespace {

/// Takes a word off the end, and the blanks before it.
bool takeLast(std::string_view &label, std::string_view word) {
    auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    if (label.size() < word.size() || !std::ranges::equal(label.substr(label.size() - word.size()), word, {}, upper))
        return false;
    label.remove_suffix(word.size());
    while (label.ends_with(' '))
        label.remove_suffix(1);
    return true;
}

} // namespace

std::string indicatorLabel(std::string_view label) { return std::string(label) + " IS NOT NULL"; }

std::string_view columnOfIndicator(std::string_view label) {
    return takeLast(label, "NULL") && takeLast(label, "NOT") && takeLast(label, "IS") ? label : std::string_view();
}

std::vector<size_t> findIndicators(const std::vector<std::string> &labels, const std::vector<ValueType> &types) {
    std::vector<size_t> found(labels.size(), kNoIndicator);
    std::vector<std::pair<size_t, std::string_view>> candidates;
    for (size_t c = 0; c < labels.size(); ++c)
        if (std::string_view column = columnOfIndicator(labels[c]);
            !column.empty() && (isIntegerLike(types[c]) || types[c] == ValueType::Unknown))
            candidates.emplace_back(c, column);
    if (candidates.empty())
        return found;
    std::unordered_map<std::string_view, size_t> positions;
    for (size_t c = 0; c < labels.size(); ++c)
        positions.emplace(labels[c], c);
    std::vector<bool> isIndicator(labels.size());
    for (auto [c, column] : candidates)
        isIndicator[c] = positions.contains(column);
    for (auto [c, column] : candidates)
        if (isIndicator[c] && !isIndicator[positions[column]] && found[positions[column]] == kNoIndicator)
            found[positions[column]] = c;
    return found;
}

std::vector<size_t> findIndicators(const Frame &frame) {
    std::vector<ValueType> types;
    types.reserve(frame.cols());
    for (const auto &column : frame.columns)
        types.push_back(column->type());
    return findIndicators(frame.labels, types);
}

} // namespace daphne
