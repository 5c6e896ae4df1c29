// SPDX-License-Identifier: Apache-2.0
#include "kernels/neural/Images.h"

namespace daphne {

namespace {

size_t sizeArgument(KernelCall &call, size_t i) { return detail::FromValue<size_t>::get(call, i); }

size_t checkedCount(const ops::WindowAxis &axis, std::string_view name, ops::EmptyWindows empty) {
    if (std::string problem = ops::problemOf(axis, name, empty); !problem.empty())
        throw executionError(problem);
    return axis.count();
}

} // namespace

ImageBatch readImageBatch(KernelCall &call, const ops::WindowArgs &at, ops::EmptyWindows empty) {
    auto size = [&](size_t i) { return sizeArgument(call, i); };
    ImageBatch b{.images = size(at.images),
                 .channels = size(at.channels),
                 .height = {size(at.imageH), size(at.windowH), size(at.strideH), size(at.paddingH)},
                 .width = {size(at.imageW), size(at.windowW), size(at.strideW), size(at.paddingW)},
                 .outHeight = 0,
                 .outWidth = 0};
    b.outHeight = checkedCount(b.height, "height", empty);
    b.outWidth = checkedCount(b.width, "width", empty);
    return b;
}

size_t cellCount(size_t channels, size_t height, size_t width) {
    if (auto n = ops::productOf({channels, height, width}))
        return *n;
    throw executionError(std::to_string(channels) + " channels of " + std::to_string(height) + "x" +
                         std::to_string(width) + " cells are too large");
}

void needNumericMatrix(const KernelCall &call, size_t i) {
    if (!call.args[i].isMatrix() || call.args[i].valueType() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
}

void needShape(const KernelCall &call, size_t i, size_t rows, size_t cols, std::string_view what) {
    needNumericMatrix(call, i);
    const Matrix &m = call.args[i].matrix();
    if (m.rows() != rows || m.cols() != cols)
        throw executionError(std::string(what) + " must be " + std::to_string(rows) + "x" + std::to_string(cols) +
                             " by the given sizes, got " + m.shapeText());
}

void needVector(const KernelCall &call, size_t i, size_t n, std::string_view what) {
    if (vectorLength(call, i, what) != n)
        throw executionError(std::string(what) + " must be a row or a column with " + std::to_string(n) +
                             " cells, got " + call.args[i].matrix().shapeText());
}

size_t vectorLength(const KernelCall &call, size_t i, std::string_view what) {
    needNumericMatrix(call, i);
    const Matrix &m = call.args[i].matrix();
    if (m.rows() != 1 && m.cols() != 1)
        throw executionError(std::string(what) + " must be a row or a column, got " + m.shapeText());
    return m.cells();
}

void needWholeChannels(const KernelCall &call, size_t i, size_t channels) {
    const Matrix &x = call.args[i].matrix();
    if (channels == 0 ? x.cols() != 0 : x.cols() % channels != 0)
        throw executionError("the number of columns must be a multiple of the " + std::to_string(channels) +
                             " channels, got " + x.shapeText());
}

} // namespace daphne
