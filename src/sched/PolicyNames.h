// SPDX-License-Identifier: Apache-2.0
/// The values of the enumeration options of the scheduler and what users call
/// them: one table per option, read by the command line, --help and the logs.
#pragma once

#include <span>
#include <string_view>

#include "sched/LoopPlan.h"
#include "sched/Settings.h"
#include "sched/Topology.h"

namespace daphne::sched {

template <class Policy> struct PolicyName {
    Policy value;
    std::string_view name, doc, synonym = {};
};

inline constexpr PolicyName<Layout> kLayouts[] = {
    {Layout::Centralized, "CENTRALIZED", "one queue for all workers"},
    {Layout::PerGroup, "PERGROUP", "one queue per NUMA domain, idle workers steal"},
    {Layout::PerCpu, "PERCPU", "one queue per worker, idle workers steal"},
};
inline constexpr PolicyName<Victim> kVictims[] = {
    {Victim::Seq, "SEQ", "the next queues in turn, each until it is empty"},
    {Victim::SeqPri, "SEQPRI", "SEQ, the own NUMA domain first"},
    {Victim::Random, "RANDOM", "a random queue", "RND"},
    {Victim::RandomPri, "RANDOMPRI", "RANDOM, the own NUMA domain first", "RNDPRI"},
};
inline constexpr PolicyName<PartitionBy> kPartitionUnits[] = {
    {PartitionBy::Rows, "rows", "equal numbers of rows"},
    {PartitionBy::NonZeros, "nnz", "equal numbers of stored cells, for loops over sparse matrices"},
    {PartitionBy::Cost, "cost", "equal cost as estimated by the compiler"},
    {PartitionBy::Auto, "auto", "nnz if the rows of the sparse matrix differ much, else rows"},
};
inline constexpr PolicyName<Pinning> kPinStrategies[] = {
    {Pinning::RoundRobin, "rr", "one CPU after the other, all cores before second threads"},
    {Pinning::Compact, "compact", "fill one NUMA domain after the other"},
    {Pinning::Scatter, "scatter", "alternate between NUMA domains"},
    {Pinning::Numa, "numa", "bind to all CPUs of a NUMA domain"},
};

template <class Policy, size_t n>
constexpr std::string_view nameOf(const PolicyName<Policy> (&table)[n], Policy value) {
    for (const auto &row : table)
        if (row.value == value)
            return row.name;
    return {};
}
/// The name must be one of the table.
template <class Policy, size_t n>
constexpr Policy valueOf(const PolicyName<Policy> (&table)[n], std::string_view name) {
    for (const auto &row : table)
        if (row.name == name)
            return row.value;
    return table[0].value;
}

} // namespace daphne::sched
