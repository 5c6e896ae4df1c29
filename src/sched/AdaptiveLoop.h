// SPDX-License-Identifier: Apache-2.0
/// Loops whose tasks depend on measurements: no task is known before a worker asks
/// for it. One queue, one lock per request; the scheme hears of every task done.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "sched/LoopRun.h"

namespace daphne::sched {

template <class Body, class Observer> class AdaptiveLoop {
  public:
    AdaptiveLoop(const Scheme &scheme, const Loop &loop, Body &body, Observer &observer)
        : chunks(scheme, loop), body(body), observer(observer) {}

    static void job(void *self, uint32_t worker) { static_cast<AdaptiveLoop *>(self)->work(worker); }

    /// The loop of one worker.
    void work(uint32_t worker) {
        try {
            Claim claim;
            Feedback feedback{.worker = worker};
            auto asked = Clock::now();
            while (!failed.load(std::memory_order_relaxed) && next(feedback, claim)) {
                auto begin = Clock::now();
                auto token = observer.begin(worker, claim);
                body(claim.range, worker);
                observer.end(token, worker, claim);
                auto end = Clock::now();
                feedback = {worker, claim.range.size(), nanoseconds(end - begin), nanoseconds(begin - asked)};
                asked = end;
            }
        } catch (...) {
            std::lock_guard lock(mutex);
            if (!error)
                error = std::current_exception();
            failed.store(true, std::memory_order_relaxed);
        }
    }
    /// Throws the first error, if there was one.
    void rethrow() {
        if (error)
            std::rethrow_exception(error);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static uint64_t nanoseconds(Clock::duration d) {
        return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
    }

    /// Tells the scheme of the task before, asks for the next one.
    bool next(const Feedback &previous, Claim &out) {
        std::lock_guard lock(mutex);
        if (previous.units > 0)
            chunks.update(previous);
        uint64_t size = chunks.next(previous.worker);
        out.range = {cursor, cursor + size};
        cursor += size;
        return size > 0;
    }

    std::mutex mutex;
    ChunkSequence chunks;
    uint64_t cursor = 0;
    Body &body;
    Observer &observer;
    std::atomic<bool> failed{false};
    std::exception_ptr error;
};

} // namespace daphne::sched
