// SPDX-License-Identifier: Apache-2.0
/// Kernel calls and literals.
#include "codegen/Emitter.h"

#include "codegen/Runtime.h"
#include "exec/CallKernel.h"
#include "ops/KernelName.h"

namespace daphne::codegen {

using ir::DaphneOp;
using ops::TypeDesc;

namespace {

/// Tag of values of a type; 0 if only the run time knows.
uint64_t staticTag(const TypeDesc &t) {
    switch (t.kind) {
    case ops::Kind::Scalar: return slotTag(ValueKind::Scalar, t.valueType);
    case ops::Kind::Matrix: return slotTag(ValueKind::Matrix);
    case ops::Kind::Frame: return slotTag(ValueKind::Frame);
    case ops::Kind::List: return slotTag(ValueKind::List);
    case ops::Kind::Unknown: break;
    }
    return 0;
}

bool isCsr(const TypeDesc &t) { return t.isMatrix() && t.representation == ops::Representation::Csr; }

bool isUnknown(mlir::Type type) { return mlir::isa<ir::UnknownType>(type); }

} // namespace

llvm::Value *Emitter::pointerConstant(const void *p) {
    return llvm::ConstantExpr::getIntToPtr(b.getInt64(reinterpret_cast<uint64_t>(p)), ptr);
}

llvm::CallInst *Emitter::callRuntime(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> args) {
    LlvmTypes types;
    for (llvm::Value *v : args)
        types.push_back(v->getType());
    return b.CreateCall(target->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), args);
}

uint64_t Emitter::newCallSite(mlir::Location loc, std::string_view operation) {
    CallSite site{ir::spanOf(loc), operation};
    if (callSites.empty() || !(callSites.back().span == site.span) || callSites.back().operation != operation)
        callSites.push_back(site);
    return callSites.size() - 1;
}

void Emitter::setCallSite(mlir::Location loc, std::string_view operation) {
    static_assert(kThreadCallSite == 0);
    b.CreateStore(b.getInt64(newCallSite(loc, operation)), contextArg);
}

// ---- slots

llvm::Value *Emitter::tagOf(Lowered v, mlir::Type type) {
    return v.tag ? v.tag : b.getInt64(staticTag(ir::toTypeDesc(type)));
}

llvm::Value *Emitter::toBits(Lowered v, mlir::Type type) {
    if (v.tag)
        return v.bits;
    if (ir::isReference(type))
        return b.CreatePtrToInt(v.bits, i64);
    if (type.isF64())
        return b.CreateBitCast(v.bits, i64);
    if (type.isF32())
        return b.CreateZExt(b.CreateBitCast(v.bits, b.getInt32Ty()), i64);
    bool isSignedInteger = type.isSignedInteger();
    return isSignedInteger ? b.CreateSExt(v.bits, i64) : b.CreateZExt(v.bits, i64);
}

Lowered Emitter::fromBits(llvm::Value *bits, llvm::Value *tag, mlir::Type type) {
    if (isUnknown(type))
        return {bits, tag};
    if (ir::isReference(type))
        return {b.CreateIntToPtr(bits, ptr)};
    if (type.isF64())
        return {b.CreateBitCast(bits, b.getDoubleTy())};
    if (type.isF32())
        return {b.CreateBitCast(b.CreateTrunc(bits, b.getInt32Ty()), b.getFloatTy())};
    return {b.CreateTrunc(bits, llvmType(type))};
}

llvm::Value *Emitter::slotField(llvm::Value *area, size_t index, unsigned field) {
    return b.CreateConstInBoundsGEP1_64(i64, area, 2 * index + field);
}

void Emitter::storeSlot(llvm::Value *area, size_t index, Lowered v, mlir::Type type) {
    b.CreateStore(tagOf(v, type), slotField(area, index, 0));
    // Pointers are stored and loaded as such: instructions that only change their type cost time to compile.
    bool isPointer = !v.tag && ir::isReference(type);
    b.CreateStore(isPointer ? v.bits : toBits(v, type), slotField(area, index, 1));
}

Lowered Emitter::loadSlot(llvm::Value *area, size_t index, mlir::Type type) {
    if (!isUnknown(type) && ir::isReference(type))
        return {b.CreateLoad(ptr, slotField(area, index, 1))};
    llvm::Value *tag = isUnknown(type) ? b.CreateLoad(i64, slotField(area, index, 0)) : nullptr;
    return fromBits(b.CreateLoad(i64, slotField(area, index, 1)), tag, type);
}

// ---- references

void Emitter::retain(Lowered v, mlir::Type type) {
    if (isUnknown(type))
        callRuntime("daphne_retain_value", b.getVoidTy(), {v.tag, v.bits});
    else
        callRuntime("daphne_retain", b.getVoidTy(), {v.bits});
}

void Emitter::release(Lowered v, mlir::Type type) {
    if (isUnknown(type))
        callRuntime("daphne_release_value", b.getVoidTy(), {v.tag, v.bits});
    else
        callRuntime("daphne_release", b.getVoidTy(), {v.bits});
}

Lowered Emitter::undef(mlir::Type type) {
    if (isUnknown(type))
        return {b.getInt64(0), b.getInt64(0)};
    return {llvm::Constant::getNullValue(llvmType(type))};
}

/// A value made at compile time; the program keeps it, each use gets a reference of its own.
Lowered Emitter::literal(Value value, mlir::Type type) {
    literals.push_back(std::move(value));
    Lowered v{pointerConstant(literals.back().object())};
    retain(v, type);
    return v;
}

void Emitter::emitLiteral(DaphneOp op) {
    mlir::Type type = op->getResult(0).getType();
    TypeDesc t = ir::toTypeDesc(type);
    auto matrix = Dense::create(t.valueType, static_cast<size_t>(t.rows), static_cast<size_t>(t.cols));
    mlir::Attribute cells = op->getAttr(ir::kCells);
    if (auto texts = mlir::dyn_cast<mlir::ArrayAttr>(cells)) {
        auto out = matrix->mutableView<std::string>();
        for (auto [i, text] : llvm::enumerate(texts))
            out.data[i] = mlir::cast<mlir::StringAttr>(text).str();
    } else {
        auto dense = mlir::cast<mlir::DenseElementsAttr>(cells);
        llvm::ArrayRef<char> raw = dense.getRawData();
        size_t bytes = matrix->cells() * cellSize(t.valueType);
        auto *out = reinterpret_cast<char *>(matrix->mutableView<uint8_t>().data);
        // MLIR stores equal cells once.
        for (size_t i = 0; i < bytes; ++i)
            out[i] = raw[dense.isSplat() ? 0 : i];
    }
    Value value = isCsr(t) ? Value(Csr::shown(*toCsr(*matrix), true)) : Value(std::move(matrix));
    bindOwned(op->getResult(0), literal(std::move(value), type));
}

void Emitter::emitAdapt(DaphneOp op) {
    mlir::Value source = op->getOperand(0), result = op->getResult(0);
    mlir::Type sourceType = source.getType();
    Lowered v = get(source);
    TypeDesc from = ir::toTypeDesc(sourceType), to = ir::toTypeDesc(result.getType());
    bool isManaged = references == References::Managed, hasReference = ir::isReference(sourceType);
    setCallSite(op.getLoc(), "");
    if (op->hasAttr(ir::kConsume))
        handOver(source);
    else if (hasReference)
        retain(v, sourceType);
    // The result's reference has a slot before anything is checked; its address may still change.
    unsigned slot = 0;
    auto hold = [&] {
        llvm::Value *object = objectOf(v);
        if (isManaged)
            b.CreateStore(object, rootSlot(slot));
        else
            callRuntime("daphne_keep", b.getVoidTy(), {contextArg, object});
    };
    auto replace = [&](const char *function) {
        if (!isManaged)
            retain(v, sourceType); // the run keeps the old one
        v.bits = callRuntime(function, ptr, {contextArg, v.bits});
        hold();
    };
    if (hasReference) {
        if (isManaged)
            slot = newRoot();
        hold();
    }
    if (isCsr(from) && !isCsr(to))
        replace("daphne_plain_matrix");
    if (isUnknown(result.getType())) {
        v = {toBits(v, sourceType), tagOf(v, sourceType)};
    } else {
        if (from.isUnknown()) {
            auto *bits = callRuntime("daphne_expect", i64, {contextArg, v.tag, v.bits, b.getInt64(staticTag(to))});
            v = fromBits(bits, nullptr, result.getType());
            sourceType = result.getType();
        }
        bool addsFacts = from.valueType != to.valueType || (to.rows >= 0 && from.rows != to.rows) ||
                         (to.cols >= 0 && from.cols != to.cols);
        if (isCsr(to) && !isCsr(from))
            replace("daphne_csr_matrix");
        if (to.isMatrix() && addsFacts)
            callRuntime("daphne_expect_matrix", b.getVoidTy(),
                        {contextArg, v.bits, b.getInt64(static_cast<uint64_t>(to.valueType)),
                         b.getInt64(static_cast<uint64_t>(to.rows)), b.getInt64(static_cast<uint64_t>(to.cols))});
        if (to.isFrame())
            emitFrameCheck(v, from, to);
        if (to.isList() && to.valueType != ValueType::Unknown && from.valueType != to.valueType)
            callRuntime("daphne_expect_list", b.getVoidTy(),
                        {contextArg, v.bits, b.getInt64(static_cast<uint64_t>(to.valueType))});
    }
    bind(result, v);
    if (!hasReference || !isManaged)
        return;
    if (ir::isReference(result.getType()))
        rootOf[result] = slot;
    else
        freeRoots.push_back(slot); // a number after all: the slot is empty
}

/// Where a frame was of unknown columns, such as one read from a file.
void Emitter::emitFrameCheck(Lowered frame, const TypeDesc &from, const TypeDesc &to) {
    if (from.schema || !to.schema || to.schema->labels.size() != to.schema->types.size() ||
        llvm::is_contained(to.schema->types, ValueType::Unknown))
        return;
    auto like = Ref<Frame>::make(0);
    for (size_t c = 0; c < to.schema->labels.size(); ++c) {
        if (like->find(to.schema->labels[c]) != Frame::npos)
            return; // there is no such frame: whoever makes it fails
        like->addColumn(to.schema->labels[c], Dense::create(to.schema->types[c], 0, 1));
    }
    literals.push_back(Value(std::move(like)));
    callRuntime("daphne_expect_frame", b.getVoidTy(),
                {contextArg, frame.bits, pointerConstant(literals.back().object()),
                 b.getInt64(static_cast<uint64_t>(to.rows))});
}

void Emitter::emitFail(DaphneOp op) {
    setCallSite(op.getLoc(), "");
    auto message = op->getAttrOfType<mlir::StringAttr>(ir::kMessage).getValue();
    literals.push_back(Value::string(message.str()));
    callRuntime("daphne_fail", b.getVoidTy(), {contextArg, pointerConstant(literals.back().text().c_str())});
}

/// A loop over contiguous cells that calls the function natively, handed to the runtime for every row.
void Emitter::emitMap(DaphneOp op) {
    mlir::Type cellIn = mlir::cast<ir::MatrixType>(op->getOperand(0).getType()).element();
    mlir::Type cellOut = mlir::cast<ir::MatrixType>(op->getResult(0).getType()).element();
    auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>(ir::kCallee).getValue();
    llvm::FunctionCallee inner = calleeOf(callee, op.getLoc());
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr, ptr, i64, ptr}, false);
    auto *loop = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "map_" + callee, *target);
    loop->setUWTableKind(llvm::UWTableKind::Async);
    {
        llvm::IRBuilder<>::InsertPointGuard guard(b);
        auto *entry = llvm::BasicBlock::Create(context, "entry", loop);
        auto *header = llvm::BasicBlock::Create(context, "for", loop);
        auto *body = llvm::BasicBlock::Create(context, "do", loop);
        auto *exit = llvm::BasicBlock::Create(context, "end", loop);
        b.SetInsertPoint(entry);
        b.CreateBr(header);
        b.SetInsertPoint(header);
        auto *index = b.CreatePHI(i64, 2);
        index->addIncoming(b.getInt64(0), entry);
        b.CreateCondBr(b.CreateICmpULT(index, loop->getArg(3)), body, exit);
        b.SetInsertPoint(body);
        auto cellType = [&](mlir::Type t) -> llvm::Type * {
            if (mlir::isa<ir::StringType>(t))
                return llvm::ArrayType::get(b.getInt8Ty(), sizeof(std::string));
            return t.isInteger(1) ? b.getInt8Ty() : llvmType(t);
        };
        auto *in = b.CreateGEP(cellType(cellIn), loop->getArg(1), index);
        auto *out = b.CreateGEP(cellType(cellOut), loop->getArg(2), index);
        llvm::Value *x;
        if (mlir::isa<ir::StringType>(cellIn)) {
            x = callRuntime("daphne_string_cell", ptr, {loop->getArg(0), in});
        } else {
            x = b.CreateLoad(cellType(cellIn), in);
            if (cellIn.isInteger(1))
                x = b.CreateTrunc(x, b.getInt1Ty());
        }
        llvm::SmallVector<llvm::Value *> args{loop->getArg(0)};
        for (size_t i = 1; i < op->getNumOperands(); ++i) {
            mlir::Type type = op->getOperand(i).getType();
            Lowered v = loadSlot(loop->getArg(4), i, type);
            if (ir::isReference(type) && references == References::Managed)
                retain(v, type); // the function releases what it is given
            append(args, v);
        }
        args.push_back(x);
        llvm::CallInst *call = b.CreateCall(inner, args);
        if (!call->getType()->isVoidTy()) {
            if (mlir::isa<ir::StringType>(cellOut))
                callRuntime("daphne_set_string_cell", b.getVoidTy(), {loop->getArg(0), out, call});
            else
                b.CreateStore(cellOut.isInteger(1) ? b.CreateZExt(call, b.getInt8Ty()) : call, out);
        }
        index->addIncoming(b.CreateAdd(index, b.getInt64(1)), b.GetInsertBlock());
        b.CreateBr(header);
        b.SetInsertPoint(exit);
        b.CreateRetVoid();
    }
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
        storeSlot(argArea, i, get(v), v.getType());
    setCallSite(op.getLoc(), "map");
    auto resultType = static_cast<uint64_t>(ir::toTypeDesc(cellOut).valueType);
    bindOwned(op->getResult(0), {callRuntime("daphne_map", ptr, {contextArg, argArea, loop, b.getInt64(resultType)})});
}

// ---- kernels

uint64_t Emitter::castTargetOf(DaphneOp op) {
    if (!op.is("cast"))
        return 0;
    TypeDesc wanted = ir::castTargetOf(op);
    return static_cast<uint64_t>(wanted.kind) | static_cast<uint64_t>(wanted.valueType) << 8;
}

/// The operands whose references the callee takes over, as bits.
uint64_t Emitter::handOverConsumed(mlir::Operation *op) {
    auto attribute = op->getAttrOfType<mlir::IntegerAttr>(ir::kConsume);
    uint64_t mask = attribute ? static_cast<uint64_t>(attribute.getInt()) : 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        handOver(op->getOperand(static_cast<unsigned>(__builtin_ctzll(rest))));
    return mask;
}

/// The operations become data; the engine plans and runs them.
void Emitter::emitPipeline(ir::PipelineOp op) {
    regions.push_back(std::make_unique<exec::Region>(loops, op->getNumOperands()));
    exec::Region &region = *regions.back();
    llvm::DenseMap<mlir::Value, uint16_t> numbers;
    for (auto [i, arg] : llvm::enumerate(op.body().getArguments()))
        numbers[arg] = static_cast<uint16_t>(i);
    for (auto member : op.body().getOps<DaphneOp>()) {
        exec::RegionOp step;
        step.info = &member.info();
        step.kernel = KernelTable::get().find(step.info->mnemonic);
        if (!step.kernel)
            throw internalError("operation " + std::string(member.mnemonic()) + " has no kernel");
        for (mlir::Value v : member->getOperands())
            step.operands.push_back(numbers.lookup(v));
        TypeDesc result = ir::toTypeDesc(member->getResult(0).getType());
        step.expectedTag = staticTag(result) | (isCsr(result) ? exec::kWantsCsr : 0);
        step.castTarget = castTargetOf(member);
        step.callSite = newCallSite(member.getLoc(), step.info->mnemonic);
        numbers[member->getResult(0)] = static_cast<uint16_t>(region.numValues());
        region.ops.push_back(std::move(step));
    }
    for (mlir::Value v : op.body().back().getOperands())
        region.outputs.push_back(numbers.lookup(v));
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
        storeSlot(argArea, i, get(v), v.getType());
    callRuntime("daphne_run_region", b.getVoidTy(),
                {contextArg, pointerConstant(&region), resultArea, argArea, b.getInt64(handOverConsumed(op))});
    for (auto [i, v] : llvm::enumerate(op->getResults()))
        bindOwned(v, loadSlot(resultArea, i, v.getType()));
}

void Emitter::emitKernelCall(DaphneOp op) {
    const Kernel *kernel = KernelTable::get().find(op.mnemonic());
    if (!kernel)
        throw internalError("operation " + std::string(op.mnemonic()) + " has no kernel").at(ir::spanOf(op.getLoc()));
    std::vector<TypeDesc> argTypes, resultTypes;
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
        argTypes.push_back(ir::toTypeDesc(v.getType()));
        storeSlot(argArea, i, get(v), v.getType());
    }
    for (auto [i, v] : llvm::enumerate(op->getResults())) {
        resultTypes.push_back(ir::toTypeDesc(v.getType()));
        uint64_t tag = staticTag(resultTypes.back()) | (isCsr(resultTypes.back()) ? exec::kWantsCsr : 0);
        b.CreateStore(b.getInt64(tag), slotField(resultArea, i, 0));
    }
    std::string symbol = ops::kernelName(kernel->mnemonic, resultTypes, argTypes);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr, ptr, ptr, i64, i64, i64}, false);
    llvm::FunctionCallee callee = target->getOrInsertFunction(symbol, type);
    kernels.insert(std::move(symbol));
    setCallSite(op.getLoc(), kernel->mnemonic);
    uint64_t counts = op->getNumOperands() | static_cast<uint64_t>(op->getNumResults()) << 32;
    b.CreateCall(callee, {contextArg, pointerConstant(kernel), resultArea, argArea, b.getInt64(counts),
                          b.getInt64(handOverConsumed(op)), b.getInt64(castTargetOf(op))});
    for (auto [i, v] : llvm::enumerate(op->getResults()))
        bindOwned(v, loadSlot(resultArea, i, v.getType()));
}

} // namespace daphne::codegen
