// SPDX-License-Identifier: Apache-2.0
/// Reference counting. Every value of a reference type is owned by the block
/// that defines it (result or argument). Kernels borrow their operands and yield
/// new references. Calls, loop entries and terminators take references over: a
/// value's last such use moves the block's own reference, others get a new one.
/// What is still owned after the last use is released there; where the last use
/// is a kernel that can work in place or a pipeline, the reference is handed to it instead. Where it is a branch, both
/// sides get the reference: what is changed in one of them is changed in place.
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

/// The operands an operation takes over.
OperandRange consumedOperands(Operation *op) {
    if (isa<func::CallOp, func::ReturnOp, scf::YieldOp>(op))
        return op->getOperands();
    if (isa<scf::ConditionOp>(op))
        return op->getOperands().drop_front(1);
    if (isa<scf::WhileOp>(op))
        return op->getOperands();
    if (auto loop = dyn_cast<scf::ForOp>(op))
        return loop.getInitArgs();
    return op->getOperands().take_front(0);
}

bool isAncestorUse(OpOperand &use, Operation *ancestor) { return use.getOwner() != ancestor; }

/// Values of outer blocks whose references are handed over to a block.
using HandedOver = llvm::DenseMap<Block *, SmallVector<Value>>;

class BlockCounter {
  public:
    BlockCounter(Block &block, HandedOver &handedOver)
        : block(block), handedOver(handedOver), given(handedOver.lookup(&block)),
          builder(block.getParentOp()->getContext()) {}

    void run() {
        std::vector<Operation *> operations;
        for (Operation &op : block)
            operations.push_back(&op);
        for (Operation *op : operations)
            retainForConsumers(op);
        for (BlockArgument arg : block.getArguments())
            finishValue(arg, nullptr);
        for (Value v : given)
            finishValue(v, nullptr);
        for (Operation *op : operations)
            for (Value v : op->getResults())
                finishValue(v, op);
    }

  private:
    /// Last operation of this block that uses v, directly or inside a region.
    Operation *lastUse(Value v) {
        Operation *last = nullptr;
        for (Operation *user : v.getUsers()) {
            Operation *here = block.findAncestorOpInBlock(*user);
            if (here && (!last || last->isBeforeInBlock(here)))
                last = here;
        }
        return last;
    }

    bool owns(Value v) { return v.getParentBlock() == &block || llvm::is_contained(given, v); }

    bool usedInsideRegionsOf(Operation *op, Value v) {
        return llvm::any_of(v.getUses(), [&](OpOperand &use) {
            return block.findAncestorOpInBlock(*use.getOwner()) == op && isAncestorUse(use, op);
        });
    }

    /// True if op receives the block's own reference to v.
    bool moves(Operation *op, Value v) {
        return owns(v) && llvm::is_contained(consumedOperands(op), v) && lastUse(v) == op &&
               !usedInsideRegionsOf(op, v);
    }

    void retainForConsumers(Operation *op) {
        llvm::SmallPtrSet<void *, 4> moved;
        for (Value v : consumedOperands(op)) {
            if (!ir::isReference(v.getType()))
                continue;
            if (moves(op, v) && moved.insert(v.getAsOpaquePointer()).second)
                continue;
            builder.setInsertionPoint(op);
            ir::createOp(builder, op->getLoc(), "retain", v, {});
        }
    }

    /// Index of the one operand of op that is v and may be taken over, or -1.
    int reusableOperand(Operation *op, Value v) {
        auto daphne = dyn_cast<DaphneOp>(op);
        bool takesAll = isa<ir::PipelineOp>(op) || (daphne && daphne.is("adapt"));
        if ((!daphne && !takesAll) || llvm::count(op->getOperands(), v) != 1)
            return -1;
        for (auto [i, operand] : llvm::enumerate(op->getOperands()))
            if (operand == v && ((takesAll && i < 63) || (i < 8 && (daphne.info().reusable >> i & 1))))
                return static_cast<int>(i);
        return -1;
    }

    void finishValue(Value v, Operation *definition) {
        if (!ir::isReference(v.getType()))
            return;
        Operation *last = lastUse(v);
        if (!last) {
            if (definition)
                builder.setInsertionPointAfter(definition);
            else
                builder.setInsertionPointToStart(&block);
            ir::createOp(builder, block.getParentOp()->getLoc(), "release", v, {});
            return;
        }
        if (moves(last, v))
            return;
        if (auto branch = dyn_cast<scf::IfOp>(last); branch && !branch.getElseRegion().empty()) {
            handedOver[branch.thenBlock()].push_back(v);
            handedOver[branch.elseBlock()].push_back(v);
            return;
        }
        if (int k = reusableOperand(last, v); k >= 0) {
            auto mask = last->getAttrOfType<IntegerAttr>(ir::kConsume);
            int64_t bits = (mask ? mask.getInt() : 0) | int64_t(1) << k;
            last->setAttr(ir::kConsume, builder.getI64IntegerAttr(bits));
            return;
        }
        builder.setInsertionPointAfter(last);
        ir::createOp(builder, last->getLoc(), "release", v, {});
    }

    Block &block;
    HandedOver &handedOver;
    const SmallVector<Value> given;
    OpBuilder builder;
};

} // namespace

void manageReferences(ModuleOp module) {
    std::vector<Block *> blocks;
    module.walk<WalkOrder::PreOrder>([&](Block *block) {
        // Inside a pipeline the engine counts.
        if (block != module.getBody() && !isa<ir::PipelineOp>(block->getParentOp()))
            blocks.push_back(block);
    });
    // Outermost first: they say what the inner ones own.
    HandedOver handedOver;
    for (Block *block : blocks)
        BlockCounter(*block, handedOver).run();
}

} // namespace daphne::transforms
