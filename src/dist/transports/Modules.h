// SPDX-License-Identifier: Apache-2.0
/// Transports that need a library: each is a shared object beside our libraries,
/// loaded when it is asked for, so that local runs never pay for it.
#pragma once

#include <functional>
#include <vector>

#include "dist/transports/Transport.h"

namespace daphne::dist {

/// Contents of PEM files; all empty: no encryption.
struct TlsIdentity {
    std::string certificate, key, authority;
    bool isGiven() const { return !authority.empty(); }
};

/// Messages of one worker are at most this long over gRPC, envelope included.
constexpr uint64_t kMostGrpcFrame = (64 << 20) + 4096;

class GrpcServer {
  public:
    virtual ~GrpcServer() = default;
    /// The port in use.
    virtual int port() const = 0;
    /// Ends all sessions and the server; wait() returns.
    virtual void stop() = 0;
    virtual void wait() = 0;
};

class GrpcModule {
  public:
    virtual ~GrpcModule() = default;
    enum class Mode : uint8_t { ThreadPerWorker, CompletionQueue };
    /// Connects in the background; a worker that cannot be reached is lost.
    virtual std::unique_ptr<Transport> connect(const std::vector<std::string> &addresses, Mode mode,
                                               const TlsIdentity &tls) = 0;
    /// Calls session(transport, peer) for one coordinator at a time. Null if the address cannot be used. Whoever fails
    /// to prove who he is does not get that far: log says so, if there is one.
    using Session = std::function<void(Transport &, const std::string &)>;
    using Log = std::function<void(const std::string &)>;
    virtual std::unique_ptr<GrpcServer> listen(const std::string &address, const TlsIdentity &tls, Session session,
                                               Log log = {}) = 0;
};

/// What the process that becomes a rank of an MPI job leaves to the module. MPI waits for other ranks for ever, and a
/// job that has lost one cannot end in order; only the owner of the process may end it.
struct MpiHost {
    int announcedRanks = 0; ///< as the launcher told; 0: unknown
    /// The library has waited too long for the other ranks. Called once, on a thread of its own, with what to say; if it
    /// returns, or there is none, the library waits on.
    std::function<void(const std::string &why)> givesUp = {};
    /// At the end of a job that has lost a rank: MPI stays as it is, or ends all processes of the job, this one too.
    enum class AfterLoss : uint8_t { LeaveOpen, AbortJob } afterLoss = AfterLoss::LeaveOpen;
};

class MpiModule {
  public:
    /// Ends MPI, unless a rank was lost: MpiHost::afterLoss.
    virtual ~MpiModule() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Rank 0: to all others; others: to rank 0. Once, and it must be gone before the module.
    virtual std::unique_ptr<Transport> connect() = 0;
};

/// The module of this build, loaded from the directory of libraries ("": from where this code is, base/OwnObject.h);
/// throws Error (status 3) if it is missing.
std::unique_ptr<GrpcModule> loadGrpc(const std::string &libraryDirectory);
/// Starts MPI.
std::unique_ptr<MpiModule> loadMpi(const std::string &libraryDirectory, const MpiHost &host = {});

} // namespace daphne::dist
