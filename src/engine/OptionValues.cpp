// SPDX-License-Identifier: Apache-2.0
// Checking of option values, the same for the command line and the configuration file.
#include <charconv>
#include <cmath>

#include "base/Error.h"
#include "engine/ExplainLevels.h"
#include "engine/OptionTable.h"

namespace daphne::engine {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

Error badValue(const std::string &subject, const std::string &expected, std::string_view text) {
    return parseError({}, subject + " needs " + expected + ", got '" + std::string(text) + "'");
}

std::string checkedFlag(std::string_view text, const std::string &subject, const std::string &further = "") {
    if (sameWord(text, "true") || text == "1")
        return "true";
    if (sameWord(text, "false") || text == "0")
        return "false";
    throw badValue(subject, "no value, or one of true, false, 1, 0" + further, text);
}

std::string checkedInteger(const OptionRow &row, std::string_view text, const std::string &subject) {
    int64_t value = 0;
    std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    bool whole = end == digits.data() + digits.size() && !digits.empty();
    if (status == std::errc::result_out_of_range && whole)
        throw badValue(subject, "an integer of at most 64 bits", text);
    if (status != std::errc() || !whole || (text.size() != digits.size() && digits.starts_with('-')))
        throw badValue(subject, row.kind == OptionKind::IntegerOrAuto ? "an integer or auto" : "an integer", text);
    if (value < row.minimum)
        throw badValue(subject, "an integer of at least " + std::to_string(row.minimum), text);
    if (value > row.maximum)
        throw badValue(subject, "an integer of at most " + std::to_string(row.maximum), text);
    return std::to_string(value);
}

std::string checkedNumber(const OptionRow &row, std::string_view text, const std::string &subject) {
    double value = 0;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        throw badValue(subject, "a number", text);
    auto least = static_cast<double>(row.minimum), most = static_cast<double>(row.maximum);
    if (row.minimum != INT64_MIN && (value < least || (row.aboveMinimum && value == least)))
        throw badValue(subject,
                       (row.aboveMinimum ? "a number above " : "a number of at least ") + std::to_string(row.minimum),
                       text);
    if (row.maximum != INT64_MAX && value > most)
        throw badValue(subject, "a number of at most " + std::to_string(row.maximum), text);
    return std::string(text);
}

/// "unknown value 'x' for <subject>", the allowed ones and the nearest.
Error unknownName(const std::string &subject, std::string_view text, const std::vector<std::string_view> &allowed) {
    std::string list;
    for (std::string_view name : allowed)
        list += (list.empty() ? "" : ", ") + std::string(name);
    Error error = badValue(subject, "one of " + list, text);
    if (std::string close = nearest(text, allowed); !close.empty())
        error.withHint("did you mean '" + close + "'?");
    return error;
}

/// The choice meant, or null.
const Choice *findChoice(std::span<const Choice> choices, std::string_view text) {
    for (const Choice &choice : choices)
        if (sameWord(choice.name, text) || (!choice.alias.empty() && sameWord(choice.alias, text)))
            return &choice;
    return nullptr;
}

std::string checkedChoice(const OptionRow &row, std::string_view text, const std::string &subject,
                          std::span<const Choice> added) {
    std::vector<std::string_view> allowed;
    for (std::span<const Choice> choices : {row.allChoices(), row.pluginsAddChoices ? added : added.first(0)}) {
        if (const Choice *choice = findChoice(choices, text))
            return std::string(choice->name);
        for (const Choice &choice : choices)
            allowed.push_back(choice.name);
    }
    throw unknownName(subject, text, allowed);
}

std::string checkedFlagOrChoice(const OptionRow &row, std::string_view text, const std::string &subject) {
    if (const Choice *choice = findChoice(row.choices, text))
        return std::string(choice->name);
    std::string names;
    for (const Choice &choice : row.choices)
        names += ", " + std::string(choice.name);
    return checkedFlag(text, subject, names);
}

std::string checkedLevel(std::string_view text, const std::string &subject) {
    if (const ExplainRow *row = findExplainLevel(text))
        return std::string(row->name);
    std::vector<std::string_view> allowed;
    for (const ExplainRow &row : explainTable())
        allowed.push_back(row.name);
    throw unknownName(subject, text, allowed);
}

} // namespace

bool sameWord(std::string_view a, std::string_view b) {
    if (a.size() != b.size())
        return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

std::string checkedValue(const OptionRow &row, std::string_view text, const std::string &subject,
                         std::span<const Choice> added) {
    switch (row.kind) {
    case OptionKind::Flag: return checkedFlag(text, subject);
    case OptionKind::IntegerOrAuto:
        if (sameWord(text, "auto"))
            return "auto";
        [[fallthrough]];
    case OptionKind::Integer:
    case OptionKind::IntegerList: return checkedInteger(row, text, subject);
    case OptionKind::Number:
    case OptionKind::NumberList: return checkedNumber(row, text, subject);
    case OptionKind::OneOf: return checkedChoice(row, text, subject, added);
    case OptionKind::FlagOrOneOf: return checkedFlagOrChoice(row, text, subject);
    case OptionKind::ExplainLevels: return checkedLevel(text, subject);
    case OptionKind::Text:
    case OptionKind::TextList:
        if (text.empty())
            throw parseError({}, subject + " needs a value, got an empty one");
        return std::string(text);
    default: throw internalError(subject + " has no textual form");
    }
}

std::vector<std::string> checkedList(const OptionRow &row, std::string_view text, const std::string &subject) {
    std::vector<std::string> values;
    while (true) {
        size_t comma = text.find(',');
        values.push_back(checkedValue(row, text.substr(0, comma), subject));
        if (comma == text.npos)
            return values;
        text.remove_prefix(comma + 1);
    }
}

} // namespace daphne::engine
