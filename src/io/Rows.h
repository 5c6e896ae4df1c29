// SPDX-License-Identifier: Apache-2.0
/// Matrices in files whose rows can be read independently of each other: dense,
/// and where rows are is found without understanding those before them. So
/// several machines can share the work of reading a file. Errors as in Format.h.
#pragma once

#include "io/FormatTable.h"

namespace daphne::io {

/// What a format has to know for it; each is defined beside its format.
struct RowFormat {
    std::string_view extension;
    /// Nothing: the rows of this file cannot be read one by one.
    std::optional<Metadata> (*describe)(ReadJob &);
    Ref<Dense> (*read)(ReadJob &, size_t first, size_t count);
};
RowFormat rowsOfCsv();
RowFormat rowsOfDbdf();

/// Nothing for all other files, and if reading will fail anyhow.
std::optional<FileInfo> inspectRows(const std::string &path);
/// Some rows of a matrix that inspectRows() describes.
Ref<Dense> readRows(const std::string &path, size_t first, size_t count, sched::Pool *pool);

} // namespace daphne::io
