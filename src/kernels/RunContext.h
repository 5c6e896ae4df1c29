// SPDX-License-Identifier: Apache-2.0
/// What one run of a program has to itself, as far as kernels see it: where its
/// output goes, who runs its loops, which representation it prefers, its open
/// files and views. One per run; kernels that print, open files or register views
/// run in the order of the program, on one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ActiveRun.h"
#include "data/RepresentationPolicy.h"
#include "data/Value.h"
#include "io/files/OpenFiles.h"

namespace daphne::sched {
class Scheduler;
}

namespace daphne {

/// Collects text for a sink of the host. What the sink throws goes to whoever writes.
class Output {
  public:
    using Sink = std::function<void(std::string_view)>;
    enum class Passing {
        InLargePieces, ///< and on flush()
        AtOnce         ///< where somebody waits for it: every piece that is written
    };
    Output() = default; ///< discards everything
    explicit Output(Sink sink, Passing passing = Passing::InLargePieces) : sink(std::move(sink)), passing(passing) {}
    void write(std::string_view text);
    void flush();

  private:
    Sink sink;
    Passing passing = Passing::InLargePieces;
    std::string buffer;
};

struct RunContext {
    ActiveRun active; ///< what all layers know of this run
    Output out, err;  ///< what the script prints
    RepresentationPolicy representation;
    sched::Scheduler *scheduler = nullptr;           ///< runs loops on all cores; null: on this thread
    io::OpenFiles files;                             ///< opened by the script and not yet closed
    std::vector<std::string> profiledRegions;        ///< started and not yet stopped
    std::map<std::string, Value, std::less<>> views; ///< frames registered for queries, by name
};

} // namespace daphne
