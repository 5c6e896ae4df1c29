// SPDX-License-Identifier: Apache-2.0
#include "sched/Topology.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <hwloc.h>

#include "base/Error.h"

namespace daphne::sched {

namespace {

constexpr uint32_t kMostCpus = 1 << 16;

void sortCpus(std::vector<Cpu> &cpus) {
    std::sort(cpus.begin(), cpus.end(), [](const Cpu &a, const Cpu &b) {
        return std::tie(a.sibling, a.domain, a.core, a.osIndex) < std::tie(b.sibling, b.domain, b.core, b.osIndex);
    });
}

uint64_t cacheBytes(hwloc_topology_t hw, hwloc_obj_type_t level, uint64_t fallback) {
    hwloc_obj_t cache = hwloc_get_obj_by_type(hw, level, 0);
    return cache && cache->attr->cache.size ? cache->attr->cache.size : fallback;
}

/// What hwloc says of the CPUs this process may run on.
Topology fromHwloc() {
    Topology t;
    hwloc_topology_t hw;
    if (hwloc_topology_init(&hw) != 0)
        return t;
    // Asking every CPU by running on it takes ten times as long as reading what the system knows.
    hwloc_topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(hw) == 0) {
        hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
        if (hwloc_get_cpubind(hw, allowed, HWLOC_CPUBIND_PROCESS) != 0 || hwloc_bitmap_iszero(allowed))
            hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(hw));
        std::map<uint32_t, uint32_t> domains; // OS number -> ours, dense
        for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, pu));) {
            if (!hwloc_bitmap_isset(allowed, pu->os_index))
                continue;
            hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, pu);
            unsigned node = pu->nodeset && !hwloc_bitmap_iszero(pu->nodeset)
                                ? static_cast<unsigned>(hwloc_bitmap_first(pu->nodeset))
                                : 0;
            uint32_t domain = domains.try_emplace(node, static_cast<uint32_t>(domains.size())).first->second;
            t.cpus.push_back(
                {pu->os_index, core ? core->logical_index : pu->logical_index, core ? pu->sibling_rank : 0, domain});
        }
        t.numDomains = std::max<uint32_t>(1, static_cast<uint32_t>(domains.size()));
        t.l2Bytes = cacheBytes(hw, HWLOC_OBJ_L2CACHE, t.l2Bytes);
        t.l3Bytes = cacheBytes(hw, HWLOC_OBJ_L3CACHE, t.l3Bytes);
        hwloc_bitmap_free(allowed);
    }
    hwloc_topology_destroy(hw);
    return t;
}

} // namespace

Topology Topology::fake(uint32_t domains, uint32_t cores, uint32_t siblings) {
    uint64_t all = uint64_t(domains) * cores * siblings;
    if (all == 0 || domains > kMostCpus || cores > kMostCpus || siblings > kMostCpus || all > kMostCpus)
        throw parseError({}, "a topology needs between 1 and " + std::to_string(kMostCpus) + " CPUs");
    Topology t;
    t.isFake = true;
    t.numDomains = domains;
    for (uint32_t d = 0; d < domains; ++d)
        for (uint32_t c = 0; c < cores; ++c)
            for (uint32_t s = 0; s < siblings; ++s)
                t.cpus.push_back({(s * domains + d) * cores + c, d * cores + c, s, d});
    sortCpus(t.cpus);
    return t;
}

Topology Topology::fake(std::string_view text) {
    uint32_t sizes[3] = {0, 0, 1};
    size_t count = 0;
    const char *at = text.data(), *end = text.data() + text.size();
    for (; count < 3 && at != end; ++count) {
        auto [next, failure] = std::from_chars(at, end, sizes[count]);
        bool separated = next == end || (*next == 'x' && next + 1 != end && count < 2);
        if (failure != std::errc() || !separated)
            break;
        at = next == end ? end : next + 1;
    }
    if (at != end || count < 2)
        throw parseError({}, "the machine to pretend must be domains x cores [x siblings], such as 2x4x2, got \"" +
                                 std::string(text) + "\"");
    return fake(sizes[0], sizes[1], sizes[2]);
}

Topology Topology::detect() {
    Topology t = fromHwloc();
    if (t.cpus.empty())
        t.cpus.push_back({});
    t.quota = controlGroupQuota("/sys/fs/cgroup", "/proc/self/cgroup");
    sortCpus(t.cpus);
    return t;
}

namespace {

/// CPUs' worth of time; infinite without a limit or a file.
double quotaIn(const std::string &directory) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    double quota = 0, period = 0;
    if (std::ifstream file(directory + "/cpu.max"); file) // version 2: "max 100000" or "150000 100000"
        return file >> quota >> period && quota > 0 && period > 0 ? quota / period : kNone;
    std::ifstream quotaFile(directory + "/cpu.cfs_quota_us"), periodFile(directory + "/cpu.cfs_period_us"); // version 1
    return quotaFile >> quota && periodFile >> period && quota > 0 && period > 0 ? quota / period : kNone;
}

} // namespace

uint32_t controlGroupQuota(const std::string &root, const std::string &membership) {
    double least = std::min(quotaIn(root), quotaIn(root + "/cpu")); // inside a container the root is the own group
    std::ifstream file(membership);
    for (std::string line; std::getline(file, line);) { // "number:controllers:/path"
        size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos)
            continue;
        std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        bool isCpu = ("," + controllers + ",").find(",cpu,") != std::string::npos;
        if ((!controllers.empty() && !isCpu) || !path.starts_with('/'))
            continue;
        // The limits of all groups above hold, too.
        for (; path.size() > 1; path.resize(path.rfind('/')))
            least = std::min(least, quotaIn(root + (controllers.empty() ? "" : "/" + controllers) + path));
    }
    return std::isfinite(least) ? static_cast<uint32_t>(std::max(1.0, std::ceil(least - 1e-6))) : 0;
}

uint32_t Topology::numCores() const {
    std::set<uint32_t> cores;
    for (const Cpu &cpu : cpus)
        cores.insert(cpu.core);
    return static_cast<uint32_t>(cores.size());
}

uint32_t chooseNumWorkers(const Topology &topology, const ThreadRequest &request) {
    if (request.numThreads > 0)
        return static_cast<uint32_t>(std::min<int64_t>(request.numThreads, kMostCpus));
    uint32_t n = request.hyperthreading ? static_cast<uint32_t>(topology.cpus.size()) : topology.numCores();
    for (uint32_t limit : {topology.quota, request.most})
        if (limit)
            n = std::min(n, limit);
    return std::max<uint32_t>(1, n);
}

namespace {

/// The CPUs in the order in which workers are bound to them.
std::vector<Cpu> pinningOrder(const Topology &topology, Pinning pinning) {
    std::vector<Cpu> cpus = topology.cpus;
    if (pinning == Pinning::Compact)
        std::ranges::sort(cpus, {}, [](const Cpu &c) { return std::tuple(c.domain, c.core, c.sibling); });
    if (pinning == Pinning::Scatter) {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> seen; // (sibling, domain) -> CPUs so far
        std::map<uint32_t, uint32_t> rank;                      // OS index -> place in its domain
        for (const Cpu &c : cpus)
            rank[c.osIndex] = seen[{c.sibling, c.domain}]++;
        std::ranges::sort(cpus, {}, [&](const Cpu &c) { return std::tuple(c.sibling, rank[c.osIndex], c.domain); });
    }
    return cpus;
}

} // namespace

Placement placeWorkers(const Topology &topology, uint32_t numWorkers, Pinning pinning) {
    Placement p;
    std::vector<Cpu> order = pinningOrder(topology, pinning);
    bool spread = pinning == Pinning::Off || pinning == Pinning::Numa;
    std::set<uint32_t> used;
    for (uint32_t w = 0; w < numWorkers; ++w) {
        const Cpu &cpu = order[w % order.size()];
        Placement::Worker worker{.cpu = cpu.osIndex, .domain = cpu.domain};
        if (spread)
            worker.domain = static_cast<uint32_t>(uint64_t(w) * topology.numDomains / numWorkers);
        if (pinning == Pinning::Numa) {
            std::vector<uint32_t> own;
            for (const Cpu &c : order)
                if (c.domain == worker.domain)
                    own.push_back(c.osIndex);
            worker.cpu = own[w % own.size()];
            worker.mayRunOn = std::move(own);
        } else if (pinning != Pinning::Off) {
            worker.mayRunOn = {cpu.osIndex};
        }
        used.insert(worker.domain);
        p.workers.push_back(std::move(worker));
    }
    std::map<uint32_t, uint32_t> groups;
    for (uint32_t d : used)
        groups.emplace(d, static_cast<uint32_t>(groups.size()));
    for (Placement::Worker &worker : p.workers)
        worker.group = groups[worker.domain];
    p.numGroups = static_cast<uint32_t>(groups.size());
    return p;
}

} // namespace daphne::sched
