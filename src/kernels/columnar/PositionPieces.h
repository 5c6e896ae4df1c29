// SPDX-License-Identifier: Apache-2.0
/// Position lists that are made piece by piece: the rows of a column are cut
/// into pieces of fixed size, each of which finds its positions by itself; the
/// list has them in the order of the pieces. So it does not depend on who made
/// which piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/RowBlocks.h"

namespace daphne::columnar {

constexpr size_t kPieceRows = size_t(1) << 16;

class PositionPieces {
  public:
    class Piece {
      public:
        /// Adds first + i for every i below n that fits, without a branch per row.
        template <class F> void addWhere(size_t first, size_t n, F &&fits) {
            size_t count = positions.size();
            positions.resize(count + n);
            uint64_t *out = positions.data();
            for (size_t i = 0; i < n; ++i) {
                out[count] = first + i;
                count += fits(i);
            }
            positions.resize(count);
        }

      private:
        friend class PositionPieces;
        std::vector<uint64_t> positions;
    };

    explicit PositionPieces(size_t numRows) : pieces((numRows + kPieceRows - 1) / kPieceRows) {}
    /// The piece that begins at row `begin`, a multiple of kPieceRows.
    Piece &at(size_t begin) { return pieces[begin / kPieceRows]; }

    /// All positions, n x 1 of type size.
    Ref<Dense> list(RunContext &context) const {
        std::vector<size_t> begins(pieces.size() + 1, 0);
        for (size_t p = 0; p < pieces.size(); ++p)
            begins[p + 1] = begins[p] + pieces[p].positions.size();
        auto result = Dense::create(ValueType::Size, begins.back(), 1);
        uint64_t *out = result->mutableView<uint64_t>().data;
        forRowBlocks(context, "positions", pieces.size(), 1, 0.5 * static_cast<double>(begins.back()),
                     [&](uint64_t p, uint64_t) {
                         std::copy(pieces[p].positions.begin(), pieces[p].positions.end(), out + begins[p]);
                     });
        return result;
    }

  private:
    std::vector<Piece> pieces;
};

} // namespace daphne::columnar
