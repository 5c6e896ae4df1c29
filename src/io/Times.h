// SPDX-License-Identifier: Apache-2.0
/// Dates, timestamps and durations in files. Some formats know them
/// (Format::hasTimes). The others know texts and numbers only: what the metadata
/// call a time is read as text and made a time here, and written as text. nat is the
/// empty text.
#pragma once

#include "data/Value.h"
#include "io/Metadata.h"

namespace daphne::io {

/// The columns that metadata call times, for a format that does not know them.
class TimeColumns {
  public:
    /// Notes which columns are times and makes the metadata say that they are strings.
    explicit TimeColumns(std::optional<Metadata> &meta);
    /// What was read, with times. Throws Error (status 3) with row and column for a text that is none.
    Value restored(Value value) const;

  private:
    ValueType matrixType = ValueType::Unknown;
    std::vector<std::pair<std::string, ValueType>> columns; ///< by label
};

/// The value as such formats can write it: times are texts.
Value withTimesAsText(const Value &value);

/// Texts that are all dates, all dates or timestamps, or all durations, or empty, as such; null if there is another one
/// among them, or nothing but empty ones.
Ref<Dense> timesOfTexts(const Dense &texts);

/// Throws Error (status 3) if a cell lies outside of the years 1 to 9999: files hold any numbers.
void needInCalendar(const Dense &times);
void needInCalendar(const Value &value);

/// Of one column: 1 where the cell is not nat and `there` (if it is given) is not 0; null if that is so everywhere.
Ref<Dense> thereOfTimes(const Dense &times, size_t column, const Ref<Dense> &there = {});

} // namespace daphne::io
