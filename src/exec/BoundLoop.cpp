// SPDX-License-Identifier: Apache-2.0
#include "exec/BoundLoop.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/ActiveRun.h"
#include "exec/RunLoop.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

using ParamKind = LoopParam::Kind;

uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// The arguments of one thread.
struct alignas(64) Worker {
    std::vector<uint64_t> words;
    std::vector<std::vector<uint64_t>> kept;
    std::map<size_t, std::vector<uint64_t>> stages; ///< by parameter
    uint8_t fault = 0;
};

class RowsRun {
  public:
    RowsRun(sched::Scheduler *scheduler, const BoundLoop &loop)
        : scheduler(scheduler), loop(loop), program(loop.program), block(loop.block()),
          hasSumsOfRows(loop.hasSumsOfRows()) {}

    bool run(uint64_t first, uint64_t last) {
        std::vector<Worker> workers(scheduler ? scheduler->numThreads() : 1);
        std::atomic<bool> fault{false};
        sched::LoopDescription description{.site = loop.site,
                                           .rows = last - first,
                                           .grain = grain(),
                                           .block = block,
                                           .serialNs = loop.nsOf(first, last)};
        if (loop.rowOffsets) {
            description.rowOffsets = loop.rowOffsets + first;
            description.rowWeight = sched::rowWeightOf(outputBytes());
        }
        if (scheduler && !program.flat && !hasSumsOfRows && !program.product)
            batch = scheduler->batchRows({.rowBytes = rowBytes()});
        auto body = [&](sched::Range rows, uint32_t index) {
            if (fault.load(std::memory_order_relaxed))
                return;
            Worker &w = workers[index];
            if (w.words.empty())
                prepare(w);
            runBlocks(w, first + rows.begin, first + rows.end);
            if (w.fault)
                fault = true;
        };
        scheduler ? scheduler->run(description, body) : body({0, last - first}, 0);
        return !fault;
    }

  private:
    void prepare(Worker &w) {
        w.words = loop.arguments.words;
        w.words[LoopArguments::kFault] = addressOf(&w.fault);
        for (size_t p = 0; p < program.params.size(); ++p)
            if (loop.staged[p] && loop.stagesBlocks) {
                w.stages[p].resize(LoopProgram::kBlock);
            } else if (loop.kept[p]) {
                w.kept.emplace_back(loop.cols);
                w.words[LoopArguments::kHeader + 3 * p] = addressOf(w.kept.back().data());
                w.words[LoopArguments::kHeader + 3 * p + 1] = 0;
            }
    }

    void call(Worker &w, uint64_t begin, uint64_t end) {
        if (program.product)
            multiplyRows(*program.product, productArguments(w), begin, end);
        else if (loop.function)
            loop.function(w.words.data(), begin, end);
        else
            interpretLoop(program, w.words.data(), begin, end);
    }

    ProductArguments productArguments(const Worker &w) const {
        auto word = [&](size_t p, size_t k) { return w.words[LoopArguments::kHeader + 3 * p + k]; };
        auto address = [&](size_t p, size_t k) { return reinterpret_cast<std::byte *>(word(p, k)); };
        ProductArguments arguments{address(0, 0), word(0, 1), address(1, 0), word(1, 1),
                                   address(program.params.size() - 1, 0)};
        if (program.hasCsr) {
            arguments.offsets = reinterpret_cast<const uint64_t *>(word(0, 0));
            arguments.columns = address(0, 1);
            arguments.lhs = address(0, 2);
        }
        return arguments;
    }

    /// Rows of whole blocks.
    void runBlocks(Worker &w, uint64_t begin, uint64_t end) {
        if (!loop.stagesBlocks)
            return runGroups(w, begin, end);
        for (uint64_t b = begin; b < end && !w.fault; b += block) {
            uint64_t stop = std::min(end, b + block);
            for (auto &[p, stage] : w.stages) // row b is the first one of it
                w.words[LoopArguments::kHeader + 3 * p] =
                    addressOf(stage.data()) - b * cellSize(program.params[p].type);
            runGroups(w, b, stop);
            for (auto &[p, stage] : w.stages)
                aggregateBlock(p, stage.data(), b / block, stop - b);
        }
    }

    void runGroups(Worker &w, uint64_t begin, uint64_t end) {
        uint64_t together = program.flat ? LoopProgram::kBlock : hasSumsOfRows ? LoopProgram::kColumnGroup : batch;
        for (uint64_t b = begin; b < end && !w.fault; b += std::min(together, end - b)) {
            if (hasSumsOfRows)
                startColumnGroup(w, b / LoopProgram::kColumnGroup);
            call(w, b, b + std::min(together, end - b));
            throwIfCancelled(); // on one thread the range is the whole loop
        }
    }

    void aggregateBlock(size_t p, const void *stage, uint64_t b, uint64_t n) {
        ValueType type = program.params[p].type;
        auto *out = reinterpret_cast<std::byte *>(loop.arguments.words[LoopArguments::kHeader + 3 * p]);
        foldBlock(*loop.staged[p], type, stage, n, out + b * cellSize(type));
    }

    void startColumnGroup(Worker &w, uint64_t group) {
        for (size_t p = 0; p < program.params.size(); ++p)
            if (program.params[p].isSumOfRows()) {
                size_t bytes = loop.outputColumns(p) * cellSize(program.params[p].type);
                uint64_t all = loop.arguments.words[LoopArguments::kHeader + 3 * p];
                auto *sums = reinterpret_cast<std::byte *>(all) + group * bytes;
                std::fill_n(sums, bytes, std::byte(0));
                w.words[LoopArguments::kHeader + 3 * p] = addressOf(sums);
            }
    }

    uint64_t outputBytes() const {
        uint64_t bytes = 0;
        for (const LoopParam &p : program.params)
            bytes += p.kind == ParamKind::OutColumn ? cellSize(p.type) : 0;
        return bytes;
    }

    /// Bytes of one row of all inputs and outputs that have rows.
    double rowBytes() const {
        uint64_t bytes = 0;
        for (const LoopParam &p : program.params) {
            if (p.kind == ParamKind::Full || p.kind == ParamKind::OutFull)
                bytes += loop.cols * cellSize(p.type);
            else if (p.kind == ParamKind::Column || p.kind == ParamKind::OutColumn)
                bytes += cellSize(p.type);
        }
        bytes += sideColumns() * sizeof(double);
        const uint64_t *offsets = loop.rowOffsets;
        double stored = offsets ? sched::sparseRowBytes(offsets[loop.rows] - offsets[0], loop.rows) : 0;
        return static_cast<double>(bytes) + stored;
    }

    /// Of all rows that are multiplied.
    uint64_t sideColumns() const {
        uint64_t columns = 0;
        for (const LoopNode &n : program.nodes)
            columns += n.depth;
        for (const LoopParam &p : program.params)
            columns += p.width;
        return columns;
    }

    /// Rows worth a task: about 64 thousand cells, or what takes some ten microseconds.
    uint64_t grain() const {
        uint64_t perRow = std::max<uint64_t>(1, loop.cols) + sideColumns();
        if (program.hasCsr)
            return std::max<uint64_t>(2048, block);
        if (program.product)
            return block;
        return std::max(block, std::max<uint64_t>(1, (uint64_t(1) << 16) / perRow) / block * block);
    }

    sched::Scheduler *scheduler;
    const BoundLoop &loop;
    const LoopProgram &program;
    uint64_t block;
    bool hasSumsOfRows;            ///< groups of rows leave sums behind
    uint64_t batch = ~uint64_t(0); ///< rows per call, where it does not matter
};

} // namespace

bool BoundLoop::hasSumsOfRows() const { return std::ranges::any_of(program.params, &LoopParam::isSumOfRows); }

uint64_t BoundLoop::block() const {
    if (program.product)
        return program.product->block();
    if (program.flat || stagesBlocks)
        return LoopProgram::kBlock;
    return hasSumsOfRows() ? LoopProgram::kColumnGroup : 1;
}

bool BoundLoop::isSumOfGroups(size_t p) const {
    return program.params[p].isSumOfRows() || program.params[p].kind == ParamKind::SumsOfProducts;
}

uint64_t BoundLoop::rowsPerOutputRow(size_t p) const {
    const LoopParam &param = program.params[p];
    if (param.isSumOfRows())
        return LoopProgram::kColumnGroup;
    if (param.kind == ParamKind::SumsOfProducts)
        return block();
    return param.isAggregate() || (staged[p] && stagesBlocks) ? LoopProgram::kBlock : 1;
}

uint64_t BoundLoop::outputColumns(size_t p) const {
    switch (program.params[p].kind) {
    case ParamKind::OutFull:
    case ParamKind::SumsOfColumns: return cols;
    case ParamKind::SumsOfOuter: return cols * program.params[p].width;
    case ParamKind::OutProduct: return program.product->width;
    case ParamKind::SumsOfProducts: return cols * program.product->width;
    default: return 1;
    }
}

double BoundLoop::nsOf(uint64_t begin, uint64_t end) const {
    double ns = rows ? serialNs * static_cast<double>(end - begin) / static_cast<double>(rows) : 0;
    if (rowOffsets)
        ns += static_cast<double>(rowOffsets[end] - rowOffsets[begin]) * nsPerStored;
    return ns;
}

bool runRows(sched::Scheduler *scheduler, const BoundLoop &loop, uint64_t begin, uint64_t end) {
    return RowsRun(scheduler, loop).run(begin, end);
}

} // namespace daphne::exec
