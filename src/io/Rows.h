// SPDX-License-Identifier: Apache-2.0
/// Some rows of matrices in files, so that several machines can share the work of
/// reading. Errors as in Format.h.
///
/// There are two kinds of files. Of some, dense ones, rows can be read one by one:
/// where they are is found without understanding those before them. Others, sparse
/// matrices and MatrixMarket files, have to be understood as a whole to be sure what
/// is in a row. Whoever has done so knows how many cells are stored where; with
/// these numbers others can be sure of some rows, if rows are in order.
///
/// Compressed files are neither: they would have to be read from their begin.
#pragma once

#include "io/FormatTable.h"

namespace daphne::io {

/// Rows one by one. Nothing for all other files, and if reading will fail anyhow.
std::optional<FileInfo> inspectRows(const std::string &path);
/// Some rows of a matrix that inspectRows() describes.
Ref<Dense> readRows(const std::string &path, size_t first, size_t count, sched::Pool *pool);

/// What the header of a matrix promises that has to be understood as a whole.
struct WholeInfo {
    size_t rows, cols;
    ValueType type;     ///< of the matrix
    uint64_t mostCells; ///< that may have to be stored, mirror images included
};

/// Nothing for all other files, and if reading will fail anyhow.
std::optional<WholeInfo> inspectWhole(const std::string &path);
/// The matrix in the representation of this name, as readMatrix() gives it.
enum class Form : uint8_t { Dense, Csr };
Value readWhole(const std::string &path, Form form, sched::Pool *pool);

/// Rows of a matrix that somebody has read: as a Csr it has so many stored cells, and these rows have so many of them.
struct SparseRows {
    size_t first, count;
    uint64_t stored, storedInAll;
};
/// The rows of readWhole(..., Form::Csr), to the last bit. Null if that cannot be said without reading everything.
Ref<Csr> readSparseRows(const std::string &path, const SparseRows &wanted, sched::Pool *pool);

} // namespace daphne::io
