// SPDX-License-Identifier: Apache-2.0
#include "sched/Pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/Error.h"
#include "sched/ThreadBinding.h"

namespace daphne::sched {

namespace {

thread_local uint32_t workerNumber = 0;
thread_local bool insideTask = false;

/// Tests of a variable before a thread sleeps: some tens of microseconds, about what it takes to wake it again.
constexpr uint32_t kSpins = 2000;

// Parts of Pool::state.
constexpr uint64_t kInside = (uint64_t(1) << 24) - 1; ///< number of workers at the job
constexpr uint64_t kCallerSleeps = uint64_t(1) << 30;
constexpr uint64_t kOpen = uint64_t(1) << 31;
constexpr uint64_t kOneJob = uint64_t(1) << 32; ///< the rest counts jobs
uint64_t numberOf(uint64_t state) { return state / kOneJob; }

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

} // namespace

uint32_t Pool::currentWorker() { return workerNumber; }

Pool::TaskScope::TaskScope() : before(insideTask) { insideTask = true; }
Pool::TaskScope::~TaskScope() { insideTask = before; }

Pool::Pool(const Topology &topology, uint32_t numWorkers, Pinning pinning)
    : placement(placeWorkers(topology, std::max(1u, numWorkers), pinning)), current(std::make_unique<LoopRun>()) {
    // With more workers than CPUs, spinning takes time from those that work.
    uint32_t available = std::max(1u, std::thread::hardware_concurrency());
    if (topology.quota)
        available = std::min(available, topology.quota);
    spins = this->numWorkers() <= available ? kSpins : 0;
    try {
        for (uint32_t w = 1; w < this->numWorkers(); ++w)
            threads.emplace_back([this, w, isFake = topology.isFake] {
                std::span<const uint32_t> cpus(placement.workers[w].mayRunOn);
                ThreadBinding binding(isFake ? cpus.first(0) : cpus);
                work(w);
            });
    } catch (const std::system_error &e) {
        stop();
        throw executionError("cannot start " + std::to_string(numWorkers) + " threads, only " +
                             std::to_string(threads.size()) + ": " + e.code().message())
            .withHint("--num-threads sets their number");
    }
}

Pool::~Pool() { stop(); }

void Pool::stop() {
    stopping.store(true);
    wakeups.fetch_add(1);
    wakeups.notify_all();
    for (std::thread &t : threads)
        t.join();
}

bool Pool::tryAcquire() { return !insideTask && threads.size() > 0 && owner.try_lock(); }
void Pool::release() { owner.unlock(); }

/// Whether there is something for a worker whose last job had the number `seen`.
bool Pool::isOpenFor(uint64_t seen, uint64_t now) const {
    return ((now & kOpen) && numberOf(now) != seen) || stopping.load(std::memory_order_relaxed);
}

void Pool::waitForWork(uint64_t seen) {
    for (;;) {
        for (uint32_t i = 0; i < spins; ++i) {
            if (isOpenFor(seen, state.load(std::memory_order_relaxed)))
                return;
            relax();
        }
        // Either this thread sees the next job after setting the flag, or its caller sees the flag after opening it.
        uint32_t ticket = wakeups.load();
        mayBeAsleep.store(true);
        if (isOpenFor(seen, state.load()))
            return;
        wakeups.wait(ticket);
        if (isOpenFor(seen, state.load(std::memory_order_relaxed)))
            return;
    }
}

/// The last worker to leave wakes the caller if that one has gone to sleep.
void Pool::leave() {
    uint64_t before = state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kInside) == 1 && (before & kCallerSleeps)) {
        departures.fetch_add(1);
        departures.notify_one();
    }
}

void Pool::work(uint32_t worker) {
    workerNumber = worker;
    insideTask = true;
    for (uint64_t seen = 0;;) {
        waitForWork(seen);
        if (stopping.load(std::memory_order_acquire))
            return;
        current->prefetch();
        __builtin_prefetch(argument.load(std::memory_order_relaxed));
        uint64_t before = state.fetch_add(1, std::memory_order_acq_rel);
        if ((before & kOpen) && numberOf(before) != seen) { // it may have been closed in between
            seen = numberOf(before);
            job(argument.load(std::memory_order_relaxed), worker);
        }
        leave();
    }
}

void Pool::waitForOthers() {
    for (uint32_t i = 0; i < spins; ++i) {
        if ((state.load(std::memory_order_acquire) & kInside) == 0)
            return;
        relax();
    }
    for (;;) {
        uint32_t ticket = departures.load();
        if ((state.fetch_or(kCallerSleeps) & kInside) == 0)
            break;
        departures.wait(ticket);
    }
    state.fetch_and(~kCallerSleeps);
}

void Pool::run(Job newJob, void *newArgument) {
    job = newJob;
    argument.store(newArgument, std::memory_order_relaxed);
    state.fetch_add(kOneJob | kOpen);
    if (mayBeAsleep.load() && mayBeAsleep.exchange(false)) {
        wakeups.fetch_add(1);
        wakeups.notify_all();
    }
    {
        TaskScope scope;
        newJob(newArgument, 0);
    }
    if (state.fetch_sub(kOpen, std::memory_order_acq_rel) & kInside)
        waitForOthers();
}

double Pool::forkJoinNs() {
    if (double known = measuredNs.load(std::memory_order_relaxed); known >= 0)
        return known;
    if (!tryAcquire())
        return 0;
    using Clock = std::chrono::steady_clock;
    constexpr size_t kRounds = 51;
    struct Meeting {
        std::atomic<uint32_t> expected;
        static void attend(void *self, uint32_t worker) {
            auto &expected = static_cast<Meeting *>(self)->expected;
            expected.fetch_sub(1);
            while (worker == 0 && expected.load() > 0)
                std::this_thread::yield();
        }
    };
    std::vector<double> times;
    for (size_t i = 0; i < kRounds; ++i) {
        Meeting meeting{numWorkers()};
        auto start = Clock::now();
        run(&Meeting::attend, &meeting);
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    release();
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    measuredNs.store(times[kRounds / 2], std::memory_order_relaxed);
    return times[kRounds / 2];
}

} // namespace daphne::sched
