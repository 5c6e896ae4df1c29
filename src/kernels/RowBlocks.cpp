// SPDX-License-Identifier: Apache-2.0
#include "kernels/RowBlocks.h"

#include "base/ActiveRun.h"

namespace daphne {

namespace {

/// Done before it is planned, and nobody wants to hear of it.
bool isTiny(const sched::Scheduler &scheduler, const sched::LoopDescription &loop) {
    constexpr double kPlanNs = 1000;
    const sched::Settings &user = scheduler.settings();
    bool isObserved = user.debug != sched::DebugLevel::Off || user.statistics;
    return loop.serialNs && *loop.serialNs < kPlanNs && !user.schemeGiven() && !isObserved;
}

/// Rows of some milliseconds, in whole blocks. Where one thread does it all, or few, a range may be as large as the
/// loop.
uint64_t rowsBetweenLooks(const sched::LoopDescription &loop) {
    constexpr double kPieceNs = 5e6;
    double pieces = loop.serialNs.value_or(0) / kPieceNs;
    if (!(pieces > 1))
        return loop.rows;
    uint64_t block = std::max<uint64_t>(1, loop.block);
    auto rows = static_cast<uint64_t>(static_cast<double>(loop.rows) / pieces);
    return std::max({block, loop.grain / block * block, rows / block * block});
}

} // namespace

uint32_t numWorkers(const RunContext &context) { return context.scheduler ? context.scheduler->numThreads() : 1; }

void detail::runRows(RunContext &context, const sched::LoopDescription &loop,
                     const std::function<void(uint64_t, uint64_t, uint32_t)> &f) {
    if (loop.rows == 0)
        return;
    uint64_t most = rowsBetweenLooks(loop);
    auto inPieces = [&](sched::Range range, uint32_t worker) {
        for (; range.end - range.begin > most; range.begin += most) {
            f(range.begin, range.begin + most, worker);
            throwIfCancelled();
        }
        f(range.begin, range.end, worker);
    };
    if (!context.scheduler)
        f(0, loop.rows, 0);
    else if (isTiny(*context.scheduler, loop))
        f(0, loop.rows, context.scheduler->currentWorker());
    else
        context.scheduler->run(loop, inPieces);
}

uint32_t numParts(RunContext &context, uint64_t rows, double serialNs, uint64_t most) {
    sched::LoopDescription loop{.rows = rows, .serialNs = serialNs};
    if (!context.scheduler || isTiny(*context.scheduler, loop) || context.scheduler->plan(loop).isSerial)
        return 1;
    return static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>({numWorkers(context), rows, most})));
}

} // namespace daphne
