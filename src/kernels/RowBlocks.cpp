// SPDX-License-Identifier: Apache-2.0
#include "kernels/RowBlocks.h"

namespace daphne {

namespace {

/// Done before it is planned, and nobody wants to hear of it.
bool isTiny(const sched::Scheduler &scheduler, const sched::LoopDescription &loop) {
    constexpr double kPlanNs = 1000;
    const sched::Settings &user = scheduler.settings();
    bool isObserved = user.debug != sched::DebugLevel::Off || user.statistics;
    return loop.serialNs && *loop.serialNs < kPlanNs && !user.schemeGiven() && !isObserved;
}

} // namespace

uint32_t numWorkers(const RunContext &context) { return context.scheduler ? context.scheduler->numThreads() : 1; }

void detail::runRows(RunContext &context, const sched::LoopDescription &loop,
                     const std::function<void(uint64_t, uint64_t, uint32_t)> &f) {
    if (loop.rows == 0)
        return;
    if (!context.scheduler)
        f(0, loop.rows, 0);
    else if (isTiny(*context.scheduler, loop))
        f(0, loop.rows, context.scheduler->currentWorker());
    else
        context.scheduler->run(loop, [&](sched::Range range, uint32_t worker) { f(range.begin, range.end, worker); });
}

uint32_t numParts(RunContext &context, uint64_t rows, double serialNs, uint64_t most) {
    sched::LoopDescription loop{.rows = rows, .serialNs = serialNs};
    if (!context.scheduler || isTiny(*context.scheduler, loop) || context.scheduler->plan(loop).isSerial)
        return 1;
    return static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>({numWorkers(context), rows, most})));
}

} // namespace daphne
