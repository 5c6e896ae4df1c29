// SPDX-License-Identifier: Apache-2.0
/// Options of CSV files as JSON: {"delimiter": ";", "header": true, "quote": "'",
/// "nulls": ["NA"], "lenient": true, "digits": 6}; all of them may be left out.
/// So they stand in metadata files.
#pragma once

#include <string>

#include "io/text/CsvStyle.h"
#include "io/text/JsonFields.h"

namespace daphne::io {

/// Throws Error (status 3) if a value is wrong; `fields` knows what the document is.
CsvOptions csvOptionsFrom(const nlohmann::json &object, const JsonFields &fields);
/// Only what is said; an empty object if that is nothing.
nlohmann::json csvOptionsObject(const CsvOptions &options);

} // namespace daphne::io
