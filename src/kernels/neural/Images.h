// SPDX-License-Identifier: Apache-2.0
/// What kernels on batches of images share: the checked sizes of a call, which
/// cells a window covers, and the checks of operands with cells per channel.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "data/CopyCells.h"
#include "kernels/KernelTable.h"
#include "ops/ImageWindows.h"

namespace daphne {

/// A batch of images and the windows that slide over each of their channels.
struct ImageBatch {
    size_t images, channels;
    ops::WindowAxis height, width;
    size_t outHeight, outWidth; ///< numbers of windows

    size_t positions() const { return outHeight * outWidth; }
};

/// Reads and checks the size arguments. Throws Error (status 3) if they make no sense.
ImageBatch readImageBatch(KernelCall &call, const ops::WindowArgs &at, ops::EmptyWindows empty);

/// Cells of `channels` planes of height x width. Throws Error (status 3) if that is no 63-bit number.
size_t cellCount(size_t channels, size_t height, size_t width);

void needNumericMatrix(const KernelCall &call, size_t i);
/// Throws Error (status 3) unless argument i is a numeric matrix of this shape; `what` is "the input".
void needShape(const KernelCall &call, size_t i, size_t rows, size_t cols, std::string_view what);
/// Throws unless argument i is a numeric row or column of n cells.
void needVector(const KernelCall &call, size_t i, size_t n, std::string_view what);
/// The number of cells of argument i; throws unless it is a numeric row or column.
size_t vectorLength(const KernelCall &call, size_t i, std::string_view what);
/// Throws unless the columns of argument i can be cut into so many equal parts.
void needWholeChannels(const KernelCall &call, size_t i, size_t channels);

/// g if floating point, else f64: the type such kernels compute in.
constexpr ValueType floatTypeOf(ValueType g) { return isFloat(g) ? g : ValueType::F64; }

/// Calls f with TypeTag<float> for f32, else TypeTag<double>.
template <class F> decltype(auto) withFloatType(ValueType t, F &&f) {
    return t == ValueType::F32 ? f(TypeTag<float>{}) : f(TypeTag<double>{});
}

/// The cells of a row or column, converted to T.
template <class T> std::vector<T> vectorCells(const Dense &m) {
    auto cells = converted(m, valueTypeOf<T>());
    auto v = cells->template view<T>();
    std::vector<T> out;
    out.reserve(m.cells());
    for (size_t r = 0; r < v.rows; ++r)
        out.insert(out.end(), v.row(r), v.row(r) + v.cols);
    return out;
}

/// Positions [from, to).
struct Span {
    size_t from, to;
};

/// The cells of the image inside window number k; empty if it lies in the padding.
inline Span coveredBy(const ops::WindowAxis &axis, size_t k) {
    size_t start = k * axis.stride, first = axis.padding, end = axis.padding + axis.image;
    return {std::clamp(start, first, end) - first, std::clamp(start + axis.window, first, end) - first};
}

/// The windows whose cell number `offset` lies in the image.
inline Span reaching(const ops::WindowAxis &axis, size_t offset, size_t numWindows) {
    auto firstAtOrAfter = [&](size_t cell) {
        return offset >= cell ? 0 : std::min((cell - offset - 1) / axis.stride + 1, numWindows);
    };
    return {firstAtOrAfter(axis.padding), firstAtOrAfter(axis.padding + axis.image)};
}

} // namespace daphne
