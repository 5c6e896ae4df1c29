// SPDX-License-Identifier: Apache-2.0
/// The facts of inferTypes: what is known of every value, and the sweeps that
/// find it. Private to src/transforms/infer.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

/// Both facts hold: what one does not know, the other may. Where they contradict (such code never runs) a wins.
ops::TypeDesc meet(const ops::TypeDesc &a, const ops::TypeDesc &b);

/// Optimistic data flow. A value without a fact has not been computed by any path seen so far. Facts at merges (block
/// arguments, results of scf operations, parameters and results of functions) only grow weaker, which ends the sweeps.
class Facts {
  public:
    explicit Facts(mlir::ModuleOp module);
    /// Computes the facts of all values.
    void run();

    /// The fact of v, else what its type says.
    ops::TypeDesc of(mlir::Value v) const;
    /// Operations whose inference rejects the new facts: they will fail when reached.
    bool isRejected(mlir::Operation *op) const { return rejected.contains(op); }
    /// Facts of a function's results.
    std::vector<ops::TypeDesc> resultsOf(mlir::func::FuncOp f) const;
    mlir::func::FuncOp calleeOf(mlir::func::CallOp call) const {
        return symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    }

  private:
    using Fact = std::optional<ops::TypeDesc>;
    struct Signature {
        std::vector<Fact> results;
        bool fixedParameters = false; ///< called from outside or by daphne.map
        bool reached = false, queued = false, complete = false;
        llvm::SmallVector<mlir::func::FuncOp> callers;
    };

    Fact get(mlir::Value v) const;
    void set(mlir::Value v, const ops::TypeDesc &fact);
    /// Weakens the fact of a merged value by one more incoming fact; true if it changed.
    bool weaken(mlir::Value merged, const Fact &incoming);
    /// Weakens each target by the value that flows into it; true if one changed.
    bool flow(mlir::ValueRange targets, mlir::ValueRange values);
    void enqueue(mlir::func::FuncOp f);
    void drain();

    void sweep(mlir::func::FuncOp f);
    void visitBlock(mlir::Block &block);
    void visit(mlir::Operation *op);
    void visitDaphne(ir::DaphneOp op);
    void visitIf(mlir::scf::IfOp op);
    void visitFor(mlir::scf::ForOp op);
    void visitWhile(mlir::scf::WhileOp op);
    void visitCall(mlir::func::CallOp op);
    void visitReturn(mlir::func::ReturnOp op);

    /// The fact with the representation that its sparsity asks for.
    ops::TypeDesc represented(ops::TypeDesc fact) const;

    mlir::ModuleOp module;
    mlir::SymbolTable symbols;
    double csrThreshold = -1; ///< estimates below it ask for Csr
    llvm::DenseMap<mlir::Value, ops::TypeDesc> facts;
    llvm::DenseMap<mlir::Operation *, Signature> signatures;
    llvm::DenseSet<mlir::Operation *> rejected;
    llvm::SmallVector<mlir::func::FuncOp> work;
    mlir::func::FuncOp current;
    bool again = false;       ///< a fact at the head of a loop changed after the loop had been visited
    bool skipped = false;     ///< an operand or result had no fact yet
    bool pessimistic = false; ///< second phase: values that are never computed keep what their types say
};

} // namespace daphne::transforms
