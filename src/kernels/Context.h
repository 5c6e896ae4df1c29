// SPDX-License-Identifier: Apache-2.0
/// What one run of a program shares: output streams, the current call site, the
/// stack limit, which representation is preferred, open files. One per run, used by the coordinating thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/RepresentationPolicy.h"
#include "data/Value.h"
#include "io/OpenFiles.h"

namespace daphne::sched {
class Scheduler;
}

namespace daphne {

/// Buffered writer on a file descriptor. Flushes when large, on request and at
/// destruction; a failing descriptor (closed pipe) throws Error (status 3) on write().
class Output {
  public:
    explicit Output(int fd) : fd(fd) {}
    ~Output();
    void write(std::string_view text);
    void flush();

  private:
    int fd;
    std::string buffer;
};

struct Context {
    /// Layout known to generated code: the first two members.
    uint64_t callSite = 0;   ///< id of the operation being executed
    uint64_t stackLimit = 0; ///< lowest stack address generated code may reach
    Output out{1};
    Output err{2};
    RepresentationPolicy representation;
    sched::Scheduler *scheduler = nullptr;           ///< runs loops on all cores; null: on this thread
    io::OpenFiles files;                             ///< opened by the script and not yet closed
    std::vector<std::string> profiledRegions;        ///< started and not yet stopped
    std::map<std::string, Value, std::less<>> views; ///< frames registered for queries, by name
};

} // namespace daphne
