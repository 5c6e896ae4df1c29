// SPDX-License-Identifier: Apache-2.0
/// The processors this process may use. An argument of everything that needs it,
/// never discovered inside: tests pass machines they do not run on. No variable of
/// the environment is read or set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::sched {

struct Cpu {
    uint32_t osIndex = 0;
    uint32_t core = 0;    ///< numbered over the machine
    uint32_t sibling = 0; ///< number of the hardware thread in its core
    uint32_t domain = 0;  ///< NUMA domain
    bool operator==(const Cpu &) const = default;
};

struct Topology {
    /// Sorted by (sibling, domain, core): the first threads of all cores before all second ones.
    std::vector<Cpu> cpus;
    uint32_t numDomains = 1;
    uint64_t l2Bytes = 1 << 20, l3Bytes = 8 << 20; ///< of one core, of its domain
    uint32_t quota = 0;                            ///< CPUs' worth of time the control group grants; 0: no limit
    bool isFake = false;                           ///< CPUs do not exist: nothing may be pinned

    /// The CPUs of the affinity mask.
    static Topology detect();
    /// cores and siblings per domain and core. Throws Error (status 1) unless all are positive and not too many.
    static Topology fake(uint32_t domains, uint32_t cores, uint32_t siblings);
    /// "2x4x2" or "2x4".
    static Topology fake(std::string_view text);

    uint32_t numCores() const;
    bool operator==(const Topology &) const = default;
};

/// CPUs' worth of time that the control groups of this process grant, rounded up; 0 without a limit. `root` is where
/// they are mounted, `membership` the file that names them.
uint32_t controlGroupQuota(const std::string &root, const std::string &membership);

struct ThreadRequest {
    int64_t numThreads = 0;      ///< > 0: exactly so many
    bool hyperthreading = false; ///< all hardware threads instead of one per core
    uint32_t most = 0;           ///< without a number: what somebody else grants, such as a batch system; 0: no limit
};
/// Workers to use: the number asked for, else what the machine, its quota and the limit of the request grant.
uint32_t chooseNumWorkers(const Topology &topology, const ThreadRequest &request);

/// Whether workers are bound to CPUs, and to which.
enum class Pinning : uint8_t {
    Off,
    RoundRobin, ///< CPUs in order: one thread of every core, domain by domain, then the second threads
    Compact,    ///< as few domains and cores as possible
    Scatter,    ///< domains alternate
    Numa,       ///< to all CPUs of a domain; workers are spread evenly over the domains
};

/// Place of each worker: its CPU if pinned, its group.
struct Placement {
    struct Worker {
        uint32_t cpu = 0;               ///< OS index
        uint32_t group = 0;             ///< below numGroups
        uint32_t domain = 0;            ///< NUMA domain, of the topology
        std::vector<uint32_t> mayRunOn; ///< pinned: OS indices of CPUs; else empty
    };
    std::vector<Worker> workers;
    uint32_t numGroups = 1; ///< domains with at least one worker
};
/// Pinned workers belong to the domains of their CPUs; others are spread evenly over the domains.
Placement placeWorkers(const Topology &topology, uint32_t numWorkers, Pinning pinning);

} // namespace daphne::sched
