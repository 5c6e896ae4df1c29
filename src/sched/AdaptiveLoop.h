// SPDX-License-Identifier: Apache-2.0
/// Loops whose tasks depend on measurements: no task is known before a worker asks
/// for it. One queue, one lock per request; the scheme hears of every task done, or
/// of every part of it that it wants to be measured alone.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "base/Error.h"
#include "sched/Pool.h"

namespace daphne::sched {

template <class Body, class Observer> class AdaptiveLoop {
  public:
    /// `isCancelled`: set at any time by the host of the run.
    AdaptiveLoop(const Scheme &scheme, const Loop &loop, Body &body, Observer &observer,
                 const std::atomic<bool> &isCancelled)
        : isCancelled(isCancelled), chunks(scheme, loop),
          samplesPerTask(std::clamp<uint64_t>(scheme.samplesPerTask, 1, kMostSamples)), body(body), observer(observer) {
    }

    static void job(void *self, Visit &visit) { static_cast<AdaptiveLoop *>(self)->work(visit); }

    /// The loop of one worker.
    void work(Visit &visit) {
        Claim claim;
        Measured measured{.worker = visit.worker()};
        auto asked = Clock::now();
        try {
            for (;;) {
                if (visit.isAsked() && visit.leaves(false))
                    return tell(measured);
                if (!next(measured, claim))
                    return;
                auto begin = Clock::now();
                auto token = observer.begin(measured.worker, claim);
                uint64_t waited = nanoseconds(begin - asked);
                asked = runParts(claim.range, begin, waited, measured);
                observer.end(token, measured.worker, claim);
            }
        } catch (...) {
            std::lock_guard lock(mutex);
            if (claim.range.begin < lowestFailed) {
                lowestFailed = claim.range.begin;
                error = std::current_exception();
            }
        }
    }
    /// Throws the error of the lowest task that has one, else that of a cancelled run if it was.
    void rethrow() {
        if (error)
            std::rethrow_exception(error);
        if (wasCancelled)
            throw cancelledError();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static uint64_t nanoseconds(Clock::duration d) {
        return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
    }

    static constexpr uint64_t kMostSamples = 16;
    /// Parts of the task before.
    struct Measured {
        uint32_t worker = 0;
        uint64_t count = 0;
        std::array<Feedback, kMostSamples> parts = {};
    };

    /// Returns when it was done.
    Clock::time_point runParts(Range task, Clock::time_point begin, uint64_t waited, Measured &measured) {
        uint64_t parts = task.size() < samplesPerTask ? 1 : samplesPerTask;
        measured.count = 0;
        for (uint64_t i = 0, from = task.begin; i < parts; ++i) {
            uint64_t to = from + task.size() / parts + (i < task.size() % parts);
            body(Range{from, to}, measured.worker);
            auto end = Clock::now();
            measured.parts[measured.count++] = {measured.worker, to - from, nanoseconds(end - begin), waited / parts};
            begin = end;
            from = to;
        }
        return begin;
    }

    void tell(const Measured &previous) {
        std::lock_guard lock(mutex);
        for (uint64_t i = 0; i < previous.count; ++i)
            chunks.update(previous.parts[i]);
    }

    /// Tells the scheme of the task before, asks for the next one. Tasks come in order: none does after a failed one.
    bool next(const Measured &previous, Claim &out) {
        std::lock_guard lock(mutex);
        for (uint64_t i = 0; i < previous.count; ++i)
            chunks.update(previous.parts[i]);
        wasCancelled |= isCancelled.load(std::memory_order_relaxed);
        if (error || wasCancelled)
            return false;
        uint64_t size = chunks.next(previous.worker);
        out.range = {cursor, cursor + size};
        cursor += size;
        return size > 0;
    }

    const std::atomic<bool> &isCancelled;
    std::mutex mutex;
    ChunkSequence chunks;
    uint64_t cursor = 0;
    const uint64_t samplesPerTask;
    Body &body;
    Observer &observer;
    bool wasCancelled = false;
    uint64_t lowestFailed = ~uint64_t(0);
    std::exception_ptr error;
};

} // namespace daphne::sched
