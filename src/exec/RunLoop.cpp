// SPDX-License-Identifier: Apache-2.0
/// Binds a fused loop to its matrices, has a backend run it, and combines what
/// ranges leave behind. Ranges end at multiples of a block
/// that depends on the program only, and partial results are kept per block and
/// merged in order: results do not depend on who ran what.
#include "exec/RunLoop.h"

#include <atomic>
#include <cmath>
#include <map>

#include "exec/AllFinite.h"
#include "exec/BoundLoop.h"
#include "exec/Placement.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/elementwise/Convert.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

using ParamKind = LoopParam::Kind;

uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

class FusedRun {
  public:
    FusedRun(ThreadContext &thread, const LoopEngine &engine, const Region &region, const PlanStep &step,
             LoopFunction function, RegionState &state)
        : thread(thread), context(thread.run), engine(engine), region(region), step(step), state(state),
          program(step.program), bound(program), task(bound) {
        bound.function = function;
        bound.rows = step.rows;
        bound.cols = step.cols;
        bound.site = step.site;
        bound.serialNs = step.serialNs;
        bound.nsPerStored = step.nsPerStored;
    }

    bool run() {
        if (!absentCellsStayZero())
            return false;
        if (thread.placement) {
            describeOperands();
            backend = &thread.placement->choose(context, task);
        }
        for (size_t p = 0; p < program.params.size(); ++p)
            if (step.bindings[p].kind == Binding::Kind::Staged)
                bound.staged[p] = aggregateOf(p);
        bound.stagesBlocks = isWorthBlocks();
        bound.arguments.words[LoopArguments::kColumns] = step.cols;
        outputs.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p)
            program.params[p].isOutput() ? bindOutput(p) : bindInput(p);
        completeOperands();
        bool isDone = backend->run(context, task) == Outcome::Done;
        task.operands.clear(); // references to results that others may take over
        if (!isDone)
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
            bringHere(v);
            if (v.isScalar() ? !std::isfinite(v.as<double>()) : !allFinite(context, v.dense()))
                return false;
        }
        return true;
    }

    // ---- what the backend needs to know

    void describeOperands() {
        task.operands.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p) {
            using Role = LoopOperand::Role;
            LoopOperand &operand = task.operands[p];
            const LoopParam &param = program.params[p];
            switch (step.bindings[p].kind) {
            case Binding::Kind::Literal: break;
            case Binding::Kind::Packed:
            case Binding::Kind::Value: {
                bool whole = param.kind == ParamKind::Row || param.kind == ParamKind::Packed;
                operand.role = param.kind == ParamKind::Scalar ? Role::Number : whole ? Role::Whole : Role::Split;
                if (valueOf(p).isMatrix())
                    operand.value = valueOf(p);
                break;
            }
            case Binding::Kind::Result: operand.role = Role::Result; break;
            case Binding::Kind::Kept: operand.role = Role::Kept; break;
            default: operand.role = Role::Collected;
            }
        }
    }

    /// Numbers and rooms for results, where the backend looks at operands.
    void completeOperands() {
        for (size_t p = 0; p < task.operands.size(); ++p) {
            LoopOperand &operand = task.operands[p];
            if (operand.role == LoopOperand::Role::Number)
                operand.bits = bound.arguments.param(p)[0];
            else if (outputs[p])
                operand.value = outputs[p];
        }
    }

    /// Numbers that are aggregated over all rows stay in the cache if there are blocks enough for everybody.
    bool isWorthBlocks() const {
        bool staged = std::ranges::any_of(step.bindings, [](auto &b) { return b.kind == Binding::Kind::Staged; });
        return staged && step.rows >= backend->leastBlocks(context, engine) * LoopProgram::kBlock;
    }

    // ---- arguments

    void bindInput(size_t p) {
        const Binding &b = step.bindings[p];
        const LoopParam &param = program.params[p];
        uint64_t *words = bound.arguments.param(p);
        if (b.kind == Binding::Kind::Literal) {
            words[0] = b.bits;
            return;
        }
        const Value &v = valueOf(p);
        if (b.kind == Binding::Kind::Packed) {
            outputs[p] = packed(v.dense(), b.bits != 0);
            words[0] = addressOf(outputs[p]->storage());
        } else if (param.kind == ParamKind::Csr) {
            const Csr &m = v.csr();
            words[0] = addressOf(m.offsets());
            words[1] = withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) { return addressOf(m.columns<I>()); });
            words[2] = addressOf(m.values<uint8_t>());
            bound.rowOffsets = m.offsets();
            bound.arguments.words[LoopArguments::kStoredEnd] = bound.rowOffsets[m.rows()];
        } else if (v.isScalar()) {
            words[0] = v.raw().bits;
        } else if (param.kind == ParamKind::Scalar) {
            words[0] = withNumericType(v.dense().type(), [&]<class T>(TypeTag<T>) {
                return Value::scalar(*v.dense().view<T>().data).raw().bits;
            });
        } else {
            words[0] = addressOf(v.dense().storage());
            words[1] = program.flat ? 1 : v.dense().skip();
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

    void bindOutput(size_t p) {
        const LoopParam &param = program.params[p];
        uint64_t *words = bound.arguments.param(p);
        switch (step.bindings[p].kind) {
        case Binding::Kind::Result: {
            outputs[p] = resultMatrix(p);
            words[0] = addressOf(outputs[p]->mutableStorage());
            words[1] = program.flat ? 1 : outputs[p]->cols();
            break;
        }
        case Binding::Kind::Kept: bound.kept[p] = true; break;
        default:
            outputs[p] = Dense::create(param.type, bound.outputRows(p), bound.outputColumns(p));
            words[0] = addressOf(outputs[p]->mutableStorage());
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
        if (!backend->mayOverwriteInputs() || b.kind != Binding::Kind::Value || b.decidesFaults ||
            (kind != ParamKind::Column && kind != ParamKind::Full))
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

    // ---- results

    void finish(size_t p) {
        const Binding &b = step.bindings[p];
        if (!program.params[p].isOutput() || b.kind == Binding::Kind::Kept)
            return;
        Value &result = state.values[b.value];
        if (b.kind == Binding::Kind::Result) {
            result = std::move(outputs[p]);
        } else if (program.params[p].isSumOfRows()) {
            result = sumsOfRows(p);
        } else {
            result = aggregateNumbers(p);
        }
    }

    const RegionOp &opOf(size_t p) const { return region.ops[step.bindings[p].value - region.numInputs]; }
    /// What an aggregate over all rows does with them.
    Reduce aggregateOf(size_t p) const { return *foldOf(*opOf(p).info); }
    bool isMean(size_t p) const { return opOf(p).info->fold.finish == ops::FoldFacts::Finish::DivideByCount; }

    /// One number for all of them: the numbers of all rows, or those of blocks.
    Value aggregateNumbers(size_t p) {
        bool areBlocks = step.bindings[p].kind == Binding::Kind::Partial || bound.stagesBlocks;
        return withFoldAndType(aggregateOf(p), program.params[p].type, [&]<class F, class T>(F, TypeTag<T>) -> Value {
            const T *numbers = outputs[p]->view<T>().data;
            T total = areBlocks ? F::merge(numbers, bound.numBlocks()) : foldRun<F>(numbers, step.rows);
            if constexpr (std::is_floating_point_v<T>)
                if (isMean(p))
                    total /= static_cast<T>(step.rows);
            return convertScalar(Value::scalar(total, program.params[p].type), step.bindings[p].type);
        });
    }

    Value sumsOfRows(size_t p) {
        const LoopParam &param = program.params[p];
        bool asRow = opOf(p).info->family == ops::Family::AggCol;
        ValueType type = param.type;
        uint64_t cells = bound.outputColumns(p);
        uint64_t rows = param.kind == ParamKind::SumsOfOuter ? step.cols : asRow ? 1 : cells;
        auto result = Dense::create(type, rows, cells / rows);
        addUpGroups(*outputs[p], task.sums.empty() ? std::vector<GroupsInRow>() : task.sums[p], *result);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            if constexpr (std::is_floating_point_v<T>)
                for (uint64_t c = 0; isMean(p) && c < cells; ++c)
                    result->mutableView<T>().data[c] /= static_cast<T>(step.rows);
        });
        return convertMatrix(*result, step.bindings[p].type);
    }

    ThreadContext &thread;
    RunContext &context;
    const LoopEngine &engine;
    const Region &region;
    const PlanStep &step;
    RegionState &state;
    const LoopProgram &program;
    BoundLoop bound;
    LoopTask task;
    Backend *backend = &cpuBackend();
    std::vector<Ref<Dense>> outputs; ///< by parameter; packed inputs, too
    std::vector<uint16_t> taken;     ///< values whose storage a result has taken over
};

} // namespace

bool runLoop(ThreadContext &thread, const LoopEngine &engine, const Region &region, const PlanStep &step,
             LoopFunction function, RegionState &state) {
    return FusedRun(thread, engine, region, step, function, state).run();
}

} // namespace daphne::exec
