// SPDX-License-Identifier: Apache-2.0
/// Windows that slide over images (builtins 9): their number, what can be wrong
/// with their sizes, and where the size arguments of each call stand. Shared by
/// inference and kernels, so that both reject the same calls.
///
/// A batch of images is a matrix with one row per image. A row holds the
/// channels one after another, each row by row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace daphne::ops {

/// One dimension: windows of `window` cells, `stride` apart, over `image` cells with `padding` more on either side.
struct WindowAxis {
    uint64_t image = 0, window = 0, stride = 0, padding = 0;
    /// Number of windows. Needs an axis without a problem.
    uint64_t count() const { return (image + 2 * padding - window) / stride + 1; }
};

/// Whether windows may lie in the padding as a whole.
enum class EmptyWindows : bool { Rejected, Allowed };

/// What is wrong with an axis, "" if nothing. `name` is "height" or "width".
std::string problemOf(const WindowAxis &axis, std::string_view name, EmptyWindows empty);

/// Product of sizes; nothing if it is no 63-bit number.
std::optional<uint64_t> productOf(std::initializer_list<uint64_t> sizes);

/// Positions of the size arguments of a call.
struct WindowArgs {
    size_t images, channels, imageH, imageW, windowH, windowW, strideH, strideW, paddingH, paddingW;
};

/// numImages, numChannels, imgHeight, imgWidth, windowH, windowW, strideH, strideW, paddingH, paddingW
constexpr WindowArgs windowArgsFrom(size_t i) {
    return {i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9};
}

constexpr WindowArgs kPoolArgs = windowArgsFrom(1);         ///< after input
constexpr WindowArgs kPoolBackwardArgs = windowArgsFrom(2); ///< after input, dOut
constexpr WindowArgs kConvArgs = windowArgsFrom(2);         ///< after input, filter
constexpr size_t kConvBias = 12;
/// After two matrices: strideH, strideW, padH, padW, inputBatchSize, inputNumChannels, inputH, inputW,
/// filterNumFilters, filterNumChannels, filterH, filterW.
constexpr WindowArgs kConvBackwardArgs = {6, 7, 8, 9, 12, 13, 2, 3, 4, 5};
constexpr size_t kConvBackwardFilters = 10, kConvBackwardFilterChannels = 11;

} // namespace daphne::ops
