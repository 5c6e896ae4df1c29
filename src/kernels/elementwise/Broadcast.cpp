// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/Broadcast.h"

#include <algorithm>
#include <cstring>

#include "base/Error.h"
#include "kernels/RawCells.h"

namespace daphne {

MatrixShape shapeOf(const Value &v) {
    return v.isMatrix() ? MatrixShape{v.matrix().rows(), v.matrix().cols()} : MatrixShape{1, 1};
}

namespace {

bool spreadsOver(MatrixShape full, MatrixShape other) {
    return (other.rows == full.rows || other.rows == 1) && (other.cols == full.cols || other.cols == 1);
}

std::string text(MatrixShape s) { return std::to_string(s.rows) + "x" + std::to_string(s.cols); }

/// Repeats each of n cells `times` times; Bits is an unsigned type of the size of a cell.
template <class Bits> void repeatEach(const std::byte *cells, size_t n, size_t times, std::byte *to) {
    const Bits *in = reinterpret_cast<const Bits *>(cells);
    Bits *out = reinterpret_cast<Bits *>(to);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < times; ++k)
            *out++ = in[i];
}

void repeatEach(const std::byte *cells, size_t n, size_t times, std::byte *to, size_t cellBytes) {
    switch (cellBytes) {
    case 1: return repeatEach<uint8_t>(cells, n, times, to);
    case 4: return repeatEach<uint32_t>(cells, n, times, to);
    default: return repeatEach<uint64_t>(cells, n, times, to);
    }
}

} // namespace

MatrixShape broadcastShape(std::string_view operation, MatrixShape a, MatrixShape b) {
    if (spreadsOver(a, b))
        return a;
    if (spreadsOver(b, a))
        return b;
    throw executionError("'" + std::string(operation) + "' needs equal shapes or a vector to broadcast, got " +
                         text(a) + " and " + text(b));
}

bool Operand::isFlat(const Value &v, MatrixShape result) {
    MatrixShape s = shapeOf(v);
    return s.cells() == 1 || (s == result && !v.isCsr() && v.dense().contiguous());
}

Operand::Operand(const Value &v, ValueType compute, MatrixShape result) {
    resultCols = result.cols;
    computeBytes = cellSize(compute);
    if (v.isScalar()) {
        storeScalar(v, compute, singleCell);
        return;
    }
    if (v.isCsr() && shapeOf(v) == result && result.cells() > 1) {
        prepareCsr(v.csr(), compute);
        return;
    }
    if (v.isCsr())
        vector = toDense(v.csr());
    const Dense &m = vector ? *vector : v.dense();
    auto raw = rawCells(m);
    convert = converter(m.type(), compute);
    if (m.cells() == 1) {
        convert(raw.data, singleCell, 1);
        return;
    }
    data = raw.data;
    rowBytes = raw.rowBytes;
    cellBytes = raw.cellBytes;
    converts = !sameCells(m.type(), compute);
    bool severalRows = result.cols < kNarrowCols && result.rows > 1;
    if (m.cells() == result.cells()) {
        form = Form::Full;
        adjacentRows = m.contiguous();
        staged = converts || (severalRows && !adjacentRows);
    } else if (m.cols() == 1) {
        form = Form::Column;
        staged = severalRows;
    } else {
        form = Form::Row;
        size_t rowsPerChunk = severalRows ? std::min(kChunkCells / result.cols, result.rows) : 1;
        if (converts || severalRows)
            prepareRow(m, rowsPerChunk);
    }
    if (staged)
        stage.resize(kChunkCells * computeBytes);
}

void Operand::prepareCsr(const Csr &m, ValueType compute) {
    form = Form::Sparse;
    staged = true;
    sparse = &m;
    sparseValues.emplace(m, compute);
    stage.resize(kChunkCells * computeBytes);
}

/// Zeros with the stored cells of the chunk's rows put into their places.
Operand::Cells Operand::scatterRows(const Chunk &chunk) {
    std::memset(stage.data(), 0, chunk.numCells * computeBytes);
    size_t colEnd = chunk.numRows == 1 ? chunk.col + chunk.numCells : resultCols;
    withIndexType(sparse->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *columns = sparse->columns<I>();
        for (size_t r = 0; r < chunk.numRows; ++r) {
            const uint64_t *offset = sparse->offsets() + chunk.row + r;
            uint64_t begin = offset[0], end = offset[1];
            if (chunk.col > 0)
                begin = static_cast<uint64_t>(std::lower_bound(columns + begin, columns + end, chunk.col) - columns);
            if (colEnd < resultCols)
                end = static_cast<uint64_t>(std::lower_bound(columns + begin, columns + end, colEnd) - columns);
            if (begin == end)
                continue;
            const std::byte *values = sparseValues->at(begin, end - begin);
            std::byte *row = stage.data() + r * resultCols * computeBytes;
            withCellSize(computeBytes, [&]<class Bits>(TypeTag<Bits>) {
                for (uint64_t k = begin; k < end; ++k)
                    reinterpret_cast<Bits *>(row)[columns[k] - chunk.col] =
                        reinterpret_cast<const Bits *>(values)[k - begin];
            });
        }
    });
    return {stage.data(), false};
}

void Operand::prepareRow(const Dense &m, size_t repetitions) {
    size_t bytes = m.cols() * computeBytes;
    preparedRow.resize(bytes * repetitions);
    convert(data, preparedRow.data(), m.cols());
    for (size_t i = 1; i < repetitions; ++i)
        std::memcpy(preparedRow.data() + i * bytes, preparedRow.data(), bytes);
    data = preparedRow.data();
}

Operand::Cells Operand::at(const Chunk &chunk) {
    switch (form) {
    case Form::Single: return {singleCell, true};
    case Form::Row: return {data + chunk.col * computeBytes, false};
    case Form::Column: return expandColumn(chunk);
    case Form::Sparse: return scatterRows(chunk);
    case Form::Full: break;
    }
    if (!staged)
        return {data + chunk.row * rowBytes + chunk.col * cellBytes, false};
    return stageRows(chunk);
}

Operand::Cells Operand::expandColumn(const Chunk &chunk) {
    if (chunk.numRows == 1 && !staged) {
        convert(data + chunk.row * rowBytes, singleCell, 1);
        return {singleCell, true};
    }
    const std::byte *from = data + chunk.row * rowBytes;
    alignas(8) std::byte column[kChunkCells * 8];
    if (rowBytes == cellBytes)
        convert(from, column, chunk.numRows);
    else
        for (size_t r = 0; r < chunk.numRows; ++r)
            convert(from + r * rowBytes, column + r * computeBytes, 1);
    repeatEach(column, chunk.numRows, resultCols, stage.data(), computeBytes);
    return {stage.data(), false};
}

Operand::Cells Operand::stageRows(const Chunk &chunk) {
    const std::byte *from = data + chunk.row * rowBytes + chunk.col * cellBytes;
    if (chunk.numRows == 1 || adjacentRows) {
        convert(from, stage.data(), chunk.numCells);
    } else {
        for (size_t r = 0; r < chunk.numRows; ++r)
            convert(from + r * rowBytes, stage.data() + r * resultCols * computeBytes, resultCols);
    }
    return {stage.data(), false};
}

} // namespace daphne
