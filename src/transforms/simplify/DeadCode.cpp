// SPDX-License-Identifier: Apache-2.0
/// Dead code by marking: operations with effects or that may fail are needed,
/// and so is what they use. Values carried through scf operations are marked one
/// by one, so a variable that only feeds its own next iteration disappears.
/// Loops of type while are always needed: they may not end.
#include "transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

/// Functions that have no effect, cannot fail and end.
class PureFunctions {
  public:
    explicit PureFunctions(SymbolTable &symbols) : symbols(symbols) {}

    bool isPure(func::CallOp call) {
        auto [it, isNew] = known.try_emplace(call.getCalleeAttr().getAttr(), false); // false while a recursion is open
        if (!isNew)
            return it->second;
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        bool pure = callee && !callee
                                   .walk([&](Operation *op) {
                                       return isHarmless(op) ? WalkResult::advance() : WalkResult::interrupt();
                                   })
                                   .wasInterrupted();
        known[call.getCalleeAttr().getAttr()] = pure;
        return pure;
    }

  private:
    bool isHarmless(Operation *op) {
        if (isa<DaphneOp>(op))
            return !ir::mustKeep(op);
        if (auto call = dyn_cast<func::CallOp>(op))
            return isPure(call);
        return isa<func::FuncOp, func::ReturnOp, scf::IfOp, scf::ForOp, scf::YieldOp>(op);
    }

    SymbolTable &symbols;
    llvm::DenseMap<StringAttr, bool> known;
};

/// Marks what a function needs, then removes the rest.
class Sweeper {
  public:
    Sweeper(func::FuncOp function, PureFunctions &pure) : function(function), pure(pure) {}

    void run() {
        function.walk([&](Operation *op) {
            if (isRoot(op))
                markOp(op);
        });
        while (!work.empty())
            visit(work.pop_back_val());
        removeDead(function.getBody());
    }

  private:
    // ---- marking

    bool isRoot(Operation *op) {
        if (isa<DaphneOp>(op))
            return ir::mustKeep(op);
        if (auto call = dyn_cast<func::CallOp>(op))
            return !pure.isPure(call);
        return !isa<scf::IfOp, scf::ForOp, scf::YieldOp, scf::ConditionOp, func::FuncOp>(op);
    }

    void mark(mlir::Value v) {
        if (live.insert(v).second)
            work.push_back(v);
    }

    /// op runs: its own operands and every operation around it are needed. Carried values are marked one by one.
    void markOp(Operation *op) {
        if (!liveOps.insert(op).second)
            return;
        if (auto loop = dyn_cast<scf::ForOp>(op)) {
            for (mlir::Value v : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
                mark(v);
        } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
            mark(loop.getConditionOp().getCondition());
        } else {
            for (mlir::Value v : op->getOperands())
                mark(v);
        }
        if (Operation *parent = op->getParentOp(); parent != function)
            markOp(parent);
    }

    void visit(mlir::Value v) {
        auto result = dyn_cast<OpResult>(v);
        Operation *owner = result ? result.getOwner() : cast<BlockArgument>(v).getOwner()->getParentOp();
        unsigned i = result ? result.getResultNumber() : cast<BlockArgument>(v).getArgNumber();
        if (owner == function)
            return;
        markOp(owner);
        if (auto branch = dyn_cast<scf::IfOp>(owner)) {
            mark(branch.thenYield().getOperand(i));
            mark(branch.elseYield().getOperand(i));
        } else if (auto loop = dyn_cast<scf::ForOp>(owner)) {
            if (!result && i == 0)
                return; // the induction variable
            markIteration(loop, result ? i : i - 1);
        } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
            if (!result && cast<BlockArgument>(v).getOwner() == loop.getBeforeBody()) {
                mark(loop.getInits()[i]);
                mark(loop.getYieldOp().getOperand(i));
            } else {
                mark(loop.getConditionOp().getArgs()[i]);
                mark(loop.getResult(i));
                mark(loop.getAfterArguments()[i]);
            }
        }
    }

    void markIteration(scf::ForOp loop, unsigned i) {
        mark(loop.getResult(i));
        mark(loop.getRegionIterArg(i));
        mark(loop.getInitArgs()[i]);
        mark(loop.getBody()->getTerminator()->getOperand(i));
    }

    // ---- removing

    template <class Values> llvm::BitVector deadAmong(Values &&values) {
        llvm::BitVector dead;
        for (mlir::Value v : values)
            dead.push_back(!live.contains(v));
        return dead;
    }

    /// Last operation first, and yields of a loop before its body: what is erased has no users left.
    void removeDead(Region &region) {
        for (Block &block : region)
            for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
                if (isa<scf::YieldOp, scf::ConditionOp, func::ReturnOp>(op))
                    continue;
                if (!liveOps.contains(&op)) {
                    op.erase();
                    continue;
                }
                Slots slots = dropYields(&op);
                for (Region &inner : op.getRegions())
                    removeDead(inner);
                rebuild(&op, slots);
            }
    }

    /// Dead positions of an scf operation. While loops have two sets: before, and after with the results.
    struct Slots {
        llvm::BitVector results, before;
    };

    Slots dropYields(Operation *op) {
        Slots s;
        if (auto branch = dyn_cast<scf::IfOp>(op)) {
            s.results = deadAmong(branch.getResults());
            branch.thenYield()->eraseOperands(s.results);
            if (!branch.getElseRegion().empty())
                branch.elseYield()->eraseOperands(s.results);
        } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
            s.results = deadAmong(loop.getResults());
            loop.getBody()->getTerminator()->eraseOperands(s.results);
        } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
            s.results = deadAmong(loop.getResults());
            s.before = deadAmong(loop.getBeforeArguments());
            llvm::BitVector condition(1, false);
            for (unsigned i = 0; i < s.results.size(); ++i)
                condition.push_back(s.results[i]);
            loop.getConditionOp()->eraseOperands(condition);
            loop.getYieldOp()->eraseOperands(s.before);
        }
        return s;
    }

    static SmallVector<mlir::Value> keep(ValueRange values, const llvm::BitVector &dead) {
        SmallVector<mlir::Value> kept;
        for (auto [i, v] : llvm::enumerate(values))
            if (!dead[i])
                kept.push_back(v);
        return kept;
    }

    void rebuild(Operation *op, const Slots &slots) {
        if (slots.results.none() && slots.before.none())
            return;
        OpBuilder b(op);
        SmallVector<Type> types;
        for (mlir::Value v : keep(op->getResults(), slots.results))
            types.push_back(v.getType());
        Operation *fresh = nullptr;
        if (auto branch = dyn_cast<scf::IfOp>(op)) {
            fresh = b.create<scf::IfOp>(op->getLoc(), types, branch.getCondition(), false, false);
        } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
            llvm::BitVector args(1, false); // the induction variable stays
            for (unsigned i = 0; i < slots.results.size(); ++i)
                args.push_back(slots.results[i]);
            loop.getBody()->eraseArguments(args);
            fresh = b.create<scf::ForOp>(op->getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                         keep(loop.getInitArgs(), slots.results));
        } else {
            auto whileLoop = cast<scf::WhileOp>(op);
            whileLoop.getBeforeBody()->eraseArguments(slots.before);
            whileLoop.getAfterBody()->eraseArguments(slots.results);
            fresh = b.create<scf::WhileOp>(op->getLoc(), types, keep(whileLoop.getInits(), slots.before));
        }
        for (auto [from, to] : llvm::zip(op->getRegions(), fresh->getRegions()))
            to.takeBody(from);
        for (auto [from, to] : llvm::zip(keep(op->getResults(), slots.results), fresh->getResults()))
            from.replaceAllUsesWith(to);
        op->erase();
    }

    func::FuncOp function;
    PureFunctions &pure;
    llvm::DenseSet<mlir::Value> live;
    llvm::DenseSet<Operation *> liveOps;
    SmallVector<mlir::Value> work;
};

/// Functions reached from public ones stay.
void removeUncalledFunctions(ModuleOp module, SymbolTable &symbols) {
    llvm::DenseSet<Operation *> reached;
    SmallVector<func::FuncOp> work;
    auto reach = [&](func::FuncOp f) {
        if (f && reached.insert(f).second)
            work.push_back(f);
    };
    for (auto f : module.getOps<func::FuncOp>())
        if (!f.isPrivate())
            reach(f);
    while (!work.empty())
        work.pop_back_val().walk([&](Operation *op) {
            // Calls and daphne.map name the function they use in the same attribute.
            if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>(ir::kCallee))
                reach(symbols.lookup<func::FuncOp>(callee.getValue()));
        });
    for (auto f : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
        if (!reached.contains(f))
            symbols.erase(f);
}

} // namespace

void eliminateDeadOps(ModuleOp module) {
    SymbolTable symbols(module);
    PureFunctions pure(symbols);
    for (auto f : module.getOps<func::FuncOp>())
        Sweeper(f, pure).run();
    removeUncalledFunctions(module, symbols);
}

} // namespace daphne::transforms
