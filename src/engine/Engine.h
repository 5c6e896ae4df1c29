// SPDX-License-Identifier: Apache-2.0
/// The engine: text in, values or a Failure out. It compiles programs, keeps them
/// for whoever compiles the same again, and runs them on the threads that call it
/// and on the workers of the process. It never ends the process, prints, installs
/// handlers, or reads or writes the environment. Thread-safe; a process may have
/// several engines with different options.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/Options.h"
#include "engine/Program.h"
#include "sched/Scheduler.h"

namespace daphne::exec {
class Placement;
}

namespace daphne::engine {

/// Other machines that the host has connected for an engine. Programs of such an engine run one at a time.
class Machines {
  public:
    virtual ~Machines() = default;
    /// Null where nobody else is there.
    virtual exec::Placement *placement() = 0;
    enum class Variables : bool { Gone, Stay };
    /// How results were computed is known until the program ends; those that stay in a session are fetched.
    virtual void endOfProgram(Variables variables) = 0;
};

/// What the host of an engine wants to be told, and what it does for it.
struct Host {
    std::function<void(ExplainLevel, const std::string &text)> explain = {}; ///< on the thread that compiles
    /// What a program probably does not mean, with its place; on the thread that compiles.
    std::function<void(const std::string &text)> warn = {};
    sched::Scheduler::Sink schedulerLog = {};                     ///< from any thread
    std::function<void(sched::Settings &)> adjustScheduling = {}; ///< what the environment says besides the options
    std::function<std::unique_ptr<Machines>(sched::Scheduler &)> connect = {}; ///< none: everything happens here
};

struct CompileRequest {
    std::string text;
    std::string name = "program";          ///< in messages
    std::string directory = ".";           ///< where relative imports start
    std::vector<Variable> inputs = {};     ///< defined when the program begins
    std::vector<std::string> outputs = {}; ///< variables whose values are returned
};

class Session;

class Engine {
  public:
    explicit Engine(Options options, Host host = {});
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    /// Throws Failure. Equal requests share their program as long as the files that were imported do not change.
    std::shared_ptr<const Program> compile(const CompileRequest &request);

    /// A new, empty session. It keeps what it needs of the engine.
    std::unique_ptr<Session> newSession();

    const Options &options() const;
    sched::Scheduler &scheduler();
    /// Null if the host connected none.
    Machines *machines();
    /// Gives memory that is kept for later use back to the system.
    void trim();

  private:
    std::shared_ptr<EngineState> state;
};

} // namespace daphne::engine
