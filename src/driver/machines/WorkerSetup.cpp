// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/WorkerSetup.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "base/Error.h"
#include "codegen/loops/LoopJit.h"
#include "dist/worker/Worker.h"
#include "driver/machines/Distributed.h"
#include "driver/machines/NetworkAddress.h"
#include "driver/options/SchedulingEnvironment.h"
#include "driver/process/ProcessPolicy.h"
#include "engine/SchedulerSettings.h"

namespace daphne::driver {

std::string buildName() { return DAPHNE_VERSION; }

namespace {

std::string contentOf(const std::string &path, const std::string &option) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw parseError({}, "option " + option + ": the file " + path + " cannot be read or is empty");
    return text.str();
}

/// Quiet: statistics and logs of loops are the coordinator's.
sched::Settings quietSettings(const CommandLine &options) {
    sched::Settings s = schedulerSettings(options);
    s.bindsCaller = true;
    applyEnvironment(s, environmentOfThisProcess());
    s.debug = sched::DebugLevel::Off;
    s.statistics = false;
    return s;
}

/// DAPHNE_FAULT="worker=2,after_chunks=3,action=kill|hang|slow:10": what a worker does to itself, for tests.
std::function<void(uint64_t)> plannedFault(uint32_t number) {
    const char *text = std::getenv("DAPHNE_FAULT");
    if (!text)
        return {};
    uint64_t worker = 0, after = 0, slowMs = 0;
    std::string action;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        size_t equals = word.find('=');
        std::string key = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
        auto number = [&](size_t from, uint64_t &to) {
            std::from_chars(value.data() + std::min(from, value.size()), value.data() + value.size(), to);
        };
        if (key == "worker")
            number(0, worker);
        else if (key == "after_chunks")
            number(0, after);
        else if (key == "action")
            action = value.substr(0, value.find(':')), number(value.find(':') + 1, slowMs);
    }
    if (worker != 0 && worker != number)
        return {};
    return [=](uint64_t loops) {
        if (loops < after)
            return;
        if (action == "kill")
            ::kill(::getpid(), SIGKILL);
        else if (action == "hang")
            ::kill(::getpid(), SIGSTOP);
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(slowMs));
    };
}

} // namespace

std::vector<std::string> readRootsOf(const CommandLine &options) {
    const std::string &root = options.settings.text("dist-read-root");
    return root.empty() ? std::vector<std::string>() : std::vector{root};
}

std::string tokenOf(const CommandLine &options) {
    const std::string &path = options.settings.text("dist-token-file");
    if (path.empty()) {
        const char *text = std::getenv("DAPHNE_DIST_TOKEN");
        return text ? text : "";
    }
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) != 0)
        throw parseError({}, "option --dist-token-file: others can read the file " + path)
            .withHint("chmod 600 " + path);
    std::string token = contentOf(path, "--dist-token-file");
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r'))
        token.pop_back();
    if (token.empty())
        throw parseError({}, "option --dist-token-file: the file " + path + " holds no token");
    return token;
}

namespace {

/// "--dist_backend=gRPC or async-gRPC"
std::string encryptingBackends() {
    return "--dist_backend=" + dist::usualNames([](const dist::TransportRow &row) { return row.encrypts; });
}

} // namespace

std::string hintToEncrypt(const dist::TransportRow &row) {
    return "give " + std::string(row.encrypts ? "" : encryptingBackends() + " with ") +
           "--tls-ca, --tls-cert and --tls-key, or say --insecure if the network can be trusted";
}

dist::TlsIdentity tlsOf(const CommandLine &options, const dist::TransportRow &row) {
    const OptionValues &all = options.settings;
    const std::string &ca = all.text("tls-ca"), &certificate = all.text("tls-cert"), &key = all.text("tls-key");
    if (ca.empty() && certificate.empty() && key.empty())
        return {};
    if (ca.empty() || certificate.empty() || key.empty())
        throw parseError({}, "options --tls-ca, --tls-cert and --tls-key belong together");
    if (row.workers == dist::WorkersAre::Listeners && !row.encrypts)
        throw parseError({}, "options --tls-ca, --tls-cert and --tls-key: the " + std::string(row.title) +
                                 " transport does not encrypt")
            .withHint(encryptingBackends());
    return {contentOf(certificate, "--tls-cert"), contentOf(key, "--tls-key"), contentOf(ca, "--tls-ca")};
}

namespace {

/// Libraries are never loaded and files never written on request, and what is told about loops is told by the
/// coordinator.
bool isForWorkers(const OptionRow &row) {
    return row.group == OptionGroup::Scheduling && row.availability == Availability::Works && !row.flag.empty() &&
           row.flag != "sched-plugin" && row.flag != "debug-mt" && row.flag != "sched-trace";
}

/// Words from the wire: only what schedulingOptions() makes.
void checkGivenOptions(const std::vector<std::string> &words) {
    for (const std::string &word : words) {
        size_t equals = word.find('=');
        bool isKnown = equals != word.npos && std::ranges::any_of(optionTable(), [&](const OptionRow &row) {
                           return isForWorkers(row) && word.substr(0, equals) == "--" + std::string(row.flag);
                       });
        if (!isKnown)
            throw executionError("the option '" + word + "' is not one that coordinators may give");
    }
}

} // namespace

std::vector<std::string> schedulingOptions(const CommandLine &options) {
    std::vector<std::string> words;
    for (size_t i = 0; i < optionTable().size(); ++i) {
        const OptionRow &row = optionTable()[i];
        const Setting &setting = options.settings.rows[i];
        if (!isForWorkers(row) || setting.origin == Origin::Default || setting.values.empty())
            continue;
        if (row.flag == "partitioning" && !sched::findScheme(setting.values.back()))
            continue;
        std::string word = "--" + std::string(row.flag) + "=";
        for (size_t k = 0; k < setting.values.size(); ++k)
            word += (k ? "," : "") + setting.values[k];
        words.push_back(std::move(word));
    }
    return words;
}

std::function<void(dist::Transport &, uint32_t)> inProcessWorker(const CommandLine &options, std::string build,
                                                                 std::string token) {
    return [options, build, token](dist::Transport &transport, uint32_t number) {
        exec::LoopEngine engine({.jit = options.jit, .always = true},
                                codegen::loopCompilerOfProcess(options.loopCache));
        dist::WorkerOptions worker;
        worker.build = build;
        worker.token = token;
        worker.readRoots = readRootsOf(options);
        worker.beforeLoop = plannedFault(number + 1);
        dist::Worker(worker, engine, [&](const std::vector<std::string> &) {
            return std::make_unique<sched::Scheduler>(quietSettings(options));
        }).serve(transport);
    };
}

// ---- daphne-worker

namespace {

constexpr const char *kDefaultConfiguration = "WorkerConfig.json";

struct WorkerCommand {
    bool help = false, quiet = false;
    /// Ends with the run it was started for: at its farewell, or after this time without a coordinator.
    std::optional<std::chrono::seconds> oneRun;
    std::string address, configuration;
    std::vector<std::string> options;
};

bool takesValue(const std::string &word) {
    if (word.find('=') != word.npos)
        return false;
    std::string name = word.substr(word.find_first_not_of('-'));
    for (const OptionRow &row : optionTable())
        if (row.flag == name || row.alias == name)
            return row.kind != OptionKind::Flag && row.kind != OptionKind::FlagOrOneOf && !row.valueIsOptional;
    return false;
}

/// Of --for-one-run[=seconds].
std::chrono::seconds patienceOf(const std::string &word) {
    constexpr int kUsualSeconds = 60;
    size_t equals = word.find('=');
    if (equals == word.npos)
        return std::chrono::seconds(kUsualSeconds);
    int seconds = 0;
    const char *first = word.data() + equals + 1, *last = word.data() + word.size();
    auto [end, error] = std::from_chars(first, last, seconds);
    if (error != std::errc() || end != last || seconds < 1)
        throw parseError({}, "option --for-one-run: '" + std::string(first, last) + "' is no number of seconds");
    return std::chrono::seconds(seconds);
}

WorkerCommand parseWorkerCommand(const std::vector<std::string> &words) {
    WorkerCommand command;
    bool persistent = false;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        if (word == "--help" || word == "-h") {
            command.help = true;
        } else if (word == "--quiet") {
            command.quiet = true;
        } else if (word == "--persistent") {
            persistent = true;
        } else if (word == "--for-one-run" || word.starts_with("--for-one-run=")) {
            command.oneRun = patienceOf(word);
        } else if (word.starts_with("-") && word.size() > 1) {
            command.options.push_back(word);
            if (takesValue(word) && i + 1 < words.size())
                command.options.push_back(words[++i]);
        } else if (command.address.empty()) {
            command.address = word;
        } else if (command.configuration.empty()) {
            command.configuration = word;
        } else {
            throw parseError({}, "unexpected argument '" + word + "'");
        }
    }
    if (persistent)
        command.oneRun.reset();
    return command;
}

constexpr const char *kUsage =
    "usage: daphne-worker [options] address:port [config.json]\n\n"
    "Works for a coordinator: daphne --distributed --dist_backend=%s with DISTRIBUTED_WORKERS=address:port. Stays\n"
    "alive over many runs, serves one coordinator at a time, and ends with SIGINT or SIGTERM. Port 0 is any free "
    "one.\n\n"
    "The configuration file is WorkerConfig.json if it exists. Options are those of daphne; these matter here:\n"
    "  --dist_backend <transport> the coordinator's: %s\n"
    "  --num-threads <n> and the other scheduling knobs, unless the coordinator gives them\n"
    "  --dist-token-file <file>   secret that coordinators must know (or the environment variable DAPHNE_DIST_TOKEN)\n"
    "  --tls-cert, --tls-key, --tls-ca <file>   encrypt, and accept only certificates of this authority\n"
    "  --insecure                 listen beyond this machine without TLS: everybody who can connect can run code\n"
    "  --dist-read-root <directory>   coordinators may have files in it read\n"
    "  --for-one-run[=seconds]    end with the first run, or when no coordinator is there for so long (60)\n"
    "  --persistent               stay alive, as without --for-one-run\n"
    "  --quiet                    no log lines\n";

bool listens(const dist::TransportRow &row) { return row.workers == dist::WorkersAre::Listeners; }

/// Unless it is told, a worker listens as those do that coordinators start.
const dist::TransportRow &transportOf(const CommandLine &options) {
    if (options.settings.origin("dist_backend") == Origin::Default)
        return dist::transportFor(dist::WorkersAre::Listeners);
    const dist::TransportRow &row = dist::transportNamed(options.settings.text("dist_backend"));
    if (!listens(row))
        throw parseError({}, "option --dist_backend: workers of " + usualName(row) + " do not listen at an address")
            .withHint("--dist_backend=" + dist::usualNames(&listens));
    return row;
}

volatile std::sig_atomic_t stopSignal = 0;

/// Whether somebody is there, and since when not.
class Presence {
  public:
    using Clock = std::chrono::steady_clock;
    void come() {
        std::lock_guard lock(mutex);
        ++coordinators;
    }
    void leave() {
        std::lock_guard lock(mutex);
        --coordinators;
        left = Clock::now();
    }
    bool isMissing(std::chrono::seconds patience) const {
        std::lock_guard lock(mutex);
        return coordinators == 0 && Clock::now() - left > patience;
    }

  private:
    mutable std::mutex mutex;
    int coordinators = 0;
    Clock::time_point left = Clock::now();
};

void serveUntilSignalled(dist::TransportServer &server, const Presence &presence,
                         std::optional<std::chrono::seconds> patience) {
    std::thread watcher([&] {
        while (!stopSignal && !(patience && presence.isMissing(*patience)))
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        server.stop();
    });
    server.wait();
    stopSignal = 1;
    watcher.join();
}

std::unique_ptr<sched::Scheduler> schedulerFor(const std::vector<std::string> &own,
                                               const std::vector<std::string> &given) {
    checkGivenOptions(given);
    std::vector<std::string> words = own;
    words.insert(words.end(), given.begin(), given.end());
    words.insert(words.end(), {"-e", "0"});
    return std::make_unique<sched::Scheduler>(quietSettings(parseCommandLine(words, Surroundings::ofThisProcess())));
}

int serve(const WorkerCommand &command) {
    std::vector<std::string> words = command.options;
    std::string configuration = command.configuration;
    if (configuration.empty() && ::access(kDefaultConfiguration, R_OK) == 0)
        configuration = kDefaultConfiguration;
    if (!configuration.empty()) {
        if (::access(configuration.c_str(), R_OK) != 0)
            throw parseError({}, "the configuration file " + configuration + " cannot be read");
        words.insert(words.begin(), "--config=" + configuration);
    }
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-e", "0"});
    CommandLine options = parseCommandLine(all, Surroundings::ofThisProcess());
    NetworkAddress address = NetworkAddress::parse(command.address, "address");
    const dist::TransportRow &row = transportOf(options);
    dist::TlsIdentity tls = tlsOf(options, row);
    dist::WorkerOptions worker;
    worker.build = buildName();
    worker.token = tokenOf(options);
    worker.readRoots = readRootsOf(options);
    worker.mostObjectBytes =
        static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) / 10 * 9;
    if (!tls.isGiven() && !address.isLoopback()) {
        if (!options.settings.flag("insecure"))
            throw parseError({}, "without TLS a worker listens on this machine only, not on " + address.text())
                .withHint(hintToEncrypt(row));
        std::fprintf(stderr, "warning: everybody who can reach %s can run code here (--insecure)\n",
                     address.text().c_str());
    }
    std::unique_ptr<dist::TransportModule> module = dist::loadTransport(row, options.libdir);
    exec::LoopEngine engine({.jit = options.jit, .always = true}, codegen::loopCompilerOfProcess(options.loopCache));
    Presence presence;
    auto session = [&](dist::Transport &transport, const std::string &peer) {
        dist::WorkerOptions mine = worker;
        if (!command.quiet)
            mine.log = [&](const std::string &line) { std::fprintf(stderr, "%s: %s\n", peer.c_str(), line.c_str()); };
        mine.beforeLoop = plannedFault(0);
        presence.come();
        bool hasDetached = false;
        try {
            hasDetached = dist::Worker(mine, engine, [&](const std::vector<std::string> &given) {
                              return schedulerFor(words, given);
                          }).serve(transport);
        } catch (const std::exception &e) {
            // The session is over; the worker is not.
            if (mine.log)
                mine.log(std::string("session ended: ") + e.what());
        }
        presence.leave();
        if (hasDetached && command.oneRun)
            stopSignal = 1;
    };
    dist::TransportModule::Log log;
    if (!command.quiet)
        log = [](const std::string &line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    std::unique_ptr<dist::TransportServer> server = module->listen(address.text(), tls, session, log);
    if (!server)
        throw executionError("the address " + address.text() + " cannot be used: is the port taken?");
    address.port = static_cast<uint16_t>(server->port());
    std::signal(SIGINT, [](int) { stopSignal = 1; });
    std::signal(SIGTERM, [](int) { stopSignal = 1; });
    std::printf("Started Distributed Worker on `%s`\n", address.text().c_str());
    std::fflush(stdout);
    serveUntilSignalled(*server, presence, command.oneRun);
    return 0;
}

} // namespace

int workerMain(const std::vector<std::string> &words) {
    prepareEnvironment();
    prepareTransports();
    ownProcess();
    try {
        WorkerCommand command = parseWorkerCommand(words);
        if (command.help) {
            std::printf(kUsage, dist::usualName(dist::transportFor(dist::WorkersAre::Listeners)).c_str(),
                        dist::usualNames(&listens).c_str());
            return 0;
        }
        if (command.address.empty())
            throw parseError({}, "no address given").withHint("daphne-worker 127.0.0.1:50000");
        return serve(command);
    } catch (const Error &e) {
        SourceManager none;
        std::fputs(render(e, none).c_str(), stderr);
        return static_cast<int>(e.stage);
    }
}

} // namespace daphne::driver
