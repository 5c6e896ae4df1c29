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
    std::vector<int64_t> finished(perWorker.size(), -1);
    for (const TaskEvent &e : events()) {
        ++s.numTasks;
        s.numUnits += e.range.size();
        s.numSteals += e.stolen;
        s.busyNs[e.worker] += static_cast<double>(e.endNs - e.beginNs);
        finished[e.worker] = std::max(finished[e.worker], e.endNs);
        first = std::min(first, e.beginNs);
        last = std::max(last, e.endNs);
    }
    if (s.numTasks == 0)
        return s;
    s.makespanNs = static_cast<double>(last - first);
    auto p = static_cast<double>(perWorker.size());
    double sumOfFinishes = 0, sumOfBusy = 0;
    for (size_t w = 0; w < perWorker.size(); ++w) {
        sumOfFinishes += static_cast<double>(std::max<int64_t>(0, finished[w] - first));
        sumOfBusy += s.busyNs[w];
    }
    if (p > 1 && s.makespanNs > 0)
        s.imbalancePercent = (s.makespanNs - sumOfFinishes / p) / s.makespanNs * p / (p - 1) * 100;
    if (sumOfFinishes > 0)
        s.overheadPercent = (sumOfFinishes - sumOfBusy) / sumOfFinishes * 100;
    return s;
}

} // namespace daphne::sched
