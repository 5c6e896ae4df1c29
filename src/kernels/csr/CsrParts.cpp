// SPDX-License-Identifier: Apache-2.0
#include "kernels/csr/CsrParts.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

const std::byte *valueBytes(const Csr &m) { return m.values<std::byte>(); }

template <class From, class To> void shiftColumns(const From *from, To *to, size_t n, int64_t shift) {
    for (size_t i = 0; i < n; ++i)
        to[i] = static_cast<To>(static_cast<int64_t>(from[i]) + shift);
}

void fillWithOnes(std::byte *cells, ValueType type, size_t n) {
    withNumericType(type, [&]<class T>(TypeTag<T>) { std::fill_n(reinterpret_cast<T *>(cells), n, T(1)); });
}

/// Copies the stored cells at positions [begin, end) of a matrix with cells of the same type to position `at` of
/// another, `shift` added to their columns. A pattern gives ones.
void copyPiece(const Csr &from, uint64_t begin, uint64_t end, int64_t shift, Csr &to, uint64_t at) {
    size_t n = end - begin, cellBytes = cellSize(to.type());
    if (n == 0)
        return;
    withIndexType(from.hasWideIndex(), [&]<class From>(TypeTag<From>) {
        withIndexType(to.hasWideIndex(), [&]<class To>(TypeTag<To>) {
            const From *in = from.columns<From>() + begin;
            To *out = to.mutableColumns<To>() + at;
            if (std::is_same_v<From, To> && shift == 0)
                std::memcpy(out, in, n * sizeof(To));
            else
                shiftColumns(in, out, n, shift);
        });
    });
    if (to.isPattern())
        return;
    std::byte *values = to.mutableValues<std::byte>() + at * cellBytes;
    if (from.isPattern())
        fillWithOnes(values, to.type(), n);
    else
        std::memcpy(values, valueBytes(from) + begin * cellBytes, n * cellBytes);
}

void copyStored(const Csr &from, uint64_t begin, uint64_t end, int64_t shift, Csr &to, uint64_t at) {
    if (end - begin <= kCellsPerCancelTest) // rows, mostly
        return copyPiece(from, begin, end, shift, to, at);
    for (auto [first, last] : cancellablePieces(end - begin))
        copyPiece(from, begin + first, begin + last, shift, to, at + first);
}

} // namespace

CsrWriter::CsrWriter(ValueType type, size_t rows, size_t cols, size_t capacity, Csr::Values kind)
    : target(Csr::create(type, rows, cols, capacity, kind)), offsets(target->mutableOffsets()) {}

void CsrWriter::append(const Csr &from, uint64_t begin, uint64_t end, int64_t shift) {
    copyStored(from, begin, end, shift, *target, at);
    at += end - begin;
}

void CsrWriter::appendRows(const Csr &from) {
    const uint64_t *o = from.offsets();
    uint64_t first = at;
    append(from, o[0], o[from.rows()]);
    for (size_t r : cancellableRows(from))
        offsets[++row] = first + (o[r + 1] - o[0]);
}

uint64_t lowerBound(const Csr &m, size_t r, uint64_t c) {
    return withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *columns = m.columns<I>();
        auto found = std::lower_bound(columns + m.offsets()[r], columns + m.offsets()[r + 1], c,
                                      [](I a, uint64_t b) { return a < b; });
        return static_cast<uint64_t>(found - columns);
    });
}

Ref<Csr> converted(const Csr &m, ValueType to) {
    if (m.type() == to)
        return Ref<Csr>::share(const_cast<Csr *>(&m));
    if (m.isPattern())
        return Csr::withStructureOf(m, to, BufferRef());
    if (m.nonZeros() < m.capacity() / 2) { // a small window: do not copy the rest of the whole
        CsrWriter compact(m.type(), m.rows(), m.cols(), m.nonZeros(), Csr::Values::Stored);
        compact.appendRows(m);
        return converted(*compact.finish(), to);
    }
    uint64_t first = m.offsets()[0];
    BufferRef values;
    try {
        values = BufferRef(Buffer::create(to, m.capacity(), Buffer::Init::None));
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(to, m.rows(), m.cols());
    }
    ConvertFn convert = converter(m.type(), to);
    for (auto [begin, end] : cancellablePieces(m.nonZeros()))
        convert(valueBytes(m) + (first + begin) * cellSize(m.type()),
                values.as<std::byte>() + (first + begin) * cellSize(to), end - begin);
    // Fractions and multiples of 2^32 may have become zero.
    return withoutZeros(Csr::withStructureOf(m, to, std::move(values)));
}

namespace {

/// Counting sort of the stored cells by column. Rows are visited in order, so they ascend in each column. Parts of the
/// rows count and move by themselves, the cells of a part going behind those of the parts before.
template <class In, class Out, class Move> void scatter(RunContext &context, const Csr &m, Csr &result, Move move) {
    const uint64_t *o = m.offsets();
    const In *columns = m.columns<In>();
    size_t rows = m.rows(), cols = m.cols(), nonZeros = m.nonZeros();
    if (cols == 0)
        return;
    // Tables of counts must be worth their memory.
    uint32_t parts = numParts(context, rows, 8.0 * static_cast<double>(nonZeros), 1 + nonZeros / cols);
    auto firstRow = [&](uint32_t part) { // parts of about equally many cells
        return static_cast<size_t>(std::lower_bound(o, o + rows, o[0] + beginOfPart(nonZeros, parts, part)) - o);
    };
    // A table has the number of cells in each column, then where the next of them goes. That of the last part is in
    // the offsets: where the cells of a column end is where the next one begins.
    std::vector<uint64_t> others((parts - 1) * cols);
    auto table = [&](uint32_t part) {
        return part + 1 == parts ? result.mutableOffsets() + 1 : others.data() + part * cols;
    };
    forParts(context, "transpose", parts, [&](uint32_t part) {
        uint64_t *count = table(part);
        uint64_t first = o[firstRow(part)];
        for (size_t k : cancellable(o[firstRow(part + 1)] - first))
            ++count[columns[first + k]];
    });
    uint64_t sum = 0;
    for (size_t c = 0; c < cols; ++c)
        for (uint32_t part = 0; part < parts; ++part)
            sum += std::exchange(table(part)[c], sum);
    forParts(context, "transpose", parts, [&](uint32_t part) {
        uint64_t *next = table(part);
        Out *out = result.mutableColumns<Out>();
        CancelCountdown look;
        for (size_t r = firstRow(part), end = firstRow(part + 1); r < end; ++r) {
            look.after(o[r + 1] - o[r] + 1);
            for (uint64_t k = o[r]; k < o[r + 1]; ++k) {
                uint64_t to = next[columns[k]]++;
                out[to] = static_cast<Out>(r);
                move(k, to);
            }
        }
    });
}

} // namespace

Ref<Csr> transposed(RunContext &context, const Csr &m) {
    auto result = Csr::create(m.type(), m.cols(), m.rows(), m.nonZeros(), valuesOf(m));
    withIndexType(m.hasWideIndex(), [&]<class In>(TypeTag<In>) {
        withIndexType(result->hasWideIndex(), [&]<class Out>(TypeTag<Out>) {
            if (m.isPattern())
                return scatter<In, Out>(context, m, *result, [](uint64_t, uint64_t) {});
            withCellSize(cellSize(m.type()), [&]<class Cell>(TypeTag<Cell>) {
                const Cell *from = m.values<Cell>();
                Cell *to = result->mutableValues<Cell>();
                scatter<In, Out>(context, m, *result, [from, to](uint64_t k, uint64_t at) { to[at] = from[k]; });
            });
        });
    });
    return result;
}

Ref<Csr> columnWindow(const Csr &m, size_t lo, size_t hi) {
    size_t rows = m.rows();
    std::vector<uint64_t> bounds(2 * rows);
    size_t total = 0;
    for (size_t r : cancellable(rows)) {
        bounds[2 * r] = lo == 0 ? m.offsets()[r] : lowerBound(m, r, lo);
        bounds[2 * r + 1] = hi == m.cols() ? m.offsets()[r + 1] : lowerBound(m, r, hi);
        total += bounds[2 * r + 1] - bounds[2 * r];
    }
    CsrWriter writer(m.type(), rows, hi - lo, total, valuesOf(m));
    for (size_t r : cancellable(rows, total / (rows + 1) + 1)) {
        writer.append(m, bounds[2 * r], bounds[2 * r + 1], -static_cast<int64_t>(lo));
        writer.endRow();
    }
    return writer.finish();
}

Ref<Dense> denseColumn(const Csr &m, size_t c) { return toDense(*columnWindow(m, c, c + 1)); }

Ref<Csr> pickRows(const Csr &m, std::span<const size_t> positions) {
    bool adjacent = true;
    size_t total = 0;
    for (size_t k = 0; k < positions.size(); ++k) {
        adjacent &= positions[k] == positions[0] + k;
        total += m.nonZeros(positions[k]);
    }
    if (adjacent && !positions.empty())
        return Csr::rowWindow(m, positions.front(), positions.back() + 1);
    CsrWriter writer(m.type(), positions.size(), m.cols(), total, valuesOf(m));
    for (size_t k : cancellable(positions.size(), total / (positions.size() + 1) + 1)) {
        size_t r = positions[k];
        writer.append(m, m.offsets()[r], m.offsets()[r + 1]);
        writer.endRow();
    }
    return writer.finish();
}

namespace {

/// Columns at ascending positions: each stored cell moves to the rank of its column, if that is picked.
Ref<Csr> pickAscendingCols(const Csr &m, std::span<const size_t> positions) {
    constexpr uint64_t kDropped = std::numeric_limits<uint64_t>::max();
    std::vector<uint64_t> rank(m.cols(), kDropped);
    for (size_t k = 0; k < positions.size(); ++k)
        rank[positions[k]] = k;
    const uint64_t *o = m.offsets();
    return withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *columns = m.columns<I>();
        size_t total = 0;
        for (size_t k : cancellable(m.nonZeros()))
            total += rank[columns[o[0] + k]] != kDropped;
        CsrWriter writer(m.type(), m.rows(), positions.size(), total, valuesOf(m));
        for (size_t r : cancellableRows(m)) {
            // Runs of cells that move equally far are copied at once.
            for (uint64_t k = o[r]; k < o[r + 1];) {
                uint64_t shift = rank[columns[k]] - columns[k];
                if (rank[columns[k]] == kDropped) {
                    ++k;
                    continue;
                }
                uint64_t end = k + 1;
                while (end < o[r + 1] && rank[columns[end]] != kDropped && rank[columns[end]] - columns[end] == shift)
                    ++end;
                writer.append(m, k, end, static_cast<int64_t>(shift));
                k = end;
            }
            writer.endRow();
        }
        return writer.finish();
    });
}

} // namespace

Ref<Csr> pickCols(RunContext &context, const Csr &m, std::span<const size_t> positions) {
    bool adjacent = !positions.empty(), ascending = true;
    for (size_t k = 1; k < positions.size(); ++k) {
        adjacent &= positions[k] == positions[0] + k;
        ascending &= positions[k] > positions[k - 1];
    }
    if (adjacent)
        return columnWindow(m, positions.front(), positions.back() + 1);
    if (ascending)
        return pickAscendingCols(m, positions);
    return transposed(context, *pickRows(*transposed(context, m), positions));
}

namespace {

Csr::Values valuesOf(std::span<const Csr *const> parts) {
    bool allOnes = true;
    for (const Csr *part : parts)
        allOnes &= part->isPattern() || part->nonZeros() == 0;
    return allOnes ? Csr::Values::AllOnes : Csr::Values::Stored;
}

} // namespace

Ref<Csr> joinRows(RunContext &context, std::span<const Csr *const> parts, size_t room) {
    const Csr &first = *parts[0];
    std::vector<size_t> rowsBefore{0}, cellsBefore{0};
    for (const Csr *part : parts) {
        rowsBefore.push_back(rowsBefore.back() + part->rows());
        cellsBefore.push_back(cellsBefore.back() + part->nonZeros());
    }
    auto result =
        Csr::create(first.type(), rowsBefore.back(), first.cols(), std::max(cellsBefore.back(), room), valuesOf(parts));
    double serialNs = static_cast<double>(cellsBefore.back() + rowsBefore.back());
    forRowBlocks(context, "joinRows", parts.size(), 1, serialNs, [&](size_t k, size_t) {
        const Csr &part = *parts[k];
        const uint64_t *o = part.offsets();
        uint64_t *ends = result->mutableOffsets() + rowsBefore[k] + 1;
        for (size_t r = 0; r < part.rows(); ++r)
            ends[r] = cellsBefore[k] + (o[r + 1] - o[0]);
        copyStored(part, o[0], o[part.rows()], 0, *result, cellsBefore[k]);
    });
    return result;
}

Ref<Csr> joinCols(std::initializer_list<const Csr *> parts) {
    const Csr &first = **parts.begin();
    size_t cols = 0, total = 0;
    for (const Csr *part : parts) {
        cols += part->cols();
        total += part->nonZeros();
    }
    CsrWriter writer(first.type(), first.rows(), cols, total, valuesOf({parts.begin(), parts.size()}));
    for (size_t r : cancellable(first.rows(), total / (first.rows() + 1) + 1)) {
        size_t shift = 0;
        for (const Csr *part : parts) {
            writer.append(*part, part->offsets()[r], part->offsets()[r + 1], static_cast<int64_t>(shift));
            shift += part->cols();
        }
        writer.endRow();
    }
    return writer.finish();
}

} // namespace daphne
