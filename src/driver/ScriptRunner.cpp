// SPDX-License-Identifier: Apache-2.0
#include "driver/ScriptRunner.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

#include <unistd.h>

#include "driver/ProgressBars.h"
#include "driver/options/SchedulingEnvironment.h"
#include "driver/process/Interruptible.h"

namespace daphne::driver {

namespace {

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Seconds since the process was created: what start-up took, the loader included.
double processAge() {
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
}

void writeError(std::string_view text) { [[maybe_unused]] auto n = ::write(2, text.data(), text.size()); }

/// Writes everything; a failing descriptor (closed pipe) is an error of the execution.
Output::Sink writerTo(int fd) {
    return [fd](std::string_view text) {
        while (!text.empty()) {
            ssize_t written = ::write(fd, text.data(), text.size());
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                throw executionError("cannot write to " + std::string(fd == 2 ? "standard error" : "standard output") +
                                     ": " + std::strerror(errno));
            text.remove_prefix(static_cast<size_t>(written));
        }
    };
}

engine::Host hostOf(const CommandLine &options, std::shared_ptr<dist::TransportModule> job) {
    engine::Host host;
    host.explain = [](ExplainLevel level, const std::string &text) {
        writeError(std::string(explainRow(level).header) + "\n" + text);
    };
    host.warn = writeError;
    host.schedulerLog = writeError;
    host.adjustScheduling = [](sched::Settings &settings) {
        settings.bindsCaller = true;
        applyEnvironment(settings, environmentOfThisProcess());
    };
    if (options.isDistributed())
        host.connect = [&options, job = std::move(job)](sched::Scheduler &scheduler) {
            return std::make_unique<Coordinator>(options, scheduler, job);
        };
    return host;
}

} // namespace

std::string Timing::json() const {
    char buffer[256];
    std::snprintf(buffer, sizeof buffer,
                  "{\"startup_seconds\": %.9f, \"parsing_seconds\": %.9f, \"compilation_seconds\": %.9f, "
                  "\"execution_seconds\": %.9f, \"total_seconds\": %.9f}\n",
                  startup, parsing, compilation, execution, total);
    return buffer;
}

ScriptRunner::ScriptRunner(CommandLine given, std::shared_ptr<dist::TransportModule> job) : options(std::move(given)) {
    times.startup = processAge();
    double begin = now();
    engine = std::make_unique<engine::Engine>(options, hostOf(options, std::move(job)));
    times.startup += now() - begin;
}

ScriptRunner::~ScriptRunner() = default;

dist::Cluster *ScriptRunner::cluster() const {
    auto *coordinator = static_cast<Coordinator *>(engine->machines());
    return coordinator ? coordinator->cluster() : nullptr;
}

void ScriptRunner::report(const engine::Failure &failure) {
    for (const Error &e : failure.errors())
        if (e.isStop) {
            std::string line = "system stopped: " + e.message + "\n";
            std::fflush(stdout);
            [[maybe_unused]] auto n = ::write(1, line.data(), line.size());
        }
    writeError(failure.rendered(isatty(2) ? Colour::Yes : Colour::No));
}

void ScriptRunner::reportStatistics() {
    sched::Scheduler &scheduler = engine->scheduler();
    if (!scheduler.settings().statistics)
        return;
    auto ms = [](double seconds) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f ms", 1e3 * seconds);
        return std::string(text);
    };
    writeError("time: " + ms(times.startup) + " start-up, " + ms(times.parsing) + " parsing, " + ms(times.compilation) +
               " compiling, " + ms(times.execution) + " running on " + std::to_string(scheduler.numThreads()) +
               (scheduler.numThreads() == 1 ? " thread\n" : " threads\n"));
    std::string text = scheduler.statisticsText();
    writeError(text.empty() ? "no loops were run by the scheduler\n" : text);
    if (dist::Cluster *machines = cluster())
        writeError(machines->statisticsText());
}

int ScriptRunner::reportMachines() {
    const std::string &path = options.settings.text("dist-stats");
    dist::Cluster *machines = cluster();
    if (path.empty() || !machines)
        return 0;
    std::string json = machines->statisticsJson();
    if (path == "-") {
        writeError(json);
        return 0;
    }
    std::ofstream file(path, std::ios::trunc);
    if ((file << json).flush())
        return 0;
    Error error = executionError("option --dist-stats: the file " + path + " cannot be written");
    report(engine::Failure({error}, std::make_shared<SourceManager>()));
    return static_cast<int>(error.stage);
}

void ScriptRunner::addTimes(const engine::Times &more) {
    times.parsing += more.parsing;
    times.compilation += more.compilation;
    times.execution += more.execution;
    times.total = times.startup + times.parsing + times.compilation + times.execution;
}

RunOptions ScriptRunner::runOptions(ShowProgress *bars) const {
    RunOptions run;
    run.progress = bars ? bars->listener() : nullptr;
    run.out = writerTo(1);
    run.err = writerTo(2);
    return run;
}

int ScriptRunner::runScript(std::string name, std::string text, const std::string &directory) {
    try {
        auto program = engine->compile({.text = std::move(text), .name = std::move(name), .directory = directory});
        auto bars = showProgress(options.settings.text("progress"));
        double begin = now();
        program->run({}, runOptions(bars.get()));
        engine::Times spent = program->times();
        spent.execution = now() - begin;
        addTimes(spent);
    } catch (const engine::Failure &failure) {
        report(failure);
        reportMachines();
        return static_cast<int>(failure.stage());
    }
    reportStatistics();
    if (options.timing)
        writeError(times.json());
    return reportMachines();
}

engine::Session &ScriptRunner::session() {
    if (!currentSession)
        currentSession = engine->newSession();
    return *currentSession;
}

std::optional<engine::Times> ScriptRunner::runInteractive(const std::string &text, const engine::Session::Show &show) {
    try {
        auto bars = showProgress(options.settings.text("progress"));
        Interruptible interruptible;
        RunOptions run = runOptions(bars.get());
        run.cancelFlag = interruptible.flag();
        run.passing = Output::Passing::AtOnce;
        engine::Times spent = session().runStatements(text, show, run);
        addTimes(spent);
        return spent;
    } catch (const engine::Failure &failure) {
        if (failure.stage() == Stage::Cancelled)
            writeError("interrupted\n");
        else
            report(failure);
        return std::nullopt;
    }
}

} // namespace daphne::driver
