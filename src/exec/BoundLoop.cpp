// SPDX-License-Identifier: Apache-2.0
#include "exec/BoundLoop.h"

#include <algorithm>
#include <atomic>

#include "exec/RunLoop.h"
#include "kernels/Extreme.h"
#include "kernels/Reduction.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

using ParamKind = LoopParam::Kind;

uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// The arguments of one thread.
struct alignas(64) Worker {
    std::vector<uint64_t> words;
    std::vector<std::vector<uint64_t>> kept;
    uint8_t fault = 0;
};

class RowsRun {
  public:
    RowsRun(sched::Scheduler *scheduler, const BoundLoop &loop)
        : scheduler(scheduler), loop(loop), program(loop.program), block(loop.block()) {}

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
        if (scheduler && block == 1)
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
            if (loop.kept[p]) {
                w.kept.emplace_back(loop.cols);
                w.words[LoopArguments::kHeader + 3 * p] = addressOf(w.kept.back().data());
                w.words[LoopArguments::kHeader + 3 * p + 1] = 0;
            }
    }

    void call(Worker &w, uint64_t begin, uint64_t end) {
        if (loop.function)
            loop.function(w.words.data(), begin, end);
        else
            interpretLoop(program, w.words.data(), begin, end);
    }

    /// Rows of whole blocks.
    void runBlocks(Worker &w, uint64_t begin, uint64_t end) {
        if (block == 1) {
            for (uint64_t b = begin; b < end && !w.fault; b += std::min(batch, end - b))
                call(w, b, b + std::min(batch, end - b));
            return;
        }
        for (uint64_t b = begin; b < end && !w.fault; b += block) {
            uint64_t stop = std::min(end, b + block);
            if (!program.flat)
                startColumnGroup(w, b / block);
            call(w, b, stop);
        }
    }

    void startColumnGroup(Worker &w, uint64_t group) {
        for (size_t p = 0; p < program.params.size(); ++p)
            if (program.params[p].kind == ParamKind::SumsOfColumns) {
                size_t bytes = loop.cols * cellSize(program.params[p].type);
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
        const uint64_t *offsets = loop.rowOffsets;
        double stored = offsets ? sched::sparseRowBytes(offsets[loop.rows] - offsets[0], loop.rows) : 0;
        return static_cast<double>(bytes) + stored;
    }

    /// Rows worth a task: about 64 thousand cells, or what takes some ten microseconds.
    uint64_t grain() const {
        uint64_t perRow = std::max<uint64_t>(1, loop.cols);
        if (program.hasCsr)
            return 2048;
        return std::max(block, std::max<uint64_t>(1, (uint64_t(1) << 16) / perRow) / block * block);
    }

    sched::Scheduler *scheduler;
    const BoundLoop &loop;
    const LoopProgram &program;
    uint64_t block;
    uint64_t batch = ~uint64_t(0); ///< rows per call, where it does not matter
};

} // namespace

uint64_t BoundLoop::block() const {
    if (program.flat)
        return LoopProgram::kBlock;
    for (const LoopParam &p : program.params)
        if (p.kind == ParamKind::SumsOfColumns)
            return LoopProgram::kColumnGroup;
    return 1;
}

double BoundLoop::nsOf(uint64_t begin, uint64_t end) const {
    double ns = rows ? serialNs * static_cast<double>(end - begin) / static_cast<double>(rows) : 0;
    if (rowOffsets)
        ns += static_cast<double>(rowOffsets[end] - rowOffsets[begin]) * nsPerStored;
    return ns;
}

void reduceBlocks(BlockReduction how, ValueType type, const void *column, uint64_t n, void *blocks) {
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto *out = static_cast<T *>(blocks);
        for (uint64_t b = 0; b < n; b += LoopProgram::kBlock) {
            const T *x = static_cast<const T *>(column) + b;
            uint64_t count = std::min(LoopProgram::kBlock, n - b);
            if (how == BlockReduction::Min)
                *out++ = extremeOf<Smaller>(x, count, Smaller::worst<T>());
            else if (how == BlockReduction::Max)
                *out++ = extremeOf<Larger>(x, count, Larger::worst<T>());
            else if constexpr (!std::is_same_v<T, bool>)
                *out++ = sumBlock(x, count, [](T y) { return y; });
        }
    });
}

bool runRows(sched::Scheduler *scheduler, const BoundLoop &loop, uint64_t begin, uint64_t end) {
    return RowsRun(scheduler, loop).run(begin, end);
}

} // namespace daphne::exec
