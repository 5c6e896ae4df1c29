// SPDX-License-Identifier: Apache-2.0
/// Variants of CSV files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace daphne::io {

/// What somebody says of a CSV file: a call, or the key "csv" of its metadata. All of it may be left out.
struct CsvOptions {
    std::optional<char> delimiter;
    std::optional<char> quote;                     ///< 0: no field is quoted
    std::optional<bool> header;                    ///< whether the first line holds the labels
    std::optional<std::vector<std::string>> nulls; ///< fields that mean "no value": NaN, 0 for integers, "" for strings
    std::optional<bool> lenient;                   ///< read what is wrong as well as possible
    std::optional<int> digits;                     ///< of floats that are written; 0: as many as are needed

    bool operator==(const CsvOptions &) const = default;
    bool saysNothing() const { return *this == CsvOptions(); }
    /// What says no more than saying nothing would, to whoever writes.
    void forgetDefaults() {
        auto forget = [](auto &option, const auto &usual) {
            if (option == usual)
                option.reset();
        };
        forget(delimiter, ',');
        forget(quote, '"');
        forget(header, false);
        forget(nulls, std::vector<std::string>{""});
        forget(digits, 0);
    }
    /// These, and where they say nothing the others.
    CsvOptions orElse(const CsvOptions &others) const {
        CsvOptions all = *this;
        auto complete = [](auto &mine, const auto &other) {
            if (!mine)
                mine = other;
        };
        complete(all.delimiter, others.delimiter);
        complete(all.quote, others.quote);
        complete(all.header, others.header);
        complete(all.nulls, others.nulls);
        complete(all.lenient, others.lenient);
        complete(all.digits, others.digits);
        return all;
    }
};

/// What follows from it for the fields.
struct CsvStyle {
    CsvStyle() = default;
    explicit CsvStyle(const CsvOptions &o)
        : delimiter(o.delimiter.value_or(',')), quote(o.quote.value_or('"')), lenient(o.lenient.value_or(false)),
          digits(o.digits.value_or(0)), nulls(o.nulls.value_or(std::vector<std::string>())) {}
    char delimiter = ',';
    char quote = '"'; ///< 0: no field is quoted
    bool lenient = false;
    int digits = 0;
    std::vector<std::string> nulls;
};

} // namespace daphne::io
