// SPDX-License-Identifier: Apache-2.0
/// From options to machines: which transport, which workers, and the two ways of
/// being a worker (a rank of a job, a process that listens).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dist/coordinator/Cluster.h"
#include "dist/transports/TransportTable.h"
#include "driver/machines/Launcher.h"
#include "driver/options/CommandLine.h"
#include "engine/Engine.h"
#include "exec/Placement.h"

namespace daphne::driver {

/// What belongs to one coordinator, in the order in which it is made.
class Coordinator : public engine::Machines {
  public:
    /// Connects to all workers; `job`: what startJob() returned. Throws Error: status 1 for contradicting options, 3 if
    /// workers cannot be used.
    Coordinator(const CommandLine &options, sched::Scheduler &scheduler, std::shared_ptr<dist::TransportModule> job);
    ~Coordinator() override;
    exec::Placement *placement() override { return where ? &*where : nullptr; }
    void endOfProgram(Variables variables) override { machines->endOfProgram(variables == Variables::Stay); }
    /// Null where nobody else is there: one rank is a local run.
    dist::Cluster *cluster() const { return machines.get(); }

  private:
    std::shared_ptr<dist::TransportModule> module;
    std::unique_ptr<LaunchedWorkers> children;
    std::unique_ptr<dist::Cluster> machines;
    std::optional<exec::Placement> where; ///< on this CPU or on all machines
};

/// Joins the job whose ranks are workers if the options ask for such a transport, else null.
std::shared_ptr<dist::TransportModule> startJob(const CommandLine &options);
/// Works for rank 0 until the job ends; the exit status.
int serveRank(const CommandLine &options, dist::TransportModule &job);

/// daphne-worker: arguments without the program's name; the exit status.
int workerMain(const std::vector<std::string> &words);

} // namespace daphne::driver
