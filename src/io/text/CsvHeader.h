// SPDX-License-Identifier: Apache-2.0
/// Whether the first record of a CSV text holds labels, where nobody says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text/CsvCursor.h"

namespace daphne::io {

/// The fields of the record at the cursor, which moves behind it. Throws TextError.
std::vector<std::string> readRecord(CsvCursor &cursor);

/// None of them is empty, a number, a date or a usual text for nulls, and all are different.
bool looksLikeLabels(const std::vector<std::string> &fields);

/// Whether there are records in a text without header, and some column of the first `maxRecords` is not text: all its
/// fields are numbers or empty, or all are dates or timestamps or empty, or all are durations or empty.
bool hasColumnOtherThanText(std::string_view text, const CsvStyle &style, size_t maxRecords);

} // namespace daphne::io
