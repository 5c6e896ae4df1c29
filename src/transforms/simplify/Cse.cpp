// SPDX-License-Identifier: Apache-2.0
/// Common subexpressions. Walks the regions in execution order with a scope per
/// region, so that every candidate found dominates. An operation that may fail
/// can be merged with an equal one before it: that one would have failed first.
#include "transforms/Passes.h"

#include "llvm/ADT/ScopedHashTable.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

/// Sums of numbers commute; the registry cannot say so because '+' also joins strings.
bool isCommutative(DaphneOp op) {
    if (op->getNumOperands() != 2)
        return false;
    return op.info().commutative ||
           (op.is("ewAdd") && isNumeric(ir::toTypeDesc(op->getOperand(0).getType()).valueType) &&
            isNumeric(ir::toTypeDesc(op->getOperand(1).getType()).valueType));
}

/// Equal keys compute equal values: same operation, attributes, result types and operands, in either order where that
/// does not matter.
struct EqualOps {
    static Operation *getEmptyKey() { return llvm::DenseMapInfo<Operation *>::getEmptyKey(); }
    static Operation *getTombstoneKey() { return llvm::DenseMapInfo<Operation *>::getTombstoneKey(); }

    static unsigned getHashValue(const Operation *key) {
        auto *op = const_cast<Operation *>(key);
        llvm::hash_code operands{0};
        if (isCommutative(cast<DaphneOp>(op))) {
            auto a = op->getOperand(0).getAsOpaquePointer(), b = op->getOperand(1).getAsOpaquePointer();
            operands = llvm::hash_combine(std::min(a, b), std::max(a, b));
        } else {
            for (mlir::Value v : op->getOperands())
                operands = llvm::hash_combine(operands, v.getAsOpaquePointer());
        }
        return static_cast<unsigned>(
            llvm::hash_combine(op->getName().getAsOpaquePointer(), operands, op->getRawDictionaryAttrs()));
    }

    static bool isEqual(const Operation *left, const Operation *right) {
        if (left == right)
            return true;
        if (isMarker(left) || isMarker(right))
            return false;
        auto *a = const_cast<Operation *>(left), *b = const_cast<Operation *>(right);
        if (a->getName() != b->getName() || a->getAttrs() != b->getAttrs() ||
            a->getNumOperands() != b->getNumOperands() || a->getResultTypes() != b->getResultTypes())
            return false;
        if (a->getOperands() == b->getOperands())
            return true;
        return isCommutative(cast<DaphneOp>(a)) && a->getOperand(0) == b->getOperand(1) &&
               a->getOperand(1) == b->getOperand(0);
    }

  private:
    static bool isMarker(const Operation *op) { return op == getEmptyKey() || op == getTombstoneKey(); }
};

using Table = llvm::ScopedHashTable<Operation *, Operation *, EqualOps>;

bool canMerge(DaphneOp op) {
    return !op.info().sideEffect && op.hint().empty() && op->getNumResults() > 0 && !op.is("undef");
}

void mergeIn(Region &region, Table &known) {
    llvm::ScopedHashTableScope<Operation *, Operation *, EqualOps> scope(known);
    for (Block &block : region)
        for (Operation &op : llvm::make_early_inc_range(block)) {
            for (Region &inner : op.getRegions())
                mergeIn(inner, known);
            auto daphne = dyn_cast<DaphneOp>(op);
            if (!daphne || !canMerge(daphne))
                continue;
            if (Operation *equal = known.lookup(&op)) {
                op.replaceAllUsesWith(equal);
                op.erase();
            } else {
                known.insert(&op, &op);
            }
        }
}

} // namespace

void eliminateCommonOps(ModuleOp module) {
    Table known;
    for (Operation &function : *module.getBody())
        for (Region &region : function.getRegions())
            mergeIn(region, known);
}

} // namespace daphne::transforms
