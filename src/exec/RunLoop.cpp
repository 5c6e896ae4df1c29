// SPDX-License-Identifier: Apache-2.0
/// Binds a fused loop to its matrices, has it run here or on several machines,
/// and combines what ranges leave behind. Ranges end at multiples of a block
/// that depends on the program only, and partial results are kept per block and
/// merged in order: results do not depend on who ran what.
#include "exec/RunLoop.h"

#include <cmath>

#include "exec/BoundLoop.h"
#include "exec/CallKernel.h"
#include "exec/Distribution.h"
#include "kernels/Extreme.h"
#include "kernels/Reduction.h"

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

bool allFinite(const Dense &m) {
    auto test = [&]<class T>(TypeTag<T>) {
        auto v = m.view<T>();
        for (size_t r = 0; r < v.rows; ++r) {
            // x - x is zero just for finite numbers.
            T sum = vectorised([x = v.row(r), n = v.cols] {
                T lanes[8] = {};
                size_t i = 0;
                for (; i + 8 <= n; i += 8)
                    for (size_t l = 0; l < 8; ++l)
                        lanes[l] += x[i + l] - x[i + l];
                for (; i < n; ++i)
                    lanes[0] += x[i] - x[i];
                return mergeLanes(lanes);
            });
            if (sum != 0)
                return false;
        }
        return true;
    };
    return m.type() == ValueType::F32 ? test(TypeTag<float>{}) : test(TypeTag<double>{});
}

class FusedRun {
  public:
    FusedRun(Context &context, Engine &engine, const Region &region, Step &step, RegionState &state)
        : context(context), engine(engine), region(region), step(step), state(state), program(step.program),
          bound(program), remote{bound, {}} {
        bound.function = step.function;
        bound.rows = step.rows;
        bound.cols = step.cols;
        bound.site = step.site;
        bound.serialNs = step.serialNs;
        bound.nsPerStored = step.nsPerStored;
    }

    bool run() {
        if (!absentCellsStayZero())
            return false;
        if (context.distribution)
            decideWhere();
        bound.arguments.words[LoopArguments::kColumns] = step.cols;
        outputs.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p)
            program.params[p].isOutput() ? bindOutput(p) : bindInput(p);
        bool done = isRemote ? runElsewhere() : runRows(context.scheduler, bound, 0, step.rows);
        if (!done)
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
            bringHere(context, v);
            if (v.isScalar() ? !std::isfinite(v.as<double>()) : !allFinite(v.dense()))
                return false;
        }
        return true;
    }

    // ---- other machines

    void decideWhere() {
        describeOperands();
        isRemote = context.distribution->wants(remote);
        if (isRemote)
            return;
        for (const LoopOperand &operand : remote.operands)
            bringHere(context, operand.value);
        remote.operands.clear(); // references keep results from taking storage over
    }

    void describeOperands() {
        remote.operands.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p) {
            using Role = LoopOperand::Role;
            LoopOperand &operand = remote.operands[p];
            const LoopParam &param = program.params[p];
            switch (step.bindings[p].kind) {
            case Binding::Kind::Literal: break;
            case Binding::Kind::Value:
                operand.role = param.kind == ParamKind::Scalar ? Role::Number
                               : param.kind == ParamKind::Row  ? Role::Whole
                                                               : Role::Split;
                if (valueOf(p).isMatrix())
                    operand.value = valueOf(p);
                break;
            case Binding::Kind::Result: operand.role = Role::Result; break;
            case Binding::Kind::Kept: operand.role = Role::Kept; break;
            case Binding::Kind::Staged:
                operand.role = Role::Collected;
                operand.reduction = reductionOf(p);
                break;
            default: operand.role = Role::Collected;
            }
        }
    }

    BlockReduction reductionOf(size_t p) const {
        std::string_view name = opOf(p).info->mnemonic;
        return name == "minAll" ? BlockReduction::Min : name == "maxAll" ? BlockReduction::Max : BlockReduction::Sum;
    }
    uint64_t numFlatBlocks() const { return (step.rows + LoopProgram::kBlock - 1) / LoopProgram::kBlock; }

    bool runElsewhere() {
        blocks.resize(program.params.size());
        for (size_t p = 0; p < program.params.size(); ++p) {
            LoopOperand &operand = remote.operands[p];
            if (operand.role == LoopOperand::Role::Number)
                operand.bits = bound.arguments.param(p)[0];
            else if (outputs[p])
                operand.value = outputs[p];
            if (operand.reduction != BlockReduction::None) {
                blocks[p] = Dense::create(program.params[p].type, numFlatBlocks(), 1);
                operand.blocks = blocks[p];
            }
        }
        bool done = context.distribution->run(context, remote);
        remote.operands.clear();
        return done;
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
        if (param.kind == ParamKind::Csr) {
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
            words[0] = addressOf(dataOf(v.dense()));
            words[1] = program.flat ? 1 : skipOf(v.dense());
        }
    }

    void bindOutput(size_t p) {
        const LoopParam &param = program.params[p];
        uint64_t *words = bound.arguments.param(p);
        switch (step.bindings[p].kind) {
        case Binding::Kind::Result: {
            outputs[p] = resultMatrix(p);
            words[0] = addressOf(mutableDataOf(*outputs[p]));
            words[1] = program.flat ? 1 : outputs[p]->cols();
            break;
        }
        case Binding::Kind::Staged:
            outputs[p] = Dense::create(param.type, step.rows, 1);
            words[0] = addressOf(mutableDataOf(*outputs[p]));
            words[1] = 1;
            break;
        case Binding::Kind::Kept: bound.kept[p] = true; break;
        default:
            outputs[p] =
                Dense::create(param.type, bound.numBlocks(), param.kind == ParamKind::SumsOfColumns ? step.cols : 1);
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
                beforeOverwriting(context, valueOf(q));
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
        // Elsewhere lost rows may have to be computed again.
        if (isRemote)
            return false;
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

    // ---- results

    void finish(size_t p) {
        const Binding &b = step.bindings[p];
        if (!program.params[p].isOutput() || b.kind == Binding::Kind::Kept)
            return;
        Value &result = state.values[b.value];
        if (b.kind == Binding::Kind::Result) {
            result = std::move(outputs[p]);
        } else if (b.kind == Binding::Kind::Staged && remote.isReduced) {
            result = aggregateBlocks(p, *blocks[p], reductionOf(p));
        } else if (b.kind == Binding::Kind::Staged) {
            result = aggregateStaged(p);
        } else if (program.params[p].kind == ParamKind::SumsOfColumns) {
            result = sumsOfColumns(p);
        } else {
            ParamKind kind = program.params[p].kind;
            result = aggregateBlocks(p, *outputs[p],
                                     kind == ParamKind::MinOfAll   ? BlockReduction::Min
                                     : kind == ParamKind::MaxOfAll ? BlockReduction::Max
                                                                   : BlockReduction::Sum);
        }
    }

    const RegionOp &opOf(size_t p) const { return region.ops[step.bindings[p].value - region.numInputs]; }
    bool isMean(size_t p) const { return opOf(p).info->mnemonic.starts_with("mean"); }

    /// The kernel itself, on one number per row.
    Value aggregateStaged(size_t p) {
        Value staged(std::move(outputs[p]));
        const RegionOp &op = opOf(p);
        Slot arg = staged.raw(), result{op.expectedTag, 0};
        callKernel(context, *op.kernel, {&result, 1}, {&arg, 1}, 0, op.castTarget);
        return Value::adopt(result);
    }

    Value aggregateBlocks(size_t p, const Dense &partial, BlockReduction how) {
        ValueType type = program.params[p].type;
        return withNumericType(type, [&]<class T>(TypeTag<T>) -> Value {
            if constexpr (std::is_same_v<T, bool>) {
                return Value::scalar(blockExtreme<bool>(partial, how));
            } else {
                if (how != BlockReduction::Sum)
                    return Value::scalar(blockExtreme<T>(partial, how), type);
                PairwiseSum<T> sum;
                const T *parts = partial.view<T>().data;
                for (uint64_t b = 0; b < partial.rows(); ++b)
                    sum.add(parts[b]);
                T total = sum.total();
                if constexpr (std::is_floating_point_v<T>)
                    if (isMean(p))
                        total /= static_cast<T>(step.rows);
                return Value::scalar(total, type);
            }
        });
    }

    template <class T> T blockExtreme(const Dense &partial, BlockReduction how) {
        const T *parts = partial.view<T>().data;
        auto best = [&]<class Order>(Order) {
            T result = Order::template worst<T>();
            for (uint64_t b = 0; b < partial.rows(); ++b)
                result = Order::better(parts[b], result) ? parts[b] : result;
            return result;
        };
        return how == BlockReduction::Min ? best(Smaller{}) : best(Larger{});
    }

    Value sumsOfColumns(size_t p) {
        const RegionOp &op = opOf(p);
        bool asRow = op.info->family == ops::Family::AggCol;
        ValueType type = program.params[p].type;
        auto result = Dense::create(type, asRow ? 1 : step.cols, asRow ? step.cols : 1, Buffer::Init::Zero);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            if constexpr (!std::is_same_v<T, bool>) {
                T *out = result->mutableView<T>().data;
                const T *groups = outputs[p]->view<T>().data;
                vectorised([=, n = bound.numBlocks(), cols = step.cols] {
                    for (uint64_t g = 0; g < n; ++g)
                        for (uint64_t c = 0; c < cols; ++c)
                            out[c] = wrappingSum(out[c], groups[g * cols + c]);
                });
                if constexpr (std::is_floating_point_v<T>)
                    if (isMean(p))
                        for (uint64_t c = 0; c < step.cols; ++c)
                            out[c] /= static_cast<T>(step.rows);
            }
        });
        return result;
    }

    Context &context;
    [[maybe_unused]] Engine &engine;
    const Region &region;
    Step &step;
    RegionState &state;
    const LoopProgram &program;
    BoundLoop bound;
    DistributableLoop remote;
    bool isRemote = false;           ///< several machines run the loop
    std::vector<Ref<Dense>> outputs; ///< by parameter
    std::vector<Ref<Dense>> blocks;  ///< of staged columns that other machines have reduced
    std::vector<uint16_t> taken;     ///< values whose storage a result has taken over
};

} // namespace

bool runLoop(Context &context, Engine &engine, const Region &region, Step &step, RegionState &state) {
    return FusedRun(context, engine, region, step, state).run();
}

} // namespace daphne::exec
