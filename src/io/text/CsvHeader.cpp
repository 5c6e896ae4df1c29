// SPDX-License-Identifier: Apache-2.0
#include "io/text/CsvHeader.h"

#include <algorithm>
#include <set>

namespace daphne::io {

namespace {

/// "2024-02-29", and also with a time of day behind it.
bool isDate(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00";
    if (text.size() < kForm.size())
        return false;
    for (size_t i = 0; i < kForm.size(); ++i)
        if (kForm[i] == '0' ? !isDigit(text[i]) : text[i] != kForm[i])
            return false;
    auto number = [&](size_t i) { return (text[i] - '0') * 10 + (text[i + 1] - '0'); };
    if (number(5) < 1 || number(5) > 12 || number(8) < 1 || number(8) > 31)
        return false;
    std::string_view time = text.substr(kForm.size());
    if (time.empty())
        return true;
    bool isTime = time.size() > 5 && (time[0] == 'T' || time[0] == ' ') && isDigit(time[1]) && isDigit(time[2]) &&
                  time[3] == ':' && isDigit(time[4]) && isDigit(time[5]);
    return isTime && time.find_first_not_of("0123456789:.+-Z", 6) == time.npos;
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
        bool isNumbers = true, isDates = true;
        bool isText() const { return !isNumbers && !isDates; }
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
                columns[c].isDates = columns[c].isDates && isDate(withoutBlanks(field));
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
