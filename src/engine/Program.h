// SPDX-License-Identifier: Apache-2.0
/// A compiled program: immutable, shared, run by any number of threads at the same
/// time. It keeps what it needs of its engine, so it may outlive it; values that a
/// run returns may outlive both.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "data/Value.h"
#include "engine/Failure.h"
#include "kernels/RunContext.h"
#include "ops/TypeDesc.h"

namespace daphne::codegen {
class Executable;
}

namespace daphne::engine {

class EngineState;

/// A name with what the compiler may assume of its value.
struct Variable {
    std::string name;
    ops::TypeDesc type;
    bool operator==(const Variable &) const = default;
};

/// What the compiler may assume of a value that exists already.
ops::TypeDesc typeOf(const Value &value);

/// What a run is given besides its inputs. Everything is called on the thread that runs.
struct RunOptions {
    Output::Sink out = {}, err = {};                            ///< what the script prints; none: discarded
    Output::Passing passing = Output::Passing::InLargePieces;   ///< of what it prints
    ProgressListener *progress = nullptr;                       ///< may be called from any thread
    const std::atomic<bool> *cancelFlag = nullptr;              ///< set by the host at any time, on any thread
    std::map<std::string, Value, std::less<>> *views = nullptr; ///< of a session: read, and replaced by a success
};

/// Seconds that something took.
struct Times {
    double parsing = 0, compilation = 0, execution = 0;
};

class Program {
  public:
    ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    const std::vector<Variable> &inputs() const { return inputNames; }
    const std::vector<Variable> &outputs() const { return outputNames; }
    /// Of its compilation.
    const Times &times() const { return compileTimes; }

    /// One value per input, in order; returns one per output. Throws Failure. Needs about 100 KiB of stack; how deep
    /// functions of the script may recurse depends on how much there is.
    std::vector<Value> run(std::vector<Value> inputs, const RunOptions &options = {}) const;

  private:
    friend class Engine;
    friend class Session;
    Program();
    class LoopExplainer;
    void checkInputs(const std::vector<Value> &inputs) const;

    std::shared_ptr<EngineState> engine;
    std::shared_ptr<const SourceManager> sources;
    std::unique_ptr<codegen::Executable> code;
    std::vector<Variable> inputNames, outputNames;
    Times compileTimes;
};

} // namespace daphne::engine
