// SPDX-License-Identifier: Apache-2.0
/// Lists of coordinates as text, one "row column [value]" per line, turned into
/// matrices in parallel.
///
/// A list in row order goes straight to its place in the Csr: line numbers are
/// positions. In any other order the entries of each piece of text are sorted by
/// groups of rows, then the rows of each group are put together: two stable
/// counting sorts that stay in the caches, on all workers.
/// The last of several entries at one place counts.
#pragma once

#include <string_view>

#include "data/Value.h"
#include "sched/Pool.h"

namespace daphne::io {

enum class Symmetry : uint8_t { General, Symmetric, Skew };

struct CoordinateList {
    std::string_view text; ///< nothing but entries, empty lines and comments ("%")
    size_t rows = 0, cols = 0, numEntries = 0;
    bool hasValues = true;      ///< else all are 1
    bool wrapsUnsigned = false; ///< integers from 2^63 to 2^64 - 1 are stored as negative numbers
    Symmetry symmetry = Symmetry::General;
    char separator = ' ';   ///< a blank stands for any number of blanks
    size_t firstNumber = 1; ///< of rows and columns
    size_t firstRow = 0;    ///< of a larger matrix, counted from 0, that this list has some rows of
};

/// Cells are of type T, double or int64_t. Throws TextError.
template <class T> Ref<Csr> readCsr(const CoordinateList &list, sched::Pool *pool);
template <class T> Ref<Dense> readDense(const CoordinateList &list, sched::Pool *pool);

} // namespace daphne::io
