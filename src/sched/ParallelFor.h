// SPDX-License-Identifier: Apache-2.0
/// Parallel loops. The body is a template parameter: taking a task and running it
/// costs one atomic operation and no call through a pointer.
///
///     sched::Pool pool(sched::Topology::detect(), 4);
///     sched::parallelFor(pool, n, {}, [&](sched::Range r, uint32_t worker) { ... });
#pragma once

#include <algorithm>
#include <concepts>

#include "base/ActiveRun.h"
#include "base/Error.h"
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

/// Whether the host has cancelled the run of this thread, to be asked by all that work for it.
inline const std::atomic<bool> &cancelFlag() {
    static constinit const std::atomic<bool> never{false};
    const ActiveRun *run = ActiveRun::current();
    return run && run->cancelFlag ? *run->cancelFlag : never;
}

/// All tasks in order on this thread.
template <class Body, class Observer>
void runAlone(Pool &pool, uint64_t total, const LoopPlan &plan, Body &body, Observer &observer) {
    const Scheme &scheme = plan.scheme ? *plan.scheme : schemes()[0];
    Loop loop = loopOf(total, pool.numWorkers(), plan);
    uint32_t worker = pool.currentWorker();
    const std::atomic<bool> &isCancelled = cancelFlag();
    auto task = [&](uint64_t begin, uint64_t size) {
        if (isCancelled.load(std::memory_order_relaxed))
            throw cancelledError();
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
    const std::atomic<bool> &isCancelled;

    static void job(void *self, Visit &visit) { static_cast<SharedLoop *>(self)->work(visit); }
    void work(Visit &visit) {
        Thief thief = run.thief(visit.worker());
        Claim claim;
        while (!isDone(visit, thief, claim))
            ;
    }
    /// False: a task has failed, but there may be others before it.
    bool isDone(Visit &visit, Thief &thief, Claim &claim) {
        try {
            while (!isCancelled.load(std::memory_order_relaxed)) {
                if (visit.isAsked() && visit.leaves(run.holdsTasks(thief)))
                    return true;
                if (!(visit.isAlone() ? run.claimAlone(thief, claim) : run.claim(thief, claim)))
                    return true;
                if (!run.isWanted(claim))
                    continue;
                auto token = observer.begin(thief.worker, claim);
                body(claim.range, thief.worker);
                observer.end(token, thief.worker, claim);
            }
            run.cancel();
            return true;
        } catch (...) {
            run.fail(claim.range.begin, std::current_exception());
            return false;
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

/// Calls body(range, worker) for ranges that cover [0, total) exactly once and returns when all are done: on this
/// thread and on those of the pool that have nothing else to do. Several threads may call at once, tasks may call, too:
/// the body must not rely on how many take part. No two threads have the same worker number at the same time in one
/// loop.
///
/// Of the exceptions of the body the one of the lowest range is thrown here. If the host cancels the run of this
/// thread (ActiveRun), no further task begins and cancelledError() is thrown.
template <LoopBody Body, class Observer = NoObserver>
void parallelFor(Pool &pool, uint64_t total, const LoopPlan &plan, Body &&body, Observer &&observer = {}) {
    if (total == 0)
        return;
    if (total == 1) // but a call
        return detail::runAlone(pool, total, plan, body, observer);
    Entry entry(pool);
    if (entry.worksAlone())
        return detail::runAlone(pool, total, plan, body, observer);
    const std::atomic<bool> &isCancelled = detail::cancelFlag();
    if (plan.scheme && plan.scheme->kind == Scheme::Kind::Adaptive) {
        AdaptiveLoop<std::remove_reference_t<Body>, std::remove_reference_t<Observer>> adaptive(
            *plan.scheme, loopOf(total, pool.numWorkers(), plan), body, observer, isCancelled);
        entry.run(&decltype(adaptive)::job, &adaptive);
        return adaptive.rethrow();
    }
    LoopRun &run = entry.tasks();
    run.prepare(total, plan, pool.workers());
    detail::SharedLoop<std::remove_reference_t<Body>, std::remove_reference_t<Observer>> shared{run, body, observer,
                                                                                                isCancelled};
    do
        entry.run(&decltype(shared)::job, &shared);
    while (run.nextPart());
    run.rethrow();
}

} // namespace daphne::sched
