// SPDX-License-Identifier: Apache-2.0
/// Collects operations that may run fused. What is really fused is decided when
/// shapes and representations are known, at run time; here only order counts: a
/// pipeline stands where its last operation stood, so nothing that its
/// operations would overtake may need them, have an effect (taking the time is
/// one), or fail before them.
#include "transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

bool isNumericType(Type type) {
    auto desc = ir::toTypeDesc(type);
    bool isNumber = desc.valueType == ValueType::Unknown || isNumeric(desc.valueType);
    return (desc.isScalar() || desc.isMatrix()) && isNumber;
}

bool mayBeVector(Type type) {
    auto m = dyn_cast<ir::MatrixType>(type);
    return m && (m.rows() < 0 || m.cols() < 0 || m.rows() == 1 || m.cols() == 1);
}

/// Products with few columns on one side are part of loops.
bool mayBeNarrow(Type type) {
    constexpr int64_t kFewColumns = 16;
    auto m = dyn_cast<ir::MatrixType>(type);
    return m && (mayBeVector(type) || m.rows() < kFewColumns || m.cols() < kFewColumns);
}

bool isCellwise(DaphneOp op) {
    using ops::Family;
    Family family = op.info().family;
    return family == Family::EwUnary || family == Family::EwBinary || op.is("cond") || op.is("cast");
}

bool isFusible(DaphneOp op, Fusion fusion) {
    using ops::Family;
    if (!op.hint().empty() || op->getNumResults() != 1 || op.info().sideEffect)
        return false;
    bool anyMatrix = false;
    for (Type type : op->getOperandTypes()) {
        anyMatrix |= isa<ir::MatrixType>(type);
        if (!isNumericType(type))
            return false;
    }
    if (!anyMatrix || !isNumericType(op->getResult(0).getType()))
        return false;
    Family family = op.info().family;
    if (isCellwise(op) || family == Family::AggAll || family == Family::AggRow || family == Family::AggCol)
        return true;
    if (fusion == Fusion::Restricted)
        return false;
    if (op.is("transpose"))
        return mayBeVector(op->getOperand(0).getType());
    if (op.is("matMul") || op.is("gemv"))
        return mayBeNarrow(op->getOperand(0).getType()) || mayBeNarrow(op->getOperand(1).getType());
    return family == Family::Outer;
}

/// The pipeline being collected in a block.
class Collector {
  public:
    Collector(Block &block, Fusion fusion) : block(block), fusion(fusion) {}

    void run() {
        std::vector<Operation *> operations;
        for (Operation &op : block)
            operations.push_back(&op);
        for (Operation *op : operations) {
            auto daphne = dyn_cast<DaphneOp>(op);
            if (daphne && isFusible(daphne, fusion)) {
                if (members.size() == kMostMembers)
                    close(op);
                add(daphne);
            } else if (mustStayBehind(op))
                close(op);
        }
    }

  private:
    void add(DaphneOp op) {
        members.push_back(op);
        inPipeline.insert(op);
        mayFail |= ir::mustKeep(op);
    }

    /// op is not part of the pipeline: whether the pipeline must come before it.
    bool mustStayBehind(Operation *op) {
        if (members.empty())
            return false;
        auto daphne = dyn_cast<DaphneOp>(op);
        if (!daphne || daphne.info().sideEffect)
            return true;
        for (Value v : op->getOperands())
            if (inPipeline.contains(v.getDefiningOp()))
                return true;
        return mayFail && ir::mustKeep(op);
    }

    void close(Operation *before) {
        llvm::SetVector<Value> inputs;
        llvm::SmallVector<Value> results;
        for (Operation *op : members) {
            for (Value v : op->getOperands())
                if (!inPipeline.contains(v.getDefiningOp()))
                    inputs.insert(v);
            bool usedOutside = llvm::any_of(op->getUsers(), [&](Operation *u) { return !inPipeline.contains(u); });
            if (usedOutside)
                results.push_back(op->getResult(0));
        }
        if (!results.empty() && inputs.size() <= kMostInputs)
            replace(before, inputs.getArrayRef(), results);
        members.clear();
        inPipeline.clear();
        mayFail = false;
    }

    void replace(Operation *before, ArrayRef<Value> inputs, ArrayRef<Value> results) {
        OpBuilder builder(before);
        OperationState state(members.front()->getLoc(), ir::PipelineOp::getOperationName());
        state.addOperands(inputs);
        state.addTypes(ValueRange(results).getTypes());
        auto *body = new Block;
        state.addRegion()->push_back(body);
        Operation *pipeline = builder.create(state);
        IRMapping map;
        for (Value v : inputs)
            map.map(v, body->addArgument(v.getType(), v.getLoc()));
        builder.setInsertionPointToEnd(body);
        for (Operation *op : members)
            builder.clone(*op, map);
        OperationState yield(state.location, ir::YieldOp::getOperationName());
        for (Value v : results)
            yield.addOperands(map.lookup(v));
        builder.create(yield);
        for (size_t i = 0; i < results.size(); ++i) {
            Value old = results[i];
            old.replaceAllUsesWith(pipeline->getResult(static_cast<unsigned>(i)));
        }
        for (Operation *op : llvm::reverse(members))
            op->erase();
    }

    /// Plans compare operations with each other; and there is nothing to be gained from longer ones.
    static constexpr size_t kMostMembers = 512;
    /// Bits of the mask of operands that are taken over.
    static constexpr size_t kMostInputs = 64;

    Block &block;
    Fusion fusion;
    std::vector<Operation *> members;
    llvm::SmallPtrSet<Operation *, 16> inPipeline;
    bool mayFail = false;
};

bool isTiny(Type type) {
    constexpr int64_t kMostCells = 64;
    auto m = dyn_cast<ir::MatrixType>(type);
    return !m || (m.rows() >= 0 && m.cols() >= 0 && m.rows() <= kMostCells && m.cols() <= kMostCells &&
                  m.rows() * m.cols() <= kMostCells);
}

bool isTiny(ir::PipelineOp pipeline) {
    if (!llvm::all_of(pipeline->getOperandTypes(), [](Type t) { return isTiny(t); }))
        return false;
    return llvm::all_of(pipeline.body().getOps<DaphneOp>(),
                        [](DaphneOp op) { return isTiny(op->getResult(0).getType()); });
}

} // namespace

void dissolveTinyPipelines(ModuleOp module) {
    std::vector<ir::PipelineOp> tiny;
    module.walk([&](ir::PipelineOp pipeline) {
        if (isTiny(pipeline))
            tiny.push_back(pipeline);
    });
    for (ir::PipelineOp pipeline : tiny) {
        IRMapping map;
        for (auto [argument, operand] : llvm::zip(pipeline.body().getArguments(), pipeline->getOperands()))
            map.map(argument, operand);
        OpBuilder builder(pipeline);
        for (DaphneOp op : pipeline.body().getOps<DaphneOp>())
            builder.clone(*op, map);
        for (auto [result, v] : llvm::zip(pipeline->getResults(), pipeline.body().back().getOperands()))
            result.replaceAllUsesWith(map.lookup(v));
        pipeline->erase();
    }
}

void collectPipelines(ModuleOp module, Fusion fusion) {
    std::vector<Block *> blocks;
    module.walk([&](Block *block) {
        if (block != module.getBody())
            blocks.push_back(block);
    });
    for (Block *block : blocks)
        Collector(*block, fusion).run();
}

} // namespace daphne::transforms
