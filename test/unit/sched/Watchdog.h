// SPDX-License-Identifier: Apache-2.0
/// For tests that must not wait for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace daphne::sched {

/// Ends the process with a message if nobody reports progress for a minute.
class Watchdog {
  public:
    Watchdog() : thread([this] { watch(); }) {}
    ~Watchdog() {
        {
            std::lock_guard lock(mutex);
            done = true;
        }
        changed.notify_all();
        thread.join();
    }
    void progress() { count.fetch_add(1, std::memory_order_relaxed); }

  private:
    void watch() {
        std::unique_lock lock(mutex);
        for (uint64_t seen = count; !changed.wait_for(lock, std::chrono::minutes(1), [this] { return done; });) {
            uint64_t now = count;
            if (now == seen) {
                std::fprintf(stderr, "deadlock: no loop ended within a minute\n");
                std::abort();
            }
            seen = now;
        }
    }
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::atomic<uint64_t> count{0};
    std::thread thread;
};

} // namespace daphne::sched
