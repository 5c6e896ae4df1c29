// SPDX-License-Identifier: Apache-2.0
#include "kernels/RowBlocks.h"

namespace daphne {

uint32_t numWorkers(const Context &context) { return context.scheduler ? context.scheduler->numThreads() : 1; }

void detail::runRows(Context &context, const sched::LoopDescription &loop,
                     const std::function<void(uint64_t, uint64_t, uint32_t)> &f) {
    if (context.scheduler)
        context.scheduler->run(loop, [&](sched::Range range, uint32_t worker) { f(range.begin, range.end, worker); });
    else if (loop.rows > 0)
        f(0, loop.rows, 0);
}

uint32_t numParts(Context &context, uint64_t rows, double serialNs, uint64_t most) {
    if (!context.scheduler || context.scheduler->plan({.rows = rows, .serialNs = serialNs}).isSerial)
        return 1;
    return static_cast<uint32_t>(std::max<uint64_t>(1, std::min<uint64_t>({numWorkers(context), rows, most})));
}

} // namespace daphne
