// SPDX-License-Identifier: Apache-2.0
#include "ops/ImageWindows.h"

#include <limits>

namespace daphne::ops {

namespace {
constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
}

std::string problemOf(const WindowAxis &axis, std::string_view name, EmptyWindows empty) {
    std::string dimension(name);
    auto images = [&] {
        return "images of " + dimension + " " + std::to_string(axis.image) + " with padding " +
               std::to_string(axis.padding);
    };
    if (axis.image == 0)
        return "the " + dimension + " of the images must be at least 1, got 0";
    if (axis.window == 0)
        return "the " + dimension + " of the window must be at least 1, got 0";
    if (axis.stride == 0)
        return "the stride along the " + dimension + " must be at least 1, got 0";
    if (axis.image > kMost || axis.padding > (kMost - axis.image) / 2)
        return images() + " are too large";
    if (axis.window > axis.image + 2 * axis.padding)
        return "a window of " + dimension + " " + std::to_string(axis.window) + " does not fit into " + images();
    if (empty == EmptyWindows::Rejected && axis.padding >= axis.window)
        return "a window of " + dimension + " " + std::to_string(axis.window) + " contains nothing but padding on " +
               images();
    return {};
}

std::optional<uint64_t> productOf(std::initializer_list<uint64_t> sizes) {
    uint64_t product = 1;
    for (uint64_t size : sizes)
        if (__builtin_mul_overflow(product, size, &product) || product > kMost)
            return std::nullopt;
    return product;
}

} // namespace daphne::ops
