// SPDX-License-Identifier: Apache-2.0
#include "dist/ClusterRun.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/Error.h"
#include "exec/CallKernel.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

using exec::LoopArguments;
using exec::LoopOperand;
using exec::LoopParam;
using exec::LoopProgram;
using ParamKind = LoopParam::Kind;
using Role = LoopOperand::Role;
using Clock = std::chrono::steady_clock;

namespace {

/// Loops that may have to be repeated for one lost matrix; beyond, results are fetched.
constexpr uint32_t kMostDepth = 8;
/// More bytes than this are sent by one thread per worker.
constexpr uint64_t kLargeSending = 8 << 20;
/// Chunks that a worker has at a time where there are many: one to run, one on its way.
constexpr size_t kChunksAhead = 2;
/// A matrix of less than this part of the largest one does not decide who gets which rows.
constexpr uint64_t kSmallPart = 4;
/// Least time of a chunk of a dynamic scheme.
constexpr double kLeastChunkNs = 2e6;

double nsSince(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

uint64_t addressOf(const Dense &m) {
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) { return reinterpret_cast<uint64_t>(m.view<T>().data); });
}

Compute::Role roleOf(exec::Reduce how) {
    return how == exec::Reduce::Min   ? Compute::Role::Min
           : how == exec::Reduce::Max ? Compute::Role::Max
                                      : Compute::Role::Sum;
}

uint64_t skipOf(const Dense &m) { return m.view<uint8_t>().skip; }

void bindInput(exec::BoundLoop &bound, size_t p, const LoopOperand &operand) {
    uint64_t *words = bound.arguments.param(p);
    if (operand.role == Role::Number) {
        words[0] = operand.bits;
    } else if (operand.value.isCsr()) {
        const Csr &m = operand.value.csr();
        words[0] = reinterpret_cast<uint64_t>(m.offsets());
        words[1] = withIndexType(m.hasWideIndex(),
                                 [&]<class I>(TypeTag<I>) { return reinterpret_cast<uint64_t>(m.columns<I>()); });
        words[2] = reinterpret_cast<uint64_t>(m.values<uint8_t>());
        bound.rowOffsets = m.offsets();
        bound.arguments.words[LoopArguments::kStoredEnd] = m.offsets()[m.rows()];
    } else {
        words[0] = addressOf(operand.value.dense());
        words[1] = bound.program.flat ? 1 : skipOf(operand.value.dense());
    }
}

} // namespace

std::vector<Ref<Dense>> bindHere(Cluster &cluster, exec::BoundLoop &bound, const std::vector<LoopOperand> &operands) {
    const LoopProgram &program = bound.program;
    std::vector<Ref<Dense>> outputs(program.params.size());
    bound.arguments.words[LoopArguments::kColumns] = bound.cols;
    for (size_t p = 0; p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        if (operands[p].role == Role::Kept) {
            bound.kept[p] = true;
        } else if (!param.isOutput()) {
            if (operands[p].value.isMatrix())
                cluster.bringHere(operands[p].value);
            bindInput(bound, p, operands[p]);
        } else {
            outputs[p] = Dense::create(param.type, bound.outputRows(p), bound.outputColumns(p));
            bound.arguments.param(p)[0] = addressOf(*outputs[p]);
            bound.arguments.param(p)[1] = param.kind == ParamKind::OutFull ? bound.cols : 1;
        }
    }
    return outputs;
}

ClusterRun::ClusterRun(Cluster &cluster, const exec::DistributableLoop &loop)
    : cluster(cluster), loop(loop), bound(loop.bound), pipeline(cluster.nextPipeline++) {
    program = cluster.programOf(bound.program, hash);
}

bool ClusterRun::run() {
    for (const LoopOperand &operand : loop.operands)
        if (operand.role == Role::Whole)
            cluster.bringHere(operand.value);
    limitLineages();
    cut();
    prepareOutputs();
    while (!isFinished()) {
        bool sent = dispatch();
        Chunk *mine = cluster.settings.coordinatorComputes || cluster.peers.numAlive() == 0 ? pick(self()) : nullptr;
        if (mine && failure.empty() && !fault)
            runHere(*mine);
        std::chrono::milliseconds patience(mine || sent ? 0 : 100);
        auto start = Clock::now();
        while (std::optional<PeerEvent> event = cluster.peers.next(patience)) {
            handle(*event);
            patience = std::chrono::milliseconds(0);
        }
        cluster.own.waitNs += nsSince(start);
    }
    if (!failure.empty() || fault)
        undo();
    if (!failure.empty())
        throw executionError(failure);
    if (!fault && !cluster.settings.resident)
        for (const LoopOperand &operand : loop.operands)
            if (operand.role == Role::Result) {
                cluster.bringHere(operand.value);
                cluster.placements.erase(*operand.value.object());
            }
    return !fault;
}

// ---- who computes what

/// Cells per row of an input or output.
uint64_t ClusterRun::widthOf(size_t p) const {
    switch (bound.program.params[p].kind) {
    case ParamKind::Full: return bound.cols;
    case ParamKind::Side: return loop.operands[p].value.matrix().cols();
    default: return bound.program.params[p].isOutput() ? bound.outputColumns(p) : 1;
    }
}

/// Cells of a matrix that belong to these rows of the loop.
RowRange ClusterRun::cellsOf(size_t p, RowRange rows) const {
    uint64_t together = bound.program.params[p].isOutput() ? bound.rowsPerOutputRow(p) : 1;
    return {rows.begin / together * widthOf(p), (rows.end + together - 1) / together * widthOf(p)};
}

void ClusterRun::limitLineages() {
    for (const LoopOperand &operand : loop.operands) {
        if (!operand.value.isMatrix() || !isSplit(static_cast<size_t>(&operand - loop.operands.data())))
            continue;
        const PlacementRecord *record = cluster.placements.find(*operand.value.object());
        if (record && record->lineage && record->lineage->depth >= kMostDepth)
            cluster.bringHere(operand.value);
    }
}

/// Ends of ranges that keep blocks of cells whole, so that flat loops and loops over rows of the same matrix agree
/// about who has what: 4096 rows whatever the number of columns is, or what that many cells are with this number.
std::vector<uint64_t> ClusterRun::commonBlocks() const {
    uint64_t cols = bound.cols, cells = LoopProgram::kBlock;
    for (size_t p = 0; p < loop.operands.size() && bound.program.flat; ++p)
        if (isSplit(p))
            cols = std::max<uint64_t>(cols, loop.operands[p].value.matrix().cols());
    uint64_t rows = cells / std::gcd(cells, cols), perRow = bound.program.flat ? cols : 1;
    return {cells * perRow, rows * perRow};
}

void ClusterRun::cut() {
    if (!cluster.settings.scheme && cutAsPlaced())
        return;
    CutRequest request{bound.rows, bound.block(), commonBlocks(), bound.rowOffsets};
    if (cluster.settings.scheme) {
        double perRow = bound.nsOf(0, bound.rows) / static_cast<double>(bound.rows);
        // Where everything is to be distributed, small chunks are wanted, too.
        bool all = cluster.settings.threshold == 0;
        auto least = static_cast<uint64_t>(all ? 1 : std::max(1.0, kLeastChunkNs / std::max(perRow, 1e-3)));
        uint32_t machines = cluster.peers.numAlive() + (cluster.settings.coordinatorComputes ? 1 : 0);
        for (RowRange rows : schemeCut(request, *cluster.settings.scheme, machines, least))
            chunks.push_back({rows, std::nullopt});
        // Who has the rows already should get them again.
        for (size_t p = 0; p < loop.operands.size(); ++p)
            if (auto placed = isSplit(p) ? placedCut(p) : std::nullopt)
                for (Chunk &chunk : chunks)
                    for (auto &[rows, owner] : *placed)
                        if (rows == chunk.rows && (owner == self() || cluster.peers.isAlive(owner)))
                            chunk.owner = owner;
        return;
    }
    std::vector<uint32_t> participants;
    std::vector<double> weights;
    for (uint32_t i = 0; i < cluster.peers.size(); ++i)
        if (cluster.peers.isAlive(i)) {
            participants.push_back(i);
            weights.push_back(cluster.peers.welcome(i).threads);
        }
    if (cluster.settings.coordinatorComputes || participants.empty()) {
        participants.push_back(self());
        weights.push_back(cluster.ownThreads);
    }
    std::vector<RowRange> ranges = weightedCut(request, weights);
    for (size_t i = 0; i < ranges.size(); ++i)
        if (ranges[i].size() > 0)
            chunks.push_back({ranges[i], participants[i]});
}

/// The cut of an operand in rows of this loop, if it can be used for it.
std::optional<std::vector<std::pair<RowRange, uint32_t>>> ClusterRun::placedCut(size_t p) const {
    if (!loop.operands[p].value.isMatrix())
        return std::nullopt;
    const PlacementRecord *record = cluster.placements.find(*loop.operands[p].value.object());
    if (!record || record->cut.empty())
        return std::nullopt;
    uint64_t width = widthOf(p), block = bound.block(), covered = 0;
    auto ranges = record->cut;
    for (auto &[rows, owner] : ranges) {
        if (rows.begin % width || rows.end % width)
            return std::nullopt;
        rows = {rows.begin / width, rows.end / width};
        if (rows.begin % block || (rows.end % block && rows.end != bound.rows))
            return std::nullopt;
        covered += rows.size();
    }
    // After the loss of a worker a cut has gaps.
    if (covered != bound.rows)
        return std::nullopt;
    return ranges;
}

bool ClusterRun::cutAsPlaced() {
    uint64_t mostBytes = 0, largest = 0;
    std::optional<std::vector<std::pair<RowRange, uint32_t>>> best;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (!isSplit(p))
            continue;
        const Matrix &m = loop.operands[p].value.matrix();
        uint64_t bytes = m.isCsr() ? loop.operands[p].value.csr().nonZeros() * 8 : m.cells() * cellSize(m.type());
        largest = std::max(largest, bytes);
        if (auto ranges = bytes > mostBytes ? placedCut(p) : std::nullopt) {
            mostBytes = bytes;
            best = std::move(ranges);
        }
    }
    // A large matrix that is not there yet is better cut as suits it.
    if (!best || mostBytes < largest / kSmallPart)
        return false;
    for (auto &[rows, owner] : *best) {
        if (owner != self() && !cluster.peers.isAlive(owner))
            return chunks.clear(), false;
        chunks.push_back({rows, owner});
    }
    return true;
}

void ClusterRun::prepareOutputs() {
    uint32_t depth = 1;
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p))
            if (const PlacementRecord *r = cluster.placements.find(*loop.operands[p].value.object()); r && r->lineage)
                depth = std::max(depth, r->lineage->depth + 1);
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (loop.operands[p].role != Role::Result)
            continue;
        PlacementRecord &record = cluster.placements.of(loop.operands[p].value);
        if (!cluster.peers.survivesLoss())
            continue;
        auto lineage = std::make_shared<Lineage>();
        lineage->program = program;
        lineage->function = bound.function;
        lineage->rows = bound.rows;
        lineage->cols = bound.cols;
        lineage->serialNs = bound.serialNs;
        lineage->nsPerStored = bound.nsPerStored;
        lineage->staged = bound.staged;
        lineage->stagesBlocks = bound.stagesBlocks;
        for (const LoopOperand &operand : loop.operands) {
            bool isInput = operand.role <= Role::Split;
            lineage->operands.push_back(isInput ? operand : LoopOperand{operand.role, 0, {}});
        }
        lineage->output = p;
        lineage->depth = depth;
        record.lineage = std::move(lineage);
    }
}

// ---- chunks

bool ClusterRun::isFinished() const {
    bool stop = fault || !failure.empty();
    return std::ranges::all_of(chunks, [&](const Chunk &c) {
        return c.state == Chunk::State::Done || (stop && c.state == Chunk::State::Waiting);
    });
}

ClusterRun::Chunk *ClusterRun::pick(uint32_t participant) {
    Chunk *any = nullptr;
    for (Chunk &chunk : chunks) {
        if (chunk.state != Chunk::State::Waiting)
            continue;
        if (chunk.owner == participant)
            return &chunk;
        bool tooOften = chunk.attempts > cluster.settings.retries && participant != self();
        if (!chunk.owner && !any && !tooOften)
            any = &chunk;
    }
    return any;
}

bool ClusterRun::isIdle(uint32_t worker) const {
    auto running = std::ranges::count_if(
        chunks, [&](const Chunk &c) { return c.state == Chunk::State::Running && c.worker == worker; });
    return static_cast<size_t>(running) < kChunksAhead;
}

/// Whether something was given to a worker.
bool ClusterRun::dispatch() {
    if (fault || !failure.empty())
        return false;
    bool any = false;
    for (uint32_t i = 0; i < cluster.peers.size(); ++i)
        if (cluster.peers.isAlive(i) && isIdle(i))
            if (Chunk *chunk = pick(i)) {
                give(i, *chunk);
                any = true;
            }
    flushSends();
    return any;
}

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
    message.rows = chunk.rows.size();
    message.cols = bound.cols;
    message.serialNs =
        bound.rows ? bound.serialNs * static_cast<double>(chunk.rows.size()) / static_cast<double>(bound.rows) : 0;
    message.nsPerStored = bound.nsPerStored;
    message.site = bound.site;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        const LoopOperand &operand = loop.operands[p];
        switch (operand.role) {
        case Role::Number: message.operands.push_back({Compute::Role::Number, operand.bits}); break;
        case Role::Whole:
        case Role::Split: message.operands.push_back({Compute::Role::Object, ensurePart(worker, p, chunk.rows)}); break;
        case Role::Kept: message.operands.push_back({Compute::Role::Kept, 0}); break;
        default: {
            uint64_t object = chunk.results[p] = cluster.nextObject++;
            bool collected = operand.role == Role::Collected;
            bool reduced = collected && bound.staged[p] && bound.stagesBlocks;
            message.operands.push_back({reduced     ? roleOf(*bound.staged[p])
                                        : collected ? Compute::Role::Collected
                                                    : Compute::Role::Result,
                                        object});
            if (!collected)
                break;
            RowRange cells = cellsOf(p, chunk.rows);
            ValueType type = bound.program.params[p].type;
            auto *data = reinterpret_cast<std::byte *>(addressOf(operand.value.dense())) + cells.begin * cellSize(type);
            cluster.peers.expect(worker, object, {type, cells.size(), data});
        }
        }
    }
    computes.emplace_back(worker, frameOf(message, chunk.request, pipeline));
}

/// The number of the part at the worker; it is sent unless it is there.
uint64_t ClusterRun::ensurePart(uint32_t worker, size_t p, RowRange rows) {
    const Value &v = loop.operands[p].value;
    bool isWhole = !isSplit(p);
    RowRange cells = isWhole ? RowRange{0, v.matrix().cells()} : v.isCsr() ? rows : cellsOf(p, rows);
    PlacementRecord &record = cluster.placements.of(v);
    for (const Part &part : record.parts)
        if (part.worker == worker && part.isWhole == isWhole && part.begin == cells.begin && part.end == cells.end)
            return part.object;
    if (!isWhole && !v.isCsr())
        cluster.fetch(v, cells.begin, cells.end);
    Value window;
    if (v.isCsr())
        window = Csr::rowWindow(v.csr(), rows.begin, rows.end);
    else if (isWhole)
        window = v;
    else if (bound.program.flat)
        window = Dense::window(*Dense::reshaped(v.dense(), v.matrix().cells(), 1), cells.begin, cells.end, 0, 1);
    else
        window = Dense::window(v.dense(), rows.begin, rows.end, 0, v.matrix().cols());
    uint64_t object = cluster.nextObject++;
    ObjectBegin begin{.object = object,
                      .version = record.version,
                      .kind = isWhole ? ObjectBegin::Kind::Broadcast : ObjectBegin::Kind::Part,
                      .first = cells.begin,
                      .count = cells.size(),
                      .totalBytes = 0};
    sendings.push_back({worker, begin, encode(window)});
    record.parts.push_back({object, worker, cells.begin, cells.end, isWhole, true});
    if (!isWhole) {
        // The matrix is now cut as this loop is.
        std::vector<std::pair<RowRange, uint32_t>> ranges;
        for (const Chunk &chunk : chunks)
            if (chunk.owner)
                ranges.emplace_back(v.isCsr() ? chunk.rows : cellsOf(p, chunk.rows), *chunk.owner);
        if (ranges.size() == chunks.size())
            record.cut = std::move(ranges);
    }
    return object;
}

/// Objects first, then what needs them; large ones to all workers at the same time.
void ClusterRun::flushSends() {
    uint64_t bytes = 0;
    for (const Sending &s : sendings)
        bytes += s.object.totalBytes;
    auto sendAll = [&](uint32_t worker) {
        for (const Sending &s : sendings)
            if (s.worker == worker)
                cluster.peers.sendObject(worker, s.begin, s.object);
        for (auto &[to, frame] : computes)
            if (to == worker)
                cluster.peers.sendFrame(worker, std::move(frame));
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < cluster.peers.size(); ++i)
        if (bytes > kLargeSending)
            threads.emplace_back(sendAll, i);
        else
            sendAll(i);
    for (std::thread &thread : threads)
        thread.join();
    sendings.clear();
    computes.clear();
}

void ClusterRun::runHere(Chunk &chunk) {
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p) && !loop.operands[p].value.isCsr()) {
            RowRange cells = cellsOf(p, chunk.rows);
            cluster.fetch(loop.operands[p].value, cells.begin, cells.end);
        }
    auto start = Clock::now();
    fault |= !exec::runRows(cluster.scheduler, bound, chunk.rows.begin, chunk.rows.end);
    cluster.own.computeNs += nsSince(start);
    ++cluster.own.chunks;
    chunk.state = Chunk::State::Done;
    chunk.worker = self();
    commit(chunk);
}

void ClusterRun::handle(const PeerEvent &event) {
    if (event.kind == PeerEvent::Kind::Lost) {
        cluster.forget(event.peer);
        if (!cluster.peers.survivesLoss()) {
            failure = "the worker " + cluster.peers.nameOf(event.peer) + " is lost: " + event.text;
            for (Chunk &chunk : chunks)
                if (chunk.state == Chunk::State::Running)
                    chunk.state = Chunk::State::Waiting;
            return;
        }
        for (Chunk &chunk : chunks) {
            if (chunk.owner == event.peer)
                chunk.owner.reset();
            if (chunk.state == Chunk::State::Running && chunk.worker == event.peer) {
                chunk.state = Chunk::State::Waiting;
                ++chunk.attempts;
                ++cluster.own.again;
            }
        }
        return;
    }
    auto it = std::ranges::find_if(chunks, [&](const Chunk &c) {
        return c.state == Chunk::State::Running && c.request == event.request && c.worker == event.peer;
    });
    if (event.kind == PeerEvent::Kind::Failed) {
        if (it == chunks.end() && event.request != 0)
            return;
        if (failure.empty())
            failure = "worker " + cluster.peers.nameOf(event.peer) + ": " + event.text;
        if (it != chunks.end())
            it->state = Chunk::State::Waiting;
        return;
    }
    if (it == chunks.end())
        return; // an answer that nobody waits for any more
    it->state = Chunk::State::Done;
    fault |= event.fault;
    if (!event.fault)
        commit(*it);
}

/// The results of a chunk belong to who has computed it.
void ClusterRun::commit(Chunk &chunk) {
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (loop.operands[p].role != Role::Result)
            continue;
        PlacementRecord &record = cluster.placements.of(loop.operands[p].value);
        RowRange cells = cellsOf(p, chunk.rows);
        if (chunk.worker != self())
            record.parts.push_back({chunk.results[p], chunk.worker, cells.begin, cells.end, false, false});
        record.cut.emplace_back(cells, chunk.worker);
    }
}

/// Nothing has happened.
void ClusterRun::undo() {
    for (const LoopOperand &operand : loop.operands)
        if (operand.role == Role::Result)
            cluster.placements.erase(*operand.value.object());
    for (const Chunk &chunk : chunks)
        for (uint64_t object : chunk.results)
            if (object && chunk.worker != self())
                cluster.peers.unexpect(chunk.worker, object);
}

} // namespace daphne::dist
