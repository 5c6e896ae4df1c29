// SPDX-License-Identifier: Apache-2.0
/// Dates, timestamps and durations in files. Formats know texts and numbers only: what
/// the metadata call a time is read as text and made a time here, and written as text.
/// nat is the empty text.
#pragma once

#include "data/Value.h"
#include "io/Metadata.h"

namespace daphne::io {

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

/// The value as formats can write it: times are texts.
Value withTimesAsText(const Value &value);

} // namespace daphne::io
