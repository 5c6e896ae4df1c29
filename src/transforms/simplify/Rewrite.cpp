// SPDX-License-Identifier: Apache-2.0
#include "transforms/simplify/Rewrite.h"

#include "llvm/ADT/SetVector.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

Value Rewrite::create(ops::OpName mnemonic, ValueRange operands) {
    const ops::OpInfo *info = ops::Registry::get().findOp(mnemonic);
    std::vector<ops::Arg> args = ir::argsOf(operands);
    SmallVector<Type> results;
    for (const ops::TypeDesc &t : info->resultTypes({*info, args, {}}))
        results.push_back(ir::toIrType(builder.getContext(), t));
    return ir::createOp(builder, op.getLoc(), mnemonic, operands, results)->getResult(0);
}

bool Rewrite::replaceWith(Value v) {
    Type wanted = op->getResult(0).getType();
    if (v.getType() != wanted)
        v = ir::createOp(builder, op.getLoc(), "adapt", v, wanted)->getResult(0);
    replaceUses(v);
    return true;
}

bool Rewrite::replaceWith(ops::OpName mnemonic, ValueRange operands) {
    replaceUses(ir::createOp(builder, op.getLoc(), mnemonic, operands, op->getResultTypes())->getResult(0));
    return true;
}

void Rewrite::replaceUses(Value v) {
    op->getResult(0).replaceAllUsesWith(v);
    eraseWithOperands(op);
}

void eraseWithOperands(Operation *op) {
    llvm::SmallSetVector<Operation *, 8> candidates;
    auto erase = [&](Operation *dead) {
        for (Value operand : dead->getOperands())
            if (Operation *definition = operand.getDefiningOp())
                candidates.insert(definition);
        dead->erase();
    };
    erase(op);
    while (!candidates.empty()) {
        Operation *next = candidates.pop_back_val();
        if (next->use_empty() && !ir::mustKeep(next))
            erase(next);
    }
}

void applyEverywhere(ModuleOp module, Rule rule) {
    // Every rule removes work, so this ends by itself; the limit only guards against rules that undo each other.
    constexpr int kMaxSweeps = 32;
    bool changed = true;
    for (int sweep = 0; changed && sweep < kMaxSweeps; ++sweep) {
        changed = false;
        // Rules erase nothing behind op, so the walk's next operation stays valid.
        module.walk([&](DaphneOp op) {
            if (!op.hint().empty() || op->getNumResults() != 1)
                return;
            Rewrite rewrite(op);
            changed |= rule(op, rewrite);
        });
    }
}

DaphneOp definedBy(Value v, ops::OpName mnemonic) {
    DaphneOp op = ir::asOp(v.getDefiningOp(), mnemonic);
    return op && op.hint().empty() ? op : DaphneOp();
}

DaphneOp onlyFor(DaphneOp user, Value v, ops::OpName mnemonic) {
    DaphneOp op = definedBy(v, mnemonic);
    return op && op->hasOneUse() && op->getBlock() == user->getBlock() ? op : DaphneOp();
}

std::optional<bool> constantFlag(Value v) {
    auto c = ir::constantOf(v);
    return c ? std::optional(c->asDouble() != 0) : std::nullopt;
}

} // namespace daphne::transforms
