// SPDX-License-Identifier: Apache-2.0
#include "driver/Distributed.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/Error.h"
#include "codegen/loops/LoopJit.h"
#include "dist/Worker.h"
#include "dist/transports/InProcess.h"
#include "driver/NetworkAddress.h"
#include "driver/SchedulerSettings.h"
#include "driver/WorkerSetup.h"

namespace daphne::driver {

bool isDistributed(const Options &options) {
    return options.settings.flag("distributed") || options.settings.integer("workers-local") > 0;
}

namespace {

enum class Backend : uint8_t { Mpi, SyncGrpc, AsyncGrpc, Threads };

Backend backendOf(const Options &options) {
    const Settings &all = options.settings;
    const std::string &name = all.text("dist_backend");
    // Processes of this machine speak gRPC.
    if (all.integer("workers-local") > 0 && all.origin("dist_backend") == Origin::Default)
        return Backend::SyncGrpc;
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
    if (const std::string &name = all.text("dist-partitioning"); name != "STATIC")
        s.scheme = sched::findScheme(name);
    if (const std::string &steal = all.text("dist-steal"); steal != "off")
        s.steal = steal == "one" ? dist::Stealing::One : dist::Stealing::Half;
    s.retries = static_cast<uint32_t>(all.integer("dist-retries"));
    s.bytesPerNs = backend == Backend::Threads ? 4 : backend == Backend::Mpi ? 1 : 0.5;
    s.warn = [](const std::string &line) { std::fprintf(stderr, "warning: %s\n", line.c_str()); };
    return s;
}

dist::Peers::Settings greeting(const Options &options) {
    const Settings &all = options.settings;
    dist::Peers::Settings s;
    s.build = buildName();
    s.token = tokenOf(options);
    if (all.text("max-distr-chunk-size") != "auto")
        s.chunkBytes = static_cast<uint64_t>(all.integer("max-distr-chunk-size"));
    s.heartbeatMs = static_cast<uint32_t>(all.integer("heartbeat-ms"));
    s.options = schedulingOptions(options);
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

/// Child processes that end with this one.
class Coordinator::LocalWorkers {
  public:
    LocalWorkers(const Options &options, int64_t count, const std::string &token) {
        for (int64_t i = 0; i < count; ++i)
            start(options, token);
    }
    ~LocalWorkers() {
        for (pid_t child : children) {
            ::kill(child, SIGTERM);
            int status;
            ::waitpid(child, &status, 0);
        }
    }
    std::vector<std::string> addresses;

  private:
    void start(const Options &options, const std::string &token) {
        std::string program = options.executableDirectory + "/daphne-worker";
        std::vector<std::string> words{program, "--quiet", "127.0.0.1:0"};
        for (const std::string &root : readRootsOf(options))
            words.push_back("--dist-read-root=" + root);
        std::vector<char *> arguments;
        for (std::string &word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw executionError("a worker cannot be started: no pipe");
        pid_t child = ::fork();
        if (child < 0)
            throw executionError("a worker cannot be started: no process");
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            ::dup2(ends[1], STDOUT_FILENO);
            ::setenv("DAPHNE_DIST_TOKEN", token.c_str(), 1);
            ::execv(program.c_str(), arguments.data());
            ::_exit(127);
        }
        children.push_back(child);
        ::close(ends[1]);
        std::string line;
        char c;
        while (::read(ends[0], &c, 1) == 1 && c != '\n')
            line += c;
        ::close(ends[0]);
        size_t from = line.find('`'), to = line.rfind('`');
        if (from == line.npos || to <= from)
            throw executionError("a worker cannot be started: " + program);
        addresses.push_back(line.substr(from + 1, to - from - 1));
    }

    std::vector<pid_t> children;
};

Coordinator::Coordinator(const Options &options, sched::Scheduler &scheduler, std::shared_ptr<dist::MpiModule> given)
    : mpi(std::move(given)) {
    Backend backend = backendOf(options);
    dist::Peers::Settings greet = greeting(options);
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
        transport = dist::connectInProcess(static_cast<uint32_t>(numLocal > 0 ? numLocal : 2),
                                           inProcessWorker(options, greet.build, greet.token));
    } else {
        std::vector<std::string> addresses = options.settings.list("distributed_workers");
        if (numLocal > 0) {
            greet.token = randomToken();
            children = std::make_unique<LocalWorkers>(options, numLocal, greet.token);
            addresses = children->addresses;
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
}

Coordinator::~Coordinator() = default;

std::shared_ptr<dist::MpiModule> startMpi(const Options &options) {
    if (!isDistributed(options) || backendOf(options) != Backend::Mpi)
        return nullptr;
    return dist::loadMpi(options.libdir);
}

int serveRank(const Options &options, dist::MpiModule &mpi) {
    std::unique_ptr<dist::Transport> transport = mpi.connect();
    inProcessWorker(options, buildName(), tokenOf(options))(*transport, static_cast<uint32_t>(mpi.rank() - 1));
    return 0;
}

} // namespace daphne::driver
