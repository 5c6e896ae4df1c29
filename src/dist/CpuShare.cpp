// SPDX-License-Identifier: Apache-2.0
#include "dist/CpuShare.h"

#include <numeric>

#include <pthread.h>
#include <sched.h>

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
