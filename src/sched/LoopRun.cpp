// SPDX-License-Identifier: Apache-2.0
#include "sched/LoopRun.h"

#include <algorithm>
#include <utility>

namespace daphne::sched {

namespace {

/// Steps of splitmix64: any seed gives a good sequence.
uint64_t nextRandom(uint64_t &state) {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

uint32_t randomBelow(uint64_t &state, uint32_t n) { return static_cast<uint32_t>((nextRandom(state) >> 32) * n >> 32); }

} // namespace

void LoopRun::prepare(uint64_t total, const LoopPlan &plan, const Placement &where) {
    placement = &where;
    layout = plan.layout;
    victim = plan.victim;
    seed = plan.seed;
    part = 0;
    auto numWorkers = static_cast<uint32_t>(where.workers.size());
    queueCount = layout == Layout::Centralized ? 1 : layout == Layout::PerCpu ? numWorkers : where.numGroups;
    prePartitioned = plan.prePartition && queueCount > 1;
    nextTask.store(0, std::memory_order_relaxed);
    hasFailed.store(false, std::memory_order_relaxed);
    error = nullptr;

    const Scheme &scheme = plan.scheme ? *plan.scheme : schemes()[0];
    Loop loop{.total = total, .workers = numWorkers, .grain = plan.grain, .params = plan.params};
    sequences.resize(prePartitioned ? queueCount : 1);
    if (!prePartitioned) {
        sequences[0].build(scheme, loop, 0);
    } else {
        // AUTO means the whole loop, not a block of it.
        if (scheme.name == "AUTO")
            loop.grain = std::max(loop.grain, automaticGrain(total, numWorkers));
        uint64_t begin = 0;
        for (uint32_t q = 0; q < queueCount; ++q) {
            loop.total = total / queueCount + (q < total % queueCount);
            const Scheme &inBlock = scheme.name == "AUTO" ? *findScheme("SS") : scheme;
            sequences[q].build(inBlock, loop, begin);
            begin += loop.total;
        }
    }
    if (layout == Layout::Centralized)
        return;
    if (queueCapacity < queueCount) {
        queues = std::make_unique<Queue[]>(queueCount);
        queueCapacity = queueCount;
    }
    for (uint32_t q = 0; q < queueCount; ++q)
        queues[q].group = layout == Layout::PerGroup ? q : where.workers[q].group;
    fill();
}

uint64_t LoopRun::tasksOfQueue(uint32_t queue) const {
    if (prePartitioned)
        return sequences[queue].count();
    uint64_t all = sequences[0].count();
    return all / queueCount + (queue < all % queueCount);
}

uint64_t LoopRun::numTasks() const {
    uint64_t n = 0;
    for (const TaskSequence &s : sequences)
        n += s.count();
    return n;
}

bool LoopRun::fill() {
    bool any = false;
    for (uint32_t q = 0; q < queueCount; ++q) {
        uint64_t all = tasksOfQueue(q), before = std::min(all, part * kMostTasks);
        auto count = static_cast<uint32_t>(std::min(all - before, kMostTasks));
        queues[q].tasks.fill(count);
        any |= count > 0;
    }
    return any;
}

bool LoopRun::nextPart() {
    if (layout == Layout::Centralized || failed())
        return false;
    ++part;
    return fill();
}

Thief LoopRun::thief(uint32_t worker) const {
    uint32_t group = placement->workers[worker].group;
    Thief t{.worker = worker, .group = group};
    if (layout != Layout::Centralized)
        t.home = layout == Layout::PerCpu ? worker : group;
    t.victim = queueCount > 1 ? (t.home + 1) % queueCount : 0;
    t.random = seed * 0x100000001b3 + worker;
    return t;
}

bool LoopRun::claim(Thief &thief, Claim &out) {
    if (layout == Layout::Centralized) {
        uint64_t k = nextTask.fetch_add(1, std::memory_order_relaxed);
        if (k >= sequences[0].count())
            return false;
        out.range = sequences[0].task(k);
        return true;
    }
    return popHome(thief, out) || steal(thief, out);
}

bool LoopRun::popHome(Thief &thief, Claim &out) {
    auto k = queues[thief.home].tasks.popFront();
    if (!k)
        return false;
    out = {taskOf(thief.home, *k), thief.home, false};
    return true;
}

bool LoopRun::stealFrom(uint32_t queue, Claim &out) {
    auto k = queues[queue].tasks.popBack();
    if (!k)
        return false;
    out = {taskOf(queue, *k), queue, true};
    return true;
}

/// Stays with a victim until it is empty, then goes on to the next.
bool LoopRun::stealSequential(Thief &thief, Claim &out, bool ownGroupOnly) {
    for (uint32_t tries = 0; tries < queueCount; ++tries) {
        uint32_t q = thief.victim;
        bool allowed = q != thief.home && (!ownGroupOnly || queues[q].group == thief.group);
        if (allowed && stealFrom(q, out))
            return true;
        thief.victim = q + 1 == queueCount ? 0 : q + 1;
    }
    return false;
}

/// A random place to start; from there the next one that has tasks.
bool LoopRun::stealRandom(Thief &thief, Claim &out, bool ownGroupOnly) {
    uint32_t start = randomBelow(thief.random, queueCount);
    for (uint32_t i = 0; i < queueCount; ++i) {
        uint32_t q = start + i < queueCount ? start + i : start + i - queueCount;
        bool allowed = q != thief.home && (!ownGroupOnly || queues[q].group == thief.group);
        if (allowed && !queues[q].tasks.empty() && stealFrom(q, out))
            return true;
    }
    return false;
}

bool LoopRun::steal(Thief &thief, Claim &out) {
    bool priority = victim == Victim::SeqPri || victim == Victim::RandomPri;
    bool random = victim == Victim::Random || victim == Victim::RandomPri;
    auto look = [&](bool ownGroupOnly) {
        return random ? stealRandom(thief, out, ownGroupOnly) : stealSequential(thief, out, ownGroupOnly);
    };
    if (priority && thief.ownGroup) {
        if (look(true))
            return true;
        thief.ownGroup = false; // queues are never filled again while the loop runs
    }
    return look(false);
}

void LoopRun::fail(std::exception_ptr first) {
    std::lock_guard lock(errorMutex);
    if (!error)
        error = std::move(first);
    hasFailed.store(true, std::memory_order_relaxed);
}

void LoopRun::rethrow() {
    if (failed())
        std::rethrow_exception(std::exchange(error, nullptr));
}

} // namespace daphne::sched
