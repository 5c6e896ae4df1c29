// SPDX-License-Identifier: Apache-2.0
/// How far long work has come:
///
///     Progress bar("reading x.csv", fileSize);
///     ... bar.advance(n), or advanceProgress(n) where the bar is not at hand; from any thread of the work
///
/// The listener of the run hears of it (ActiveRun::progress), if there is one. Of nested
/// work the outermost of each run shows. What a listener does with it is its business:
/// the command line paints bars (driver/ProgressBars.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace daphne {

class ActiveRun;

/// Work that a listener hears of. Threads of the work change the counters meanwhile.
struct ProgressWork {
    using Clock = std::chrono::steady_clock;
    std::string what;
    std::atomic<uint64_t> total{0}; ///< 0: nobody knows
    std::atomic<uint64_t> done{0};
    Clock::time_point start{};
};

/// Who wants to know. Functions are called from any thread, several at a time if runs share a listener.
class ProgressListener {
  public:
    virtual ~ProgressListener() = default;
    /// The work lives until it ends.
    virtual void begins(const ProgressWork &work) = 0;
    /// Comes often: once per task of a loop. Who looks at the work by itself needs no more than this.
    virtual void advances(const ProgressWork &) {}
    /// Returns when the listener does not look at the work any more.
    virtual void ends(const ProgressWork &work) = 0;
};

class Progress {
  public:
    /// Work of so many units; 0: nobody knows.
    Progress(std::string_view what, uint64_t total);
    ~Progress();
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    void advance(uint64_t units) {
        if (run)
            add(units);
    }

  private:
    friend void advanceProgress(uint64_t);
    friend void setProgress(uint64_t, uint64_t);
    void add(uint64_t units);
    void set(uint64_t done, uint64_t total);
    template <class F> static void withShown(F &&f);

    ActiveRun *run = nullptr; ///< whose outermost work this is; null: it does not show
    ProgressListener *listener = nullptr;
    ProgressWork work;
};

/// The outermost work of this thread's run has come this much further.
void advanceProgress(uint64_t units);
/// The outermost work of this thread's run has come so far.
void setProgress(uint64_t done, uint64_t total);

} // namespace daphne
