// SPDX-License-Identifier: Apache-2.0
/// A worker: keeps objects, runs loop programs on them with its own scheduler,
/// hands results out. It sees one coordinator at a time, knows only its part of
/// the data, and believes nothing it is told: sizes, numbers and programs are
/// checked before they are used.
#pragma once

#include <functional>
#include <memory>

#include "dist/transports/Transport.h"
#include "exec/LoopEngine.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

struct WorkerOptions {
    std::string build;                            ///< must be the coordinator's
    std::string token;                            ///< "" if none is needed
    uint64_t mostObjectBytes = ~uint64_t(0) >> 1; ///< of all objects together
    uint64_t mostObjects = 1 << 20;
    std::vector<std::string> readRoots;           ///< directories whose files coordinators may have read
    std::function<void(const std::string &)> log; ///< one line; null: silence
    /// Called before every loop with the number of those before it; for tests of failures.
    std::function<void(uint64_t)> beforeLoop;
};

class Worker {
  public:
    /// Scheduling options of a coordinator, as on its command line, become a scheduler.
    using MakeScheduler = std::function<std::unique_ptr<sched::Scheduler>(const std::vector<std::string> &)>;
    Worker(WorkerOptions options, exec::LoopEngine &engine, MakeScheduler makeScheduler)
        : options(std::move(options)), engine(engine), makeScheduler(std::move(makeScheduler)) {}

    /// Serves the coordinator at the other end until it detaches, is lost or breaks the protocol. Whether it has
    /// detached: the program has ended.
    bool serve(Transport &transport);

  private:
    WorkerOptions options;
    exec::LoopEngine &engine;
    MakeScheduler makeScheduler;
};

} // namespace daphne::dist
