// SPDX-License-Identifier: Apache-2.0
/// The run that a thread works for, as far as every layer may know it: whether
/// its host has cancelled it, who hears how far it has come, and how many threads
/// of the pool work for it. The engine owns one per run; a thread enters it with a
/// Scope, and a worker of the pool enters it while it works at one of its loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace daphne {

class Progress;
class ProgressListener;

class ActiveRun {
  public:
    ActiveRun() = default;
    ActiveRun(const ActiveRun &) = delete;
    ActiveRun &operator=(const ActiveRun &) = delete;

    const std::atomic<bool> *cancelFlag = nullptr; ///< the host sets it at any time; null: never
    ProgressListener *progress = nullptr;          ///< null: nobody listens
    std::atomic<uint32_t> helpers{0};              ///< threads of the pool that work for this run now

    bool isCancelled() const { return cancelFlag && cancelFlag->load(std::memory_order_relaxed); }

    /// The run of this thread; null outside of runs.
    static ActiveRun *current() noexcept { return ofThread; }

    /// While one lives, this thread works for the run (null: for none). Scopes nest.
    class Scope {
      public:
        explicit Scope(ActiveRun *run) : before(std::exchange(ofThread, run)) {}
        ~Scope() { ofThread = before; }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

      private:
        ActiveRun *before;
    };

  private:
    friend class Progress;
    /// The outermost work of the run; base/Progress.cpp.
    struct {
        std::atomic<bool> isTaken{false};
        std::atomic<Progress *> shown{nullptr};
        std::atomic<uint32_t> users{0}; ///< threads that advance it at this moment
    } work;

    inline static thread_local constinit ActiveRun *ofThread = nullptr;
};

/// Throws the Error of a cancelled run if the run of this thread is cancelled. Costs two loads otherwise.
void throwIfCancelled();

} // namespace daphne
