// SPDX-License-Identifier: Apache-2.0
/// Workers that belong to one run: --launcher starts them, reads where they
/// listen from what they print, and sees to it that they end with the run. A
/// worker that loses its coordinator without a farewell ends on its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace daphne::driver {

/// A command that starts workers, each of which prints one line with its address.
struct LaunchCommand {
    std::vector<std::string> words;
    uint32_t workers = 1;
    std::string input;                      ///< what it is told on standard input
    std::map<std::string, std::string> env; ///< beyond that of this process
    bool isWorker = false;                  ///< the process is a worker itself
};

/// How workers are to be started.
struct LaunchPlan {
    std::string program;              ///< daphne-worker
    std::vector<std::string> options; ///< of all workers
    std::string token;                ///< shown to nobody: neither in arguments nor on disk
};

/// So many workers on this machine.
std::vector<LaunchCommand> localLaunch(const LaunchPlan &plan, int64_t count);
/// A line per host: name [slots=n]; # begins a comment. Throws Error (status 1) that names file and line.
std::vector<LaunchCommand> sshLaunch(const LaunchPlan &plan, const std::string &hostFile);
/// The tasks of the Slurm allocation this process is in, by its environment; throws Error (status 1) if it is in none.
std::vector<LaunchCommand> slurmLaunch(const LaunchPlan &plan);

/// Processes of commands; they are told to end at the end.
class LaunchedWorkers {
  public:
    /// Waits until all have said where they are. Throws Error (status 3) if one does not.
    explicit LaunchedWorkers(const std::vector<LaunchCommand> &commands);
    ~LaunchedWorkers();
    std::vector<std::string> addresses;

  private:
    struct Child {
        pid_t process = -1;
        int output = -1;
        bool isWorker = false;
    };
    Child start(const LaunchCommand &command);
    void readAddresses(const LaunchCommand &command, const Child &child);
    void endAll(bool wereTold);
    std::vector<Child> children;
};

} // namespace daphne::driver
