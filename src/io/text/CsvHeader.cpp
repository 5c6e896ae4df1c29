// SPDX-License-Identifier: Apache-2.0
#include "io/text/CsvHeader.h"

#include <algorithm>
#include <set>

namespace daphne::io {

namespace {

bool isOfType(std::string_view text, ValueType type) {
    auto time = calendar::parse(text, type);
    return time && *time != calendar::natOf(type);
}
/// "2024-02-29", and also with a time of day behind it.
bool isDate(std::string_view text) { return isOfType(text, ValueType::Timestamp); }
bool isDuration(std::string_view text) { return isOfType(text, ValueType::Duration); }

/// Of a field as it stands; dates may be quoted, numbers in quotes are texts.
std::string_view withoutQuotes(std::string_view field, char quote) {
    bool isQuoted = quote != 0 && field.size() >= 2 && field.front() == quote && field.back() == quote;
    return isQuoted ? field.substr(1, field.size() - 2) : field;
}

constexpr std::string_view kNullTexts[] = {"NA", "N/A", "n/a", "null", "NULL", "nan"};

} // namespace

std::vector<std::string> readRecord(CsvCursor &cursor) {
    std::vector<std::string> fields;
    try {
        for (std::string room;; cursor.skipDelimiter()) {
            fields.emplace_back(cursor.text(room));
            if (!cursor.atDelimiter())
                break;
        }
    } catch (TextError &e) {
        e.field = fields.size() + 1;
        throw;
    }
    cursor.nextLine();
    return fields;
}

bool looksLikeLabels(const std::vector<std::string> &fields) {
    std::set<std::string_view> seen;
    return std::ranges::all_of(fields, [&](const std::string &field) {
        return kindOf(field) == FieldKind::Text && !isDate(withoutBlanks(field)) &&
               std::ranges::find(kNullTexts, field) == std::end(kNullTexts) && seen.insert(field).second;
    });
}

bool hasColumnOtherThanText(std::string_view text, const CsvStyle &style, size_t maxRecords) {
    struct Column {
        bool isNumbers = true, isDates = true, isDurations = true;
        bool isText() const { return !isNumbers && !isDates && !isDurations; }
    };
    std::vector<Column> columns;
    CsvCursor cursor(text, style);
    size_t record = 0;
    for (cursor.skipEmptyLines(); record < maxRecords && !cursor.atEnd(); ++record, cursor.skipEmptyLines()) {
        for (size_t c = 0;; ++c, cursor.skipDelimiter()) {
            if (record == 0)
                columns.emplace_back();
            bool empty = cursor.atNull(FieldKind::Number);
            std::string_view field = cursor.raw();
            if (c < columns.size() && !empty) {
                columns[c].isNumbers = columns[c].isNumbers && kindOf(field) != FieldKind::Text;
                std::string_view text = withoutQuotes(withoutBlanks(field), style.quote);
                columns[c].isDates = columns[c].isDates && isDate(text);
                columns[c].isDurations = columns[c].isDurations && isDuration(text);
            }
            if (!cursor.atDelimiter())
                break;
        }
        if (std::ranges::all_of(columns, &Column::isText))
            return false;
        cursor.nextLine();
    }
    return record > 0;
}

} // namespace daphne::io
