// SPDX-License-Identifier: Apache-2.0
/// Comma-separated values: no header line, one line per row, strings quoted
/// where they contain separators, quotes or line breaks. Errors (status 3) name
/// file and line.
#pragma once

#include <optional>
#include <string>

#include "data/Value.h"
#include "io/File.h"
#include "io/Metadata.h"

namespace daphne::io {

/// Reads with the shape and types of the metadata; inferred from the text if there is none.
Value readCsvMatrix(const std::string &path, const std::optional<Metadata> &meta);
Value readCsvFrame(const std::string &path, const std::optional<Metadata> &meta);

/// Shape and column types of a text without metadata: rows are its non-empty lines, a column is si64 if all fields are
/// integers, else f64 if all are numbers or empty, else str.
Metadata inferCsv(std::string_view text, const std::string &path);

void writeCsvMatrix(const Dense &m, FileReplacement &file);
void writeCsvFrame(const Frame &f, FileReplacement &file);

} // namespace daphne::io
