// SPDX-License-Identifier: Apache-2.0
/// The engine of this process: its output goes to standard output and standard
/// error, its failures become exit statuses.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "driver/ProgressBars.h"
#include "driver/machines/Distributed.h"
#include "driver/options/CommandLine.h"
#include "engine/Engine.h"
#include "engine/Session.h"

namespace daphne::driver {

/// Seconds spent in each phase.
struct Timing {
    double startup = 0, parsing = 0, compilation = 0, execution = 0, total = 0;
    std::string json() const;
};

class ScriptRunner {
  public:
    /// `job`: started already, if the options ask for it.
    explicit ScriptRunner(CommandLine options, std::shared_ptr<dist::TransportModule> job = nullptr);
    ~ScriptRunner();

    /// Runs one script as a whole. `name` is shown in messages; relative imports start in `directory`.
    /// Returns the exit status; errors have been reported.
    int runScript(std::string name, std::string text, const std::string &directory);

    /// Runs one input of an interactive session; variables and functions stay, also those of the statements before one
    /// that failed. `show` gets the value of an expression at its end. Returns how long it took; none: it failed.
    std::optional<engine::Times> runInteractive(const std::string &text, const engine::Session::Show &show);
    engine::Session &session();

    /// --statistics: figures of all loops so far to standard error.
    void reportStatistics();
    /// --dist-stats: what every machine did so far. The exit status: 3 if the file cannot be written.
    int reportMachines();

  private:
    /// Prints errors with their excerpts to standard error; `stop()` also to standard output.
    void report(const engine::Failure &failure);
    void addTimes(const engine::Times &times);
    RunOptions runOptions(ShowProgress *bars) const;
    dist::Cluster *cluster() const;

    CommandLine options;
    Timing times;
    std::unique_ptr<engine::Engine> engine;
    std::unique_ptr<engine::Session> currentSession;
};

} // namespace daphne::driver
