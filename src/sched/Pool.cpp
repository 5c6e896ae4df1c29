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

/// Tests of a variable before a thread sleeps: about twenty microseconds.
constexpr uint32_t kSpins = 2000;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

} // namespace

uint32_t Pool::currentWorker() { return workerNumber; }

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
    stopping = true;
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    for (std::thread &t : threads)
        t.join();
}

bool Pool::tryAcquire() { return !insideTask && threads.size() > 0 && owner.try_lock(); }
void Pool::release() { owner.unlock(); }

void Pool::waitForWork(uint32_t seen) {
    for (uint32_t i = 0; i < spins; ++i) {
        if (generation.load(std::memory_order_acquire) != seen)
            return;
        relax();
    }
    generation.wait(seen, std::memory_order_acquire);
}

void Pool::waitForWorkers() {
    for (uint32_t i = 0; i < spins; ++i) {
        if (pending.load(std::memory_order_acquire) == 0)
            return;
        relax();
    }
    while (uint32_t left = pending.load(std::memory_order_acquire))
        pending.wait(left, std::memory_order_acquire);
}

void Pool::work(uint32_t worker) {
    workerNumber = worker;
    insideTask = true;
    for (uint32_t seen = 0;;) {
        waitForWork(seen);
        seen = generation.load(std::memory_order_acquire);
        if (stopping)
            return;
        job(argument, worker);
        if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
            pending.notify_one();
    }
}

void Pool::runOnAll(Job newJob, void *newArgument) {
    job = newJob;
    argument = newArgument;
    pending.store(static_cast<uint32_t>(threads.size()), std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    insideTask = true;
    newJob(newArgument, 0);
    insideTask = false;
    waitForWorkers();
}

double Pool::forkJoinNs() {
    if (measuredNs >= 0)
        return measuredNs;
    if (!tryAcquire())
        return 0;
    using Clock = std::chrono::steady_clock;
    constexpr size_t kRounds = 51;
    std::vector<double> times;
    for (size_t i = 0; i < kRounds; ++i) {
        auto start = Clock::now();
        runOnAll([](void *, uint32_t) {}, nullptr);
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    release();
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    return measuredNs = times[kRounds / 2];
}

} // namespace daphne::sched
