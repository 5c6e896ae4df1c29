// SPDX-License-Identifier: Apache-2.0
#include "sched/Pool.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <memory>
#include <system_error>

#include <pthread.h>

#include "base/Error.h"
#include "sched/ThreadBinding.h"

namespace daphne::sched {

namespace {

/// Where a thread is: at which loop of which pool.
struct Place {
    const Pool *pool = nullptr; ///< null: outside of loops
    uint32_t worker = 0;
    uint32_t root = 0;    ///< slot of the outermost loop
    uint32_t depth = 0;   ///< loops around; those of other pools do not count
    uint64_t loops = 0;   ///< their slots, as far as they have some
    uint32_t noLoops = 0; ///< NoLoopsHere
};
thread_local constinit Place place;

/// Tasks of loops inside of tasks: one table for each depth.
struct InnerTables {
    std::vector<std::unique_ptr<LoopRun>> tables;
    size_t used = 0;
};
thread_local InnerTables innerTables;

/// Tests of a variable before a thread sleeps: some tens of microseconds, about what it takes to wake it again.
constexpr uint32_t kSpins = 2000;
/// Tests before a thread counts as idle: loops in quick succession do not pay for counting.
constexpr uint32_t kPatience = 64;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

std::atomic<uint32_t> forks{0};

uint32_t watchForks() {
    [[maybe_unused]] static const int done =
        pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
    return forkCount();
}

} // namespace

uint32_t forkCount() { return forks.load(std::memory_order_relaxed); }

#ifndef NDEBUG
NoLoopsHere::NoLoopsHere() { ++place.noLoops; }
NoLoopsHere::~NoLoopsHere() { --place.noLoops; }
#endif

Pool::Pool(const Topology &topology, uint32_t numWorkers, Pinning pinning)
    : placement(placeWorkers(topology, std::max(1u, numWorkers), pinning)), forkCount(watchForks()) {
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

Pool::~Pool() {
    if (hasThreads())
        stop();
    else if (!threads.empty()) // those of the parent process can neither be joined nor detached here
        new std::vector<std::thread>(std::move(threads));
}

bool Pool::hasThreads() const { return !threads.empty() && forkCount == sched::forkCount(); }

void Pool::stop() {
    stopping.store(true);
    wakeups.fetch_add(1);
    wakeups.notify_all();
    for (std::thread &t : threads)
        t.join();
}

uint32_t Pool::currentWorker() const { return place.pool == this ? place.worker : 0; }

// ---- threads of the pool

void Pool::work(uint32_t worker) {
    place = {.pool = this, .worker = worker};
    for (;;) {
        uint32_t slot = waitForWork();
        if (slot == Board::kNone)
            return;
        join(slot, worker, Counted::Yes, 0);
    }
}

/// A slot to join; kNone: the pool ends.
uint32_t Pool::waitForWork() {
    bool isIdle = false;
    auto becomeIdle = [&] {
        if (!isIdle)
            numIdle.fetch_add(1);
        isIdle = true;
    };
    auto look = [&] {
        uint32_t slot = board.open().load(std::memory_order_relaxed) ? board.choose(numWorkers()) : Board::kNone;
        if (slot != Board::kNone && isIdle)
            numIdle.fetch_sub(1);
        return slot;
    };
    while (!stopping.load(std::memory_order_acquire)) {
        for (uint32_t i = 0; i < spins && !stopping.load(std::memory_order_relaxed); ++i) {
            if (uint32_t slot = look(); slot != Board::kNone)
                return slot;
            if (i == kPatience)
                becomeIdle();
            relax();
        }
        becomeIdle();
        // Either this thread sees the next loop after setting the flag, or its caller sees the flag after opening it.
        uint32_t ticket = wakeups.load();
        mayBeAsleep.store(true);
        if (uint32_t slot = look(); slot != Board::kNone)
            return slot;
        if (stopping.load())
            break;
        wakeups.wait(ticket);
        if (uint32_t slot = look(); slot != Board::kNone)
            return slot;
    }
    return Board::kNone;
}

void Pool::wakeSleepers() {
    if (mayBeAsleep.load() && mayBeAsleep.exchange(false)) {
        wakeups.fetch_add(1);
        wakeups.notify_all();
    }
}

/// False if the slot was closed, or is not inside of the loop that it should be in (a set of one slot; 0: anywhere).
bool Pool::join(uint32_t slot, uint32_t worker, Counted counted, uint64_t neededAncestor) {
    Board::Slot &s = board[slot];
    if (const LoopRun *tasks = s.tasks.load(std::memory_order_relaxed))
        tasks->prefetch();
    __builtin_prefetch(s.argument.load(std::memory_order_relaxed));
    bool isHelper = counted == Counted::Yes, isRoot = Board::isRoot(slot);
    uint64_t amount = isHelper && isRoot ? 1 | Board::kOneHelper : 1;
    s.state.fetch_add(amount);
    uint64_t ancestors = 0;
    uint32_t root = slot, depth = 0;
    bool isOpen = board.isOpen(slot);
    if (isOpen && !isRoot) {
        ancestors = s.ancestors.load(std::memory_order_relaxed);
        root = s.root.load(std::memory_order_relaxed);
        depth = s.depth.load(std::memory_order_relaxed);
    }
    if (!isOpen || (neededAncestor && !(ancestors & neededAncestor))) {
        leave(slot, amount);
        return false;
    }
    assert(!(place.loops & Board::bit(slot)) && "a thread is at a loop once");
    if (isHelper && !isRoot)
        board[root].state.fetch_add(Board::kOneHelper);
    if (isHelper && s.run)
        s.run->helpers.fetch_add(1, std::memory_order_relaxed);
    Visit visit(*this, worker);
    if (isHelper) {
        visit.root = root;
        visit.watched = &board.taken();
        visit.mask = Board::kRootMask & ~Board::bit(root);
    }
    {
        ActiveRun::Scope scope(s.run);
        Place before = place;
        place = {this, worker, root, depth + 1, ancestors | Board::bit(slot)};
        s.job(s.argument.load(std::memory_order_relaxed), visit);
        place = before;
    }
    if (!visit.hasLeft)
        board.close(slot); // there is nothing left to take
    if (isHelper && s.run)
        s.run->helpers.fetch_sub(1, std::memory_order_relaxed);
    if (isHelper && visit.hasLeft)
        amount = 1; // it is not counted as a helper any more
    else if (isHelper && !isRoot)
        board[root].state.fetch_sub(Board::kOneHelper);
    leave(slot, amount);
    return true;
}

/// The last one to leave wakes the caller if that one has gone to sleep.
void Pool::leave(uint32_t slot, uint64_t amount) {
    Board::Slot &s = board[slot];
    uint64_t before = s.state.fetch_sub(amount);
    if ((before & Board::kInside) == 1 && (before & Board::kCallerSleeps)) {
        s.bell.fetch_add(1);
        s.bell.notify_one();
    }
}

/// Until nobody is at the closed loop but its caller, which this thread is. Meanwhile it helps with loops inside of it.
void Pool::waitForOthers(uint32_t slot) {
    Board::Slot &s = board[slot];
    auto isOver = [&] { return (s.state.load() & Board::kInside) == 0; };
    auto help = [&] {
        uint32_t inner = board.openInside(slot);
        return inner != Board::kNone && join(inner, place.worker, Counted::No, Board::bit(slot));
    };
    for (uint32_t i = 0; i < std::min(spins, kPatience); ++i) {
        if (isOver())
            return;
        relax();
    }
    numIdle.fetch_add(1);
    bool hasFlag = false;
    for (uint32_t i = 0; !isOver();) {
        if (help()) {
            i = 0;
        } else if (i < spins) {
            ++i;
            relax();
        } else {
            // Either this thread sees the last one leave and loops open after setting the flag, or these see the flag.
            uint32_t ticket = s.bell.load();
            s.state.fetch_or(Board::kCallerSleeps);
            hasFlag = true;
            if (!isOver() && board.openInside(slot) == Board::kNone)
                s.bell.wait(ticket);
        }
    }
    if (hasFlag)
        s.state.fetch_and(~Board::kCallerSleeps);
    numIdle.fetch_sub(1);
}

// ---- visits and callers

bool Visit::leaves(bool holdsTasks) {
    if (entry) {
        if (!entry->open()) // no slot is free: stays alone, but asks again
            return false;
        mask = 0;
        entry = nullptr;
        return false;
    }
    hasLeft = !holdsTasks && pool.board.givesUp(root, pool.numWorkers());
    return hasLeft;
}

Entry::Entry(Pool &pool) : pool(pool) {
    assert(place.noLoops == 0 && "this task has promised to start no loop");
    if (!pool.hasThreads())
        return;
    isInner = place.pool == &pool && place.depth > 0;
    if (!isInner)
        slot = pool.board.take(Board::Kind::Root);
}

Entry::~Entry() {
    if (innerTasks)
        --innerTables.used;
    if (slot == Board::kNone)
        return;
    pool.board.giveBack(slot);
    // Another caller's loop may have room for one helper more now.
    if (!isInner && pool.board.open().load())
        pool.wakeSleepers();
}

LoopRun &Entry::tasks() {
    if (!isInner) {
        std::unique_ptr<LoopRun> &own = pool.board[slot].ownTasks;
        if (!own) {
            own = std::make_unique<LoopRun>();
            pool.board[slot].tasks.store(own.get(), std::memory_order_relaxed);
        }
        return *own;
    }
    if (!innerTasks) {
        if (innerTables.used == innerTables.tables.size())
            innerTables.tables.push_back(std::make_unique<LoopRun>());
        innerTasks = innerTables.tables[innerTables.used++].get();
    }
    return *innerTasks;
}

/// False if no slot is free.
bool Entry::open() {
    if (slot == Board::kNone)
        slot = pool.board.take(Board::Kind::Inner);
    if (slot == Board::kNone)
        return false;
    Board::Slot &s = pool.board[slot];
    s.job = job;
    s.argument.store(argument, std::memory_order_relaxed);
    s.run = ActiveRun::current();
    if (isInner) {
        s.ancestors.store(place.loops, std::memory_order_relaxed);
        s.root.store(place.root, std::memory_order_relaxed);
        s.depth.store(place.depth, std::memory_order_relaxed);
        place.loops |= Board::bit(slot);
    } else {
        const void *owner = s.run ? static_cast<const void *>(s.run) : &s;
        s.owner.store(owner, std::memory_order_relaxed);
    }
    isOpen = true;
    pool.board.open().fetch_or(Board::bit(slot));
    pool.wakeSleepers();
    if (isInner)
        for (uint64_t rest = s.ancestors.load(std::memory_order_relaxed); rest; rest &= rest - 1)
            if (Board::Slot &outer = pool.board[static_cast<uint32_t>(std::countr_zero(rest))];
                outer.state.load() & Board::kCallerSleeps) {
                outer.bell.fetch_add(1);
                outer.bell.notify_one();
            }
    return true;
}

void Entry::run(Job newJob, void *newArgument) {
    job = newJob;
    argument = newArgument;
    Place before = place;
    Visit visit(pool, pool.currentWorker());
    if (isInner) {
        ++place.depth;
        visit.entry = this;
        visit.mask = ~uint64_t(0);
    } else {
        place = {&pool, 0, slot, 1, Board::bit(slot)};
        visit.number = 0;
        open();
    }
    job(argument, visit);
    if (isOpen) {
        pool.board.close(slot);
        if (pool.board[slot].state.load() & Board::kInside)
            pool.waitForOthers(slot);
        isOpen = false;
    }
    place = before;
}

// ---- what a loop costs

double Pool::forkJoinNs() {
    if (double known = measuredNs.load(std::memory_order_relaxed); known >= 0)
        return known;
    using Clock = std::chrono::steady_clock;
    static constexpr size_t kRounds = 51;
    static constexpr double kGuessNs = 5000;
    static constexpr auto kLongestRound = std::chrono::milliseconds(2), kLongest = std::chrono::milliseconds(20);
    /// All workers come and wait for each other. Others have work to do: then it ends before.
    struct Meeting {
        Pool &pool;
        std::atomic<uint32_t> expected;
        std::atomic<bool> isOver{false};
        Clock::time_point start = Clock::now();
        static void attend(void *self, Visit &visit) {
            auto &m = *static_cast<Meeting *>(self);
            m.expected.fetch_sub(1);
            while (m.expected.load() > 0 && !m.isOver.load()) {
                if (visit.worker() == 0 && (m.pool.isShared() || Clock::now() - m.start > kLongestRound))
                    m.isOver = true;
                std::this_thread::yield();
            }
        }
    };
    if (!hasThreads() || (place.pool == this && place.depth > 0) || board.taken().load() || isMeasuring.exchange(true))
        return kGuessNs;
    std::vector<double> times;
    if (Entry entry(*this); !entry.worksAlone()) {
        auto end = Clock::now() + kLongest;
        while (times.size() < kRounds && Clock::now() < end && !isShared()) {
            Meeting meeting{*this, numWorkers()};
            entry.run(&Meeting::attend, &meeting);
            times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - meeting.start).count());
        }
        if (isShared())
            times.clear();
    }
    isMeasuring = false;
    if (times.empty())
        return kGuessNs;
    auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    measuredNs.store(*middle, std::memory_order_relaxed);
    return *middle;
}

} // namespace daphne::sched
