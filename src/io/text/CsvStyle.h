// SPDX-License-Identifier: Apache-2.0
/// Variants of CSV files.
#pragma once

#include <string>
#include <vector>

namespace daphne::io {

struct CsvStyle {
    char delimiter = ',';
    char quote = '"';               ///< 0: no field is quoted
    bool header = false;            ///< the first line holds the labels
    bool exactFloats = false;       ///< write the shortest text that reads back as the same number, not six decimals
    std::vector<std::string> nulls; ///< fields that mean "no value": NaN, 0 for integers, "" for strings
};

} // namespace daphne::io
