// SPDX-License-Identifier: Apache-2.0
/// A file that libdaphne_arrow reads for us: Parquet, Arrow, Feather. The library is
/// loaded when the first one is met. Opening reads the description only, and columns
/// that are not wanted are never read. All errors name the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/FormatTable.h"
#include "io/arrow/ArrowTable.h"
#include "io/arrow/Interface.h"

namespace daphne::io {

/// The functions of libdaphne_arrow. Throws Error (status 3) if it cannot be loaded.
struct ArrowLibrary {
    DaphneArrowOpen *open;
    DaphneArrowWrite *write;
    static const ArrowLibrary &get();
};

/// What the library calls the format of a file.
std::string_view arrowFormatOf(std::string_view path);

class ArrowFile {
  public:
    explicit ArrowFile(const ReadJob &job);

    size_t cols() const { return static_cast<size_t>(file.schema.n_children); }
    int64_t rows() const { return file.rows; } ///< -1: only reading tells
    std::string label(size_t column) const;
    /// The type that reading will find; Unknown where that depends on nulls that nobody has counted, and for types
    /// that cannot be read.
    ValueType typeOf(size_t column, bool keepsNulls) const;
    /// Some columns, which are ascending. keepsNulls: columns of integers keep their type although cells are null.
    ArrowTable read(const std::vector<size_t> &columns, const std::function<bool(size_t column)> &keepsNulls);

  private:
    const ReadJob &job;
    OwnedByUs<DaphneArrowFile> file;
};

} // namespace daphne::io
