// SPDX-License-Identifier: Apache-2.0
/// Products of a sparse and a dense matrix. A single column or row is the case
/// R = 1 of the products from the left, so that there are four loops in all:
///
///   D @ t(S)   c(r, i) = dot product of row r of D and the stored cells of row i of S
///   D @ S      row k of S, times d(r, k), is scattered over row r of the result
///   S @ D      rows of D, times the stored cells of row i of S, add up to row i
///   t(S) @ D   row k of D, times the stored cells of row k of S, is added to their rows
///
/// Cells are summed in the order of the inner dimension, single columns excepted. Workers share rows of S where that
/// gives rows or columns of the result, else columns of S (or rows of D, if there are many).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/csr/ColumnRanges.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/csr/CsrProducts.h"

namespace daphne {

namespace {

constexpr size_t kRowsAtOnce = 4;

/// The stored cells, as the loops below see them. A pattern is a type of its own: its products need no multiplication.
template <class T, class I, bool Pattern> struct Stored : CsrView<T, I> {
    static T times(T x, const T *values, uint64_t k) {
        if constexpr (Pattern)
            return x;
        else
            return x * values[k];
    }
    /// Rows [begin, end).
    Stored someRows(size_t begin, size_t end) const {
        Stored part = *this;
        part.offsets += begin;
        part.rows = end - begin;
        return part;
    }
};

template <class T, class F> void withStored(const Csr &s, F &&f) {
    withIndexType(s.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        auto view = s.view<T, I>();
        if (s.isPattern())
            f(Stored<T, I, true>{view});
        else
            f(Stored<T, I, false>{view});
    });
}

/// c(i) = dot product of x and row i. In long rows, partial sums hide the latency of additions; prefetching hides that
/// of a vector which does not fit into the caches.
template <bool Prefetch, class T, class I, bool Pattern>
void dotVector(const Stored<T, I, Pattern> &s, const T *x, T *c) {
    constexpr uint64_t kAhead = 32, kLong = 32;
    const I *columns = s.columns;
    const T *values = s.values;
    uint64_t last = s.offsets[s.rows];
    last = last > kAhead ? last - kAhead : 0;
    auto fetch = [&](uint64_t k) {
        if constexpr (Prefetch)
            if (k < last)
                __builtin_prefetch(x + columns[k + kAhead]);
    };
    for (size_t i : cancellableRows(s)) {
        uint64_t k = s.offsets[i], end = s.offsets[i + 1];
        T sum = 0;
        if (end - k >= kLong) {
            T sums[4] = {};
            for (; k + 4 <= end; k += 4)
                for (size_t q = 0; q < 4; ++q) {
                    fetch(k + q);
                    sums[q] += s.times(x[columns[k + q]], values, k + q);
                }
            sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        for (; k < end; ++k) {
            fetch(k);
            sum += s.times(x[columns[k]], values, k);
        }
        c[i] = sum;
    }
}

/// R rows of D @ t(S), `step` cells apart.
template <size_t R, class T, class I, bool Pattern>
void dotRows(const Stored<T, I, Pattern> &s, const T *d, T *c, size_t step) {
    for (size_t i : cancellableRows(s)) {
        T sums[R] = {};
        for (uint64_t k = s.offsets[i]; k < s.offsets[i + 1]; ++k)
            for (size_t q = 0; q < R; ++q)
                sums[q] += s.times(d[q * s.cols + s.columns[k]], s.values, k);
        for (size_t q = 0; q < R; ++q)
            c[q * step + i] = sums[q];
    }
}

/// Some columns of R rows of D @ S; c starts as zeros.
template <size_t R, class T, class I, bool Pattern>
void scatterRows(const Stored<T, I, Pattern> &s, const ColumnRange &range, const T *d, T *c) {
    for (size_t k : cancellableRows(s)) {
        T factors[R];
        for (size_t q = 0; q < R; ++q)
            factors[q] = d[q * s.rows + k];
        auto [begin, end] = range.cellsOf(s, k);
        for (uint64_t p = begin; p < end; ++p)
            for (size_t q = 0; q < R; ++q)
                c[q * s.cols + s.columns[p]] += s.times(factors[q], s.values, p);
    }
}

/// Columns [j, j + W) of S @ D, `width` being the number of columns of D.
template <size_t W, class T, class I, bool Pattern>
void gatherColumns(const Stored<T, I, Pattern> &s, size_t i, const T *d, size_t width, T *c) {
    T sums[W] = {};
    for (uint64_t k = s.offsets[i]; k < s.offsets[i + 1]; ++k) {
        const T *row = d + s.columns[k] * width;
        for (size_t j = 0; j < W; ++j)
            sums[j] += s.times(row[j], s.values, k);
    }
    std::copy_n(sums, W, c);
}

template <class T, class I, bool Pattern>
void gatherRows(const Stored<T, I, Pattern> &s, const T *d, size_t width, T *c) {
    for (size_t i : cancellableRows(s)) {
        T *out = c + i * width;
        size_t j = 0;
        for (; j + 16 <= width; j += 16)
            gatherColumns<16>(s, i, d + j, width, out + j);
        for (; j + 4 <= width; j += 4)
            gatherColumns<4>(s, i, d + j, width, out + j);
        for (; j < width; ++j)
            gatherColumns<1>(s, i, d + j, width, out + j);
    }
}

/// Rows of t(S) @ D that belong to some columns of S; c starts as zeros.
template <class T, class I, bool Pattern>
void addRows(const Stored<T, I, Pattern> &s, const ColumnRange &range, const T *d, size_t width, T *c) {
    for (size_t k : cancellableRows(s)) {
        const T *row = d + k * width;
        auto [begin, end] = range.cellsOf(s, k);
        for (uint64_t p = begin; p < end; ++p) {
            T *out = c + s.columns[p] * width;
#pragma GCC ivdep
            for (size_t j = 0; j < width; ++j)
                out[j] += s.times(row[j], s.values, p);
        }
    }
}

/// Rows [begin, end) of a product from the left, kRowsAtOnce at a time.
template <class Four, class One> void inBlocks(size_t begin, size_t end, Four four, One one) {
    size_t r = begin;
    for (; r + kRowsAtOnce <= end; r += kRowsAtOnce)
        four(r);
    for (; r < end; ++r)
        one(r);
}

/// Time of one thread for a product with `width` rows or columns of D.
double productNs(const Csr &s, size_t width) {
    return sparseProductNs(width) * static_cast<double>(s.nonZeros()) + static_cast<double>(s.rows());
}

/// A loop over the rows of S, each of which gives `width` cells of T.
template <class T> sched::LoopDescription loopOverRows(const Csr &s, size_t width) {
    return {.site = "matMul",
            .rows = s.rows(),
            .rowOffsets = s.offsets(),
            .rowWeight = sched::rowWeightOf(width * sizeof(T)),
            .serialNs = productNs(s, width)};
}

/// D @ t(S)
template <class T> void multiplyByDots(RunContext &context, const T *d, size_t rows, const Csr &s, T *c) {
    constexpr size_t kCached = size_t(1) << 20; // bytes of a vector that stay near the core
    size_t inner = s.cols(), cols = s.rows();
    withStored<T>(s, [&](const auto &stored) {
        forRows(context, loopOverRows<T>(s, rows), [&](size_t begin, size_t end, uint32_t) {
            auto part = stored.someRows(begin, end);
            T *out = c + begin;
            inBlocks(
                0, rows, [&](size_t r) { dotRows<kRowsAtOnce>(part, d + r * inner, out + r * cols, cols); },
                [&](size_t r) {
                    if (inner * sizeof(T) > kCached)
                        dotVector<true>(part, d + r * inner, out + r * cols);
                    else
                        dotVector<false>(part, d + r * inner, out + r * cols);
                });
        });
    });
}

/// D @ S
template <class T> void multiplyByScattering(RunContext &context, const T *d, size_t rows, const Csr &s, T *c) {
    size_t inner = s.rows(), cols = s.cols();
    withStored<T>(s, [&](const auto &stored) {
        auto scatter = [&](size_t begin, size_t end, const ColumnRange &range) {
            inBlocks(
                begin, end, [&](size_t r) { scatterRows<kRowsAtOnce>(stored, range, d + r * inner, c + r * cols); },
                [&](size_t r) { scatterRows<1>(stored, range, d + r * inner, c + r * cols); });
        };
        if (rows >= 2 * kRowsAtOnce * numWorkers(context))
            forRowBlocks(context, "matMul", rows, kRowsAtOnce, productNs(s, rows),
                         [&](size_t begin, size_t end) { scatter(begin, end, ColumnRange::all(s)); });
        else
            forColumnRanges(context, "matMul", s, productNs(s, rows),
                            [&](const ColumnRange &range) { scatter(0, rows, range); });
    });
}

template <class T>
void multiplyLeft(RunContext &context, const T *d, size_t rows, const Csr &s, bool transposeS, T *c) {
    if (transposeS)
        multiplyByDots(context, d, rows, s, c);
    else
        multiplyByScattering(context, d, rows, s, c);
}

template <class T>
void multiplyRight(RunContext &context, const Csr &s, bool transposeS, const T *d, size_t width, T *c) {
    if (width == 1) // a column from the right is a row for the transpose
        return multiplyLeft(context, d, 1, s, !transposeS, c);
    withStored<T>(s, [&](const auto &stored) {
        if (transposeS)
            forColumnRanges(context, "matMul", s, productNs(s, width),
                            [&](const ColumnRange &range) { addRows(stored, range, d, width, c); });
        else
            forRows(context, loopOverRows<T>(s, width), [&](size_t begin, size_t end, uint32_t) {
                gatherRows(stored.someRows(begin, end), d, width, c + begin * width);
            });
    });
}

template <class T> bool anyNonFinite(const T *cells, size_t n) {
    if constexpr (std::is_floating_point_v<T>) {
        constexpr size_t kLanes = 8;
        T zeros[kLanes] = {}; // 0 * x is 0 or NaN
        size_t i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (size_t j = 0; j < kLanes; ++j)
                zeros[j] += T(0) * cells[i + j];
        for (; i < n; ++i)
            zeros[0] += T(0) * cells[i];
        return std::any_of(zeros, zeros + kLanes, [](T x) { return x != x; });
    }
    return false;
}

/// 1 where a cell is not finite, else 0.
template <class T> Ref<Dense> nonFiniteCells(const Dense &d) {
    auto result = Dense::create(ValueType::SI64, d.rows(), d.cols());
    const T *in = d.view<T>().data;
    std::transform(in, in + d.cells(), result->mutableView<uint64_t>().data, [](T x) { return !std::isfinite(x); });
    return result;
}

/// A product with the sparse operand on either side; the result is rows x cols.
struct Sides {
    const Csr &s;
    bool transposeS, sparseOnLeft;
    size_t rows, cols;
};

template <class T> Ref<Dense> multiply(RunContext &context, const Sides &p, ValueType type, const Dense &d) {
    // Products that gather write each cell once, those that scatter add to it.
    bool scatters = p.sparseOnLeft == p.transposeS, empty = p.rows == 0 || p.cols == 0 || d.cells() == 0;
    auto result = Dense::create(type, p.rows, p.cols, scatters || empty ? Buffer::Init::Zero : Buffer::Init::None);
    if (empty)
        return result;
    const T *cells = d.view<T>().data;
    T *c = result->template mutableView<T>().data;
    if (p.sparseOnLeft)
        multiplyRight(context, p.s, p.transposeS, cells, p.cols, c);
    else
        multiplyLeft(context, cells, p.rows, p.s, p.transposeS, c);
    return result;
}

/// Where a cell of d that is not finite met an absent one, the result is NaN: where the stored ones met fewer of them
/// than there are in that column (or row) of d.
template <class T> void applyNonFinite(RunContext &context, const Sides &p, const Dense &d, Dense &result) {
    Ref<Dense> marks = nonFiniteCells<T>(d);
    auto pattern = Csr::withStructureOf(p.s, marks->type(), BufferRef());
    Ref<Dense> met =
        multiply<uint64_t>(context, {*pattern, p.transposeS, p.sparseOnLeft, p.rows, p.cols}, marks->type(), *marks);
    std::vector<uint64_t> total(p.sparseOnLeft ? d.cols() : d.rows());
    auto mark = marks->view<uint64_t>();
    for (size_t r : cancellableRows(mark))
        for (size_t c = 0; c < mark.cols; ++c)
            total[p.sparseOnLeft ? c : r] += mark(r, c);
    auto hits = met->view<uint64_t>();
    auto out = result.mutableView<T>();
    for (size_t r : cancellableRows(out))
        for (size_t c = 0; c < out.cols; ++c)
            if (hits(r, c) != total[p.sparseOnLeft ? c : r])
                out(r, c) = std::numeric_limits<T>::quiet_NaN();
}

Ref<Dense> multiplied(RunContext &context, ValueType g, const Sides &p, const Dense &d) {
    return withProductType(g, [&]<class T>(TypeTag<T>) {
        auto result = multiply<T>(context, p, computeType(g), d);
        if constexpr (std::is_floating_point_v<T>)
            if (hasNonFinite(d))
                applyNonFinite<T>(context, p, d, *result);
        return result;
    });
}

} // namespace

bool hasNonFinite(const Dense &m) {
    if (!isFloat(m.type()))
        return false;
    return withProductType(m.type(), [&]<class T>(TypeTag<T>) {
        auto view = m.view<T>();
        for (size_t r = 0; r < (view.contiguous() ? std::min<size_t>(view.rows, 1) : view.rows); ++r)
            if (anyNonFinite(view.row(r), view.contiguous() ? m.cells() : view.cols))
                return true;
        return false;
    });
}

bool hasNonFinite(const Csr &m) {
    if (!isFloat(m.type()) || m.isPattern())
        return false;
    return withProductType(
        m.type(), [&]<class T>(TypeTag<T>) { return anyNonFinite(m.values<T>() + m.offsets()[0], m.nonZeros()); });
}

template <class T, class I>
void multiplySparseRows(const CsrView<T, I> &s, const T *d, size_t width, size_t begin, size_t end, T *c) {
    if (s.values)
        gatherRows(Stored<T, I, false>{s}.someRows(begin, end), d, width, c + begin * width);
    else
        gatherRows(Stored<T, I, true>{s}.someRows(begin, end), d, width, c + begin * width);
}
template void multiplySparseRows(const CsrView<double, uint32_t> &, const double *, size_t, size_t, size_t, double *);
template void multiplySparseRows(const CsrView<double, uint64_t> &, const double *, size_t, size_t, size_t, double *);
template void multiplySparseRows(const CsrView<float, uint32_t> &, const float *, size_t, size_t, size_t, float *);
template void multiplySparseRows(const CsrView<float, uint64_t> &, const float *, size_t, size_t, size_t, float *);

Ref<Dense> sparseTimesDense(RunContext &context, ValueType g, const Csr &s, bool transposeS, const Dense &d) {
    return multiplied(context, g, {s, transposeS, true, transposeS ? s.cols() : s.rows(), d.cols()}, d);
}

Ref<Dense> denseTimesSparse(RunContext &context, ValueType g, const Dense &d, const Csr &s, bool transposeS) {
    return multiplied(context, g, {s, transposeS, false, d.rows(), transposeS ? s.rows() : s.cols()}, d);
}

} // namespace daphne
