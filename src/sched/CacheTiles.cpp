// SPDX-License-Identifier: Apache-2.0
#include "sched/CacheTiles.h"

#include <algorithm>
#include <limits>

namespace daphne::sched {

namespace {

constexpr double kUsableShare = 0.5; ///< of a cache; the rest is for what we do not know of

/// How often size fits; everything if it is nothing.
uint64_t timesFits(double space, double size) {
    constexpr auto kAll = std::numeric_limits<uint64_t>::max();
    if (size <= 0 || space / size >= 0x1p63)
        return kAll;
    return std::max<uint64_t>(1, static_cast<uint64_t>(space / size));
}

} // namespace

uint64_t cacheSizedRows(const Topology &topology, const RowFootprint &footprint) {
    auto broadcast = static_cast<double>(footprint.broadcastBytes);
    double usable = kUsableShare * static_cast<double>(topology.l2Bytes);
    if (broadcast > usable) {
        uint32_t sharers = std::max(1u, topology.numCores() / std::max(1u, topology.numDomains));
        usable = kUsableShare * static_cast<double>(topology.l3Bytes) / sharers;
    }
    return timesFits(usable - std::min(broadcast, usable / 2), footprint.rowBytes);
}

uint64_t batchRows(const Topology &topology, uint64_t batchBytes, const RowFootprint &footprint) {
    if (batchBytes == 0)
        return cacheSizedRows(topology, footprint);
    return timesFits(static_cast<double>(batchBytes), footprint.rowBytes);
}

uint64_t wholeBatches(uint64_t grain, uint64_t batchRows) {
    uint64_t rest = batchRows <= 1 ? 0 : grain % batchRows;
    uint64_t missing = rest == 0 ? 0 : batchRows - rest;
    return grain > std::numeric_limits<uint64_t>::max() - missing ? grain : grain + missing;
}

} // namespace daphne::sched
