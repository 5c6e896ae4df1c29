// SPDX-License-Identifier: Apache-2.0
/// Parallel loops. The body is a template parameter: taking a task and running it
/// costs one atomic operation and no call through a pointer.
///
///     sched::Pool pool(sched::Topology::detect(), 4);
///     sched::parallelFor(pool, n, {}, [&](sched::Range r, uint32_t worker) { ... });
#pragma once

#include <algorithm>
#include <concepts>

#include "sched/AdaptiveLoop.h"
#include "sched/Pool.h"

namespace daphne::sched {

template <class B>
concept LoopBody = std::invocable<B &, Range, uint32_t>;

/// Sees every task. This one costs nothing.
struct NoObserver {
    struct Token {};
    Token begin(uint32_t, const Claim &) { return {}; }
    void end(Token, uint32_t, const Claim &) {}
};

namespace detail {

/// All tasks in order on this thread.
template <class Body, class Observer>
void runAlone(uint64_t total, const LoopPlan &plan, uint32_t numWorkers, Body &body, Observer &observer) {
    const Scheme &scheme = plan.scheme ? *plan.scheme : schemes()[0];
    Loop loop = loopOf(total, numWorkers, plan);
    uint32_t worker = Pool::currentWorker();
    auto task = [&](uint64_t begin, uint64_t size) {
        Claim claim{{begin, begin + size}, 0, false};
        auto token = observer.begin(worker, claim);
        body(claim.range, worker);
        observer.end(token, worker, claim);
        return begin + size;
    };
    if (uint64_t size = fixedSize(scheme, loop)) {
        for (uint64_t begin = 0; begin < total;)
            begin = task(begin, std::min(size, total - begin));
        return;
    }
    ChunkSequence chunks(scheme, loop);
    for (uint64_t begin = 0; uint64_t size = chunks.next();)
        begin = task(begin, size);
}

template <class Body, class Observer> struct SharedLoop {
    LoopRun &run;
    Body &body;
    Observer &observer;

    static void job(void *self, uint32_t worker) { static_cast<SharedLoop *>(self)->work(worker); }
    void work(uint32_t worker) {
        Thief thief = run.thief(worker);
        Claim claim;
        try {
            while (!run.failed() && run.claim(thief, claim)) {
                auto token = observer.begin(worker, claim);
                body(claim.range, worker);
                observer.end(token, worker, claim);
            }
        } catch (...) {
            run.fail(std::current_exception());
        }
    }
};

} // namespace detail

/// Whether a loop that takes about so long on one thread gains from all workers: what they save must be twice the
/// measured cost of starting and joining them.
inline bool isWorthSharing(Pool &pool, double serialNs) {
    double p = pool.numWorkers();
    return p > 1 && serialNs * (1 - 1 / p) > 2 * pool.forkJoinNs();
}

/// Calls body(range, worker) for ranges that cover [0, total) exactly once, on all workers, and returns when all are
/// done. An exception of the body ends the loop: the first one is thrown here. Loops inside loops run on their worker;
/// a loop of one unit is but a call, so one inside of it may use all workers.
template <LoopBody Body, class Observer = NoObserver>
void parallelFor(Pool &pool, uint64_t total, const LoopPlan &plan, Body &&body, Observer &&observer = {}) {
    if (total == 0)
        return;
    if (total == 1)
        return detail::runAlone(total, plan, pool.numWorkers(), body, observer);
    if (!pool.tryAcquire()) {
        Pool::TaskScope scope;
        return detail::runAlone(total, plan, pool.numWorkers(), body, observer);
    }
    struct Release {
        Pool &pool;
        ~Release() { pool.release(); }
    } release{pool};
    if (plan.scheme && plan.scheme->kind == Scheme::Kind::Adaptive) {
        AdaptiveLoop<std::remove_reference_t<Body>, std::remove_reference_t<Observer>> adaptive(
            *plan.scheme, loopOf(total, pool.numWorkers(), plan), body, observer);
        pool.run(&decltype(adaptive)::job, &adaptive);
        return adaptive.rethrow();
    }
    LoopRun &run = pool.loop();
    run.prepare(total, plan, pool.workers());
    detail::SharedLoop<std::remove_reference_t<Body>, std::remove_reference_t<Observer>> shared{run, body, observer};
    do
        pool.run(&decltype(shared)::job, &shared);
    while (run.nextPart());
    run.rethrow();
}

} // namespace daphne::sched
