// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/Cluster.h"

#include <algorithm>

#include "base/Error.h"
#include "dist/coordinator/ClusterRun.h"
#include "kernels/products/BlasProcessor.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

using exec::LoopOperand;
using exec::LoopParam;
using exec::LoopTask;
using Role = LoopOperand::Role;

namespace {

/// From one process to another.
constexpr double kMemoryBytesPerNs = 3;

/// From so many on, machines send numbers per block instead of numbers per row.
constexpr uint64_t kLeastBlocks = 8;

std::byte *cellsOf(const Value &matrix) { return matrix.dense().mutableStorage(); }

/// Bytes of an operand that is a matrix.
uint64_t bytesOf(const LoopOperand &operand) {
    if (!operand.value.isMatrix())
        return 0;
    const Matrix &m = operand.value.matrix();
    if (!m.isCsr())
        return m.cells() * cellSize(m.type());
    const Csr &c = operand.value.csr();
    return (c.rows() + 1) * 8 + c.nonZeros() * ((c.hasWideIndex() ? 8 : 4) + (c.isPattern() ? 0 : cellSize(m.type())));
}

} // namespace

Cluster::Cluster(std::unique_ptr<Transport> transport, const ConnectionSettings &greeting, ClusterSettings given,
                 uint32_t ownThreads)
    : peers(std::move(transport), greeting), settings(std::move(given)), ownThreads(ownThreads) {
    noteLosses();
}

Cluster::~Cluster() = default;

// ---- whether

/// Why the loop cannot run on other machines; "": it can.
std::string_view Cluster::obstacle(const LoopTask &loop) const {
    if (loop.bound.rows == 0)
        return "there are no rows";
    if (peers.numAlive() == 0)
        return "no worker is there";
    if (loop.bound.program.product && !loop.bound.program.hasCsr && !multiplyAlike())
        return "workers would round products differently";
    // Vectors must be one piece of memory to be sent; everything else is numeric by construction.
    uint64_t room = roomForWhole();
    bool isPossible = std::ranges::all_of(loop.operands, [&](const LoopOperand &o) {
        return o.role != Role::Whole || (o.value.isMatrix() && !o.value.isCsr() && bytesOf(o) <= room);
    });
    return isPossible ? "" : "workers have no room for a matrix that all rows need";
}

/// Bytes of a matrix that everybody can have besides its rows: some part of the memory of its machine, which others may
/// share.
uint64_t Cluster::roomForWhole() const {
    constexpr uint64_t kPart = 4;
    std::map<std::string, uint64_t> processes{{peers.ownSeat().machine, 1}};
    for (uint32_t i = 0; i < peers.size(); ++i)
        if (peers.isAlive(i))
            ++processes[peers.welcome(i).seat.machine];
    uint64_t room = ~uint64_t(0);
    for (uint32_t i = 0; i < peers.size(); ++i)
        if (peers.isAlive(i))
            room = std::min(room, peers.welcome(i).memoryBytes / kPart / processes[peers.welcome(i).seat.machine]);
    return room;
}

/// Whether products of matrices are rounded in the same way everywhere.
bool Cluster::multiplyAlike() const {
    for (uint32_t i = 0; i < peers.size(); ++i)
        if (peers.isAlive(i) && peers.welcome(i).blas != blasLoops())
            return false;
    return true;
}

exec::Estimate Cluster::estimate(const RunContext &, const LoopTask &loop) {
    admitReturned();
    if (std::string_view why = obstacle(loop); !why.empty())
        return exec::Estimate::refuse(why);
    if (!settings.threshold)
        return estimateTime(loop);
    if (*settings.threshold == 0)
        return exec::Estimate::demanded();
    uint64_t bytes = 0;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        ValueType type = loop.bound.program.params[p].type;
        bytes += loop.operands[p].role == Role::Result ? loop.bound.rows * loop.bound.outputColumns(p) * cellSize(type)
                                                       : bytesOf(loop.operands[p]);
    }
    return bytes > *settings.threshold ? exec::Estimate::demanded()
                                       : exec::Estimate::refuse("it has fewer bytes than --dist-threshold says");
}

uint64_t Cluster::leastBlocks(const RunContext &, const exec::LoopEngine &) const { return kLeastBlocks; }

/// Workers stand by that would only take CPUs from others on the same machine: they join when one of these is lost.
/// Where the user says what is to be distributed, or by which scheme, everybody takes part.
Crew Cluster::crew() const {
    std::vector<Candidate> candidates;
    std::vector<uint32_t> alive;
    if (settings.coordinatorComputes)
        candidates.push_back({&peers.ownSeat(), ownThreads});
    for (uint32_t i = 0; i < peers.size(); ++i)
        if (peers.isAlive(i)) {
            candidates.push_back({&peers.welcome(i).seat, peers.welcome(i).threads});
            alive.push_back(i);
        }
    CpuUse use = useCpus(candidates);
    Crew crew{{}, use.threads};
    size_t first = candidates.size() - alive.size();
    bool all = settings.threshold || settings.scheme;
    for (size_t k = 0; k < alive.size(); ++k)
        if (all || use.isAtWork[first + k])
            crew.workers.push_back(alive[k]);
    return crew;
}

double Cluster::bytesPerNs() const {
    return peers.areNeighbours() ? std::max(settings.bytesPerNs, kMemoryBytesPerNs)
                                 : std::min(settings.bytesPerNs, peers.lineBytesPerNs());
}

/// Workers get whole matrices in each run, and rows once.
exec::Estimate Cluster::estimateTime(const LoopTask &loop) {
    Crew machines = crew();
    RowAssignment plan(peers, residencies, settings, machines, ownThreads, bytesPerNs(), loop);
    uint64_t hash;
    programOf(loop, hash);
    const std::set<size_t> &read = programs[hash].read;
    auto workers = static_cast<double>(machines.workers.size()), threads = std::max(1.0, machines.threads);
    double elsewhere = 1 - (settings.coordinatorComputes ? ownThreads : 0) / threads; // that part of the rows
    double serial = loop.bound.serialNs, bytesSent = 0, onceNs = 0;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        const LoopOperand &operand = loop.operands[p];
        auto bytes = static_cast<double>(bytesOf(operand));
        const ResidencyRecord *record = operand.value.isMatrix() ? residencies.find(*operand.value.object()) : nullptr;
        double fetched =
            record ? static_cast<double>(record->cellsElsewhere() * cellSize(record->matrix.matrix().type())) : 0;
        if (operand.value.isCsr())
            serial += static_cast<double>(operand.value.csr().nonZeros()) * loop.bound.nsPerStored;
        if (operand.role == Role::Result && read.contains(p)) {
            bytesSent += elsewhere * static_cast<double>(loop.bound.rows * loop.bound.outputColumns(p) *
                                                         cellSize(loop.bound.program.params[p].type));
        } else if (operand.role == Role::Whole && !plan.isEverywhere(operand.value)) {
            bytesSent += bytes * workers + fetched;
        } else if (operand.role == Role::Split && !plan.isPartitionedFor(p)) {
            if (record && !record->files.empty() && record->parts.empty()) {
                onceNs = std::max(onceNs, record->readNs);
            } else {
                onceNs += bytes * elsewhere / bytesPerNs();
                bytesSent += fetched;
            }
        }
    }
    auto blocks = static_cast<double>(loop.bound.numBlocks()); // more threads have nothing to do
    double everyTimeNs = serial / std::min(threads, blocks) + bytesSent / bytesPerNs() + 2 * peers.roundTripNs();
    return {.ns = everyTimeNs, .onceNs = onceNs};
}

std::shared_ptr<const exec::LoopProgram> Cluster::programOf(const LoopTask &loop, uint64_t &hash) {
    hash = hashOf(loop.text());
    KnownProgram &known = programs[hash];
    if (!known.program) {
        known.program = std::make_shared<const exec::LoopProgram>(loop.bound.program);
        known.text = loop.text();
    }
    return known.program;
}

// ---- running

exec::Outcome Cluster::run(RunContext &context, LoopTask &loop) {
    scheduler = context.scheduler;
    if (!bound)
        bound.emplace(peers.ownCpus());
    transfers.tellFreed(); // who got nothing since the last time
    sweep();
    ++own.loops;
    bool done = ClusterRun(*this, loop).run();
    noteLosses();
    return done ? exec::Outcome::Done : exec::Outcome::Fault;
}

/// Tells workers what they may drop.
void Cluster::sweep() {
    residencies.sweep();
    transfers.sweepLoans();
    for (ResultOf result : residencies.takeUnread())
        programs[result.program].read.erase(result.parameter);
    for (ResultOf result : residencies.takeUnusedWholes())
        programs[result.program].whole.erase(result.parameter);
    for (auto &[worker, objects] : residencies.takeGarbage())
        transfers.freeLater(worker, objects);
}

/// What a lost worker had and knew.
void Cluster::forget(uint32_t worker) {
    residencies.dropWorker(worker);
    for (auto &[hash, known] : programs)
        known.workers.erase(worker);
}

/// Workers that have come back take part from this loop on.
void Cluster::admitReturned() {
    if (!peers.survivesLoss())
        return;
    while (std::optional<PeerEvent> event = peers.next(std::chrono::milliseconds(0)))
        if (event->kind == PeerEvent::Kind::Lost)
            forget(event->peer);
    if (!peers.admitReturned().empty())
        residencies.forgetPartitions();
}

void Cluster::noteLosses() {
    for (const std::string &warning : peers.takeWarnings())
        if (settings.warn)
            settings.warn(warning);
}

// ---- cells that are elsewhere

void Cluster::bringHere(ResidencyRecord &record) {
    record.wasRead = true;
    if (!record.isHere())
        fetch(record.matrix, 0, record.matrix.matrix().cells());
    residencies.publish(record);
}

double Cluster::nsToBringHere(const ResidencyRecord &record) const {
    return static_cast<double>(record.cellsElsewhere() * cellSize(record.matrix.matrix().type())) / bytesPerNs();
}

void Cluster::fetchAll(const Value &matrix) {
    if (ResidencyRecord *record = residencies.find(*matrix.object()))
        bringHere(*record);
}

void Cluster::fetch(const Value &matrix, uint64_t begin, uint64_t end) {
    ResidencyRecord *record = residencies.find(*matrix.object());
    if (!record)
        return;
    record->wasRead |=
        std::ranges::any_of(record->parts, [&](const Part &p) { return p.begin < end && begin < p.end; });
    auto isWanted = [&](const Part &p) { return !p.isHere && p.begin < end && begin < p.end; };
    // The next result of that loop is going to be sent without being asked for.
    if (record->source.program && std::ranges::any_of(record->parts, isWanted))
        programs[record->source.program].read.insert(record->source.parameter);
    size_t cell = cellSize(matrix.matrix().type());
    std::map<uint32_t, std::vector<uint64_t>> asked;
    for (const Part &part : record->parts)
        if (isWanted(part) && peers.isAlive(part.worker)) {
            transfers.expect(part.worker, part.object,
                             {matrix.matrix().type(), part.end - part.begin, cellsOf(matrix) + part.begin * cell});
            peers.send(part.worker, Transfer{part.object});
            asked[part.worker].push_back(part.object);
            ++own.fetches;
        }
    auto start = std::chrono::steady_clock::now();
    for (auto &[worker, objects] : asked)
        if (transfers.waitFor(worker, objects))
            for (Part &part : record->parts)
                if (part.worker == worker && std::ranges::count(objects, part.object))
                    part.isHere = true;
    own.waitNs += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    std::vector<RowRange> lost;
    for (const Part &part : record->parts)
        if (isWanted(part))
            lost.push_back({part.begin, part.end});
    std::shared_ptr<const Lineage> lineage = record->lineage;
    for (RowRange range : lost) {
        if (!lineage)
            throw executionError(record->files.empty() ? "cells of a matrix are lost with their worker"
                                                       : "rows of a federated matrix are lost with their worker");
        computeAgain(matrix, *lineage, range.begin, range.end);
    }
    std::erase_if(record->parts, isWanted);
    uint64_t cols = std::max<uint64_t>(1, matrix.matrix().cols());
    readHere(*record, {begin / cols, (end + cols - 1) / cols});
    if (record->isHere())
        record->lineage = nullptr;
    residencies.publish(*record);
}

void Cluster::computeAgain(const Value &matrix, const Lineage &lineage, uint64_t begin, uint64_t end) {
    ++own.again;
    exec::BoundLoop bound(*lineage.program);
    bound.function = lineage.function;
    bound.rows = lineage.rows;
    bound.cols = lineage.cols;
    bound.site = "again";
    bound.serialNs = lineage.serialNs;
    bound.nsPerStored = lineage.nsPerStored;
    bound.staged = lineage.staged;
    bound.stagesBlocks = lineage.stagesBlocks;
    const LoopParam &output = lineage.program->params[lineage.output];
    uint64_t width = bound.outputColumns(lineage.output);
    RowRange rows{begin / width, end / width};
    std::vector<Ref<Dense>> outputs = bindHere(bound, lineage.operands);
    if (!exec::runRows(scheduler, bound, rows.begin, rows.end))
        throw internalError("a loop that has run before fails");
    size_t cell = cellSize(output.type);
    const std::byte *from = cellsOf(Value(outputs[lineage.output])) + begin * cell;
    std::copy(from, from + (end - begin) * cell, cellsOf(matrix) + begin * cell);
}

void Cluster::endOfProgram(bool keepsValues) {
    if (keepsValues)
        for (const Value &matrix : residencies.incomplete())
            fetchAll(matrix);
    residencies.clear();
    transfers.forgetObjects();
    sweep();
    transfers.tellFreed();
    noteLosses();
    scheduler = nullptr;
    bound.reset();
}

} // namespace daphne::dist
