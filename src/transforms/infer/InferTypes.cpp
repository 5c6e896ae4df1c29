// SPDX-License-Identifier: Apache-2.0
/// Writes the facts found by Facts into the types of all values and restores
/// consistency: where a value meets a type with fewer facts (a merge of paths, a
/// function with several callers) daphne.adapt stands between them; where both
/// became equal it disappears. Operations that will certainly fail keep operands
/// of the types they had, and so fail at run time, when they are reached.
#include "transforms/Passes.h"

#include "ir/Try.h"
#include "transforms/infer/Facts.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

class TypeWriter {
  public:
    TypeWriter(ModuleOp module, const Facts &facts) : module(module), facts(facts), builder(module.getContext()) {}

    void run() {
        rememberRejected();
        writeTypes();
        removeAdapts();
        restoreRejected();
        module.walk([&](Operation *op) { matchTargets(op); });
    }

  private:
    struct Rejected {
        Operation *op;
        SmallVector<Type> operands;
    };

    void rememberRejected() {
        module.walk([&](DaphneOp op) {
            if (facts.isRejected(op))
                rejected.push_back({op, llvm::to_vector(op->getOperandTypes())});
        });
    }

    void write(mlir::Value v) {
        Type type = ir::toIrType(v.getContext(), facts.of(v));
        if (type != v.getType())
            v.setType(type);
    }

    void writeTypes() {
        module.walk([&](Operation *op) {
            for (mlir::Value v : op->getResults())
                write(v);
            for (Region &region : op->getRegions())
                for (Block &block : region)
                    for (BlockArgument arg : block.getArguments())
                        write(arg);
            auto f = dyn_cast<func::FuncOp>(op);
            if (!f || f.isExternal())
                return;
            SmallVector<Type> results;
            for (const ops::TypeDesc &t : facts.resultsOf(f))
                results.push_back(ir::toIrType(op->getContext(), t));
            f.setFunctionType(builder.getFunctionType(f.getBody().getArgumentTypes(), results));
        });
    }

    void removeAdapts() {
        module.walk([&](DaphneOp op) {
            if (!op.is("adapt") || op->getOperand(0).getType() != op->getResult(0).getType())
                return;
            op->getResult(0).replaceAllUsesWith(op->getOperand(0));
            op->erase();
        });
    }

    void restoreRejected() {
        for (auto &[op, types] : rejected)
            for (auto [operand, type] : llvm::zip(op->getOpOperands(), types))
                match(operand, type);
    }

    /// Puts daphne.adapt before the user of an operand whose type is another one.
    void match(OpOperand &operand, Type wanted) {
        mlir::Value v = operand.get();
        if (v.getType() == wanted)
            return;
        Operation *user = operand.getOwner();
        builder.setInsertionPoint(user);
        bool undefined = bool(ir::asOp(v.getDefiningOp(), "undef"));
        operand.set(ir::createOp(builder, user->getLoc(), undefined ? ops::OpName("undef") : ops::OpName("adapt"),
                                 undefined ? ValueRange() : ValueRange(v), wanted)
                        ->getResult(0));
    }

    void matchAll(MutableArrayRef<OpOperand> operands, TypeRange wanted) {
        for (auto [operand, type] : llvm::zip(operands, wanted))
            match(operand, type);
    }

    void matchTargets(Operation *op) {
        MutableArrayRef<OpOperand> operands = op->getOpOperands();
        if (auto loop = dyn_cast<scf::ForOp>(op)) {
            matchAll(operands.drop_front(loop.getNumControlOperands()), loop.getResultTypes());
        } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
            matchAll(operands, loop.getBeforeBody()->getArgumentTypes());
        } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
            matchAll(operands.drop_front(1), op->getParentOp()->getResultTypes());
        } else if (isa<scf::YieldOp>(op)) {
            auto loop = dyn_cast<scf::WhileOp>(op->getParentOp());
            matchAll(operands, loop ? TypeRange(loop.getBeforeBody()->getArgumentTypes())
                                    : TypeRange(op->getParentOp()->getResultTypes()));
        } else if (isa<func::ReturnOp>(op)) {
            matchAll(operands, cast<func::FuncOp>(op->getParentOp()).getFunctionType().getResults());
        } else if (auto call = dyn_cast<func::CallOp>(op)) {
            matchAll(operands, facts.calleeOf(call).getFunctionType().getInputs());
        } else if (ir::asOp(op, "try")) {
            auto kept = static_cast<size_t>(op->getAttrOfType<IntegerAttr>(ir::kValue).getInt());
            auto callee = module.lookupSymbol<func::FuncOp>(op->getAttrOfType<FlatSymbolRefAttr>(ir::kCallee));
            matchAll(operands.take_front(kept), op->getResults().take_front(kept).getTypes());
            matchAll(operands.drop_front(kept), callee.getFunctionType().getInputs());
        } else if (ir::asOp(op, "keep")) {
            match(operands.front(), op->getAttrOfType<TypeAttr>(ir::kKeptType).getValue());
        } else if (auto map = ir::asOp(op, "map")) {
            auto callee =
                module.lookupSymbol<func::FuncOp>(op->getAttrOfType<FlatSymbolRefAttr>(ir::kCallee).getValue());
            matchAll(operands.drop_front(1), callee.getFunctionType().getInputs().drop_back(1));
        }
    }

    ModuleOp module;
    const Facts &facts;
    OpBuilder builder;
    std::vector<Rejected> rejected;
};

} // namespace

void inferTypes(ModuleOp module) {
    Facts facts(module);
    facts.run();
    TypeWriter(module, facts).run();
}

} // namespace daphne::transforms
