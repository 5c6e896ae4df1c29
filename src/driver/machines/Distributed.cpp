// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/Distributed.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/Error.h"
#include "codegen/loops/LoopJit.h"
#include "dist/worker/Worker.h"
#include "driver/machines/NetworkAddress.h"
#include "driver/machines/WorkerSetup.h"
#include "engine/SchedulerSettings.h"

namespace daphne::driver {

namespace {

/// After this, a lost worker is called again for the first time.
constexpr std::chrono::milliseconds kRecall{250};

/// Where their number is not given.
constexpr int64_t kUsualWorkers = 2;

const dist::TransportRow &transportOf(const CommandLine &options) {
    using dist::WorkersAre;
    const OptionValues &all = options.settings;
    const std::string &name = all.text("dist_backend");
    // Workers that this process starts listen.
    bool launches = all.integer("workers-local") > 0 || !all.text("launcher").empty();
    if (launches && all.origin("dist_backend") == Origin::Default)
        return dist::transportFor(WorkersAre::Listeners);
    const dist::TransportRow &row = dist::transportNamed(name);
    if (!all.text("launcher").empty() && row.workers != WorkersAre::Listeners)
        throw parseError({}, "option --launcher: workers of --dist_backend=" + name + " are not started by daphne")
            .withHint("leave --dist_backend out, or mpirun -np 3 daphne ...");
    return row;
}

dist::ClusterSettings clusterSettings(const CommandLine &options, const dist::TransportRow &row) {
    const OptionValues &all = options.settings;
    dist::ClusterSettings s;
    s.coordinatorComputes = all.text("coordinator-computes") == "on";
    s.resident = all.text("dist-resident") == "on";
    if (all.text("dist-threshold") != "auto")
        s.threshold = static_cast<uint64_t>(all.integer("dist-threshold"));
    // Where everything is to be distributed, workers are to compute it.
    if (s.threshold != 0)
        s.stragglerNs = 2e7;
    if (const std::string &name = all.text("dist-partitioning"); name != "STATIC")
        s.scheme = sched::findScheme(name);
    if (const std::string &steal = all.text("dist-steal"); steal != "off")
        s.steal = steal == "one" ? dist::Stealing::One : dist::Stealing::Half;
    s.retries = static_cast<uint32_t>(all.integer("dist-retries"));
    s.bytesPerNs = row.bytesPerNs;
    s.warn = [](const std::string &line) { std::fprintf(stderr, "warning: %s\n", line.c_str()); };
    return s;
}

dist::ConnectionSettings greeting(const CommandLine &options, uint32_t threads) {
    const OptionValues &all = options.settings;
    dist::ConnectionSettings s;
    s.build = buildName();
    s.token = tokenOf(options);
    if (all.text("max-distr-chunk-size") != "auto")
        s.chunkBytes = static_cast<uint64_t>(all.integer("max-distr-chunk-size"));
    s.heartbeatMs = static_cast<uint32_t>(all.integer("heartbeat-ms"));
    s.options = schedulingOptions(options);
    s.recall = kRecall;
    if (!all.flag("pin-workers")) // then it is the user's choice
        s.boundThreads = all.text("coordinator-computes") == "on" ? threads : 0;
    if (all.text("dist-lend") == "off")
        s.leastLent = dist::kNeverLent;
    return s;
}

std::string randomToken() {
    std::random_device source;
    std::string token;
    for (int i = 0; i < 32; ++i)
        token += "0123456789abcdef"[source() % 16];
    return token;
}

/// Workers beyond this machine are reached through TLS, unless the user says otherwise. Addresses without a host get one.
void checkAddresses(std::vector<std::string> &addresses, const CommandLine &options, const dist::TransportRow &row,
                    const dist::TlsIdentity &tls) {
    for (std::string &text : addresses) {
        NetworkAddress address = NetworkAddress::parse(text, "worker address");
        text = address.text();
        // Who connects to no address in particular connects to this machine.
        bool isHere = address.isLoopback() || address.host == "0.0.0.0" || address.host == "::";
        if (!tls.isGiven() && !isHere && !options.settings.flag("insecure"))
            throw parseError({}, "the worker " + text + " is not on this machine and there is no TLS")
                .withHint(hintToEncrypt(row));
    }
}

} // namespace

namespace {

enum class Launcher : uint8_t { None, Local, Ssh, Slurm };

Launcher launcherOf(const CommandLine &options) {
    const std::string &text = options.settings.text("launcher");
    if (text.starts_with("ssh:"))
        return Launcher::Ssh;
    if (text == "slurm")
        return Launcher::Slurm;
    return text == "local" || options.settings.integer("workers-local") > 0 ? Launcher::Local : Launcher::None;
}

/// What workers of a launcher are told: how to be reached, and that they belong to this run.
std::vector<std::string> launchOptions(const CommandLine &options, const dist::TransportRow &row, Launcher launcher) {
    std::vector<std::string> words{"--for-one-run", "--dist_backend=" + std::string(row.name)};
    for (const std::string &root : readRootsOf(options))
        words.push_back("--dist-read-root=" + root);
    if (launcher == Launcher::Local)
        return words;
    for (const char *name : {"tls-ca", "tls-cert", "tls-key"})
        if (const std::string &path = options.settings.text(name); !path.empty())
            words.push_back("--" + std::string(name) + "=" + std::filesystem::absolute(path).string());
    if (options.settings.flag("insecure"))
        words.push_back("--insecure");
    return words;
}

std::unique_ptr<LaunchedWorkers> launch(const CommandLine &options, const dist::TransportRow &row, Launcher launcher,
                                        const std::string &token) {
    LaunchPlan plan{options.executableDirectory + "/daphne-worker", launchOptions(options, row, launcher), token};
    int64_t numLocal = options.settings.integer("workers-local");
    if (launcher == Launcher::Local)
        return std::make_unique<LaunchedWorkers>(localLaunch(plan, numLocal > 0 ? numLocal : kUsualWorkers));
    return std::make_unique<LaunchedWorkers>(
        launcher == Launcher::Slurm ? slurmLaunch(plan) : sshLaunch(plan, options.settings.text("launcher").substr(4)));
}

} // namespace

Coordinator::Coordinator(const CommandLine &options, sched::Scheduler &scheduler,
                         std::shared_ptr<dist::TransportModule> job)
    : module(std::move(job)) {
    const dist::TransportRow &row = transportOf(options);
    dist::ConnectionSettings greet = greeting(options, scheduler.numThreads());
    dist::ConnectRequest request{.transport = row.name, .tls = tlsOf(options, row)};
    switch (row.workers) {
    case dist::WorkersAre::Ranks:
        if (module->numRanks() == 1) {
            if (options.settings.text("coordinator-computes") == "off")
                throw executionError("the " + std::string(row.title) + " transport needs at least 2 " +
                                     std::string(row.title) + " ranks (1 Master + 1 Worker)")
                    .withHint("mpirun -np 2 daphne ..., or let the coordinator compute");
            return;
        }
        break;
    case dist::WorkersAre::Threads: {
        int64_t numLocal = options.settings.integer("workers-local");
        request.numThreads = static_cast<uint32_t>(numLocal > 0 ? numLocal : kUsualWorkers);
        request.serve = inProcessWorker(options, greet.build, greet.token);
        break;
    }
    case dist::WorkersAre::Listeners:
        request.addresses = options.settings.list("distributed_workers");
        if (Launcher launcher = launcherOf(options); launcher != Launcher::None) {
            greet.token = randomToken();
            children = launch(options, row, launcher, greet.token);
            request.addresses = children->addresses;
            if (launcher == Launcher::Local)
                request.tls = {};
        } else if (request.addresses.empty()) {
            throw parseError({}, "the " + std::string(row.title) +
                                     " transport needs workers: the environment variable DISTRIBUTED_WORKERS is "
                                     "missing or empty")
                .withHint("DISTRIBUTED_WORKERS=host:port,host:port daphne ..., or --workers-local=2");
        }
        checkAddresses(request.addresses, options, row, request.tls);
    }
    if (!module)
        module = dist::loadTransport(row, options.libdir);
    greet.chunkBytes = std::min(greet.chunkBytes, module->mostChunkBytes());
    machines = std::make_unique<dist::Cluster>(module->connect(request), greet, clusterSettings(options, row),
                                               scheduler.numThreads());
    where.emplace(std::vector<exec::Backend *>{machines.get()});
}

Coordinator::~Coordinator() = default;

namespace {

/// As the launcher of the job tells; 0 if it does not.
int announcedRanks() {
    for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
        if (const char *text = std::getenv(name))
            return std::max(0, std::atoi(text));
    return 0;
}

/// This process ends, and with it the job.
void giveUpJob(const std::string &why) {
    std::fprintf(stderr, "error: %s\n", why.c_str());
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(Stage::Execute));
}

} // namespace

std::shared_ptr<dist::TransportModule> startJob(const CommandLine &options) {
    if (!options.isDistributed())
        return nullptr;
    const dist::TransportRow &row = transportOf(options);
    if (row.workers != dist::WorkersAre::Ranks)
        return nullptr;
    return dist::loadTransport(row, options.libdir,
                               {.announcedRanks = announcedRanks(),
                                .givesUp = giveUpJob,
                                .afterLoss = dist::TransportHost::AfterLoss::AbortJob});
}

int serveRank(const CommandLine &options, dist::TransportModule &job) {
    std::unique_ptr<dist::Transport> transport = job.connect({});
    try {
        inProcessWorker(options, buildName(), tokenOf(options))(*transport, job.rank() - 1);
    } catch (const std::exception &e) {
        // Before the other ranks are waited for, which may be in vain; the job is aborted.
        std::fprintf(stderr, "error: rank %u: %s\n", job.rank(), e.what());
        transport->disconnect(0);
        return 3;
    }
    return 0;
}

} // namespace daphne::driver
