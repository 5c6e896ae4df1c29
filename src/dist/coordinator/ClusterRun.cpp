// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/ClusterRun.h"

#include <algorithm>

#include "base/Error.h"
#include "dist/protocol/AllGather.h"
#include "exec/CallKernel.h"
#include "kernels/aggregates/PairwiseRows.h"
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
/// Chunks that a worker has at a time where there are many: one to run, one on its way.
constexpr size_t kChunksAhead = 2;
/// Chunks up to this part of what a machine computes are taken back.
constexpr double kMostTakenBack = 0.25;
/// Stolen rows must be worth this many times their journey.
constexpr double kWorthOfJourney = 2;

double nsSince(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

uint64_t addressOf(const Dense &m) { return reinterpret_cast<uint64_t>(m.storage()); }

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
        words[1] = bound.program.flat ? 1 : operand.value.dense().skip();
    }
}

} // namespace

std::vector<Ref<Dense>> bindHere(exec::BoundLoop &bound, const std::vector<LoopOperand> &operands) {
    const LoopProgram &program = bound.program;
    std::vector<Ref<Dense>> outputs(program.params.size());
    bound.arguments.words[LoopArguments::kColumns] = bound.cols;
    for (size_t p = 0; p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        if (operands[p].role == Role::Kept) {
            bound.kept[p] = true;
        } else if (!param.isOutput()) {
            exec::bringHere(operands[p].value);
            bindInput(bound, p, operands[p]);
        } else {
            outputs[p] = Dense::create(param.type, bound.outputRows(p), bound.outputColumns(p));
            bound.arguments.param(p)[0] = addressOf(*outputs[p]);
            bound.arguments.param(p)[1] = param.kind == ParamKind::OutFull ? bound.cols : 1;
        }
    }
    return outputs;
}

ClusterRun::ClusterRun(Cluster &cluster, exec::LoopTask &loop)
    : cluster(cluster), loop(loop), bound(loop.bound), crew(cluster.crew()),
      plan(cluster.peers, cluster.residencies, cluster.settings, crew, cluster.ownThreads, cluster.bytesPerNs(), loop),
      pipeline(cluster.nextPipeline++), sent(loop.operands.size()), parcels(cluster.peers.size()),
      underWay(cluster.peers.size()), senders(cluster.peers.size()) {
    program = cluster.programOf(loop, hash);
    for (size_t p = 0; p < loop.operands.size(); ++p)
        sent[p] = loop.operands[p].role == Role::Result &&
                  (!cluster.settings.resident || cluster.programs[hash].read.contains(p));
}

bool ClusterRun::run() {
    try {
        return runChunks();
    } catch (...) {
        // Others may still be at work: what they send belongs nowhere any more.
        finishSends();
        undo();
        throw;
    }
}

bool ClusterRun::runChunks() {
    for (const LoopOperand &operand : loop.operands)
        if (operand.role == Role::Whole)
            cluster.fetchAll(operand.value);
    limitLineages();
    for (const AssignedRows &planned : plan.make())
        chunks.push_back({planned.rows, planned.owner});
    offerChunks();
    prepareOutputs();
    planExchange();
    while (!isFinished()) {
        bool sent = dispatch();
        bool computes = cluster.settings.coordinatorComputes || cluster.peers.numAlive() == 0;
        Chunk *mine = computes ? pick(self()) : nullptr;
        if (computes && !mine)
            mine = takeBack();
        if (mine)
            idleSince.reset();
        else if (!idleSince)
            idleSince = Clock::now();
        if (mine && failure.empty() && !fault) {
            // Threads of the transport may have been put behind this one.
            if (sent)
                std::this_thread::yield();
            runHere(*mine);
        }
        std::chrono::milliseconds longest = mine || sent ? std::chrono::milliseconds(0) : patience();
        auto start = Clock::now();
        while (std::optional<PeerEvent> event = cluster.peers.next(longest)) {
            handle(*event);
            longest = std::chrono::milliseconds(0);
        }
        cluster.own.waitNs += nsSince(start);
    }
    finishSends();
    for (size_t p = 0; p < loop.operands.size() && hasStolen; ++p)
        if (isSplit(p))
            notePartition(p);
    if (fault && failure.empty())
        undo();
    if (!failure.empty())
        throw executionError(failure);
    endExchange(!fault);
    publishResults();
    describeSums();
    if (!fault && !cluster.settings.resident)
        for (const LoopOperand &operand : loop.operands)
            if (operand.role == Role::Result) {
                cluster.fetchAll(operand.value);
                cluster.residencies.erase(*operand.value.object());
            }
    return !fault;
}

// ---- before

void ClusterRun::limitLineages() {
    for (const LoopOperand &operand : loop.operands) {
        if (!operand.value.isMatrix() || !isSplit(static_cast<size_t>(&operand - loop.operands.data())))
            continue;
        const ResidencyRecord *record = cluster.residencies.find(*operand.value.object());
        if (record && record->lineage && record->lineage->depth >= kMostDepth)
            cluster.fetchAll(operand.value);
    }
}

void ClusterRun::prepareOutputs() {
    uint32_t depth = 1;
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p))
            if (const ResidencyRecord *r = cluster.residencies.find(*loop.operands[p].value.object()); r && r->lineage)
                depth = std::max(depth, r->lineage->depth + 1);
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (loop.operands[p].role != Role::Result)
            continue;
        ResidencyRecord &record = cluster.residencies.of(loop.operands[p].value);
        record.source = {hash, p};
        record.wasSent = isSent(p);
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

/// A result that everybody needed as a whole the last time does not go out from here: who has computed some of it sends
/// that to all others. Neighbours copy it from here.
void ClusterRun::planExchange() {
    constexpr size_t kLeastAudience = 2;
    constexpr uint64_t kLeastBytes = 16 << 10; // a short one is here and there before others have met
    wholes.assign(loop.operands.size(), 0);
    if (!cluster.transfers.canExchange() || !cluster.settings.resident)
        return;
    std::ranges::copy_if(crew.workers, std::back_inserter(audience),
                         [&](uint32_t worker) { return !cluster.peers.isNeighbour(worker); });
    for (size_t p = 0; p < loop.operands.size() && audience.size() >= kLeastAudience; ++p) {
        const Value &v = loop.operands[p].value;
        if (loop.operands[p].role != Role::Result || !isSent(p) || !cluster.programs[hash].whole.contains(p))
            continue;
        ValueType type = bound.program.params[p].type;
        bool isLarge = v.matrix().cells() * cellSize(type) >= (cluster.settings.threshold == 0 ? 0 : kLeastBytes);
        if (isLarge && type != ValueType::Bool && (!bound.program.flat || v.matrix().cols() == 1))
            wholes[p] = kGathered | cluster.nextObject++;
    }
}

/// Everybody has it, or will have it soon; or nobody wants it any more.
void ClusterRun::endExchange(bool isComplete) {
    for (size_t p = 0; p < wholes.size(); ++p) {
        if (wholes[p] == 0)
            continue;
        const Value &v = loop.operands[p].value;
        for (uint32_t worker : audience)
            if (isComplete)
                cluster.residencies.of(v).parts.push_back({wholes[p], worker, 0, v.matrix().cells(), true, true});
            else
                cluster.transfers.freeLater(worker, {wholes[p]});
        if (isComplete)
            cluster.residencies.of(v).wasExchanged = true;
        wholes[p] = 0;
    }
}

/// From now on matrices say themselves that cells are elsewhere. What is here completely is never computed again, so
/// that its operands can go.
void ClusterRun::publishResults() {
    for (const LoopOperand &operand : loop.operands)
        if (operand.role == Role::Result)
            if (ResidencyRecord *record = cluster.residencies.find(*operand.value.object())) {
                if (record->isHere())
                    record->lineage = nullptr;
                cluster.residencies.publish(*record);
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
    return any || cluster.settings.steal == Stealing::Off ? any : steal(participant);
}

/// Takes chunks from whoever has most of them waiting, from the end. They belong to the thief from now on: where rows
/// of the next loop lie follows from it.
ClusterRun::Chunk *ClusterRun::steal(uint32_t thief) {
    std::map<uint32_t, std::vector<Chunk *>> waiting;
    for (Chunk &chunk : chunks)
        if (chunk.state == Chunk::State::Waiting && chunk.owner)
            waiting[*chunk.owner].push_back(&chunk);
    auto victim = std::ranges::max_element(waiting, {}, [](auto &entry) { return entry.second.size(); });
    if (victim == waiting.end())
        return nullptr;
    std::vector<Chunk *> &loot = victim->second;
    size_t half = cluster.settings.steal == Stealing::Half ? (loot.size() + 1) / 2 : 1;
    loot.erase(loot.begin(), loot.end() - static_cast<ptrdiff_t>(half));
    std::erase_if(loot, [&](const Chunk *chunk) { return !isWorthMoving(*chunk, thief); });
    for (Chunk *chunk : loot)
        chunk->owner = thief;
    cluster.own.stolen += loot.size();
    hasStolen |= !loot.empty();
    return loot.empty() ? nullptr : loot.front();
}

/// Where a worker has several chunks, this machine may claim those that have not begun.
void ClusterRun::offerChunks() {
    if (!cluster.settings.coordinatorComputes || cluster.settings.steal != Stealing::Off || cluster.settings.scheme)
        return;
    for (uint32_t worker : crew.workers) {
        auto isOwn = [&](const Chunk &chunk) { return chunk.owner == worker; };
        auto count = static_cast<uint64_t>(std::ranges::count_if(chunks, isOwn));
        if (count < 2 || count > ClaimBoard::kSlots || !cluster.transfers.hasBoard(worker))
            continue;
        for (Chunk &chunk : chunks)
            chunk.isOffered = chunk.isOffered || (isOwn(chunk) && areRowsHere(chunk));
    }
}

std::vector<uint64_t> ClusterRun::resultsOf(const Chunk &chunk) const {
    std::vector<uint64_t> objects;
    std::ranges::copy_if(chunk.results, std::back_inserter(objects), [](uint64_t object) { return object != 0; });
    return objects;
}

/// The last chunk of who has most of them, if one before it has not been answered: it has not begun then, or just now.
/// Its results are the same, whoever is first. Where chunks are offered, it is known what has begun.
ClusterRun::Chunk *ClusterRun::takeBack() {
    if (fault || !failure.empty() || cluster.settings.steal != Stealing::Off || cluster.settings.scheme)
        return nullptr;
    // The last chunk of every worker, of those with most of them first.
    std::vector<uint32_t> running(cluster.peers.size());
    std::vector<Chunk *> last(cluster.peers.size()), candidates;
    for (Chunk &chunk : chunks)
        if (chunk.state == Chunk::State::Running) {
            ++running[chunk.worker];
            Chunk *&known = last[chunk.worker];
            known = known && known->request > chunk.request ? known : &chunk;
        }
    std::ranges::copy_if(last, std::back_inserter(candidates),
                         [&](const Chunk *chunk) { return chunk && areRowsHere(*chunk); });
    std::ranges::stable_sort(candidates, std::greater(), [&](const Chunk *chunk) { return running[chunk->worker]; });
    double most = kMostTakenBack * bound.nsOf(0, bound.rows) / static_cast<double>(1 + crew.workers.size());
    for (bool mayBeLarge : {false, true})
        for (Chunk *chunk : candidates) {
            bool isSmall = bound.nsOf(chunk->rows.begin, chunk->rows.end) <= most;
            if (mayBeLarge ? !isStraggling(*chunk) : !isSmall)
                continue;
            bool isClaimed =
                chunk->isOffered && cluster.transfers.claim(chunk->worker, chunk->request, resultsOf(*chunk));
            // Without a board, what has another one before it has probably not begun.
            bool isCancelled = !isClaimed && (mayBeLarge || (!chunk->isOffered && running[chunk->worker] >= 2));
            if (isCancelled)
                cluster.transfers.cancel(chunk->worker, chunk->request, resultsOf(*chunk));
            if (isClaimed || isCancelled) {
                ++cluster.own.takenBack;
                return chunk;
            }
        }
    return nullptr;
}

/// How long this machine would take for the rows, by what it has done so far.
std::optional<double> ClusterRun::ownNsFor(const Chunk &chunk) const {
    if (ownRows == 0)
        return std::nullopt;
    return ownNs / static_cast<double>(ownRows) * static_cast<double>(chunk.rows.size());
}

/// Whether this machine has waited for the chunk longer than it would take to compute it. Who decides like that needs
/// little more than twice the time of who knows what will be.
bool ClusterRun::isStraggling(const Chunk &chunk) const {
    std::optional<double> own = ownNsFor(chunk);
    return idleSince && own && nsSince(*idleSince) > *own + cluster.settings.stragglerNs;
}

bool ClusterRun::areRowsHere(const Chunk &chunk) const {
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (isSplit(p)) {
            const Value &v = loop.operands[p].value;
            if (!cluster.residencies.isHere(v, v.isCsr() ? chunk.rows : plan.cellsOf(p, chunk.rows)))
                return false;
        }
    return true;
}

/// Until something else should be looked at than messages.
std::chrono::milliseconds ClusterRun::patience() const {
    std::chrono::milliseconds longest(100);
    double shortest = static_cast<double>(longest.count()) * 1e6;
    for (const Chunk &chunk : chunks)
        if (std::optional<double> own = ownNsFor(chunk); own && chunk.state == Chunk::State::Running)
            shortest = std::min(shortest, *own + cluster.settings.stragglerNs);
    return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double, std::nano>(shortest));
}

bool ClusterRun::isWorthMoving(const Chunk &chunk, uint32_t thief) const {
    if (cluster.settings.threshold == 0)
        return true;
    uint64_t bytes = 0;
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (!isSplit(p))
            continue;
        const Value &v = loop.operands[p].value;
        RowRange cells = v.isCsr() ? chunk.rows : plan.cellsOf(p, chunk.rows);
        if (thief == self() || findPart(thief, p, cells))
            continue;
        bytes += v.isCsr() ? (v.csr().offsets()[chunk.rows.end] - v.csr().offsets()[chunk.rows.begin]) * 8
                           : cells.size() * cellSize(v.matrix().type());
    }
    double journey = static_cast<double>(bytes) / cluster.bytesPerNs() + cluster.peers.roundTripNs();
    return bound.nsOf(chunk.rows.begin, chunk.rows.end) > kWorthOfJourney * journey;
}

bool ClusterRun::isIdle(uint32_t worker) const {
    auto running = std::ranges::count_if(
        chunks, [&](const Chunk &c) { return c.state == Chunk::State::Running && c.worker == worker; });
    return static_cast<size_t>(running) < kChunksAhead;
}

/// Whether something was given to a worker. Chunks that nobody else can get are given at once.
bool ClusterRun::dispatch() {
    if (fault || !failure.empty())
        return false;
    bool any = false, areFixed = cluster.settings.steal == Stealing::Off && !cluster.settings.scheme;
    for (uint32_t i = 0; i < cluster.peers.size(); ++i)
        while (cluster.peers.isAlive(i)) {
            Chunk *chunk = pick(i);
            if (!chunk || !(isIdle(i) || (areFixed && chunk->owner == i)))
                break;
            give(i, *chunk);
            any = true;
        }
    flushSends();
    return any;
}

void ClusterRun::runHere(Chunk &chunk) {
    // What is taken back is here anyhow, and not wanted for itself.
    bool isTakenBack = chunk.owner && *chunk.owner != self();
    for (size_t p = 0; p < loop.operands.size() && !isTakenBack; ++p)
        if (isSplit(p) && !loop.operands[p].value.isCsr()) {
            RowRange cells = plan.cellsOf(p, chunk.rows);
            cluster.fetch(loop.operands[p].value, cells.begin, cells.end);
        }
    auto start = Clock::now();
    cluster.transfers.computingHere(true);
    fault |= !exec::runRows(cluster.scheduler, bound, chunk.rows.begin, chunk.rows.end);
    cluster.transfers.computingHere(false);
    double took = nsSince(start);
    cluster.own.computeNs += took;
    ownNs += took;
    ownRows += chunk.rows.size();
    ++cluster.own.chunks;
    chunk.state = Chunk::State::Done;
    chunk.worker = self();
    commit(chunk);
}

void ClusterRun::handle(const PeerEvent &event) {
    if (event.kind == PeerEvent::Kind::Lost)
        return handleLoss(event);
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
    if (event.kind == PeerEvent::Kind::Returned) {
        cluster.transfers.giveUp(event.peer, resultsOf(*it));
        it->state = Chunk::State::Waiting;
        it->isOffered = false;
        it->owner.reset();
        ++it->attempts;
        return;
    }
    it->state = Chunk::State::Done;
    fault |= event.fault;
    if (!event.fault)
        commit(*it);
}

void ClusterRun::handleLoss(const PeerEvent &event) {
    cluster.forget(event.peer);
    if (!cluster.peers.survivesLoss()) {
        failure = "the worker " + cluster.peers.nameOf(event.peer) + " is lost: " + event.text;
        for (Chunk &chunk : chunks)
            if (chunk.state == Chunk::State::Running)
                chunk.state = Chunk::State::Waiting;
        return;
    }
    for (Chunk &chunk : chunks) {
        if (chunk.owner == event.peer) {
            chunk.owner.reset();
            chunk.isOffered = false;
        }
        if (chunk.state == Chunk::State::Running && chunk.worker == event.peer) {
            chunk.state = Chunk::State::Waiting;
            ++chunk.attempts;
            ++cluster.own.again;
        }
    }
}

/// The results of a chunk belong to who has computed it.
void ClusterRun::commit(Chunk &chunk) {
    for (size_t p = 0; p < loop.operands.size(); ++p) {
        if (loop.operands[p].role != Role::Result)
            continue;
        ResidencyRecord &record = cluster.residencies.of(loop.operands[p].value);
        RowRange cells = plan.cellsOf(p, chunk.rows);
        if (chunk.worker == self() && wholes[p] && !fault)
            cluster.transfers.sendPiece(audience, wholes[p], loop.operands[p].value.dense(), cells.begin, cells.size());
        if (chunk.worker != self())
            record.parts.push_back({chunk.results[p], chunk.worker, cells.begin, cells.end, false, isSent(p)});
        // Rows that were taken back belong to who should have computed them, in the next loop, too.
        record.partition.emplace_back(
            cells, cluster.settings.steal == Stealing::Off ? chunk.owner.value_or(chunk.worker) : chunk.worker);
    }
}

/// Workers have added up what groups of rows have left, as far as they could alone.
void ClusterRun::describeSums() {
    std::ranges::sort(chunks, {}, [](const Chunk &chunk) { return chunk.rows.begin; });
    loop.sums.assign(loop.operands.size(), {});
    for (size_t p = 0; p < loop.operands.size(); ++p)
        for (const Chunk &chunk : chunks) {
            if (!bound.program.params[p].isOutput() || !bound.isSumOfGroups(p))
                continue;
            RowRange groups = plan.groupsOf(p, chunk.rows);
            uint64_t row = groups.begin;
            if (chunk.worker != self())
                for (const GroupNode &node : nodesOf(groups.begin, groups.end))
                    loop.sums[p].push_back({row++, node.level});
            while (chunk.worker == self() && row < groups.end)
                loop.sums[p].push_back({row++, 0});
        }
}

/// Nothing has happened.
void ClusterRun::undo() {
    endExchange(false);
    for (const LoopOperand &operand : loop.operands)
        if (operand.role == Role::Result)
            cluster.residencies.erase(*operand.value.object());
    for (const Chunk &chunk : chunks)
        for (uint64_t object : chunk.results)
            if (object && chunk.worker != self())
                cluster.transfers.unexpect(chunk.worker, object);
}

} // namespace daphne::dist
