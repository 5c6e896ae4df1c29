// SPDX-License-Identifier: Apache-2.0
#include "sched/LoopRun.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/Error.h"

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
    const Scheme &scheme = plan.scheme ? *plan.scheme : schemes()[0];
    placement = &where;
    layout = scheme.ownBlocks ? Layout::PerCpu : plan.layout;
    victim = plan.victim;
    seed = plan.seed;
    joinsTasks = plan.joinsTasks;
    part = 0;
    numWorkers = static_cast<uint32_t>(where.workers.size());
    queueCount = layout == Layout::Centralized ? 1 : layout == Layout::PerCpu ? numWorkers : where.numGroups;
    prePartitioned = (plan.prePartition || scheme.ownBlocks) && queueCount > 1;
    batchShift = 0;
    piecesPerBlock = 0;
    nextTask.store(0, std::memory_order_relaxed);
    lowestFailed.store(kNoneFailed, std::memory_order_relaxed);
    isCancelled.store(false, std::memory_order_relaxed);
    error = nullptr;

    Loop loop = loopOf(total, numWorkers, plan);
    if (!prePartitioned) {
        tasks.build(scheme, loop, 0);
    } else {
        blocks.resize(queueCount);
        // AUTO means the whole loop, not a block of it.
        if (scheme.name == "AUTO")
            loop.grain = std::max(loop.grain, automaticGrain(total, numWorkers));
        uint64_t begin = 0;
        for (uint32_t q = 0; q < queueCount; ++q) {
            loop.total = total / queueCount + (q < total % queueCount);
            const Scheme &inBlock = scheme.name == "AUTO" ? *findScheme("SS") : scheme;
            blocks[q].build(inBlock, loop, begin);
            begin += loop.total;
        }
    }
    if (layout == Layout::Centralized)
        return prepareBatches();
    if (queueCapacity < queueCount) {
        queues = std::make_unique<Queue[]>(queueCount);
        queueCapacity = queueCount;
    }
    if (scheme.ownBlocks && prePartitioned) // the first block has most
        piecesPerBlock = static_cast<uint32_t>(std::min<uint64_t>(blocks[0].count(), ~uint32_t(0) / queueCount));
    for (uint32_t q = 0; q < queueCount; ++q)
        queues[q].group = layout == Layout::PerGroup ? q : where.workers[q].group;
    fill();
}

/// Of equal tasks a worker takes several at once while very many are left: the counter moves between CPUs less often.
/// Tasks of a decreasing scheme stay single, since there a late large one would cost the balance.
void LoopRun::prepareBatches() {
    uint64_t count = tasks.count();
    auto shift = static_cast<uint8_t>(std::bit_width(uint64_t(16) * numWorkers - 1));
    if (!tasks.hasEqualSizes() || count >> shift < 2 || count >= TaskBatch::kMostTasks)
        return;
    batchShift = shift;
    if (batchCapacity < numWorkers) {
        batches = std::make_unique<Batch[]>(numWorkers);
        batchCapacity = numWorkers;
    }
    for (uint32_t w = 0; w < numWorkers; ++w)
        batches[w].clear();
}

uint64_t LoopRun::tasksOfQueue(uint32_t queue) const {
    if (prePartitioned)
        return blocks[queue].count();
    return tasks.count() / queueCount + (queue < tasks.count() % queueCount);
}

uint64_t LoopRun::numTasks() const {
    if (!prePartitioned)
        return tasks.count();
    uint64_t n = 0;
    for (uint32_t q = 0; q < queueCount; ++q)
        n += blocks[q].count();
    return n;
}

bool LoopRun::fill() {
    bool any = false;
    uint64_t most = piecesPerBlock ? piecesPerBlock : kMostTasks;
    for (uint32_t q = 0; q < queueCount; ++q) {
        uint64_t all = tasksOfQueue(q), before = std::min(all, part * most);
        auto count = static_cast<uint32_t>(std::min(all - before, most));
        queues[q].tasks.fill(q * piecesPerBlock, q * piecesPerBlock + count);
        any |= count > 0;
    }
    return any;
}

bool LoopRun::nextPart() {
    if (layout == Layout::Centralized || error || isCancelled.load(std::memory_order_relaxed))
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

/// One task from the counter, the rest of the batch for later; or all of it at once, if tasks may be joined. Batches
/// begin with one task and double, in case the first tasks are long; they shrink to one towards the end. When the
/// counter has run out: what others have taken but not begun.
bool LoopRun::takeCentral(Thief &thief, uint64_t &task, uint64_t &joined) {
    uint64_t all = tasks.count(), left = all - std::min(all, thief.nextTask), count = 1;
    if (batchShift)
        count = std::max<uint64_t>(1, std::min({2 * thief.batch, TaskBatch::kMostCount, left >> batchShift}));
    // Near the end a look is cheaper than a vain increment.
    bool isOver = left <= numWorkers && (left == 0 || nextTask.load(std::memory_order_relaxed) >= all);
    if (!isOver)
        task = nextTask.fetch_add(count, std::memory_order_relaxed);
    if (!isOver && task < all) {
        thief.batch = count;
        thief.nextTask = task + count;
        if (joinsTasks)
            joined = std::min(count, all - task);
        else if (count > 1 && all - task > 1)
            batches[thief.worker].fill(task + 1, std::min(count, all - task) - 1);
        return true;
    }
    thief.nextTask = all;
    if (batchShift)
        for (uint32_t i = 1, w = thief.worker; i < numWorkers; ++i) {
            w = w + 1 == numWorkers ? 0 : w + 1;
            if (batches[w].popBack(task))
                return true;
        }
    return false;
}

bool LoopRun::stealFrom(const Thief &thief, uint32_t queue, Claim &out) {
    auto k = queues[queue].tasks.popBack();
    if (k)
        take(thief, queue, *k, out);
    return k.has_value();
}

/// A quarter of what some worker has left goes to the thief's own queue, all but the piece it begins with. The last
/// piece of a worker is left to it if there is anything else: it may be at the point of taking it. No interval of
/// pieces comes back to a queue that it has left, so that nobody can mistake a new one for an old one.
bool LoopRun::stealQuarter(Thief &thief, Claim &out) {
    for (uint32_t least : {2, 1})
        for (uint32_t tries = 0; tries < queueCount; ++tries) {
            auto part = thief.victim == thief.home ? std::nullopt : queues[thief.victim].tasks.popQuarter(least);
            if (part) {
                take(thief, thief.victim, part->front, out);
                queues[thief.home].tasks.fill(part->front + 1, part->back);
                return true;
            }
            thief.victim = thief.victim + 1 == queueCount ? 0 : thief.victim + 1;
        }
    return false;
}

/// Stays with a victim until it is empty, then goes on to the next.
bool LoopRun::stealSequential(Thief &thief, Claim &out, bool ownGroupOnly) {
    for (uint32_t tries = 0; tries < queueCount; ++tries) {
        uint32_t q = thief.victim;
        bool allowed = q != thief.home && (!ownGroupOnly || queues[q].group == thief.group);
        if (allowed && stealFrom(thief, q, out))
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
        if (allowed && !queues[q].tasks.empty() && stealFrom(thief, q, out))
            return true;
    }
    return false;
}

bool LoopRun::steal(Thief &thief, Claim &out) {
    if (piecesPerBlock)
        return stealQuarter(thief, out);
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

/// Tasks that begin behind this unit are not begun any more, as far as they can be found.
void LoopRun::dropFrom(uint64_t begin) {
    if (layout == Layout::Centralized) { // who counts has taken all before
        nextTask.store(tasks.count(), std::memory_order_relaxed);
        return;
    }
    for (uint32_t q = 0; q < queueCount; ++q)
        queues[q].tasks.dropFrom([&](uint32_t k) { return taskOf(q, k).begin > begin; });
}

void LoopRun::fail(uint64_t begin, std::exception_ptr thrown) {
    std::lock_guard lock(errorMutex);
    if (begin >= lowestFailed.load(std::memory_order_relaxed))
        return;
    error = std::move(thrown);
    lowestFailed.store(begin, std::memory_order_relaxed);
    dropFrom(begin);
}

void LoopRun::rethrow() {
    if (error)
        std::rethrow_exception(std::exchange(error, nullptr));
    if (isCancelled.load(std::memory_order_relaxed))
        throw cancelledError();
}

} // namespace daphne::sched
