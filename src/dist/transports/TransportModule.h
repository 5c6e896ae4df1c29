// SPDX-License-Identifier: Apache-2.0
/// What makes connections of one kind: the part of a transport that a process has
/// once. TransportTable.h lists them and loads those that need a library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dist/transports/Transport.h"

namespace daphne::dist {

/// Contents of PEM files; all empty: no encryption.
struct TlsIdentity {
    std::string certificate, key, authority;
    bool isGiven() const { return !authority.empty(); }
};

/// What the process leaves to a module whose workers are ranks of a job. MPI waits for other ranks for ever, and a job
/// that has lost one cannot end in order; only the owner of the process may end it.
struct TransportHost {
    int announcedRanks = 0; ///< as the launcher told; 0: unknown
    /// The library has waited too long for the other ranks. Called once, on a thread of its own, with what to say; if
    /// it returns, or there is none, the library waits on.
    std::function<void(const std::string &why)> givesUp = {};
    /// At the end of a job that has lost a rank: the library stays as it is, or ends all processes of the job, this one
    /// too.
    enum class AfterLoss : uint8_t { LeaveOpen, AbortJob } afterLoss = AfterLoss::LeaveOpen;
};

/// What a coordinator says about its workers. A transport reads what it needs.
struct ConnectRequest {
    std::string_view transport = {};                       ///< its name in the table: a module may have several
    std::vector<std::string> addresses = {};               ///< of workers that listen
    TlsIdentity tls = {};                                  ///< for them
    uint32_t numThreads = 0;                               ///< that are workers
    std::function<void(Transport &, uint32_t)> serve = {}; ///< what each of them does, with its number
};

/// Listens for coordinators.
class TransportServer {
  public:
    virtual ~TransportServer() = default;
    /// The port in use.
    virtual int port() const = 0;
    /// Ends all sessions and the server; wait() returns.
    virtual void stop() = 0;
    virtual void wait() = 0;
};

class TransportModule {
  public:
    /// Connections must be gone before their module.
    virtual ~TransportModule() = default;
    /// Where workers are ranks of a job: which one this process is; 0 is the coordinator.
    virtual uint32_t rank() const { return 0; }
    virtual uint32_t numRanks() const { return 1; }
    /// The end of this process: the coordinator's, or that of a rank. A worker that cannot be reached is lost.
    virtual std::unique_ptr<Transport> connect(const ConnectRequest &request) = 0;
    /// Largest payload of a chunk that fits a frame.
    virtual uint64_t mostChunkBytes() const { return ~uint64_t(0); }

    /// Where workers listen: calls session(transport, peer) for one coordinator at a time. Null if the address cannot
    /// be used. A coordinator that fails to prove who it is does not get that far: log says so, if there is one.
    using Session = std::function<void(Transport &, const std::string &)>;
    using Log = std::function<void(const std::string &)>;
    virtual std::unique_ptr<TransportServer> listen(const std::string & /*address*/, const TlsIdentity & /*tls*/,
                                                    Session /*session*/, Log /*log*/) {
        return nullptr;
    }
};

} // namespace daphne::dist

/// The one symbol of a transport's library.
#define DAPHNE_TRANSPORT_MODULE(Module)                                                                                \
    extern "C" __attribute__((visibility("default"))) daphne::dist::TransportModule *daphne_transport_module(          \
        const daphne::dist::TransportHost &host) {                                                                     \
        return new Module(host);                                                                                       \
    }
