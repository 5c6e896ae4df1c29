// SPDX-License-Identifier: Apache-2.0
/// Ranges of loops, see ops/Ranges.cpp.
#include <cmath>

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

/// The end of the range of counts that a size can hold, and that no loop comes to.
constexpr double kMostSteps = 0x1p62;

void needBound(double bound, const char *what) {
    if (std::isnan(bound))
        throw executionError(std::string("the ") + what + " of the range is nan");
    if (std::isinf(bound))
        throw executionError(std::string("the ") + what + " of the range is infinite");
}

/// q = (to - from) / step; floor(q + 2^-50 max(|from|, |to|) / |step|) + 1 numbers: what rounding takes from q does
/// not take the last one.
Value rangeCount(KernelCall &, double from, double to, double step) {
    needBound(from, "start");
    needBound(to, "end");
    if (std::isnan(step))
        throw executionError("the step of the range is nan");
    if (from + step == from)
        throw executionError("a step of the range makes no progress: its start plus its step is its start")
            .withHint("the step is 0, or too small for numbers as large as the start");
    double q = (to - from) / step;
    if (std::isinf(q))
        q = to / step - from / step;
    double slack = 0x1p-50 * std::fmax(std::fabs(from), std::fabs(to)) / std::fabs(step);
    double count = std::floor(q + slack) + 1;
    return Value::size(count > 0 ? static_cast<uint64_t>(std::fmin(count, kMostSteps)) : 0);
}

Value rangeEnd(KernelCall &, double to, int64_t step) {
    needBound(to, "end");
    double end = step < 0 ? std::ceil(to) : std::floor(to);
    return Value::scalar(convertNumber<int64_t>(end));
}

} // namespace

void addRanges(KernelTable &t) {
    t.add<&rangeCount>("rangeCount");
    t.add<&rangeEnd>("rangeEnd");
}

} // namespace daphne
