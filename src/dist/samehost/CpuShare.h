// SPDX-License-Identifier: Apache-2.0
/// Gives processes that share a machine CPUs of their own. They wait for each other
/// in every loop, and the system often puts a process that it wakes onto the CPU of
/// one that computes while another CPU is idle. Processes for which no CPU is left
/// would only take time from the others: they stand by.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace daphne::dist {

/// Of the CPUs that a process may use, in their order and around: from the first, so many.
struct CpuShare {
    uint32_t first = 0, count = 0; ///< count 0: all
    bool operator==(const CpuShare &) const = default;
};

/// Where a process runs.
struct Seat {
    std::string machine;        ///< the same for all processes that share CPUs, whatever they call their host
    std::vector<uint32_t> cpus; ///< it may use, ascending
    bool operator==(const Seat &) const = default;
};

/// Of the calling thread.
Seat ownSeat();

/// A process that wants to compute.
struct Candidate {
    const Seat *seat = nullptr;
    uint32_t threads = 0;
};

/// What CPUs are used for.
struct CpuUse {
    std::vector<bool> isAtWork; ///< by candidate: it has a CPU that those before it leave free
    double threads = 0;         ///< of those at work that have a CPU
};

/// In the order of the candidates.
CpuUse useCpus(std::span<const Candidate> candidates);

/// For processes with so many threads, one after the other. None where most CPUs stay free anyway: others may want
/// some, and the system has a choice.
std::vector<CpuShare> shareCpus(const std::vector<uint32_t> &threads, uint32_t cpus);

/// Binds the calling thread, and those it begins later, to a share as long as this lives. Where the system does not
/// allow it nothing happens.
class BoundToCpus {
  public:
    explicit BoundToCpus(CpuShare share);
    ~BoundToCpus();
    BoundToCpus(const BoundToCpus &) = delete;
    BoundToCpus &operator=(const BoundToCpus &) = delete;

  private:
    std::vector<uint32_t> before; ///< CPUs; none if nothing was done
    uint64_t thread = 0;
};

} // namespace daphne::dist
