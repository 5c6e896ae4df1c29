// SPDX-License-Identifier: Apache-2.0
/// Kernels on all workers: blocks of rows whose size depends on shapes only, so
/// that results do not depend on who runs which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kernels/Context.h"
#include "sched/Scheduler.h"

namespace daphne {

/// Calls f(begin, end) for [0, block), [block, 2 block), ... below `rows`, each exactly once, on all workers if the
/// estimated time of one thread makes that worthwhile. f must not touch what other blocks write.
template <class F>
void forRowBlocks(Context &context, std::string_view site, uint64_t rows, uint64_t block, double serialNs, F &&f) {
    auto blocks = [&](uint64_t from, uint64_t to) {
        for (uint64_t begin = from; begin < to; begin += block)
            f(begin, std::min(to, begin + block));
    };
    if (!context.scheduler || rows <= block)
        return blocks(0, rows);
    context.scheduler->run({.site = site, .rows = rows, .grain = block, .block = block, .serialNs = serialNs},
                           [&](sched::Range range, uint32_t) { blocks(range.begin, range.end); });
}

} // namespace daphne
