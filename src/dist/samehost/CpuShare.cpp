// SPDX-License-Identifier: Apache-2.0
#include "dist/samehost/CpuShare.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace daphne::dist {

namespace {

std::vector<uint32_t> allowedCpus() {
    std::vector<uint32_t> cpus;
    cpu_set_t set;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0)
        for (uint32_t c = 0; c < CPU_SETSIZE; ++c)
            if (CPU_ISSET(c, &set))
                cpus.push_back(c);
    return cpus;
}

bool bindTo(const std::vector<uint32_t> &cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (uint32_t c : cpus)
        CPU_SET(c, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

} // namespace

Seat ownSeat() {
    Seat seat;
    // Containers of one machine have different names for it, and machines may have the same.
    if (std::ifstream file("/proc/sys/kernel/random/boot_id"); !(file >> seat.machine)) {
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        seat.machine = host;
    }
    seat.cpus = allowedCpus();
    return seat;
}

CpuUse useCpus(std::span<const Candidate> candidates) {
    struct Machine {
        std::set<uint32_t> cpus;
        size_t taken = 0;
    };
    std::map<std::string_view, Machine> machines;
    CpuUse use;
    for (const Candidate &candidate : candidates) {
        Machine &machine = machines[candidate.seat->machine];
        std::set<uint32_t> cpus = machine.cpus;
        cpus.insert(candidate.seat->cpus.begin(), candidate.seat->cpus.end());
        // Who does not know its CPUs has one for each thread.
        bool isUnknown = candidate.seat->cpus.empty(), adds = isUnknown || machine.taken < cpus.size();
        use.isAtWork.push_back(adds);
        if (!adds)
            continue;
        if (isUnknown) {
            use.threads += candidate.threads;
            continue;
        }
        size_t taken =
            std::min(cpus.size(), machine.taken + std::min<size_t>(candidate.threads, candidate.seat->cpus.size()));
        use.threads += static_cast<double>(taken - machine.taken);
        machine = {std::move(cpus), taken};
    }
    return use;
}

std::vector<CpuShare> shareCpus(const std::vector<uint32_t> &threads, uint32_t cpus) {
    std::vector<CpuShare> shares(threads.size());
    uint64_t total = std::accumulate(threads.begin(), threads.end(), uint64_t(0));
    if (threads.size() < 2 || 2 * total <= cpus)
        return shares;
    uint64_t first = 0;
    for (size_t i = 0; i < threads.size(); ++i) {
        if (threads[i] < cpus)
            shares[i] = {static_cast<uint32_t>(first % cpus), threads[i]};
        first += threads[i];
    }
    return shares;
}

BoundToCpus::BoundToCpus(CpuShare share) {
    std::vector<uint32_t> all = allowedCpus(), mine;
    if (share.count == 0 || share.count >= all.size())
        return;
    for (uint32_t k = 0; k < share.count; ++k)
        mine.push_back(all[(share.first + k) % all.size()]);
    if (bindTo(mine)) {
        before = std::move(all);
        thread = pthread_self();
    }
}

BoundToCpus::~BoundToCpus() {
    if (!before.empty() && pthread_equal(thread, pthread_self()))
        bindTo(before);
}

} // namespace daphne::dist
