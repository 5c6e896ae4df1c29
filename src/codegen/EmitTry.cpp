// SPDX-License-Identifier: Apache-2.0
/// daphne.try and daphne.keep, see ir/Try.h.
#include "codegen/Emitter.h"
#include "codegen/Runtime.h"
#include "exec/GuardFrame.h"
#include "ir/Try.h"

namespace daphne::codegen {

using ir::DaphneOp;

/// The address of what a function under a guard keeps; before its own frame stands above that of the guard.
void Emitter::findKept(mlir::func::FuncOp f) {
    keptArea = nullptr;
    if (!f->hasAttr(ir::kTryBody))
        return;
    auto *guard = b.CreateLoad(ptr, b.CreateConstGEP1_64(b.getInt8Ty(), contextArg, kThreadRoots));
    keptArea = b.CreateLoad(ptr, b.CreateConstGEP1_64(b.getInt8Ty(), guard, offsetof(exec::GuardFrame, kept)));
}

void Emitter::emitKeep(DaphneOp op) {
    auto index = static_cast<size_t>(op->getAttrOfType<mlir::IntegerAttr>(ir::kValue).getInt());
    mlir::Value value = op->getOperand(0);
    Lowered v = get(value);
    if (ir::isReference(value.getType()))
        callRuntime("daphne_keep_value", b.getVoidTy(),
                    {slotField(keptArea, index, 0), tagOf(v, value.getType()), toBits(v, value.getType())});
    else
        storeSlot(keptArea, index, v, value.getType());
}

/// The runtime calls the function through another one, which finds the arguments in slots.
llvm::Function *Emitter::tryWrapper(llvm::StringRef callee, mlir::TypeRange types) {
    llvm::Function *inner = declaration(callee);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr}, false);
    auto *wrapper = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "run_" + callee, *target);
    wrapper->setUWTableKind(llvm::UWTableKind::Async);
    llvm::IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", wrapper));
    llvm::SmallVector<llvm::Value *> args{wrapper->getArg(0)};
    for (auto [i, t] : llvm::enumerate(types)) {
        Lowered v = loadSlot(wrapper->getArg(1), i, t);
        if (ir::isReference(t) && references == References::Managed)
            retain(v, t); // functions own their arguments
        append(args, v);
    }
    b.CreateCall(inner, args);
    b.CreateRetVoid();
    return wrapper;
}

void Emitter::emitTry(DaphneOp op) {
    auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>(ir::kCallee).getValue();
    auto numVariables = static_cast<unsigned>(op->getAttrOfType<mlir::IntegerAttr>(ir::kValue).getInt());
    llvm::Function *wrapper =
        tryWrapper(callee, mlir::ValueRange(op->getOperands()).drop_front(numVariables).getTypes());
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
        storeSlot(argArea, i, get(v), v.getType());
    callRuntime("daphne_try", b.getVoidTy(),
                {contextArg, wrapper, resultArea, argArea, b.getInt64(numVariables), b.getInt64(op->getNumResults()),
                 pointerConstant(&places)});
    for (auto [i, v] : llvm::enumerate(op->getResults()))
        bindOwned(v, loadSlot(resultArea, i, v.getType()));
}

} // namespace daphne::codegen
