// SPDX-License-Identifier: Apache-2.0
/// What a run of a loop sends to workers: rows and vectors they do not have yet, then what to do with them.
#include <algorithm>
#include <map>

#include "dist/coordinator/ClusterRun.h"
#include "dist/protocol/AllGather.h"
#include "kernels/aggregates/PairwiseRows.h"

namespace daphne::dist {

using exec::LoopOperand;
using Role = LoopOperand::Role;

namespace {

/// More bytes than this are sent by one thread per worker, while this one computes.
constexpr uint64_t kLargeSending = 8 << 20;

} // namespace

void ClusterRun::give(uint32_t worker, Chunk &chunk) {
    chunk.state = Chunk::State::Running;
    chunk.worker = worker;
    chunk.request = cluster.nextRequest++;
    chunk.results.assign(loop.operands.size(), 0);
    Compute message{};
    message.hash = hash;
    Cluster::KnownProgram &known = cluster.programs[hash];
    if (known.workers.insert(worker).second)
        message.program = known.text;
    message.firstRow = chunk.rows.begin;
    message.rows = chunk.rows.size();
    message.cols = bound.cols;
    message.serialNs =
        bound.rows ? bound.serialNs * static_cast<double>(chunk.rows.size()) / static_cast<double>(bound.rows) : 0;
    message.nsPerStored = bound.nsPerStored;
    message.site = bound.site;
    message.allRows = bound.rows;
    if (isExchanged())
        message.audience = audience;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        const LoopOperand &operand = loop.operands[p];
        switch (operand.role) {
        case Role::Number: message.operands.push_back({Compute::Role::Number, operand.bits}); break;
        case Role::Whole:
        case Role::Split: {
            uint64_t object = ensurePart(worker, p, chunk.rows);
            message.operands.push_back({object & kGathered ? Compute::Role::Awaited : Compute::Role::Object, object});
            break;
        }
        case Role::Kept: message.operands.push_back({Compute::Role::Kept, 0}); break;
        default: message.operands.push_back(outputFor(worker, chunk, p));
        }
    }
    // What may be taken back comes with others of the same worker, all at once.
    if (chunk.isOffered) {
        cluster.transfers.offer(worker, chunk.request);
        message.isOffered = true;
        message.isFollowed = std::ranges::any_of(chunks, [&](const Chunk &c) {
            return c.state == Chunk::State::Waiting && c.isOffered && c.owner == worker;
        });
    }
    parcels[worker].push_back({std::nullopt, chunk.request, frameOf(message, chunk.request, pipeline)});
}

/// What becomes of an output. Cells that are going to be sent are expected where they belong.
Compute::Operand ClusterRun::outputFor(uint32_t worker, Chunk &chunk, size_t p) {
    const LoopOperand &operand = loop.operands[p];
    uint64_t object = chunk.results[p] = cluster.nextObject++;
    bool collected = operand.role == Role::Collected;
    if (!collected && !isSent(p))
        return {Compute::Role::Result, object};
    RowRange cells = plan.cellsOf(p, chunk.rows);
    uint64_t count = cells.size();
    if (bound.isSumOfGroups(p)) {
        RowRange groups = plan.groupsOf(p, chunk.rows);
        count = nodesOf(groups.begin, groups.end).size() * bound.outputColumns(p);
    }
    ValueType type = bound.program.params[p].type;
    std::byte *first = operand.value.dense().mutableStorage();
    cluster.transfers.expect(worker, object, {type, count, first + cells.begin * cellSize(type)});
    bool reduced = collected && bound.staged[p] && bound.stagesBlocks;
    if (wholes[p])
        return {Compute::Role::Exchanged, object, wholes[p]};
    if (reduced)
        return {.role = Compute::Role::Folded, .number = object, .fold = *bound.staged[p]};
    return {collected ? Compute::Role::Collected : Compute::Role::Shared, object};
}

const Part *ClusterRun::findPart(uint32_t worker, size_t p, RowRange cells) const {
    const ResidencyRecord *record = cluster.residencies.find(*loop.operands[p].value.object());
    if (!record)
        return nullptr;
    auto it = std::ranges::find_if(record->parts, [&](const Part &part) {
        return part.worker == worker && part.isWhole == !isSplit(p) && part.begin == cells.begin &&
               part.end == cells.end;
    });
    return it == record->parts.end() ? nullptr : &*it;
}

/// A matrix with the same cells that the worker has as a whole, whatever its shape where that does not matter.
const Part *ClusterRun::findWhole(uint32_t worker, size_t p) const {
    const Value &v = loop.operands[p].value;
    bool needsShape = bound.program.params[p].kind == exec::LoopParam::Kind::Right;
    if (v.isCsr())
        return nullptr;
    for (ResidencyRecord *record : cluster.residencies.withCellsOf(v.dense())) {
        const Matrix &m = record->matrix.matrix();
        if (needsShape && (m.rows() != v.matrix().rows() || m.cols() != v.matrix().cols()))
            continue;
        auto it = std::ranges::find_if(record->parts,
                                       [&](const Part &part) { return part.worker == worker && part.isWhole; });
        if (it != record->parts.end()) {
            record->wasUsedWhole = true;
            return &*it;
        }
    }
    return nullptr;
}

/// The next result of the loop that has made the matrix is better exchanged among workers.
void ClusterRun::noteWhole(const Value &matrix) {
    if (!matrix.isCsr() && cluster.transfers.canExchange())
        for (const ResidencyRecord *record : cluster.residencies.withCellsOf(matrix.dense()))
            if (record->source.program)
                cluster.programs[record->source.program].whole.insert(record->source.parameter);
}

/// The number of the part at the worker; it is sent unless it is there.
uint64_t ClusterRun::ensurePart(uint32_t worker, size_t p, RowRange rows) {
    const Value &v = loop.operands[p].value;
    bool isWhole = !isSplit(p);
    RowRange cells = isWhole ? RowRange{0, v.matrix().cells()} : v.isCsr() ? rows : plan.cellsOf(p, rows);
    if (const Part *part = isWhole ? findWhole(worker, p) : findPart(worker, p, cells))
        return part->object;
    if (isWhole)
        noteWhole(v);
    ResidencyRecord &record = cluster.residencies.of(v);
    uint64_t object = isWhole ? numberOfWhole(record) : cluster.nextObject++;
    if (!isWhole && askToRead(worker, p, object, cells)) {
        record.parts.push_back({object, worker, cells.begin, cells.end, false, true});
        notePartition(p);
        return object;
    }
    if (!isWhole && !v.isCsr())
        cluster.fetch(v, cells.begin, cells.end);
    ObjectBegin begin{.object = object,
                      .version = record.version,
                      .kind = isWhole ? ObjectBegin::Kind::Broadcast : ObjectBegin::Kind::Part,
                      .first = cells.begin,
                      .count = cells.size(),
                      .totalBytes = 0};
    parcels[worker].push_back({std::pair(begin, encode(windowOf(p, rows))),
                               0,
                               {},
                               isWhole ? knownCells(worker, v) : std::vector<KnownCells>()});
    record.parts.push_back({object, worker, cells.begin, cells.end, isWhole, true});
    if (!isWhole)
        notePartition(p);
    return object;
}

/// Cells of the matrix that the worker has computed or got, in order. The matrix may be another shape of what it knows.
std::vector<KnownCells> ClusterRun::knownCells(uint32_t worker, const Value &matrix) const {
    std::vector<KnownCells> known;
    if (matrix.isCsr())
        return known;
    size_t cell = cellSize(matrix.matrix().type());
    for (const ResidencyRecord *record : cluster.residencies.withCellsOf(matrix.dense()))
        for (const Part &part : record->parts)
            if (part.worker == worker && !part.isWhole)
                known.push_back({part.object, part.begin * cell, part.end * cell});
    std::ranges::sort(known, {}, &KnownCells::begin);
    // Of what overlaps the first one is enough.
    std::vector<KnownCells> apart;
    for (const KnownCells &part : known)
        if (apart.empty() || part.begin >= apart.back().end)
            apart.push_back(part);
    return apart;
}

/// The same at every worker, so that it can be broadcast.
uint64_t ClusterRun::numberOfWhole(const ResidencyRecord &record) {
    auto it = std::ranges::find_if(record.parts, [](const Part &part) { return part.isWhole; });
    return it == record.parts.end() ? cluster.nextObject++ : it->object;
}

/// Whether the worker reads its rows from a file. If it has changed, or the script has written it, what was read before
/// counts.
bool ClusterRun::askToRead(uint32_t worker, size_t p, uint64_t object, RowRange cells) {
    const ResidencyRecord &record = cluster.residencies.of(loop.operands[p].value);
    std::optional<ReadRows> message = record.toRead(worker, object, cells);
    auto hasChanged = [](const FilePiece &piece) { return stateOf(piece.path) != piece.state; };
    if (!message || (record.isHere() && std::ranges::any_of(message->pieces, hasChanged)))
        return false;
    parcels[worker].push_back({std::nullopt, 0, frameOf(*message)});
    return true;
}

/// The part of an input that these rows need.
Value ClusterRun::windowOf(size_t p, RowRange rows) const {
    const Value &v = loop.operands[p].value;
    if (v.isCsr())
        return Csr::rowWindow(v.csr(), rows.begin, rows.end);
    if (!isSplit(p))
        return v;
    if (!bound.program.flat)
        return Dense::window(v.dense(), rows.begin, rows.end, 0, v.matrix().cols());
    RowRange cells = plan.cellsOf(p, rows);
    return Dense::window(*Dense::reshaped(v.dense(), v.matrix().cells(), 1), cells.begin, cells.end, 0, 1);
}

/// The matrix is now divided as this loop is.
void ClusterRun::notePartition(size_t p) {
    const Value &v = loop.operands[p].value;
    std::vector<std::pair<RowRange, uint32_t>> ranges;
    for (const Chunk &chunk : chunks)
        if (chunk.owner)
            ranges.emplace_back(v.isCsr() ? chunk.rows : plan.cellsOf(p, chunk.rows), *chunk.owner);
    if (ranges.size() == chunks.size())
        cluster.residencies.of(v).partition = std::move(ranges);
}

/// What several workers get is broadcast first, if they pass it on.
void ClusterRun::broadcastCommonObjects() {
    std::map<uint64_t, std::vector<uint32_t>> receivers;
    for (uint32_t i = 0; i < parcels.size(); ++i)
        for (const Parcel &parcel : parcels[i])
            if (parcel.object && parcel.object->first.kind == ObjectBegin::Kind::Broadcast)
                if (auto &workers = receivers[parcel.object->first.object]; workers.empty() || workers.back() != i)
                    workers.push_back(i);
    for (const auto &[number, workers] : receivers) {
        auto isIt = [&](const Parcel &p) { return p.object && p.object->first.object == number; };
        auto &first = *std::ranges::find_if(parcels[workers.front()], isIt);
        if (!cluster.transfers.isRelayed(workers, first.object->second.totalBytes))
            continue;
        finishSends();
        auto [begin, object] = std::move(*first.object);
        for (uint32_t worker : workers)
            std::erase_if(parcels[worker], isIt);
        cluster.transfers.broadcast(workers, begin, object);
    }
}

/// Objects first, then what needs them. What is much is sent by threads while this one computes; workers begin as soon
/// as they have their own.
void ClusterRun::flushSends() {
    broadcastCommonObjects();
    for (uint32_t i = 0; i < parcels.size(); ++i) {
        if (parcels[i].empty())
            continue;
        uint64_t bytes = 0;
        for (const Parcel &parcel : parcels[i])
            bytes += parcel.object ? parcel.object->second.totalBytes : 0;
        if (senders[i].joinable())
            senders[i].join();
        // Values are released by the thread that has made them.
        underWay[i] = std::exchange(parcels[i], {});
        auto send = [&transfers = cluster.transfers, i, &mine = underWay[i]] { transfers.ship(i, mine); };
        if (bytes > kLargeSending)
            senders[i] = std::thread(std::move(send));
        else
            send();
    }
}

void ClusterRun::finishSends() {
    for (std::thread &sender : senders)
        if (sender.joinable())
            sender.join();
    for (std::vector<Parcel> &sent : underWay)
        sent.clear();
}

} // namespace daphne::dist
