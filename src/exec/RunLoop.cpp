// SPDX-License-Identifier: Apache-2.0
/// Splits a fused loop into ranges of rows, gives every worker its arguments,
/// and combines what ranges leave behind. Ranges end at multiples of a block
/// that depends on the program only, and partial results are kept per block and
/// merged in order: results do not depend on who ran what.
#include "exec/RunLoop.h"

#include <atomic>
#include <cmath>
#include <map>

#include "exec/AllFinite.h"
#include "exec/CallKernel.h"
#include "kernels/Extreme.h"
#include "kernels/Reduction.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

using ParamKind = LoopParam::Kind;

uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// First cell of a matrix of any type.
const void *dataOf(const Dense &m) {
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) -> const void * { return m.view<T>().data; });
}
void *mutableDataOf(Dense &m) {
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) -> void * { return m.mutableView<T>().data; });
}
uint64_t skipOf(const Dense &m) { return m.view<uint8_t>().skip; }

class FusedRun {
  public:
    FusedRun(Context &context, Engine &engine, const Region &region, Step &step, RegionState &state)
        : context(context), engine(engine), region(region), step(step), state(state), program(step.program),
          scheduler(context.scheduler), arguments(program.params.size()) {}

    bool run() {
        if (!absentCellsStayZero())
            return false;
        stagesBlocks = isWorthBlocks();
        hasSumsOfRows = std::ranges::any_of(program.params, &LoopParam::isSumOfRows);
        block = blockRows();
        arguments.words[LoopArguments::kColumns] = step.cols;
        outputs.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p)
            program.params[p].isOutput() ? bindOutput(p) : bindInput(p);
        if (!loop())
            return false;
        for (size_t p = 0; p < program.params.size(); ++p)
            finish(p);
        return true;
    }

  private:
    const Value &valueOf(size_t p) const { return state.values[step.bindings[p].value]; }

    bool absentCellsStayZero() const {
        for (size_t p = 0; p < program.params.size(); ++p) {
            if (!step.bindings[p].needsFinite)
                continue;
            const Value &v = valueOf(p);
            if (v.isScalar() ? !std::isfinite(v.as<double>()) : !allFinite(context, v.dense()))
                return false;
        }
        return true;
    }

    uint64_t blockRows() const {
        if (program.flat || stagesBlocks)
            return LoopProgram::kBlock;
        return hasSumsOfRows ? LoopProgram::kColumnGroup : 1;
    }
    uint64_t numBlocks() const { return (step.rows + block - 1) / block; }
    uint64_t numGroups() const { return (step.rows + LoopProgram::kColumnGroup - 1) / LoopProgram::kColumnGroup; }

    /// Numbers that are aggregated over all rows stay in the cache if there are blocks enough for all workers.
    bool isWorthBlocks() const {
        uint64_t blocksPerWorker = engine.options.always ? 1 : 64;
        bool staged = std::ranges::any_of(step.bindings, [](auto &b) { return b.kind == Binding::Kind::Staged; });
        uint64_t workers = scheduler ? scheduler->numThreads() : 1;
        return staged && step.rows >= workers * blocksPerWorker * LoopProgram::kBlock;
    }

    // ---- arguments

    void bindInput(size_t p) {
        const Binding &b = step.bindings[p];
        const LoopParam &param = program.params[p];
        uint64_t *words = arguments.param(p);
        if (b.kind == Binding::Kind::Literal) {
            words[0] = b.bits;
            return;
        }
        const Value &v = valueOf(p);
        if (b.kind == Binding::Kind::Packed) {
            outputs[p] = packed(v.dense(), b.bits != 0);
            words[0] = addressOf(dataOf(*outputs[p]));
        } else if (param.kind == ParamKind::Csr) {
            const Csr &m = v.csr();
            words[0] = addressOf(m.offsets());
            words[1] = withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) { return addressOf(m.columns<I>()); });
            words[2] = addressOf(m.values<uint8_t>());
            rowOffsets = m.offsets();
            arguments.words[LoopArguments::kStoredEnd] = rowOffsets[m.rows()];
        } else if (v.isScalar()) {
            words[0] = v.raw().bits;
        } else if (param.kind == ParamKind::Scalar) {
            words[0] = withNumericType(v.dense().type(), [&]<class T>(TypeTag<T>) {
                return Value::scalar(*v.dense().view<T>().data).raw().bits;
            });
        } else {
            words[0] = addressOf(dataOf(v.dense()));
            words[1] = program.flat ? 1 : skipOf(v.dense());
        }
    }

    /// The right-hand side of a product of rows, transposed if necessary, its rows padded with zeros.
    Ref<Dense> packed(const Dense &m, bool transposed) const {
        uint64_t cols = program.packedColumns(m.type());
        auto result = Dense::create(m.type(), transposed ? m.cols() : m.rows(), cols, Buffer::Init::Zero);
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            auto from = m.view<T>();
            T *to = result->mutableView<T>().data;
            for (size_t r = 0; r < from.rows; ++r)
                for (size_t c = 0; c < from.cols; ++c)
                    to[transposed ? c * cols + r : r * cols + c] = from.row(r)[c];
        });
        return result;
    }

    /// Sums that a group of rows leaves behind.
    uint64_t cellsPerGroup(const LoopParam &param) const {
        return param.kind == ParamKind::SumsOfColumns ? step.cols
               : param.kind == ParamKind::SumsOfOuter ? step.cols * param.width
                                                      : 1;
    }

    void bindOutput(size_t p) {
        const LoopParam &param = program.params[p];
        uint64_t *words = arguments.param(p);
        switch (step.bindings[p].kind) {
        case Binding::Kind::Result: {
            outputs[p] = resultMatrix(p);
            words[0] = addressOf(mutableDataOf(*outputs[p]));
            words[1] = program.flat ? 1 : outputs[p]->cols();
            break;
        }
        case Binding::Kind::Staged: // blocks: a block of each worker, see prepare()
            outputs[p] = Dense::create(param.type, stagesBlocks ? numBlocks() : step.rows, 1);
            words[0] = addressOf(mutableDataOf(*outputs[p]));
            words[1] = 1;
            break;
        case Binding::Kind::Kept: // a row of each worker, see loop()
            break;
        default:
            outputs[p] =
                Dense::create(param.type, param.isSumOfRows() ? numGroups() : numBlocks(), cellsPerGroup(param));
            words[0] = addressOf(mutableDataOf(*outputs[p]));
            words[1] = 1;
        }
    }

    /// A fresh matrix, or the storage of an input that nobody reads afterwards and that is read at the same cell only.
    Ref<Dense> resultMatrix(size_t p) {
        uint16_t v = step.bindings[p].value;
        const ResultShape shape = shapeOf(v);
        for (size_t q = 0; q < program.params.size(); ++q)
            if (canTake(q, program.params[p], shape)) {
                taken.push_back(step.bindings[q].value);
                return valueOf(q).denseRef();
            }
        return Dense::create(program.params[p].type, shape.rows, shape.cols);
    }

    struct ResultShape {
        uint64_t rows, cols;
    };
    ResultShape shapeOf(uint16_t v) const {
        for (auto &[value, rows, cols] : step.resultShapes)
            if (value == v)
                return {rows, cols};
        throw internalError("a fused result without a shape");
    }

    bool canTake(size_t q, const LoopParam &result, ResultShape shape) const {
        const Binding &b = step.bindings[q];
        ParamKind kind = program.params[q].kind;
        if (b.kind != Binding::Kind::Value || b.decidesFaults || (kind != ParamKind::Column && kind != ParamKind::Full))
            return false;
        const Value &v = state.values[b.value];
        if (!v.isMatrix() || v.isCsr() || !v.dense().isExclusive() || !v.dense().contiguous())
            return false;
        const Dense &m = v.dense();
        if (m.type() != result.type || m.rows() != shape.rows || m.cols() != shape.cols ||
            state.readers[b.value] != usesOf(b.value))
            return false;
        if (std::ranges::count(taken, b.value))
            return false;
        // Rows that come again in a later sweep must not have been overwritten.
        if (program.nodes[result.node].level + 1 < program.numLevels)
            return false;
        for (size_t other = 0; other < program.params.size(); ++other)
            if (other != q && step.bindings[other].kind == Binding::Kind::Value &&
                step.bindings[other].value == b.value)
                return false;
        return true;
    }

    /// How often operations of this step read a value.
    uint32_t usesOf(uint16_t v) const {
        uint32_t n = 0;
        for (uint16_t op : step.ops)
            n += static_cast<uint32_t>(std::ranges::count(region.ops[op].operands, v));
        return n;
    }

    // ---- the loop

    struct alignas(64) Worker {
        std::vector<uint64_t> words;
        std::vector<std::vector<uint64_t>> kept;
        std::map<size_t, std::vector<uint64_t>> stages; ///< by parameter
        uint8_t fault = 0;
    };

    void prepare(Worker &w) {
        w.words = arguments.words;
        w.words[LoopArguments::kFault] = addressOf(&w.fault);
        for (size_t p = 0; p < program.params.size(); ++p)
            if (step.bindings[p].kind == Binding::Kind::Staged && stagesBlocks) {
                w.stages[p].resize(LoopProgram::kBlock);
            } else if (step.bindings[p].kind == Binding::Kind::Kept) {
                w.kept.emplace_back(step.cols);
                w.words[LoopArguments::kHeader + 3 * p] = addressOf(w.kept.back().data());
                w.words[LoopArguments::kHeader + 3 * p + 1] = 0;
            }
    }

    void call(Worker &w, uint64_t begin, uint64_t end) {
        if (step.function)
            step.function(w.words.data(), begin, end);
        else
            interpretLoop(program, w.words.data(), begin, end);
    }

    /// Rows of whole blocks.
    void runRows(Worker &w, uint64_t begin, uint64_t end) {
        if (!stagesBlocks)
            return runBlock(w, begin, end);
        for (uint64_t b = begin; b < end && !w.fault; b += block) {
            uint64_t stop = std::min(end, b + block);
            for (auto &[p, stage] : w.stages) // row b is the first one of it
                w.words[LoopArguments::kHeader + 3 * p] =
                    addressOf(stage.data()) - b * cellSize(program.params[p].type);
            runBlock(w, b, stop);
            for (auto &[p, stage] : w.stages)
                aggregateBlock(p, stage.data(), b / block, stop - b);
        }
    }

    void runBlock(Worker &w, uint64_t begin, uint64_t end) {
        uint64_t together = program.flat ? LoopProgram::kBlock : hasSumsOfRows ? LoopProgram::kColumnGroup : batch;
        for (uint64_t b = begin; b < end && !w.fault; b += std::min(together, end - b)) {
            if (hasSumsOfRows)
                startColumnGroup(w, b / LoopProgram::kColumnGroup);
            call(w, b, b + std::min(together, end - b));
        }
    }

    void aggregateBlock(size_t p, const void *stage, uint64_t b, uint64_t n) {
        withNumericType(program.params[p].type, [&]<class T>(TypeTag<T>) {
            const T *x = static_cast<const T *>(stage);
            T *out = outputs[p]->mutableView<T>().data + b;
            if (aggregateOf(p) == Reduce::Min)
                *out = extremeOf<Smaller>(x, n, Smaller::worst<T>());
            else if (aggregateOf(p) == Reduce::Max)
                *out = extremeOf<Larger>(x, n, Larger::worst<T>());
            else if constexpr (!std::is_same_v<T, bool>)
                *out = sumBlock(x, n, [](T y) { return y; });
        });
    }

    void startColumnGroup(Worker &w, uint64_t group) {
        for (size_t p = 0; p < program.params.size(); ++p)
            if (program.params[p].isSumOfRows()) {
                size_t bytes = cellsPerGroup(program.params[p]) * cellSize(program.params[p].type);
                auto *sums = reinterpret_cast<std::byte *>(arguments.param(p)[0]) + group * bytes;
                std::fill_n(sums, bytes, std::byte(0));
                w.words[LoopArguments::kHeader + 3 * p] = addressOf(sums);
            }
    }

    bool loop() {
        std::vector<Worker> workers(scheduler ? scheduler->numThreads() : 1);
        std::atomic<bool> fault{false};
        sched::LoopDescription loop{.site = step.site, .rows = step.rows, .grain = grain(), .block = block};
        double ns = step.serialNs;
        if (rowOffsets) {
            loop.rowOffsets = rowOffsets;
            loop.rowWeight = sched::rowWeightOf(outputBytes());
            ns += static_cast<double>(rowOffsets[step.rows] - rowOffsets[0]) * step.nsPerStored;
        }
        loop.serialNs = ns;
        if (scheduler && !program.flat && !hasSumsOfRows)
            batch = scheduler->batchRows({.rowBytes = rowBytes()});
        auto body = [&](sched::Range rows, uint32_t index) {
            if (fault.load(std::memory_order_relaxed))
                return;
            Worker &w = workers[index];
            if (w.words.empty())
                prepare(w);
            runRows(w, rows.begin, rows.end);
            if (w.fault)
                fault = true;
        };
        scheduler ? scheduler->run(loop, body) : body({0, step.rows}, 0);
        return !fault;
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
                bytes += step.cols * cellSize(p.type);
            else if (p.kind == ParamKind::Column || p.kind == ParamKind::OutColumn)
                bytes += cellSize(p.type);
        }
        bytes += sideColumns() * sizeof(double);
        double stored = rowOffsets ? sched::sparseRowBytes(rowOffsets[step.rows] - rowOffsets[0], step.rows) : 0;
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
        uint64_t perRow = std::max<uint64_t>(1, step.cols) + sideColumns();
        if (program.hasCsr)
            return std::max<uint64_t>(2048, block);
        return std::max(block, std::max<uint64_t>(1, (uint64_t(1) << 16) / perRow) / block * block);
    }

    // ---- results

    void finish(size_t p) {
        const Binding &b = step.bindings[p];
        if (!program.params[p].isOutput() || b.kind == Binding::Kind::Kept)
            return;
        Value &result = state.values[b.value];
        if (b.kind == Binding::Kind::Result) {
            result = std::move(outputs[p]);
        } else if (b.kind == Binding::Kind::Staged && !stagesBlocks) {
            result = aggregateStaged(p);
        } else if (program.params[p].isSumOfRows()) {
            result = sumsOfRows(p);
        } else {
            result = aggregateBlocks(p);
        }
    }

    const RegionOp &opOf(size_t p) const { return region.ops[step.bindings[p].value - region.numInputs]; }
    /// What an aggregate over all rows does with them.
    Reduce aggregateOf(size_t p) const {
        std::string_view name = opOf(p).info->mnemonic;
        return name == "minAll" ? Reduce::Min : name == "maxAll" ? Reduce::Max : Reduce::Sum;
    }
    bool isMean(size_t p) const { return opOf(p).info->mnemonic.starts_with("mean"); }

    /// The kernel itself, on one number per row.
    Value aggregateStaged(size_t p) {
        Value staged(std::move(outputs[p]));
        const RegionOp &op = opOf(p);
        Slot arg = staged.raw(), result{op.expectedTag, 0};
        callKernel(context, *op.kernel, {&result, 1}, {&arg, 1}, 0, op.castTarget);
        return Value::adopt(result);
    }

    Value aggregateBlocks(size_t p) {
        ValueType type = program.params[p].type;
        return withNumericType(type, [&]<class T>(TypeTag<T>) -> Value {
            if constexpr (std::is_same_v<T, bool>) {
                return Value::scalar(blockExtreme<bool>(p));
            } else {
                if (aggregateOf(p) != Reduce::Sum)
                    return Value::scalar(blockExtreme<T>(p), type);
                PairwiseSum<T> sum;
                const T *blocks = outputs[p]->view<T>().data;
                for (uint64_t b = 0; b < numBlocks(); ++b)
                    sum.add(blocks[b]);
                T total = sum.total();
                if constexpr (std::is_floating_point_v<T>)
                    if (isMean(p))
                        total /= static_cast<T>(step.rows);
                return Value::scalar(total, type);
            }
        });
    }

    template <class T> T blockExtreme(size_t p) {
        const T *blocks = outputs[p]->view<T>().data;
        auto best = [&]<class Order>(Order) {
            T result = Order::template worst<T>();
            for (uint64_t b = 0; b < numBlocks(); ++b)
                result = Order::better(blocks[b], result) ? blocks[b] : result;
            return result;
        };
        return aggregateOf(p) == Reduce::Min ? best(Smaller{}) : best(Larger{});
    }

    Value sumsOfRows(size_t p) {
        const LoopParam &param = program.params[p];
        bool asRow = opOf(p).info->family == ops::Family::AggCol;
        ValueType type = param.type;
        uint64_t cells = cellsPerGroup(param);
        uint64_t rows = param.kind == ParamKind::SumsOfOuter ? step.cols : asRow ? 1 : cells;
        auto result = Dense::create(type, rows, cells / rows, Buffer::Init::Zero);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            if constexpr (!std::is_same_v<T, bool>) {
                T *out = result->mutableView<T>().data;
                const T *groups = outputs[p]->view<T>().data;
                vectorised([=, n = numGroups()] {
                    for (uint64_t g = 0; g < n; ++g)
                        for (uint64_t c = 0; c < cells; ++c)
                            out[c] = wrappingSum(out[c], groups[g * cells + c]);
                });
                if constexpr (std::is_floating_point_v<T>)
                    if (isMean(p))
                        for (uint64_t c = 0; c < cells; ++c)
                            out[c] /= static_cast<T>(step.rows);
            }
        });
        return result;
    }

    Context &context;
    const Engine &engine;
    const Region &region;
    Step &step;
    RegionState &state;
    const LoopProgram &program;
    sched::Scheduler *scheduler; ///< null: on this thread
    LoopArguments arguments;
    std::vector<Ref<Dense>> outputs; ///< by parameter
    std::vector<uint16_t> taken;     ///< values whose storage a result has taken over
    const uint64_t *rowOffsets = nullptr;
    bool stagesBlocks = false;     ///< aggregates over all rows are formed block by block
    bool hasSumsOfRows = false;    ///< groups of rows leave sums behind
    uint64_t block = 1;            ///< rows that are always run by one worker
    uint64_t batch = ~uint64_t(0); ///< rows per call, where it does not matter
};

} // namespace

bool runLoop(Context &context, Engine &engine, const Region &region, Step &step, RegionState &state) {
    return FusedRun(context, engine, region, step, state).run();
}

} // namespace daphne::exec
