// SPDX-License-Identifier: Apache-2.0
/// Kernels on all workers. Three ways to cut a loop, none of which lets results depend on who runs what:
///
///   forRows       anywhere: every row gives its result by itself
///   forRowBlocks  into blocks whose size depends on shapes only
///   forParts      into one part per worker, for loops that keep a table or an array for each
///
/// Small loops stay on the calling thread, in one piece. Matrices made by f must not outlive it unless they are
/// released by the coordinating thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>

#include "kernels/RunContext.h"
#include "sched/Scheduler.h"

namespace daphne {

uint32_t numWorkers(const RunContext &context);

namespace detail {
/// Compiled once: loops are long, and the scheduler has many ways to run them.
void runRows(RunContext &context, const sched::LoopDescription &loop,
             const std::function<void(uint64_t, uint64_t, uint32_t)> &f);
} // namespace detail

/// Calls f(begin, end, worker) for ranges that cover the rows exactly once, on all workers if the estimated time of one
/// thread makes that worthwhile. f must not touch what other ranges write.
template <class F> void forRows(RunContext &context, const sched::LoopDescription &loop, F &&f) {
    detail::runRows(context, loop, std::ref(f));
}

/// Calls f(begin, end) for [0, block), [block, 2 block), ... below `rows`, each exactly once.
template <class F>
void forRowBlocks(RunContext &context, std::string_view site, uint64_t rows, uint64_t block, double serialNs, F &&f) {
    auto blocks = [&](uint64_t from, uint64_t to, uint32_t) {
        for (uint64_t begin = from; begin < to; begin += block)
            f(begin, std::min(to, begin + block));
    };
    if (rows <= block)
        return blocks(0, rows, 0);
    forRows(context, {.site = site, .rows = rows, .grain = block, .block = block, .serialNs = serialNs}, blocks);
}

/// How many parts a loop of `rows` rows is worth: one per worker, or one. `most` bounds them.
uint32_t numParts(RunContext &context, uint64_t rows, double serialNs, uint64_t most = ~uint64_t(0));

/// Where part k of n rows begins, if they are cut into equal parts; part `parts` begins at n.
inline size_t beginOfPart(size_t n, uint32_t parts, uint32_t k) { return n / parts * k + n % parts * k / parts; }

/// Calls f(part) for all parts, each exactly once, one at a time on a worker.
template <class F> void forParts(RunContext &context, std::string_view site, uint32_t parts, F &&f) {
    if (parts == 1)
        return f(0);
    forRows(context, {.site = site, .rows = parts, .grain = 1}, [&](uint64_t begin, uint64_t end, uint32_t) {
        for (uint64_t part = begin; part < end; ++part)
            f(static_cast<uint32_t>(part));
    });
}

} // namespace daphne
