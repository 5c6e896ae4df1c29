// SPDX-License-Identifier: Apache-2.0
/// The file X.meta that describes data file X: a JSON object with shape and
/// value types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "io/text/CsvStyle.h"

namespace daphne::io {

/// Where a format finds out by itself what its metadata leave out, they may say anything or nothing (missing()).
struct Metadata {
    size_t rows = 0, cols = 0;
    bool saysRows = true, saysCols = true;
    ValueType valueType = ValueType::Unknown; ///< of all cells; Unknown if there are only column types
    std::vector<std::string> labels;          ///< one per column, or empty: no schema
    std::vector<ValueType> types;             ///< as labels; Unknown if the metadata leave it out
    std::vector<bool> unlabelled;             ///< as labels: the metadata leave it out; or empty: none of them
    std::vector<bool> nullable;               ///< as labels, or empty: as allNullable says
    bool allNullable = false;                 ///< every column can be null
    std::optional<size_t> numNonZeros;
    CsvOptions csv; ///< from the key "csv"

    /// What is left out of shape, types and labels: "numRows is missing"; "" if nothing is.
    std::string missing() const;
    bool saysTypes() const;
    bool hasSchema() const { return !types.empty(); }
    bool isLabelled(size_t column) const { return hasSchema() && (unlabelled.empty() || !unlabelled[column]); }
    /// Whether frames have a null indicator for the column (data/NullIndicator.h).
    bool isNullable(size_t column) const { return nullable.empty() ? allNullable : nullable[column]; }
    bool hasNullable() const;
    /// Type of a matrix read with it: that of the first column, or the common one.
    ValueType matrixType() const { return hasSchema() ? types[0] : valueType; }
    /// Fraction of non-zeros, -1 if not known.
    double sparsity() const;
    /// Type and label of every column, defaults where there is no schema.
    std::vector<ValueType> columnTypes() const;
    std::vector<std::string> columnLabels() const;
};

/// "X.meta" for "X".
std::string metadataPath(const std::string &dataPath);
/// The metadata of a data file, complete or not; nothing if there is no metadata file. Throws Error (status 3) if it is
/// invalid.
std::optional<Metadata> readMetadata(const std::string &dataPath);
/// One line of JSON: keys in alphabetical order, no blanks.
std::string metadataText(const Metadata &meta);

} // namespace daphne::io
