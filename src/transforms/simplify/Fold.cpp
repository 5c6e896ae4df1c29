// SPDX-License-Identifier: Apache-2.0
/// Scalars whose operands are constants become constants; scf.if on a constant
/// becomes the branch it takes. Operations that would fail are left to fail when
/// they are reached.
#include "transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "base/Error.h"
#include "kernels/Evaluate.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

std::optional<ops::Constant> fold(DaphneOp op) {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !op.hint().empty() || op.info().sideEffect ||
        !typeOf(op->getResult(0)).isScalar())
        return std::nullopt;
    std::vector<ops::Constant> args;
    for (mlir::Value v : op->getOperands()) {
        auto c = ir::constantOf(v);
        if (!c)
            return std::nullopt;
        args.push_back(std::move(*c));
    }
    std::optional<ops::Constant> result;
    try {
        result = evaluate(op.info(), args, op.is("cast") ? ir::castTargetOf(op) : ops::TypeDesc());
    } catch (const Error &) {
        return std::nullopt;
    }
    if (!result || !(ops::TypeDesc::scalar(result->type) == typeOf(op->getResult(0))))
        return std::nullopt;
    return result;
}

/// Moves the operations of the taken branch before op.
void inlineBranch(scf::IfOp op, bool taken) {
    Region &region = taken ? op.getThenRegion() : op.getElseRegion();
    if (!region.empty()) {
        Block &block = region.front();
        Operation *yield = block.getTerminator();
        op->replaceAllUsesWith(yield->getOperands());
        yield->erase();
        op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
    }
    op->erase();
}

bool foldOnce(ModuleOp module) {
    bool branches = false;
    // Definitions come before uses, so one walk folds whole expressions. Branches follow their condition: what is
    // inlined has been visited already (post-order), except for uses of their results behind them.
    module.walk([&](Operation *op) {
        if (auto daphne = dyn_cast<DaphneOp>(op)) {
            auto c = fold(daphne);
            if (!c)
                return;
            OpBuilder b(op);
            op->getResult(0).replaceAllUsesWith(ir::makeConstant(b, op->getLoc(), *c));
            eraseWithOperands(op);
        } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
            auto condition = constantFlag(branch.getCondition());
            if (!condition)
                return;
            inlineBranch(branch, *condition);
            branches = true;
        }
    });
    return branches;
}

} // namespace

void foldScalars(ModuleOp module) {
    // A merged value that became one of the branches may decide further ones, also in loops around it.
    while (foldOnce(module)) {
    }
}

} // namespace daphne::transforms
