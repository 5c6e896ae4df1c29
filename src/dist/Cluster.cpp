// SPDX-License-Identifier: Apache-2.0
#include "dist/Cluster.h"

#include <algorithm>

#include "base/Error.h"
#include "dist/ClusterRun.h"
#include "kernels/BlasProcessor.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

using exec::DistributableLoop;
using exec::LoopOperand;
using exec::LoopParam;
using Role = LoopOperand::Role;

namespace {

/// From one process to another.
constexpr double kMemoryBytesPerNs = 3;

std::byte *cellsOf(const Value &matrix) {
    return withNumericType(matrix.matrix().type(), [&]<class T>(TypeTag<T>) {
        return reinterpret_cast<std::byte *>(matrix.dense().mutableView<T>().data);
    });
}

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

Cluster::Cluster(std::unique_ptr<Transport> transport, const Peers::Settings &greeting, ClusterSettings given,
                 uint32_t ownThreads)
    : peers(std::move(transport), greeting), settings(std::move(given)), ownThreads(ownThreads) {
    noteLosses();
}

Cluster::~Cluster() = default;

// ---- whether

bool Cluster::isPossible(const DistributableLoop &loop) const {
    if (loop.bound.rows == 0 || peers.numAlive() == 0)
        return false;
    if (loop.bound.program.product && !loop.bound.program.hasCsr && !multiplyAlike())
        return false;
    // Vectors must be one piece of memory to be sent; everything else is numeric by construction.
    uint64_t room = roomForWhole();
    return std::ranges::all_of(loop.operands, [&](const LoopOperand &o) {
        return o.role != Role::Whole || (o.value.isMatrix() && !o.value.isCsr() && bytesOf(o) <= room);
    });
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

bool Cluster::wants(const DistributableLoop &loop) {
    admitReturned();
    if (!isPossible(loop))
        return false;
    if (!settings.threshold)
        return pays(loop);
    if (*settings.threshold == 0)
        return true;
    uint64_t bytes = 0;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        ValueType type = loop.bound.program.params[p].type;
        bytes += loop.operands[p].role == Role::Result ? loop.bound.rows * loop.bound.outputColumns(p) * cellSize(type)
                                                       : bytesOf(loop.operands[p]);
    }
    return bytes > *settings.threshold;
}

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

/// What running a loop costs here and on all machines. Cells that are elsewhere are fetched to compute here; to compute
/// on all machines, everybody gets whole matrices, in each run, and rows, once.
Cluster::LoopCosts Cluster::costsOf(const DistributableLoop &loop) {
    Crew machines = crew();
    RowPlan plan(peers, placements, settings, machines, ownThreads, bytesPerNs(), loop);
    uint64_t hash;
    programOf(loop.bound.program, hash);
    const std::set<size_t> &read = programs[hash].read;
    auto workers = static_cast<double>(machines.workers.size()), threads = std::max(1.0, machines.threads);
    double elsewhere = 1 - (settings.coordinatorComputes ? ownThreads : 0) / threads; // that part of the rows
    double serial = loop.bound.serialNs, bytesHere = 0, bytesSent = 0;
    LoopCosts costs;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        const LoopOperand &operand = loop.operands[p];
        auto bytes = static_cast<double>(bytesOf(operand));
        const PlacementRecord *record = operand.value.isMatrix() ? placements.find(*operand.value.object()) : nullptr;
        double fetched =
            record ? static_cast<double>(record->cellsElsewhere() * cellSize(record->matrix.matrix().type())) : 0;
        if (operand.value.isCsr())
            serial += static_cast<double>(operand.value.csr().nonZeros()) * loop.bound.nsPerStored;
        if (operand.role == Role::Result && read.contains(p)) {
            bytesSent += elsewhere * static_cast<double>(loop.bound.rows * loop.bound.outputColumns(p) *
                                                         cellSize(loop.bound.program.params[p].type));
        } else if (operand.role == Role::Whole && !plan.isEverywhere(operand.value)) {
            bytesSent += bytes * workers + fetched;
            bytesHere += fetched;
        } else if (operand.role == Role::Split && plan.isCutFor(p)) {
            bytesHere += fetched;
        } else if (operand.role == Role::Split && record && !record->files.empty() && record->parts.empty()) {
            costs.onceNs = std::max(costs.onceNs, record->readNs);
        } else if (operand.role == Role::Split) {
            costs.onceNs += bytes * elsewhere / bytesPerNs();
            bytesSent += fetched;
            bytesHere += fetched;
        }
    }
    auto blocks = static_cast<double>(loop.bound.numBlocks()); // more threads have nothing to do
    costs.hereNs = serial / std::min<double>(ownThreads, blocks) + bytesHere / bytesPerNs();
    costs.everywhereNs = serial / std::min(threads, blocks) + bytesSent / bytesPerNs() + 2 * peers.roundTripNs();
    return costs;
}

/// Rows are sent, or read by workers what was read here, if the loop gains that at once, or when the time that was lost
/// by not doing so would have paid for it; and the next ones later, if they were used only once.
bool Cluster::pays(const DistributableLoop &loop) {
    LoopCosts costs = costsOf(loop);
    double gain = costs.hereNs - costs.everywhereNs;
    if (gain <= 0)
        return false;
    uint64_t hash;
    programOf(loop.bound.program, hash);
    KnownProgram &known = programs[hash];
    if (costs.onceNs == 0)
        known.caution = 1;
    if (gain >= costs.onceNs)
        return true;
    known.missedNs += gain;
    if (known.missedNs < known.caution * costs.onceNs)
        return false;
    known.missedNs = 0;
    known.caution *= 2;
    return true;
}

std::shared_ptr<const exec::LoopProgram> Cluster::programOf(const exec::LoopProgram &program, uint64_t &hash) {
    std::string text = program.text();
    hash = hashOf(text);
    KnownProgram &known = programs[hash];
    if (!known.program) {
        known.program = std::make_shared<const exec::LoopProgram>(program);
        known.text = std::move(text);
    }
    return known.program;
}

// ---- running

bool Cluster::run(RunContext &context, DistributableLoop &loop) {
    scheduler = context.scheduler;
    if (!bound)
        bound.emplace(peers.ownCpus());
    peers.tellFreed(); // who got nothing since the last time
    sweep();
    ++own.loops;
    bool done = ClusterRun(*this, loop).run();
    noteLosses();
    return done;
}

/// Tells workers what they may drop.
void Cluster::sweep() {
    placements.sweep();
    peers.sweepLoans();
    for (ResultOf result : placements.takeUnread())
        programs[result.program].read.erase(result.parameter);
    for (ResultOf result : placements.takeUnusedWholes())
        programs[result.program].whole.erase(result.parameter);
    for (auto &[worker, objects] : placements.takeGarbage())
        peers.freeLater(worker, objects);
}

/// What a lost worker had and knew.
void Cluster::forget(uint32_t worker) {
    placements.dropWorker(worker);
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
        placements.forgetCuts();
}

void Cluster::noteLosses() {
    for (const std::string &warning : peers.takeWarnings())
        if (settings.warn)
            settings.warn(warning);
}

// ---- cells that are elsewhere

void Cluster::bringHere(const Value &matrix) {
    PlacementRecord *record = placements.find(*matrix.object());
    if (!record)
        return;
    record->wasRead = true;
    if (!record->isHere())
        fetch(matrix, 0, matrix.matrix().cells());
}

/// Cells [begin, end) and those of the parts they are in.
void Cluster::fetch(const Value &matrix, uint64_t begin, uint64_t end) {
    PlacementRecord *record = placements.find(*matrix.object());
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
            peers.expect(part.worker, part.object,
                         {matrix.matrix().type(), part.end - part.begin, cellsOf(matrix) + part.begin * cell});
            peers.send(part.worker, Transfer{part.object});
            asked[part.worker].push_back(part.object);
            ++own.fetches;
        }
    auto start = std::chrono::steady_clock::now();
    for (auto &[worker, objects] : asked)
        if (peers.waitFor(worker, objects))
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
    std::vector<Ref<Dense>> outputs = bindHere(*this, bound, lineage.operands);
    if (!exec::runRows(scheduler, bound, rows.begin, rows.end))
        throw internalError("a loop that has run before fails");
    size_t cell = cellSize(output.type);
    const std::byte *from = cellsOf(Value(outputs[lineage.output])) + begin * cell;
    std::copy(from, from + (end - begin) * cell, cellsOf(matrix) + begin * cell);
}

void Cluster::endOfProgram(bool keepsValues) {
    if (keepsValues)
        for (const Value &matrix : placements.incomplete())
            bringHere(matrix);
    placements.clear();
    peers.forgetObjects();
    sweep();
    peers.tellFreed();
    noteLosses();
    scheduler = nullptr;
    bound.reset();
}

} // namespace daphne::dist
