// SPDX-License-Identifier: Apache-2.0
/// Text in, result or Error out: runs scripts. Prints diagnostics to standard
/// error and returns exit statuses; everything below it throws.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/Error.h"
#include "base/Source.h"
#include "driver/Distributed.h"
#include "driver/Options.h"
#include "sched/Scheduler.h"

namespace daphne::driver {

/// Seconds spent in each phase.
struct Timing {
    double startup = 0, parsing = 0, compilation = 0, execution = 0, total = 0;
    std::string json() const;
};

class Engine {
  public:
    /// `mpi`: started already, if the options ask for it.
    explicit Engine(Options options, std::shared_ptr<dist::MpiModule> mpi = nullptr);
    ~Engine();

    /// Runs one script as a whole. `name` is shown in messages; relative imports start in `directory`.
    /// Returns the exit status; errors have been reported.
    int runScript(std::string name, std::string text, const std::string &directory);

    /// Runs one input of an interactive session; variables and functions stay. Returns false if it failed.
    bool runInteractive(std::string text);

    /// True if the text is an expression with one value that could be printed in this session.
    bool isExpression(const std::string &text);

    /// Prints an error with its excerpt to standard error; `stop()` also to standard output.
    void report(const Error &error);

    /// --statistics: figures of all loops so far to standard error.
    void reportStatistics();
    /// --dist-stats: what every machine did so far. The exit status: 3 if the file cannot be written.
    int reportMachines();

    const Timing &timing() const { return times; }

  private:
    struct Session;
    Session &currentSession();
    void execute(uint32_t fileId, const std::string &directory, Session *session);
    void explain(ExplainLevel level, const std::string &text);

    Options options;
    SourceManager sources;
    Timing times;
    sched::Scheduler scheduler; ///< runs the loops of all programs
    struct State;               ///< MLIR context and what lives as long as the engine
    std::unique_ptr<State> state;
    std::unique_ptr<Coordinator> coordinator; ///< null: everything happens here
    std::unique_ptr<Session> session;
};

} // namespace daphne::driver
