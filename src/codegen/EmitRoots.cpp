// SPDX-License-Identifier: Apache-2.0
/// References that a generated function owns. Control flow is structured and a
/// block hands over or releases everything it owns, so slots are given back in
/// the order of emission and frames stay small.
#include "codegen/Emitter.h"

namespace daphne::codegen {

namespace {
/// The head of a RootFrame in words: the outer frame and the number of slots.
constexpr unsigned kFrameHead = offsetof(exec::RootFrame, slots) / sizeof(uint64_t);
/// More slots than this are cleared by a call.
constexpr unsigned kClearedInline = 16;
} // namespace

/// How large the frame is, is known at the end of the function: until then an empty one stands for it.
void Emitter::beginRoots() {
    rootOf.clear();
    further.clear();
    freeRoots.clear();
    numRoots = 0;
    rootFrame = b.CreateAlloca(i64, nullptr, "roots");
}

void Emitter::endRoots() {
    if (numRoots == 0) {
        rootFrame->eraseFromParent();
        return;
    }
    // Where the function returns: its frame goes.
    llvm::Value *chain = b.CreateConstGEP1_64(b.getInt8Ty(), contextArg, kThreadRoots);
    b.CreateStore(b.CreateLoad(i64, rootFrame), chain);
    llvm::IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(rootFrame->getNextNode());
    auto *frame = b.CreateAlloca(llvm::ArrayType::get(i64, kFrameHead + numRoots), nullptr, "roots");
    chain = b.CreateConstGEP1_64(b.getInt8Ty(), contextArg, kThreadRoots);
    b.CreateStore(b.CreateLoad(i64, chain), frame);
    b.CreateStore(b.getInt64(numRoots), b.CreateConstInBoundsGEP1_64(i64, frame, 1));
    if (numRoots > kClearedInline)
        callRuntime("daphne_clear_roots", b.getVoidTy(), {frame});
    else
        for (unsigned i = 0; i < numRoots; ++i)
            b.CreateStore(b.getInt64(0), b.CreateConstInBoundsGEP1_64(i64, frame, kFrameHead + i));
    b.CreateStore(frame, chain);
    rootFrame->replaceAllUsesWith(frame);
    rootFrame->eraseFromParent();
}

llvm::Value *Emitter::rootSlot(unsigned index) {
    return b.CreateConstInBoundsGEP1_64(i64, rootFrame, kFrameHead + index);
}

/// Address of the object that a value held by reference, or of unknown type, refers to; null if it is a number.
llvm::Value *Emitter::objectOf(Lowered v) {
    if (!v.tag)
        return v.bits;
    auto *isText = b.CreateICmpEQ(v.tag, b.getInt64(slotTag(ValueKind::Scalar, ValueType::Str)));
    auto *kind = b.CreateAnd(v.tag, b.getInt64(0xff));
    auto *isOther = b.CreateICmpUGT(kind, b.getInt64(static_cast<uint64_t>(ValueKind::Scalar)));
    return b.CreateIntToPtr(b.CreateSelect(b.CreateOr(isText, isOther), v.bits, b.getInt64(0)), ptr);
}

unsigned Emitter::newRoot() { return freeRoots.empty() ? numRoots++ : freeRoots.pop_back_val(); }

void Emitter::own(mlir::Value v) {
    unsigned slot = newRoot();
    rootOf[v] = slot;
    b.CreateStore(objectOf(get(v)), rootSlot(slot));
}

void Emitter::bindOwned(mlir::Value v, Lowered lowered) {
    bind(v, lowered);
    if (!ir::isReference(v.getType()))
        return;
    if (references == References::Managed)
        own(v);
    else
        callRuntime("daphne_keep", b.getVoidTy(), {contextArg, objectOf(lowered)});
}

void Emitter::bindReceived(mlir::Value v, Lowered lowered) {
    bind(v, lowered);
    if (ir::isReference(v.getType()) && references == References::Managed)
        own(v);
}

void Emitter::handOver(mlir::Value v) {
    if (auto extra = further.find(v); extra != further.end() && extra->second > 0) {
        --extra->second;
        return;
    }
    auto found = rootOf.find(v);
    if (found == rootOf.end())
        return;
    b.CreateStore(b.getInt64(0), rootSlot(found->second));
    freeRoots.push_back(found->second);
    if (handedOver)
        handedOver->emplace_back(v, found->second);
    rootOf.erase(found);
}

void Emitter::takeBack(mlir::Operation *branch, const HandedOver &byFirst) {
    for (auto [v, slot] : byFirst) {
        if (branch->isAncestor(v.getParentRegion()->getParentOp()))
            continue;
        rootOf[v] = slot;
        llvm::erase(freeRoots, slot);
    }
}

void Emitter::handOver(mlir::OperandRange operands) {
    for (mlir::Value v : operands)
        if (ir::isReference(v.getType()))
            handOver(v);
}

} // namespace daphne::codegen
