// SPDX-License-Identifier: Apache-2.0
/// avgPool2d, maxPool2d and their gradients.
///
/// A row of outputs is made in two steps: the image rows its windows cover are
/// combined into one row, which vectorises whatever the strides; then every
/// window combines its part of that row. Padding is never looked at: it adds
/// nothing to sums and does not take part in maxima.
#include "base/Cancellable.h"
#include "kernels/neural/Images.h"

namespace daphne {

namespace {

using ops::EmptyWindows;

/// The cells that each window covers along an axis.
std::vector<Span> allCovered(const ops::WindowAxis &axis, size_t count) {
    std::vector<Span> spans(count);
    for (size_t k = 0; k < count; ++k)
        spans[k] = coveredBy(axis, k);
    return spans;
}

/// Windows of all outputs of a channel.
struct Windows {
    explicit Windows(const ImageBatch &b)
        : rows(allCovered(b.height, b.outHeight)), cols(allCovered(b.width, b.outWidth)), width(b.width.image) {}
    std::vector<Span> rows, cols;
    size_t width; ///< of the image
};

/// Calls f(image, cell, output) for every channel of every image: where the channel begins in the row of the image and
/// in the row of its outputs.
template <class F> void forEachChannel(const ImageBatch &b, F &&f) {
    CancelCountdown look;
    for (size_t image = 0; image < b.images; ++image)
        for (size_t c = 0; c < b.channels; ++c) {
            f(image, c * b.height.image * b.width.image, c * b.positions());
            look.after(b.positions() * b.height.window * b.width.window);
        }
}

// ------------------------------------------------------------------------ mean

template <class T> T windowCells(const ImageBatch &b) {
    return static_cast<T>(static_cast<double>(b.height.window) * static_cast<double>(b.width.window));
}

template <class T> void averageChannel(const Windows &windows, const T *image, T divisor, T *sums, T *out) {
    for (const Span &rows : windows.rows) {
        std::fill_n(sums, windows.width, T(0));
        for (size_t r = rows.from; r < rows.to; ++r)
            for (size_t c = 0; c < windows.width; ++c)
                sums[c] += image[r * windows.width + c];
        for (const Span &cols : windows.cols) {
            T sum = 0;
            for (size_t c = cols.from; c < cols.to; ++c)
                sum += sums[c];
            *out++ = sum / divisor;
        }
    }
}

template <class T> void average(const ImageBatch &b, const Dense &input, Dense &result) {
    auto x = converted(input, valueTypeOf<T>());
    auto in = x->template view<T>();
    auto out = result.mutableView<T>();
    Windows windows(b);
    std::vector<T> sums(windows.width);
    forEachChannel(b, [&](size_t image, size_t cell, size_t output) {
        averageChannel<T>(windows, in.row(image) + cell, windowCells<T>(b), sums.data(), out.row(image) + output);
    });
}

/// (input, sizes...), with input checked.
ImageBatch poolBatch(KernelCall &call, EmptyWindows empty) {
    needNumericMatrix(call, 0);
    ImageBatch b = readImageBatch(call, ops::kPoolArgs, empty);
    needShape(call, 0, b.images, cellCount(b.channels, b.height.image, b.width.image), "the input");
    return b;
}

std::array<Value, 3> avgPool2d(KernelCall &call, const Dense &input, std::span<const Value>) {
    ImageBatch b = poolBatch(call, EmptyWindows::Allowed);
    ValueType type = floatTypeOf(input.type());
    auto result = Dense::create(type, b.images, cellCount(b.channels, b.outHeight, b.outWidth));
    if (result->cells() != 0)
        withFloatType(type, [&]<class T>(TypeTag<T>) { average<T>(b, input, *result); });
    return {Value(result), Value::size(b.outHeight), Value::size(b.outWidth)};
}

// --------------------------------------------------------------------- maximum

/// Whether x replaces `best` as the maximum: nan does, and stays. Without branches, so that loops vectorise.
template <class T> bool beats(T x, T best) { return (x > best) | ((x != x) & (best == best)); }

template <class T> void maximumOfChannel(const Windows &windows, const T *image, T *greatest, T *out) {
    for (const Span &rows : windows.rows) {
        std::copy_n(image + rows.from * windows.width, windows.width, greatest);
        for (size_t r = rows.from + 1; r < rows.to; ++r)
            for (size_t c = 0; c < windows.width; ++c) {
                T x = image[r * windows.width + c];
                greatest[c] = beats(x, greatest[c]) ? x : greatest[c];
            }
        for (const Span &cols : windows.cols) {
            T best = greatest[cols.from];
            for (size_t c = cols.from + 1; c < cols.to; ++c)
                best = beats(greatest[c], best) ? greatest[c] : best;
            *out++ = best;
        }
    }
}

std::array<Value, 3> maxPool2d(KernelCall &call, const Dense &input, std::span<const Value>) {
    ImageBatch b = poolBatch(call, EmptyWindows::Rejected);
    auto result = Dense::create(input.type(), b.images, cellCount(b.channels, b.outHeight, b.outWidth));
    if (result->cells() != 0)
        withNumericType(input.type(), [&]<class T>(TypeTag<T>) {
            auto in = input.view<T>();
            auto out = result->template mutableView<T>();
            Windows windows(b);
            auto greatest = Dense::create(input.type(), 1, windows.width);
            T *scratch = greatest->template mutableView<T>().data;
            forEachChannel(b, [&](size_t image, size_t cell, size_t output) {
                maximumOfChannel<T>(windows, in.row(image) + cell, scratch, out.row(image) + output);
            });
        });
    return {Value(result), Value::size(b.outHeight), Value::size(b.outWidth)};
}

// ------------------------------------------------------------------- gradients

/// (input, dOut, sizes...), with both matrices checked.
ImageBatch backwardBatch(KernelCall &call, EmptyWindows empty) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    ImageBatch b = readImageBatch(call, ops::kPoolBackwardArgs, empty);
    needShape(call, 0, b.images, cellCount(b.channels, b.height.image, b.width.image), "the input");
    needShape(call, 1, b.images, cellCount(b.channels, b.outHeight, b.outWidth), "the gradient of the output");
    return b;
}

/// Adds every gradient / divisor to all cells of its window.
template <class T> void spreadChannel(const Windows &windows, const T *dOut, T divisor, T *shares, T *dImage) {
    for (const Span &rows : windows.rows) {
        std::fill_n(shares, windows.width, T(0));
        for (const Span &cols : windows.cols) {
            T share = *dOut++ / divisor;
            for (size_t c = cols.from; c < cols.to; ++c)
                shares[c] += share;
        }
        for (size_t r = rows.from; r < rows.to; ++r)
            for (size_t c = 0; c < windows.width; ++c)
                dImage[r * windows.width + c] += shares[c];
    }
}

template <class T> void spread(const ImageBatch &b, const Dense &dOut, Dense &result) {
    auto gradient = converted(dOut, valueTypeOf<T>());
    auto in = gradient->template view<T>();
    auto out = result.mutableView<T>();
    Windows windows(b);
    std::vector<T> shares(windows.width);
    forEachChannel(b, [&](size_t image, size_t cell, size_t output) {
        spreadChannel<T>(windows, in.row(image) + output, windowCells<T>(b), shares.data(), out.row(image) + cell);
    });
}

Value avgPool2dBackward(KernelCall &call, const Dense &input, const Dense &dOut, std::span<const Value>) {
    ImageBatch b = backwardBatch(call, EmptyWindows::Allowed);
    ValueType type = floatTypeOf(mostGeneral(input.type(), dOut.type()));
    auto result = Dense::create(type, input.rows(), input.cols(), Buffer::Init::Zero);
    if (dOut.cells() != 0)
        withFloatType(type, [&]<class T>(TypeTag<T>) { spread<T>(b, dOut, *result); });
    return result;
}

/// Position in the channel beginning at cell (image, cell) of the first greatest cell of a window.
using FirstMaximum = size_t (*)(const Dense &input, size_t image, size_t cell, const Span &rows, const Span &cols,
                                size_t width);

template <class T>
size_t firstMaximum(const Dense &input, size_t image, size_t cell, const Span &rows, const Span &cols, size_t width) {
    const T *channel = input.view<T>().row(image) + cell;
    size_t best = rows.from * width + cols.from;
    T greatest = channel[best];
    for (size_t r = rows.from; r < rows.to; ++r)
        for (size_t c = cols.from; c < cols.to; ++c) {
            T x = channel[r * width + c];
            bool better = beats(x, greatest);
            greatest = better ? x : greatest;
            best = better ? r * width + c : best;
        }
    return best;
}

template <class T>
void assignToMaxima(const ImageBatch &b, const Dense &input, const Dense &dOut, FirstMaximum find, Dense &result) {
    auto gradient = converted(dOut, valueTypeOf<T>());
    auto in = gradient->template view<T>();
    auto out = result.mutableView<T>();
    Windows windows(b);
    forEachChannel(b, [&](size_t image, size_t cell, size_t output) {
        const T *next = in.row(image) + output;
        T *dImage = out.row(image) + cell;
        for (const Span &rows : windows.rows)
            for (const Span &cols : windows.cols)
                dImage[find(input, image, cell, rows, cols, windows.width)] += *next++;
    });
}

Value maxPool2dBackward(KernelCall &call, const Dense &input, const Dense &dOut, std::span<const Value>) {
    ImageBatch b = backwardBatch(call, EmptyWindows::Rejected);
    ValueType type = floatTypeOf(mostGeneral(input.type(), dOut.type()));
    auto result = Dense::create(type, input.rows(), input.cols(), Buffer::Init::Zero);
    if (dOut.cells() == 0)
        return result;
    // Compared in their own type, 64-bit integers are told apart exactly.
    FirstMaximum find =
        withNumericType(input.type(), []<class T>(TypeTag<T>) -> FirstMaximum { return &firstMaximum<T>; });
    withFloatType(type, [&]<class T>(TypeTag<T>) { assignToMaxima<T>(b, input, dOut, find, *result); });
    return result;
}

} // namespace

void addPooling(KernelTable &t) {
    t.add<&avgPool2d>("avgPool2d");
    t.add<&maxPool2d>("maxPool2d");
    t.add<&avgPool2dBackward>("avgPool2dBackward");
    t.add<&maxPool2dBackward>("maxPool2dBackward");
}

} // namespace daphne
