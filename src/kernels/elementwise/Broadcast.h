// SPDX-License-Identifier: Apache-2.0
/// Broadcasting (language 4.2): the shape of a result, and operands of any
/// value type and shape delivered as adjacent cells of the computation type,
/// chunk by chunk, without a copy where they already are that.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/Cancellable.h"
#include "data/Value.h"
#include "kernels/csr/StoredValues.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

struct MatrixShape {
    size_t rows = 1, cols = 1;
    size_t cells() const { return rows * cols; }
    bool operator==(const MatrixShape &) const = default;
};

/// Of a scalar (1x1) or matrix.
MatrixShape shapeOf(const Value &v);
/// Throws Error (status 3) naming both shapes if neither can be spread over the other.
MatrixShape broadcastShape(std::string_view operation, MatrixShape a, MatrixShape b);

/// Cells a loop treats at once: numRows whole rows of the result, or (numRows == 1) a part of one row.
struct Chunk {
    size_t row, numRows, col, numCells;
};

constexpr size_t kChunkCells = 1024;
/// Matrices with fewer columns are treated several rows at a time.
constexpr size_t kNarrowCols = 64;

/// One operand of an elementwise operation, a matrix in either representation. The Value must outlive it.
class Operand {
  public:
    /// `result` may also be a flat view of the result (1 x cells) if the operand isFlat().
    Operand(const Value &v, ValueType compute, MatrixShape result);

    /// Its cells are one adjacent run in the order of the result's cells, or a single one.
    static bool isFlat(const Value &v, MatrixShape result);
    /// Delivering a chunk copies cells; chunks must not exceed kChunkCells.
    bool needsStaging() const { return staged; }

    struct Cells {
        const void *data;
        bool single; ///< one cell for the whole chunk
    };
    Cells at(const Chunk &chunk);

  private:
    enum class Form { Single, Row, Column, Full, Sparse };
    void prepareCsr(const Csr &m, ValueType compute);
    Cells scatterRows(const Chunk &chunk);
    void prepareRow(const Dense &m, size_t repetitions);
    Cells expandColumn(const Chunk &chunk);
    Cells stageRows(const Chunk &chunk);

    Form form = Form::Single;
    ConvertFn convert = nullptr;
    const std::byte *data = nullptr; ///< the matrix, or the prepared row
    size_t rowBytes = 0, cellBytes = 0, computeBytes = 0, resultCols = 0;
    bool converts = false, adjacentRows = false, staged = false;
    alignas(8) std::byte singleCell[8] = {};
    std::vector<std::byte> preparedRow;
    std::vector<std::byte> stage; ///< room for kChunkCells
    const Csr *sparse = nullptr;
    Ref<Dense> vector; ///< a Csr that is spread over the result, as Dense
    std::optional<StoredValues> sparseValues;
};

/// Calls f(chunk) for all cells of the result in order. `staging`: keep chunks within kChunkCells.
template <class F> void forEachChunk(MatrixShape result, bool staging, F &&f) {
    CancelCountdown look;
    if (result.cols < kNarrowCols && result.rows > 1) {
        size_t step = kChunkCells / (result.cols ? result.cols : 1);
        for (size_t r = 0; r < result.rows; r += step) {
            size_t n = result.rows - r < step ? result.rows - r : step;
            f(Chunk{r, n, 0, n * result.cols});
            look.after(n * result.cols);
        }
        return;
    }
    size_t step = staging ? kChunkCells : kCellsPerCancelTest;
    for (size_t r = 0; r < result.rows; ++r)
        for (size_t c = 0; c < result.cols; c += step) {
            size_t n = result.cols - c < step ? result.cols - c : step;
            f(Chunk{r, 1, c, n});
            look.after(n);
        }
}

} // namespace daphne
