// SPDX-License-Identifier: Apache-2.0
#include "io/text/Coordinates.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "base/Cancellable.h"
#include "base/Progress.h"
#include "io/text/CoordinateLines.h"

namespace daphne::io {

namespace {

/// Pieces of the list, and the number of the first entry of each; one more number at the end.
struct Pieces {
    std::vector<std::string_view> texts;
    std::vector<size_t> starts;
    size_t size() const { return texts.size(); }
    void fromCounts(const std::vector<size_t> &counts) {
        starts.assign(1, 0);
        for (size_t n : counts)
            starts.push_back(starts.back() + n);
    }
};

/// Counts every line as an entry: right for nearly all files, and much faster than looking at the lines.
Pieces cut(const CoordinateList &list, sched::Pool *pool) {
    Pieces pieces;
    pieces.texts = cutAtLineEnds(list.text, kPieceBytes);
    std::vector<size_t> counts(pieces.size());
    forEachTask(pool, pieces.size(), [&](size_t i) {
        std::string_view text = pieces.texts[i];
        counts[i] = countLineEnds(text) + !text.ends_with('\n');
    });
    pieces.fromCounts(counts);
    return pieces;
}

// -------------------------------------------------------------------- in row order

/// What a piece in row order begins and ends with.
struct PieceEnds {
    size_t firstRow, firstColumn, lastRow, lastColumn;
};

/// Fails softly (false) on any surprise: another order, twice the same place, lines without an entry.
template <class T, class I>
bool readInOrder(const Pieces &pieces, const CoordinateList &list, sched::Pool *pool, Csr &result, bool &hasZeros) {
    uint64_t *offsets = result.mutableOffsets();
    I *columns = result.mutableColumns<I>();
    T *values = result.mutableValues<T>();
    std::vector<PieceEnds> ends(pieces.size());
    std::atomic<bool> ordered{true}, zeros{false};
    forEachPiece(pool, pieces.size(), [&](size_t i) {
        if (!ordered)
            return;
        EntryReader<T> in(pieces.texts[i], list);
        uint64_t k = pieces.starts[i];
        const uint64_t stop = pieces.starts[i + 1];
        size_t row, column, lastRow = 0, lastColumn = 0;
        T value;
        bool anyZero = false;
        while (in.next(row, column, value)) {
            if (k == pieces.starts[i]) {
                ends[i].firstRow = row;
                ends[i].firstColumn = column;
                lastRow = row;
            } else if (k == stop || (row == lastRow ? column <= lastColumn : row < lastRow)) {
                ordered = false;
                return;
            }
            // Pieces that are not in order may meet here before that shows.
            for (; lastRow < row; ++lastRow)
                std::atomic_ref(offsets[lastRow + 1]).store(k, std::memory_order_relaxed);
            lastColumn = column;
            columns[k] = static_cast<I>(column);
            if (values) {
                values[k] = value;
                anyZero |= value == T(0);
            }
            ++k;
        }
        if (k != stop)
            ordered = false;
        advanceProgress(pieces.texts[i].size());
        ends[i].lastRow = lastRow;
        ends[i].lastColumn = lastColumn;
        if (anyZero)
            zeros = true;
    });
    if (!ordered)
        return false;
    size_t row = 0; // offsets up to and including this one are set
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (i > 0 && (ends[i].firstRow < ends[i - 1].lastRow ||
                      (ends[i].firstRow == ends[i - 1].lastRow && ends[i].firstColumn <= ends[i - 1].lastColumn)))
            return false;
        for (; row < ends[i].firstRow; ++row)
            offsets[row + 1] = pieces.starts[i];
        row = ends[i].lastRow;
    }
    for (; row < list.rows; ++row)
        offsets[row + 1] = list.numEntries;
    hasZeros = zeros;
    return true;
}

/// A look at the first entries of some pieces: whether trying readInOrder() is worth it.
template <class T> bool looksOrdered(const Pieces &pieces, const CoordinateList &list) {
    if (list.symmetry != Symmetry::General)
        return false;
    size_t step = std::max<size_t>(1, pieces.size() / 8), before = 0;
    for (size_t i = 0; i < pieces.size(); i += step) {
        EntryReader<T> in(pieces.texts[i], list);
        size_t row, column;
        T value;
        try {
            for (int k = 0; k < 16 && in.next(row, column, value); ++k, before = row)
                if (row < before)
                    return false;
        } catch (const TextError &) {
            return false; // the other way finds the first mistake
        }
    }
    return true;
}

// -------------------------------------------------------------------- in any order

template <class T> T negated(T x) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(0 - static_cast<uint64_t>(x));
    else
        return -x;
}

/// Calls put(row, column, value) for an entry and its mirror image.
template <class T, class Put> void withMirror(Symmetry symmetry, size_t i, size_t j, T value, Put &&put) {
    if (symmetry == Symmetry::Skew && i == j)
        return; // the diagonal is zero
    put(i, j, value);
    if (symmetry != Symmetry::General && i != j)
        put(j, i, symmetry == Symmetry::Skew ? negated(value) : value);
}

/// Sorts the cells of one row by column and keeps the last of several at one place; zeros go. Returns how many stay.
template <class T, class I> size_t tidyRow(I *columns, T *values, size_t n, std::vector<std::pair<I, T>> &scratch) {
    bool tidy = true;
    for (size_t i = 0; i < n && tidy; ++i)
        tidy = (i == 0 || columns[i - 1] < columns[i]) && (!values || values[i] != T(0));
    if (tidy)
        return n;
    scratch.resize(n);
    for (size_t i = 0; i < n; ++i)
        scratch[i] = {columns[i], values ? values[i] : T(1)};
    std::stable_sort(scratch.begin(), scratch.end(), [](auto &a, auto &b) { return a.first < b.first; });
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        bool lastAtPlace = i + 1 == n || scratch[i].first != scratch[i + 1].first;
        if (!lastAtPlace || scratch[i].second == T(0))
            continue;
        columns[kept] = scratch[i].first;
        if (values)
            values[kept] = scratch[i].second;
        ++kept;
    }
    return kept;
}

/// Moves the rows together after some have become shorter.
template <class T, class I> void closeGaps(Csr &m, const std::vector<uint64_t> &kept) {
    uint64_t *offsets = m.mutableOffsets(), to = 0, from = 0;
    I *columns = m.mutableColumns<I>();
    T *values = m.mutableValues<T>();
    for (size_t r : cancellableRows(m)) {
        uint64_t next = offsets[r + 1];
        std::copy_n(columns + from, kept[r], columns + to);
        if (values)
            std::copy_n(values + from, kept[r], values + to);
        to += kept[r];
        from = next;
        offsets[r + 1] = to;
    }
}

template <class T> struct Cell {
    uint64_t row, column;
    T value;
};

/// Rows in groups of a power of two, so many that the cells of a group fit into a cache.
struct RowGroups {
    RowGroups(size_t rows, size_t numCells) {
        constexpr size_t kCellsPerGroup = size_t(1) << 15, kMost = 1024;
        size_t wanted = std::clamp<size_t>(numCells / kCellsPerGroup, 1, kMost);
        while ((rows >> shift) > wanted)
            ++shift;
        count = (rows >> shift) + 1;
    }
    size_t of(size_t row) const { return row >> shift; }
    size_t count;
    int shift = 0;
};

/// The entries of one piece, with their mirror images if wanted, sorted by group; inside of a group in their order.
template <class R, class I, class T> struct SortedPiece {
    struct Stored {
        R row;
        I column;
        T value;
    };
    std::unique_ptr<Stored[]> cells;
    std::vector<uint32_t> groups; ///< where each begins; one more at the end
    size_t numEntries = 0;        ///< without mirror images
};

enum class Mirrored : uint8_t { No, Yes };

template <class R, class I, class T>
SortedPiece<R, I, T> sortPiece(std::string_view text, const CoordinateList &list, const RowGroups &groups,
                               Mirrored mirrored) {
    Symmetry symmetry = mirrored == Mirrored::Yes ? list.symmetry : Symmetry::General;
    sched::NoLoopsHere scratch;
    thread_local std::vector<Cell<T>> cells;
    cells.clear();
    SortedPiece<R, I, T> result;
    EntryReader<T> in(text, list);
    size_t row, column;
    T value;
    for (; in.next(row, column, value); ++result.numEntries)
        withMirror(symmetry, row, column, value, [&](size_t i, size_t j, T x) { cells.push_back({i, j, x}); });
    advanceProgress(text.size());
    if (cells.size() > std::numeric_limits<uint32_t>::max())
        throw TextError{text.data(), "a line is longer than 4 GiB"};
    result.groups.assign(groups.count + 1, 0);
    for (const Cell<T> &c : cells)
        ++result.groups[groups.of(c.row) + 1];
    for (size_t g = 0; g < groups.count; ++g)
        result.groups[g + 1] += result.groups[g];
    std::vector<uint32_t> next(result.groups.begin(), result.groups.end() - 1);
    result.cells = std::make_unique_for_overwrite<typename SortedPiece<R, I, T>::Stored[]>(cells.size());
    for (const Cell<T> &c : cells)
        result.cells[next[groups.of(c.row)]++] = {static_cast<R>(c.row), static_cast<I>(c.column), c.value};
    return result;
}

template <class R, class I, class T>
std::vector<SortedPiece<R, I, T>> sortPieces(const Pieces &pieces, const CoordinateList &list, const RowGroups &groups,
                                             Mirrored mirrored, sched::Pool *pool) {
    std::vector<SortedPiece<R, I, T>> sorted(pieces.size());
    forEachPiece(pool, pieces.size(),
                 [&](size_t i) { sorted[i] = sortPiece<R, I, T>(pieces.texts[i], list, groups, mirrored); });
    size_t numEntries = 0;
    for (const auto &piece : sorted)
        numEntries += piece.numEntries;
    if (numEntries != list.numEntries)
        throw TextError{list.text.data() + list.text.size(), "the file has " + std::to_string(numEntries) +
                                                                 " entries, its header promises " +
                                                                 std::to_string(list.numEntries)};
    return sorted;
}

/// The rows of one group from all pieces: a stable counting sort. Returns false if rows have become shorter.
template <class R, class I, class T>
bool placeGroup(const std::vector<SortedPiece<R, I, T>> &pieces, size_t group, const RowGroups &groups, Csr &result,
                uint64_t begin, std::vector<uint64_t> &kept) {
    size_t first = group << groups.shift, last = std::min(result.rows(), (group + 1) << groups.shift);
    auto each = [&](auto &&f) {
        for (const auto &piece : pieces)
            for (uint32_t k = piece.groups[group]; k < piece.groups[group + 1]; ++k)
                f(piece.cells[k]);
    };
    uint64_t *offsets = result.mutableOffsets();
    I *columns = result.mutableColumns<I>();
    T *values = result.mutableValues<T>();
    std::vector<uint64_t> next(last - first + 1, 0);
    each([&](const auto &cell) { ++next[cell.row - first + 1]; });
    next[0] = begin;
    for (size_t r = first; r < last; ++r)
        offsets[r + 1] = next[r - first + 1] += next[r - first];
    each([&](const auto &cell) {
        uint64_t k = next[cell.row - first]++;
        columns[k] = cell.column;
        if (values)
            values[k] = cell.value;
    });
    std::vector<std::pair<I, T>> scratch;
    bool complete = true;
    for (size_t r = first; r < last; ++r, begin = offsets[r]) {
        size_t n = offsets[r + 1] - begin;
        kept[r] = tidyRow(columns + begin, values ? values + begin : nullptr, n, scratch);
        complete &= kept[r] == n;
    }
    return complete;
}

template <class R, class I, class T>
Ref<Csr> readInAnyOrder(const Pieces &pieces, const CoordinateList &list, sched::Pool *pool) {
    RowGroups groups(list.rows, list.numEntries);
    auto sorted = sortPieces<R, I, T>(pieces, list, groups, Mirrored::Yes, pool);
    std::vector<uint64_t> begins(groups.count + 1);
    for (size_t g = 0; g < groups.count; ++g) {
        begins[g + 1] = begins[g];
        for (const auto &piece : sorted)
            begins[g + 1] += piece.groups[g + 1] - piece.groups[g];
    }
    bool ones = !list.hasValues && list.symmetry != Symmetry::Skew;
    auto result = Csr::create(valueTypeOf<T>(), list.rows, list.cols, begins.back(),
                              ones ? Csr::Values::AllOnes : Csr::Values::Stored);
    std::vector<uint64_t> kept(list.rows);
    std::atomic<bool> complete{true};
    forEachTask(pool, groups.count, [&](size_t g) {
        if (g << groups.shift < list.rows && !placeGroup(sorted, g, groups, *result, begins[g], kept))
            complete = false;
    });
    if (!complete)
        closeGaps<T, I>(*result, kept);
    return result;
}

template <class T, class I> Ref<Csr> readCsrAs(const CoordinateList &list, sched::Pool *pool) {
    Pieces pieces = cut(list, pool);
    bool plain = pieces.starts.back() == list.numEntries;
    if (plain && looksOrdered<T>(pieces, list)) {
        auto result = Csr::create(valueTypeOf<T>(), list.rows, list.cols, list.numEntries,
                                  list.hasValues ? Csr::Values::Stored : Csr::Values::AllOnes);
        bool hasZeros = false;
        if (readInOrder<T, I>(pieces, list, pool, *result, hasZeros))
            return hasZeros ? withoutZeros(std::move(result)) : result;
    }
    return withIndexType(needsWideIndex(list.rows),
                         [&]<class R>(TypeTag<R>) { return readInAnyOrder<R, I, T>(pieces, list, pool); });
}

} // namespace

template <class T> Ref<Csr> readCsr(const CoordinateList &list, sched::Pool *pool) {
    return withIndexType(needsWideIndex(list.cols), [&]<class I>(TypeTag<I>) { return readCsrAs<T, I>(list, pool); });
}

template <class T> Ref<Dense> readDense(const CoordinateList &list, sched::Pool *pool) {
    Pieces pieces = cut(list, pool);
    return withIndexType(needsWideIndex(std::max(list.rows, list.cols)), [&]<class I>(TypeTag<I>) {
        auto sorted = sortPieces<I, I, T>(pieces, list, RowGroups(list.rows, 0), Mirrored::No, pool);
        auto result = Dense::create(valueTypeOf<T>(), list.rows, list.cols, Buffer::Init::Zero);
        auto out = result->template mutableView<T>();
        for (const auto &piece : sorted)
            for (size_t k : cancellable(piece.groups.back()))
                withMirror(list.symmetry, piece.cells[k].row, piece.cells[k].column, piece.cells[k].value,
                           [&](size_t i, size_t j, T x) { out(i, j) = x; });
        return result;
    });
}

template Ref<Csr> readCsr<double>(const CoordinateList &, sched::Pool *);
template Ref<Csr> readCsr<int64_t>(const CoordinateList &, sched::Pool *);
template Ref<Dense> readDense<double>(const CoordinateList &, sched::Pool *);
template Ref<Dense> readDense<int64_t>(const CoordinateList &, sched::Pool *);

} // namespace daphne::io
