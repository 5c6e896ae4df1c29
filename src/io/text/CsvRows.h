// SPDX-License-Identifier: Apache-2.0
/// The rows of a CSV text, in pieces that can be read independently.
///
/// Line ends inside quoted fields do not end a row. Where a piece starts, inside
/// or outside of quotes, follows from the number of quotes before it, as long as
/// quotes stand only around fields. That is a guess: a reader that finds a piece
/// other than promised asks for exact pieces, which one thread finds field by
/// field.
#pragma once

#include <string_view>
#include <vector>

#include "io/text/CsvCursor.h"
#include "sched/Pool.h"

namespace daphne::io {

enum class EmptyLines { AreRows, Skip };

struct RowPiece {
    std::string_view text;
    size_t firstRow = 0, numRows = 0;
    bool plain = false; ///< nothing but ASCII
};

struct CsvRows {
    std::vector<RowPiece> pieces;
    size_t numRows = 0;
    bool guessed = false; ///< there are quotes
};

CsvRows cutRows(std::string_view text, const CsvStyle &style, EmptyLines emptyLines, sched::Pool *pool);
CsvRows cutRowsExactly(std::string_view text, const CsvStyle &style, EmptyLines emptyLines);

} // namespace daphne::io
