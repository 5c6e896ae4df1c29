// SPDX-License-Identifier: Apache-2.0
/// conv2d and its gradients, as matrix products.
///
/// Unfolding a batch gives a matrix U with one column per image and output
/// position, holding the cells of its window (zeros from the padding). With the
/// filters as rows of W and the outputs as columns of Y likewise:
///     conv2d                Y  = W @ U (+ bias)
///     conv2dBackwardFilter  dW = dY @ t(U)
///     conv2dBackwardData    dU = t(W) @ dY, dX = dU folded: cells of all windows added where they come from
/// U is never there as a whole: blocks of its columns go through a small buffer.
#include <climits>

#include <cblas.h>

#include "base/ActiveRun.h"
#include "kernels/neural/Images.h"

namespace daphne {

namespace {

using ops::EmptyWindows;

// --------------------------------------------------------------------- blocks

/// Cells of U and Y together in a block: 1 MiB of f64, about a second-level cache.
constexpr size_t kBlockCells = size_t(1) << 17;
constexpr size_t kLeastBlockWidth = 16;

/// Adjacent columns of a block: outputs (row, from) ... (row, to - 1) of one image.
struct Run {
    size_t image, row, from, to;
    size_t column; ///< of the first, in the block
};

/// One convolution: shapes of W (filters x depth) and of a block of U and Y.
struct Problem {
    ImageBatch batch;
    size_t filters, depth, blockWidth;

    size_t numColumns() const { return batch.images * batch.positions(); }
};

Problem problemFor(const ImageBatch &batch, size_t filters) {
    size_t depth = cellCount(batch.channels, batch.height.window, batch.width.window);
    if (filters > INT_MAX || depth > INT_MAX)
        throw executionError("a filter matrix of " + std::to_string(filters) + "x" + std::to_string(depth) +
                             " is too large");
    Problem p{batch, filters, depth, 0};
    p.blockWidth = std::min(std::max(kBlockCells / (filters + depth + 1), kLeastBlockWidth), p.numColumns());
    return p;
}

/// The columns [begin, end) of U, output row by output row.
std::vector<Run> runsOf(const ImageBatch &batch, size_t begin, size_t end) {
    std::vector<Run> runs;
    for (size_t at = begin; at < end;) {
        size_t image = at / batch.positions(), position = at % batch.positions();
        size_t row = position / batch.outWidth, from = position % batch.outWidth;
        size_t n = std::min(batch.outWidth - from, end - at);
        runs.push_back({image, row, from, from + n, at - begin});
        at += n;
    }
    return runs;
}

/// Calls f(runs, width) for one block of columns after another.
template <class F> void forEachBlock(const Problem &p, F &&f) {
    for (size_t begin = 0; begin < p.numColumns(); begin += p.blockWidth) {
        throwIfCancelled();
        size_t end = std::min(begin + p.blockWidth, p.numColumns());
        f(runsOf(p.batch, begin, end), end - begin);
    }
}

// ------------------------------------------------------------- fold and unfold

/// Calls f(u, image, x, n) for all cells of a block of U that come from an image: n adjacent cells from u on of the
/// block are the cells x, x + stride, ... of the row of that image.
template <class F> void forEachPiece(const ImageBatch &b, const std::vector<Run> &runs, size_t width, F &&f) {
    size_t u = 0;
    for (size_t channel = 0; channel < b.channels; ++channel)
        for (size_t i = 0; i < b.height.window; ++i)
            for (size_t j = 0; j < b.width.window; ++j, u += width) {
                Span columns = reaching(b.width, j, b.outWidth);
                for (const Run &run : runs) {
                    size_t padded = run.row * b.height.stride + i;
                    if (padded < b.height.padding || padded - b.height.padding >= b.height.image)
                        continue;
                    size_t from = std::max(columns.from, run.from), to = std::min(columns.to, run.to);
                    if (from >= to)
                        continue;
                    size_t line = channel * b.height.image + padded - b.height.padding;
                    size_t cell = from * b.width.stride + j - b.width.padding;
                    f(u + run.column + from - run.from, run.image, line * b.width.image + cell, to - from);
                }
            }
}

template <class T>
void unfold(const Problem &p, const std::vector<Run> &runs, size_t width, const DenseView<const T> &x, T *u) {
    const ImageBatch &b = p.batch;
    if (b.height.padding || b.width.padding)
        std::fill_n(u, p.depth * width, T(0));
    forEachPiece(b, runs, width, [&](size_t at, size_t image, size_t cell, size_t n) {
        const T *from = x.row(image) + cell;
        if (b.width.stride == 1)
            std::copy_n(from, n, u + at);
        else
            for (size_t k = 0; k < n; ++k)
                u[at + k] = from[k * b.width.stride];
    });
}

template <class T>
void foldInto(const DenseView<T> &x, const Problem &p, const std::vector<Run> &runs, size_t width, const T *u) {
    forEachPiece(p.batch, runs, width, [&](size_t at, size_t image, size_t cell, size_t n) {
        T *to = x.row(image) + cell;
        for (size_t k = 0; k < n; ++k)
            to[k * p.batch.width.stride] += u[at + k];
    });
}

/// Calls f(y, image, cell, n, filter): n cells of a block of Y from y on are the cells from `cell` on of the outputs of
/// that image.
template <class F> void forEachOutput(const Problem &p, const std::vector<Run> &runs, size_t width, F &&f) {
    for (size_t filter = 0; filter < p.filters; ++filter)
        for (const Run &run : runs) {
            size_t position = run.row * p.batch.outWidth + run.from;
            f(filter * width + run.column, run.image, filter * p.batch.positions() + position, run.to - run.from,
              filter);
        }
}

template <class T>
void gatherOutputs(const Problem &p, const std::vector<Run> &runs, size_t width, const DenseView<const T> &output,
                   T *y) {
    forEachOutput(p, runs, width, [&](size_t at, size_t image, size_t cell, size_t n, size_t) {
        std::copy_n(output.row(image) + cell, n, y + at);
    });
}

/// `bias` may be null.
template <class T>
void scatterOutputs(const Problem &p, const std::vector<Run> &runs, size_t width, const T *y, const T *bias,
                    const DenseView<T> &output) {
    forEachOutput(p, runs, width, [&](size_t at, size_t image, size_t cell, size_t n, size_t filter) {
        T *to = output.row(image) + cell;
        if (!bias)
            std::copy_n(y + at, n, to);
        else
            for (size_t k = 0; k < n; ++k)
                to[k] = y[at + k] + bias[filter];
    });
}

// ------------------------------------------------------------------- products

/// A matrix in memory, taken as its transpose or not.
template <class T> struct Factor {
    const T *data;
    size_t skip;
    CBLAS_TRANSPOSE form = CblasNoTrans;
};

int blasInt(size_t n) { return static_cast<int>(n); }

void blasGemm(const Factor<double> &a, const Factor<double> &b, size_t m, size_t n, size_t k, bool add, double *c) {
    cblas_dgemm(CblasRowMajor, a.form, b.form, blasInt(m), blasInt(n), blasInt(k), 1, a.data, blasInt(a.skip), b.data,
                blasInt(b.skip), add, c, blasInt(n));
}
void blasGemm(const Factor<float> &a, const Factor<float> &b, size_t m, size_t n, size_t k, bool add, float *c) {
    cblas_sgemm(CblasRowMajor, a.form, b.form, blasInt(m), blasInt(n), blasInt(k), 1, a.data, blasInt(a.skip), b.data,
                blasInt(b.skip), add, c, blasInt(n));
}

/// C (m x n, adjacent rows) = A (m x k) @ B (k x n), added to C or not.
template <class T> void multiply(const Factor<T> &a, const Factor<T> &b, size_t m, size_t n, size_t k, bool add, T *c) {
    if (m == 0 || n == 0)
        return;
    if (k == 0) {
        if (!add)
            std::fill_n(c, m * n, T(0));
        return;
    }
    blasGemm(a, b, m, n, k, add, c);
}

/// The filters with rows that BLAS can step over.
Ref<Dense> filterCells(const Dense &filter, ValueType type) {
    auto w = converted(filter, type);
    bool fits = withFloatType(type, [&]<class T>(TypeTag<T>) { return w->template view<T>().skip <= INT_MAX; });
    return fits ? w : w->copy();
}

// -------------------------------------------------------------------- kernels

template <class T> Ref<Dense> convolve(const Problem &p, const Dense &input, const Dense &filter, const Dense *bias) {
    const ValueType type = valueTypeOf<T>();
    auto result = Dense::create(type, p.batch.images, cellCount(p.filters, p.batch.outHeight, p.batch.outWidth));
    if (result->cells() == 0)
        return result;
    auto x = converted(input, type), w = filterCells(filter, type);
    std::vector<T> addends = bias ? vectorCells<T>(*bias) : std::vector<T>();
    auto u = Dense::create(type, p.depth, p.blockWidth), y = Dense::create(type, p.filters, p.blockWidth);
    T *cellsOfU = u->template mutableView<T>().data, *cellsOfY = y->template mutableView<T>().data;
    auto filters = w->template view<T>();
    forEachBlock(p, [&](const std::vector<Run> &runs, size_t width) {
        unfold<T>(p, runs, width, x->template view<T>(), cellsOfU);
        multiply<T>({filters.data, filters.skip}, {cellsOfU, width}, p.filters, width, p.depth, false, cellsOfY);
        scatterOutputs<T>(p, runs, width, cellsOfY, bias ? addends.data() : nullptr, result->template mutableView<T>());
    });
    return result;
}

/// conv2d(input, filter, sizes... [, bias])
std::array<Value, 3> conv2d(KernelCall &call, const Dense &input, const Dense &filter, std::span<const Value>) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    ImageBatch b = readImageBatch(call, ops::kConvArgs, EmptyWindows::Allowed);
    needShape(call, 0, b.images, cellCount(b.channels, b.height.image, b.width.image), "the input");
    needShape(call, 1, filter.rows(), cellCount(b.channels, b.height.window, b.width.window), "the filter");
    ValueType g = mostGeneral(input.type(), filter.type());
    const Dense *bias = nullptr;
    if (call.args.size() > ops::kConvBias) {
        needVector(call, ops::kConvBias, filter.rows(), "the bias");
        bias = &call.args[ops::kConvBias].dense();
        g = mostGeneral(g, bias->type());
    }
    Problem p = problemFor(b, filter.rows());
    auto output = withFloatType(g, [&]<class T>(TypeTag<T>) { return convolve<T>(p, input, filter, bias); });
    return {Value(output), Value::size(b.outHeight), Value::size(b.outWidth)};
}

/// The sizes of (matrix, output, sizes...), with output checked.
Problem backwardProblem(KernelCall &call) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    ImageBatch b = readImageBatch(call, ops::kConvBackwardArgs, EmptyWindows::Allowed);
    size_t filters = detail::FromValue<size_t>::get(call, ops::kConvBackwardFilters);
    size_t filterChannels = detail::FromValue<size_t>::get(call, ops::kConvBackwardFilterChannels);
    if (filterChannels != b.channels)
        throw executionError("the input and the filter must have equally many channels, got " +
                             std::to_string(b.channels) + " and " + std::to_string(filterChannels));
    cellCount(b.channels, b.height.image, b.width.image);
    needShape(call, 1, b.images, cellCount(filters, b.outHeight, b.outWidth), "the gradient of the output");
    return problemFor(b, filters);
}

template <class T> Value filterGradient(const Problem &p, const Dense &input, const Dense &output) {
    const ValueType type = valueTypeOf<T>();
    auto result = Dense::create(type, p.filters, p.depth, Buffer::Init::Zero);
    if (result->cells() == 0)
        return result;
    auto x = converted(input, type), dOut = converted(output, type);
    auto u = Dense::create(type, p.depth, p.blockWidth), y = Dense::create(type, p.filters, p.blockWidth);
    T *cellsOfU = u->template mutableView<T>().data, *cellsOfY = y->template mutableView<T>().data;
    forEachBlock(p, [&](const std::vector<Run> &runs, size_t width) {
        unfold<T>(p, runs, width, x->template view<T>(), cellsOfU);
        gatherOutputs<T>(p, runs, width, dOut->template view<T>(), cellsOfY);
        multiply<T>({cellsOfY, width}, {cellsOfU, width, CblasTrans}, p.filters, p.depth, width, true,
                    result->template mutableView<T>().data);
    });
    return result;
}

Value conv2dBackwardFilter(KernelCall &call, const Dense &input, const Dense &output, std::span<const Value>) {
    Problem p = backwardProblem(call);
    const ImageBatch &b = p.batch;
    needShape(call, 0, b.images, cellCount(b.channels, b.height.image, b.width.image), "the input");
    return withFloatType(mostGeneral(input.type(), output.type()),
                         [&]<class T>(TypeTag<T>) { return filterGradient<T>(p, input, output); });
}

template <class T> Value dataGradient(const Problem &p, const Dense &filter, const Dense &output) {
    const ValueType type = valueTypeOf<T>();
    const ImageBatch &b = p.batch;
    size_t cols = cellCount(b.channels, b.height.image, b.width.image);
    auto result = Dense::create(type, b.images, cols, Buffer::Init::Zero);
    if (result->cells() == 0 || p.filters == 0)
        return result;
    auto w = filterCells(filter, type), dOut = converted(output, type);
    auto u = Dense::create(type, p.depth, p.blockWidth), y = Dense::create(type, p.filters, p.blockWidth);
    T *cellsOfU = u->template mutableView<T>().data, *cellsOfY = y->template mutableView<T>().data;
    auto filters = w->template view<T>();
    forEachBlock(p, [&](const std::vector<Run> &runs, size_t width) {
        gatherOutputs<T>(p, runs, width, dOut->template view<T>(), cellsOfY);
        multiply<T>({filters.data, filters.skip, CblasTrans}, {cellsOfY, width}, p.depth, width, p.filters, false,
                    cellsOfU);
        foldInto<T>(result->template mutableView<T>(), p, runs, width, cellsOfU);
    });
    return result;
}

Value conv2dBackwardData(KernelCall &call, const Dense &filter, const Dense &output, std::span<const Value>) {
    Problem p = backwardProblem(call);
    needShape(call, 0, p.filters, p.depth, "the filter");
    return withFloatType(mostGeneral(filter.type(), output.type()),
                         [&]<class T>(TypeTag<T>) { return dataGradient<T>(p, filter, output); });
}

} // namespace

void addConvolution(KernelTable &t) {
    t.add<&conv2d>("conv2d");
    t.add<&conv2dBackwardFilter>("conv2dBackwardFilter");
    t.add<&conv2dBackwardData>("conv2dBackwardData");
}

} // namespace daphne
