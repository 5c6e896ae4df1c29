// SPDX-License-Identifier: Apache-2.0
#include "driver/Distributed.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/Error.h"
#include "codegen/loops/LoopJit.h"
#include "dist/transports/InProcess.h"
#include "dist/worker/Worker.h"
#include "driver/NetworkAddress.h"
#include "driver/WorkerSetup.h"
#include "engine/SchedulerSettings.h"

namespace daphne::driver {

namespace {

/// After this, a lost worker is called again for the first time.
constexpr std::chrono::milliseconds kRecall{250};

/// Where their number is not given.
constexpr int64_t kUsualWorkers = 2;

enum class Backend : uint8_t { Mpi, SyncGrpc, AsyncGrpc, Threads };

Backend backendOf(const Options &options) {
    const Settings &all = options.settings;
    const std::string &name = all.text("dist_backend");
    // Workers that are started by this process speak gRPC.
    bool launches = all.integer("workers-local") > 0 || !all.text("launcher").empty();
    if (launches && all.origin("dist_backend") == Origin::Default)
        return Backend::SyncGrpc;
    if (!all.text("launcher").empty() && (name == "MPI" || name == "threads"))
        throw parseError({}, "option --launcher: workers of --dist_backend=" + name + " are not started by daphne")
            .withHint("leave --dist_backend out, or mpirun -np 3 daphne ...");
    return name == "sync-gRPC"    ? Backend::SyncGrpc
           : name == "async-gRPC" ? Backend::AsyncGrpc
           : name == "threads"    ? Backend::Threads
                                  : Backend::Mpi;
}

dist::ClusterSettings clusterSettings(const Options &options, Backend backend) {
    const Settings &all = options.settings;
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
    s.bytesPerNs = backend == Backend::Threads ? 4 : backend == Backend::Mpi ? 1 : 0.5;
    s.warn = [](const std::string &line) { std::fprintf(stderr, "warning: %s\n", line.c_str()); };
    return s;
}

dist::ConnectionSettings greeting(const Options &options, uint32_t threads) {
    const Settings &all = options.settings;
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

/// Workers beyond this machine are reached through TLS, unless the user says otherwise.
void checkAddresses(const std::vector<std::string> &addresses, const Options &options, const dist::TlsIdentity &tls) {
    for (const std::string &text : addresses) {
        NetworkAddress address = NetworkAddress::parse(text, "worker address");
        if (!tls.isGiven() && !address.isLoopback() && !options.settings.flag("insecure"))
            throw parseError({}, "the worker " + text + " is not on this machine and there is no TLS")
                .withHint("give --tls-ca, --tls-cert and --tls-key, or say --insecure if the network can be trusted");
    }
}

} // namespace

namespace {

enum class Launcher : uint8_t { None, Local, Ssh, Slurm };

Launcher launcherOf(const Options &options) {
    const std::string &text = options.settings.text("launcher");
    if (text.starts_with("ssh:"))
        return Launcher::Ssh;
    if (text == "slurm")
        return Launcher::Slurm;
    return text == "local" || options.settings.integer("workers-local") > 0 ? Launcher::Local : Launcher::None;
}

/// What workers of a launcher are told: how to be reached, and that they belong to this run.
std::vector<std::string> launchOptions(const Options &options, Launcher launcher) {
    std::vector<std::string> words{"--for-one-run"};
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

std::unique_ptr<LaunchedWorkers> launch(const Options &options, Launcher launcher, const std::string &token) {
    LaunchPlan plan{options.executableDirectory + "/daphne-worker", launchOptions(options, launcher), token};
    int64_t numLocal = options.settings.integer("workers-local");
    if (launcher == Launcher::Local)
        return std::make_unique<LaunchedWorkers>(localLaunch(plan, numLocal > 0 ? numLocal : kUsualWorkers));
    return std::make_unique<LaunchedWorkers>(
        launcher == Launcher::Slurm ? slurmLaunch(plan) : sshLaunch(plan, options.settings.text("launcher").substr(4)));
}

} // namespace

Coordinator::Coordinator(const Options &options, sched::Scheduler &scheduler, std::shared_ptr<dist::MpiModule> given)
    : mpi(std::move(given)) {
    Backend backend = backendOf(options);
    dist::ConnectionSettings greet = greeting(options, scheduler.numThreads());
    dist::TlsIdentity tls = tlsOf(options);
    int64_t numLocal = options.settings.integer("workers-local");
    std::unique_ptr<dist::Transport> transport;
    if (backend == Backend::Mpi) {
        if (mpi->size() == 1) {
            if (options.settings.text("coordinator-computes") == "off")
                throw executionError("the MPI transport needs at least 2 MPI ranks (1 Master + 1 Worker)")
                    .withHint("mpirun -np 2 daphne ..., or let the coordinator compute");
            return;
        }
        transport = mpi->connect();
    } else if (backend == Backend::Threads) {
        transport = dist::connectInProcess(static_cast<uint32_t>(numLocal > 0 ? numLocal : kUsualWorkers),
                                           inProcessWorker(options, greet.build, greet.token));
    } else {
        std::vector<std::string> addresses = options.settings.list("distributed_workers");
        if (Launcher launcher = launcherOf(options); launcher != Launcher::None) {
            greet.token = randomToken();
            children = launch(options, launcher, greet.token);
            addresses = children->addresses;
            if (launcher == Launcher::Local)
                tls = {};
        } else if (addresses.empty()) {
            throw parseError({}, "the gRPC transport needs workers: the environment variable DISTRIBUTED_WORKERS is "
                                 "missing or empty")
                .withHint("DISTRIBUTED_WORKERS=host:port,host:port daphne ..., or --workers-local=2");
        }
        checkAddresses(addresses, options, tls);
        if (greet.chunkBytes > dist::kMostGrpcFrame - 4096)
            greet.chunkBytes = dist::kMostGrpcFrame - 4096;
        grpc = dist::loadGrpc(options.libdir);
        using Mode = dist::GrpcModule::Mode;
        transport =
            grpc->connect(addresses, backend == Backend::SyncGrpc ? Mode::ThreadPerWorker : Mode::CompletionQueue, tls);
    }
    machines = std::make_unique<dist::Cluster>(std::move(transport), greet, clusterSettings(options, backend),
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

std::shared_ptr<dist::MpiModule> startMpi(const Options &options) {
    if (!options.isDistributed() || backendOf(options) != Backend::Mpi)
        return nullptr;
    return dist::loadMpi(options.libdir, {.announcedRanks = announcedRanks(),
                                          .givesUp = giveUpJob,
                                          .afterLoss = dist::MpiHost::AfterLoss::AbortJob});
}

int serveRank(const Options &options, dist::MpiModule &mpi) {
    std::unique_ptr<dist::Transport> transport = mpi.connect();
    try {
        inProcessWorker(options, buildName(), tokenOf(options))(*transport, static_cast<uint32_t>(mpi.rank() - 1));
    } catch (const std::exception &e) {
        // Before the other ranks are waited for, which may be in vain; the job is aborted.
        std::fprintf(stderr, "error: rank %d: %s\n", mpi.rank(), e.what());
        transport->disconnect(0);
        return 3;
    }
    return 0;
}

} // namespace daphne::driver
