// SPDX-License-Identifier: Apache-2.0
/// Sums and means of durations, exact in 128 bits. nat wins, or is no cell.
#include "kernels/times/TimeTotals.h"
#include "base/Cancellable.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/times/TimeCells.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

using calendar::kNat;

enum class Axis : uint8_t { All, Row, Col };

const Dense &needDurations(const KernelCall &call) {
    if (!call.args[0].isMatrix() || call.args[0].valueType() != ValueType::Duration)
        wrongArgument(call, 0, "a matrix of durations");
    return call.args[0].dense();
}

template <Axis axis, Total what, MissingCells missing> Value total(KernelCall &call, std::span<const Value>) {
    auto in = needDurations(call).view<int64_t>();
    MatrixShape shape{axis == Axis::Row ? in.rows : 1, axis == Axis::Col ? in.cols : 1};
    std::vector<DurationTotal> totals(shape.rows * shape.cols);
    for (size_t r : cancellableRows(in))
        for (size_t c = 0; c < in.cols; ++c)
            totals[axis == Axis::Row ? r : axis == Axis::Col ? c : 0].add(in(r, c), missing);
    return makeTimes(call, axis == Axis::All, shape, ValueType::Duration,
                     [&](size_t r, size_t c) { return totals[r + c].result(what); });
}

/// f(durations, group ids, number of groups): countGrp checks the ids.
template <Total what> Value groupedTotal(KernelCall &call, std::span<const Value>) {
    auto in = needDurations(call).view<int64_t>();
    Value counts;
    KernelCall inner{call.context, *KernelTable::get().find("countGrp"), call.args, {&counts, 1}};
    inner.kernel.run(inner);
    std::vector<DurationTotal> totals(counts.dense().rows());
    Ref<Dense> ids = convertMatrix(call.args[1].dense(), ValueType::SI64);
    auto group = ids->view<int64_t>();
    for (size_t r : cancellableRows(in))
        totals[static_cast<size_t>(group(r, 0))].add(in(r, 0), MissingCells::Win);
    return totalsOf(totals, what);
}

} // namespace

void DurationTotal::add(int64_t cell, MissingCells missing) {
    if (cell != kNat) {
        sum += cell;
        ++count;
    } else if (missing == MissingCells::Win) {
        isMissing = true;
    }
}

int64_t DurationTotal::result(Total what) const {
    if (isMissing || (what == Total::Mean && count == 0))
        return kNat;
    __int128 x = sum, n = count;
    if (what == Total::Mean) // to the nearest microsecond, halves away from zero
        x = (2 * x + (x < 0 ? -n : n)) / (2 * n);
    if (x > INT64_MAX || x <= INT64_MIN)
        throw executionError("the sum of the durations is too long");
    return static_cast<int64_t>(x);
}

Ref<Dense> totalsOf(std::span<const DurationTotal> totals, Total what) {
    auto result = Dense::create(ValueType::Duration, totals.size(), 1);
    int64_t *out = result->mutableView<int64_t>().data;
    for (size_t k = 0; k < totals.size(); ++k)
        out[k] = totals[k].result(what);
    return result;
}

void addTimeTotals(KernelTable &t) {
    constexpr MissingCells kWin = MissingCells::Win, kSkipped = MissingCells::AreSkipped;
    t.addTimes<&total<Axis::All, Total::Sum, kWin>>("sumAll");
    t.addTimes<&total<Axis::Row, Total::Sum, kWin>>("sumRow");
    t.addTimes<&total<Axis::Col, Total::Sum, kWin>>("sumCol");
    t.addTimes<&total<Axis::All, Total::Mean, kWin>>("meanAll");
    t.addTimes<&total<Axis::Row, Total::Mean, kWin>>("meanRow");
    t.addTimes<&total<Axis::Col, Total::Mean, kWin>>("meanCol");
    t.addTimes<&total<Axis::All, Total::Sum, kSkipped>>("nanSumAll");
    t.addTimes<&total<Axis::Row, Total::Sum, kSkipped>>("nanSumRow");
    t.addTimes<&total<Axis::Col, Total::Sum, kSkipped>>("nanSumCol");
    t.addTimes<&total<Axis::All, Total::Mean, kSkipped>>("nanMeanAll");
    t.addTimes<&total<Axis::Row, Total::Mean, kSkipped>>("nanMeanRow");
    t.addTimes<&total<Axis::Col, Total::Mean, kSkipped>>("nanMeanCol");
    t.addTimes<&total<Axis::All, Total::Sum, kWin>>("colSumAll");
    t.addTimes<&groupedTotal<Total::Sum>>("sumGrp");
    t.addTimes<&groupedTotal<Total::Mean>>("meanGrp");
}

} // namespace daphne
