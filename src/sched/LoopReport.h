// SPDX-License-Identifier: Apache-2.0
/// What is told about loops: the lines of --debug-mt for one of them, a table of
/// all for --statistics.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "sched/LoopPlan.h"
#include "sched/Settings.h"
#include "sched/Topology.h"
#include "sched/Trace.h"
#include "sched/Weighted.h"

namespace daphne::sched {

/// A loop over rows as it is going to be cut: units are rows, or weight.
struct PlannedLoop {
    std::string_view site;
    uint64_t rows = 0, units = 0;
    uint64_t grain = 1; ///< in rows; the plan has it in units
    uint64_t block = 1;
    LoopPlan plan;
    std::string_view schemeName; ///< DEFAULT if the user named none
    std::optional<RowWeights> weights = {};
    PartitionBy by = PartitionBy::Rows;
    uint64_t faultsBefore = 0; ///< mistakes of a plug-in's scheme in earlier loops
    double rowsPerUnit = 1;
    bool isSerial = false; ///< too small to be shared: one task on the calling thread

    /// Adjacent units give adjacent rows; they may be empty.
    Range rowsOf(Range range) const {
        // Tasks of a worker follow each other more often than not.
        static thread_local uint64_t last = 0;
        uint64_t begin = weights ? weights->rowNear(range.begin, last) : range.begin;
        uint64_t end = range.end;
        if (weights) // near where it would be if all rows were equal
            end = weights->rowNear(end, begin + static_cast<uint64_t>(rowsPerUnit * static_cast<double>(range.size())));
        last = end;
        return {wholeBlock(begin), wholeBlock(end)};
    }

  private:
    uint64_t wholeBlock(uint64_t row) const {
        if (block <= 1 || row >= rows)
            return row;
        uint64_t rest = row % block;
        return rest == 0 ? row : rows - row < block - rest ? rows : row + block - rest;
    }
};

/// Shows a trace rows instead of units, and no tasks without rows.
struct RowObserver {
    Trace &trace;
    const PlannedLoop &loop;

    using Token = Trace::Token;
    Token begin(uint32_t worker, const Claim &claim) { return trace.begin(worker, claim); }
    void end(Token token, uint32_t worker, Claim claim) {
        claim.range = loop.rowsOf(claim.range);
        if (claim.range.size() > 0)
            trace.end(token, worker, claim);
    }
};

/// The machine, the queues and the figures of one execution of a loop.
std::string debugText(const PlannedLoop &loop, const Trace &trace, const Topology &topology, const Placement &placement,
                      DebugLevel level);

/// "[[125,4],[63,4]]": sizes and how often they follow each other.
std::string runLengths(const std::vector<uint64_t> &sizes);

/// Sums over all executions of each site. Any thread may add.
class SiteStatistics {
  public:
    void add(const PlannedLoop &loop, const RunStats &run);
    /// Work of the calling thread that is no loop, with what it may have run in loops.
    void addCall(std::string_view site, double ns);
    std::string text() const;

  private:
    struct Site {
        uint64_t executions = 0, numTasks = 0;
        double totalNs = 0, longestNs = 0;
        double imbalanceTimesNs = 0, overheadTimesNs = 0; ///< percent, weighed with the time of each execution
        std::string scheme;
    };
    mutable std::mutex mutex;
    std::map<std::string, Site, std::less<>> sites;
};

} // namespace daphne::sched
