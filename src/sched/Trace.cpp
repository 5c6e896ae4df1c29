// SPDX-License-Identifier: Apache-2.0
#include "sched/Trace.h"

#include <algorithm>
#include <limits>

namespace daphne::sched {

std::vector<TaskEvent> Trace::events() const {
    std::vector<TaskEvent> all;
    for (const Worker &w : perWorker)
        all.insert(all.end(), w.events.begin(), w.events.end());
    return all;
}

RunStats Trace::stats() const {
    RunStats s{.busyNs = std::vector<double>(perWorker.size())};
    int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
    for (size_t w = 0; w < perWorker.size(); ++w) {
        const WorkerStats &own = perWorker[w].sums;
        if (own.numTasks == 0)
            continue;
        s.numTasks += own.numTasks;
        s.numUnits += own.numUnits;
        s.numSteals += own.numSteals;
        s.busyNs[w] = static_cast<double>(own.busyNs);
        first = std::min(first, own.firstNs);
        last = std::max(last, own.lastNs);
    }
    if (s.numTasks == 0)
        return s;
    s.makespanNs = static_cast<double>(last - first);
    auto p = static_cast<double>(perWorker.size());
    double sumOfFinishes = 0, sumOfBusy = 0;
    for (size_t w = 0; w < perWorker.size(); ++w) {
        if (perWorker[w].sums.numTasks > 0)
            sumOfFinishes += static_cast<double>(perWorker[w].sums.lastNs - first);
        sumOfBusy += s.busyNs[w];
    }
    if (p > 1 && s.makespanNs > 0)
        s.imbalancePercent = (s.makespanNs - sumOfFinishes / p) / s.makespanNs * p / (p - 1) * 100;
    if (sumOfFinishes > 0)
        s.overheadPercent = (sumOfFinishes - sumOfBusy) / sumOfFinishes * 100;
    return s;
}

} // namespace daphne::sched
