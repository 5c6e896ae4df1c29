// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/Launcher.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/Error.h"

namespace daphne::driver {

namespace {

using Clock = std::chrono::steady_clock;
/// Until all workers of a command have said where they are.
constexpr std::chrono::seconds kStartTime{60};
/// What commands are granted to end when their workers have been told to.
constexpr std::chrono::seconds kEndTime{5};
constexpr const char *kTokenVariable = "DAPHNE_DIST_TOKEN";

/// For a shell: as it is.
std::string quoted(const std::string &word) {
    std::string out = "'";
    for (char c : word)
        out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

uint64_t countOf(const std::string &text, const std::string &subject) {
    uint64_t count = 0;
    std::istringstream words(text);
    if (!(words >> count) || !words.eof() || count == 0 || count > 100000)
        throw parseError({}, subject + ": '" + text + "' is no number of workers");
    return count;
}

} // namespace

std::vector<LaunchCommand> localLaunch(const LaunchPlan &plan, int64_t count) {
    std::error_code problem;
    if (!std::filesystem::exists(plan.program, problem))
        throw executionError("a worker cannot be started: '" + plan.program + "' does not exist");
    LaunchCommand command;
    command.words = {plan.program, "--quiet"};
    command.words.insert(command.words.end(), plan.options.begin(), plan.options.end());
    command.words.push_back("127.0.0.1:0");
    command.env[kTokenVariable] = plan.token;
    command.isWorker = true;
    return std::vector<LaunchCommand>(static_cast<size_t>(count), command);
}

std::vector<LaunchCommand> sshLaunch(const LaunchPlan &plan, const std::string &hostFile) {
    std::ifstream file(hostFile);
    if (!file)
        throw parseError({}, "option --launcher: the file " + hostFile + " cannot be read");
    std::vector<LaunchCommand> commands;
    std::string line;
    for (size_t number = 1; std::getline(file, line); ++number) {
        std::string subject = "option --launcher: " + hostFile + ", line " + std::to_string(number);
        std::istringstream words(line.substr(0, line.find('#')));
        std::string host, word;
        if (!(words >> host))
            continue;
        if (host.starts_with("-"))
            throw parseError({}, subject + ": '" + host + "' is no host");
        uint64_t slots = 1;
        while (words >> word) {
            if (!word.starts_with("slots="))
                throw parseError({}, subject + ": expected a host and perhaps slots=n, not '" + word + "'");
            slots = countOf(word.substr(6), subject);
        }
        // The secret comes over standard input: arguments are seen by everybody on both machines.
        std::string remote = std::string("IFS= read -r ") + kTokenVariable + "; export " + kTokenVariable + "; exec " +
                             quoted(plan.program) + " --quiet";
        for (const std::string &option : plan.options)
            remote += " " + quoted(option);
        LaunchCommand command;
        command.words = {"ssh", "-o", "BatchMode=yes", host, remote + " " + quoted(host + ":0")};
        command.input = plan.token + "\n";
        commands.insert(commands.end(), slots, command);
    }
    if (commands.empty())
        throw parseError({}, "option --launcher: the file " + hostFile + " names no host");
    return commands;
}

std::vector<LaunchCommand> slurmLaunch(const LaunchPlan &plan) {
    auto variable = [](const char *name) { return std::getenv(name) ? std::string(std::getenv(name)) : ""; };
    std::string tasks = variable("SLURM_NTASKS");
    if (tasks.empty())
        tasks = variable("SLURM_JOB_NUM_NODES");
    if (tasks.empty())
        throw parseError({}, "option --launcher=slurm: this is no Slurm allocation, SLURM_NTASKS is not set")
            .withHint("salloc --ntasks=4 daphne ..., or sbatch");
    LaunchCommand command;
    command.workers = static_cast<uint32_t>(countOf(tasks, "SLURM_NTASKS"));
    // One lost task is one lost worker. Steps may use what the step of the coordinator has.
    command.words = {"srun", "--ntasks=" + tasks, "--kill-on-bad-exit=0", "--export=ALL", "--overlap"};
    if (std::string cpus = variable("SLURM_CPUS_PER_TASK"); !cpus.empty())
        command.words.push_back("--cpus-per-task=" + cpus);
    // Every task listens where its node is known to others.
    command.words.insert(command.words.end(),
                         {"sh", "-c", "exec \"$0\" \"$@\" \"$(hostname):0\"", plan.program, "--quiet"});
    command.words.insert(command.words.end(), plan.options.begin(), plan.options.end());
    command.env[kTokenVariable] = plan.token;
    return {command};
}

LaunchedWorkers::LaunchedWorkers(const std::vector<LaunchCommand> &commands) {
    try {
        for (const LaunchCommand &command : commands)
            children.push_back(start(command));
        for (size_t i = 0; i < commands.size(); ++i)
            readAddresses(commands[i], children[i]);
    } catch (...) {
        endAll(false);
        throw;
    }
}

LaunchedWorkers::~LaunchedWorkers() { endAll(true); }

LaunchedWorkers::Child LaunchedWorkers::start(const LaunchCommand &command) {
    int output[2], input[2];
    if (::pipe2(output, O_CLOEXEC) != 0 || ::pipe2(input, O_CLOEXEC) != 0)
        throw executionError("a worker cannot be started: no pipe");
    std::vector<char *> words;
    for (const std::string &word : command.words)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    pid_t child = ::fork();
    if (child < 0)
        throw executionError("a worker cannot be started: no process");
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        // An interrupt from the keyboard is for the coordinator, which says farewell.
        ::setpgid(0, 0);
        ::dup2(input[0], STDIN_FILENO);
        ::dup2(output[1], STDOUT_FILENO);
        for (auto &[name, value] : command.env)
            ::setenv(name.c_str(), value.c_str(), 1);
        ::execvp(words[0], words.data());
        ::_exit(127);
    }
    ::close(output[1]);
    // A few bytes, which the pipe holds: our end for reading is open until then, so that nobody can break it.
    [[maybe_unused]] auto n = ::write(input[1], command.input.data(), command.input.size());
    ::close(input[0]);
    ::close(input[1]);
    return {child, output[0], command.isWorker};
}

void LaunchedWorkers::readAddresses(const LaunchCommand &command, const Child &child) {
    auto deadline = Clock::now() + kStartTime;
    std::string line;
    for (uint32_t found = 0; found < command.workers;) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wait{child.output, POLLIN, 0};
        char c;
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0)
            throw executionError("a worker cannot be started: '" + command.words[0] +
                                 "' has not said where it is for " + std::to_string(kStartTime.count()) + " s");
        if (::read(child.output, &c, 1) != 1)
            throw executionError("a worker cannot be started: '" + command.words[0] + "' has ended");
        if (c != '\n') {
            line += c;
            continue;
        }
        size_t from = line.find('`'), to = line.rfind('`');
        if (line.find("Started Distributed Worker on") != line.npos && to > from) {
            addresses.push_back(line.substr(from + 1, to - from - 1));
            ++found;
        }
        line.clear();
    }
}

/// wereTold: the coordinator has said farewell to the workers, so that they and commands that wait for them end.
void LaunchedWorkers::endAll(bool wereTold) {
    for (const Child &child : children)
        if (child.isWorker || !wereTold)
            ::kill(child.process, SIGTERM);
    auto deadline = Clock::now() + kEndTime;
    for (const Child &child : children) {
        ::close(child.output);
        int status;
        while (::waitpid(child.process, &status, WNOHANG) == 0) {
            if (Clock::now() > deadline) {
                ::kill(child.process, SIGKILL);
                ::waitpid(child.process, &status, 0);
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    children.clear();
}

} // namespace daphne::driver
