// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/RowAssignment.h"

#include <algorithm>
#include <numeric>

#include "kernels/products/BlasProduct.h"

namespace daphne::dist {

using exec::LoopParam;
using exec::LoopProgram;
using ParamKind = LoopParam::Kind;

namespace {

/// A matrix of less than this part of the largest one does not decide who gets which rows.
constexpr uint64_t kSmallPart = 4;
/// Least time of a chunk where there are more of them than machines.
constexpr double kLeastChunkNs = 2e6;
/// The coordinator's threads count at most so many times as much as others: estimates are no more than that.
constexpr double kMostOwnWeight = 2;
/// Where work may be stolen, every machine has so many chunks.
constexpr uint64_t kStepsOfMachine = 8;
/// Where it may be taken back, a worker gets this much more than its part, and the coordinator less: it is the one that
/// can take some. The end of the worker's range is in reserve, in chunks of these parts of it. The worker takes them
/// from the first, the coordinator from the last one; they are short where both should meet if nothing disturbs them.
constexpr double kSlack = 0.08;
constexpr double kReserves[] = {0.08, 0.05, 0.04, 0.03, 0.02, 0.015, 0.015, 0.015, 0.015, 0.02, 0.04};
/// What the coordinator keeps of its part.
constexpr double kLeastOwnPart = 0.25;

} // namespace

/// Cells per row of an input or output.
uint64_t RowAssignment::widthOf(size_t p) const {
    switch (bound.program.params[p].kind) {
    case ParamKind::Full: return bound.cols;
    case ParamKind::Side: return loop.operands[p].value.matrix().cols();
    default: return bound.program.params[p].isOutput() ? bound.outputColumns(p) : 1;
    }
}

RowRange RowAssignment::groupsOf(size_t p, RowRange rows) const {
    uint64_t together = bound.rowsPerOutputRow(p);
    return {rows.begin / together, (rows.end + together - 1) / together};
}

RowRange RowAssignment::cellsOf(size_t p, RowRange rows) const {
    if (bound.program.params[p].isOutput())
        rows = groupsOf(p, rows);
    return {rows.begin * widthOf(p), rows.end * widthOf(p)};
}

/// Ends of ranges that keep blocks of cells whole, so that flat loops and loops over rows of the same matrix agree
/// about who has what: 4096 rows whatever the number of columns is, or what that many cells are with this number.
std::vector<uint64_t> RowAssignment::commonBlocks() const {
    uint64_t cols = bound.cols, cells = LoopProgram::kBlock;
    for (size_t p = 0; p < loop.operands.size() && bound.program.flat; ++p)
        if (isSplit(p))
            cols = std::max<uint64_t>(cols, loop.operands[p].value.matrix().cols());
    uint64_t rows = cells / std::gcd(cells, cols), perRow = bound.program.flat ? cols : 1;
    return {cells * perRow, rows * perRow};
}

/// Rows that are worth a message. Where everything is to be distributed, small chunks are wanted, too.
uint64_t RowAssignment::leastRows() const {
    double perRow = bound.nsOf(0, bound.rows) / static_cast<double>(bound.rows);
    bool all = settings.threshold == 0;
    return static_cast<uint64_t>(all ? 1 : std::max(1.0, kLeastChunkNs / std::max(perRow, 1e-3)));
}

std::vector<AssignedRows> RowAssignment::make() {
    if (settings.scheme)
        return byScheme();
    if (auto placed = asPlaced())
        return std::move(*placed);
    std::vector<AssignedRows> ranges = byWeight();
    if (hasReserves())
        return withReserves(ranges);
    return settings.steal == Stealing::Off ? ranges : inSteps(ranges);
}

std::vector<AssignedRows> RowAssignment::byScheme() const {
    std::vector<AssignedRows> chunks;
    uint32_t machines = static_cast<uint32_t>(crew.workers.size()) + (settings.coordinatorComputes ? 1 : 0);
    PartitionRequest request{bound.rows, bound.block(), commonBlocks(), bound.rowOffsets};
    for (RowRange rows : partitionByScheme(request, *settings.scheme, machines, leastRows()))
        chunks.push_back({rows, std::nullopt});
    // Who has the rows already should get them again.
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (auto placed = isSplit(p) ? placedPartition(p) : std::nullopt)
            for (AssignedRows &chunk : chunks)
                for (auto &[rows, owner] : *placed)
                    if (rows == chunk.rows && (owner == self() || peers.isAlive(owner)))
                        chunk.owner = owner;
    return chunks;
}

bool RowAssignment::isEverywhere(const Value &matrix) const {
    if (matrix.isCsr())
        return false;
    return std::ranges::any_of(residencies.withCellsOf(matrix.dense()), [](const ResidencyRecord *record) {
        return std::ranges::any_of(record->parts, [](const Part &part) { return part.isWhole; });
    });
}

/// What a worker does not compute in each run: it waits for vectors and a message, and its results travel back.
double RowAssignment::journeyNs() const {
    double bytes = 0;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        const exec::LoopOperand &operand = loop.operands[p];
        if (operand.role == exec::LoopOperand::Role::Whole && !isEverywhere(operand.value))
            bytes += static_cast<double>(operand.value.matrix().cells() * cellSize(operand.value.matrix().type()));
        else if (operand.role == exec::LoopOperand::Role::Result)
            bytes += static_cast<double>(bound.rows * widthOf(p) * cellSize(bound.program.params[p].type)) /
                     static_cast<double>(1 + crew.workers.size());
    }
    return bytes / bytesPerNs + peers.roundTripNs();
}

/// So that all machines end at the same time: by their threads, less what these do while others are on the way. Where
/// everything is to be distributed whatever it costs, by their threads.
std::vector<AssignedRows> RowAssignment::byWeight() const {
    std::vector<uint32_t> participants;
    std::vector<double> weights;
    double workers = 0;
    for (uint32_t i : crew.workers) {
        participants.push_back(i);
        weights.push_back(peers.welcome(i).threads);
        workers += weights.back();
    }
    if (settings.coordinatorComputes || participants.empty()) {
        participants.push_back(self());
        double journey = workers > 0 && settings.threshold != 0 ? journeyNs() : 0;
        double end = (bound.nsOf(0, bound.rows) + journey * workers) / (workers + ownThreads);
        weights.push_back(ownThreads *
                          (end > journey ? std::min(end / (end - journey), kMostOwnWeight) : kMostOwnWeight));
        if (hasReserves()) {
            for (double &weight : std::span(weights).first(weights.size() - 1))
                weight *= 1 + kSlack;
            weights.back() = std::max(weights.back() - kSlack * workers, kLeastOwnPart * weights.back());
        }
    }
    PartitionRequest request{bound.rows, bound.block(), commonBlocks(), bound.rowOffsets};
    std::vector<RowRange> ranges = partitionByWeight(request, weights);
    std::vector<AssignedRows> chunks;
    for (size_t i = 0; i < ranges.size(); ++i)
        if (ranges[i].size() > 0)
            chunks.push_back({ranges[i], participants[i]});
    return chunks;
}

/// Whether the ends of workers' ranges are worth chunks of their own, and the coordinator could compute them.
bool RowAssignment::hasReserves() const {
    double machines = 1 + static_cast<double>(crew.workers.size());
    double reserveNs = *std::ranges::min_element(kReserves) * bound.nsOf(0, bound.rows) / machines;
    if (!settings.coordinatorComputes || settings.steal != Stealing::Off || machines < 2 ||
        reserveNs < settings.leastReserveNs)
        return false;
    // Who shares its core with the coordinator has it to itself as soon as that is ready.
    double threads = ownThreads;
    for (uint32_t i : crew.workers)
        threads += peers.welcome(i).threads;
    if (threads > crew.threads && settings.leastReserveNs > 0)
        return false;
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p) && !residencies.isHere(loop.operands[p].value, {0, loop.operands[p].value.matrix().cells()}))
            return false;
    return true;
}

/// Matrices stay divided as they are, and products of large ones want their rows in blocks.
uint64_t RowAssignment::reserveBlock(uint64_t rows) const {
    constexpr uint64_t kManyBlocks = 16;
    static_assert(kManyBlocks > std::size(kReserves));
    uint64_t cols = 1;
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p) && !loop.operands[p].value.isCsr())
            cols = std::max<uint64_t>(cols, loop.operands[p].value.matrix().cols());
        else if (loop.operands[p].role == exec::LoopOperand::Role::Result)
            cols = std::max(cols, bound.outputColumns(p));
    for (uint64_t together : {LoopProgram::kBlock, kProductRows}) {
        uint64_t block = std::lcm(together * (bound.program.flat ? cols : 1), bound.block());
        if (cols >= LoopProgram::kNarrow && rows / block >= kManyBlocks)
            return block;
    }
    return bound.block();
}

std::vector<AssignedRows> RowAssignment::withReserves(const std::vector<AssignedRows> &ranges) const {
    std::vector<AssignedRows> chunks;
    std::vector<double> weights{1 - std::accumulate(std::begin(kReserves), std::end(kReserves), 0.0)};
    weights.insert(weights.end(), std::begin(kReserves), std::end(kReserves));
    for (const AssignedRows &range : ranges) {
        if (range.owner == self()) {
            chunks.push_back(range);
            continue;
        }
        PartitionRequest request{range.rows.size(),
                                 reserveBlock(range.rows.size()),
                                 {},
                                 bound.rowOffsets ? bound.rowOffsets + range.rows.begin : nullptr};
        for (RowRange part : partitionByWeight(request, weights))
            if (part.size() > 0)
                chunks.push_back({{range.rows.begin + part.begin, range.rows.begin + part.end}, range.owner});
    }
    return chunks;
}

/// Several chunks for each owner: what has not begun can be taken from it.
std::vector<AssignedRows> RowAssignment::inSteps(const std::vector<AssignedRows> &ranges) const {
    std::vector<AssignedRows> chunks;
    std::vector<double> equal(kStepsOfMachine, 1.0);
    for (const AssignedRows &range : ranges) {
        uint64_t steps = std::clamp<uint64_t>(range.rows.size() / leastRows(), 1, kStepsOfMachine);
        PartitionRequest request{
            range.rows.size(), bound.block(), {}, bound.rowOffsets ? bound.rowOffsets + range.rows.begin : nullptr};
        for (RowRange part : partitionByWeight(request, std::span(equal).first(steps)))
            if (part.size() > 0)
                chunks.push_back({{range.rows.begin + part.begin, range.rows.begin + part.end}, range.owner});
    }
    return chunks;
}

/// The partition of an operand in rows of this loop, if it can be used for it.
std::optional<RowAssignment::Owned> RowAssignment::placedPartition(size_t p) const {
    if (!loop.operands[p].value.isMatrix())
        return std::nullopt;
    const ResidencyRecord *record = residencies.find(*loop.operands[p].value.object());
    if (!record || record->partition.empty())
        return std::nullopt;
    uint64_t width = widthOf(p), block = bound.block(), covered = 0;
    Owned ranges = record->partition;
    for (auto &[rows, owner] : ranges) {
        if (rows.begin % width || rows.end % width)
            return std::nullopt;
        rows = {rows.begin / width, rows.end / width};
        if (rows.begin % block || (rows.end % block && rows.end != bound.rows))
            return std::nullopt;
        covered += rows.size();
    }
    // After the loss of a worker a partition has gaps.
    if (covered != bound.rows)
        return std::nullopt;
    return ranges;
}

/// The same for where a file says that rows belong.
std::optional<RowAssignment::Owned> RowAssignment::homePartition(size_t p) const {
    const ResidencyRecord *record =
        loop.operands[p].value.isMatrix() ? residencies.find(*loop.operands[p].value.object()) : nullptr;
    uint64_t width = widthOf(p);
    if (!record || record->homes.empty() || record->homes.back().first.end != bound.rows * width)
        return std::nullopt;
    std::vector<RowRange> ranges;
    for (auto &[cells, owner] : record->homes) {
        if (cells.end % width)
            return std::nullopt;
        ranges.push_back({cells.begin / width, cells.end / width});
    }
    ranges = partitionRounded({bound.rows, bound.block(), commonBlocks()}, ranges);
    Owned owned;
    for (size_t i = 0; i < ranges.size(); ++i)
        if (ranges[i].size() > 0)
            owned.emplace_back(ranges[i], record->homes[i].second);
    return owned;
}

std::optional<std::vector<AssignedRows>> RowAssignment::asPlaced() const {
    uint64_t mostBytes = 0, largest = 0;
    std::optional<Owned> best;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (!isSplit(p))
            continue;
        const Matrix &m = loop.operands[p].value.matrix();
        uint64_t bytes = m.isCsr() ? loop.operands[p].value.csr().nonZeros() * 8 : m.cells() * cellSize(m.type());
        largest = std::max(largest, bytes);
        if (bytes <= mostBytes)
            continue;
        auto ranges = placedPartition(p);
        if (!ranges)
            ranges = homePartition(p);
        if (ranges) {
            mostBytes = bytes;
            best = std::move(ranges);
        }
    }
    // A large matrix that is not there yet is better divided as suits it.
    if (!best || mostBytes < largest / kSmallPart)
        return std::nullopt;
    std::vector<AssignedRows> chunks;
    for (auto &[rows, owner] : *best) {
        if (owner != self() && !peers.isAlive(owner))
            return std::nullopt;
        chunks.push_back({rows, owner});
    }
    return chunks;
}

} // namespace daphne::dist
