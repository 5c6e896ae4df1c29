// SPDX-License-Identifier: Apache-2.0
/// Functions and control flow.
#include "codegen/Emitter.h"

#include "llvm/IR/Intrinsics.h"

namespace daphne::codegen {

using llvm::BasicBlock;
using llvm::PHINode;

Emitter::Emitter(llvm::Module &glue, llvm::Module &hot, std::vector<CallSite> &callSites, CallTable &calls,
                 const Places &places, std::vector<Value> &literals, const exec::LoopEngine &loops,
                 std::vector<std::unique_ptr<exec::Region>> &regions, References references)
    : context(glue.getContext()), glue(glue), hot(hot), target(&glue), b(context), callSites(callSites), calls(calls),
      places(places), literals(literals), loops(loops), regions(regions), i64(llvm::Type::getInt64Ty(context)),
      ptr(llvm::PointerType::getUnqual(context)), slotType(llvm::StructType::get(i64, i64)), references(references) {}

llvm::Type *Emitter::llvmType(mlir::Type type) {
    if (ir::isReference(type))
        return ptr;
    if (type.isF64())
        return b.getDoubleTy();
    if (type.isF32())
        return b.getFloatTy();
    if (type.isIndex())
        return i64;
    return b.getIntNTy(type.getIntOrFloatBitWidth());
}

void Emitter::append(LlvmTypes &out, mlir::Type type) {
    if (mlir::isa<ir::UnknownType>(type))
        out.append({i64, i64});
    else
        out.push_back(llvmType(type));
}

void Emitter::append(llvm::SmallVectorImpl<llvm::Value *> &out, Lowered v) {
    out.push_back(v.bits);
    if (v.tag)
        out.push_back(v.tag);
}

llvm::Type *Emitter::resultType(mlir::TypeRange types) {
    LlvmTypes parts;
    for (mlir::Type t : types)
        append(parts, t);
    if (parts.empty())
        return b.getVoidTy();
    // Alone it is returned as it is: LLVM's fast instruction selection does not know structures.
    return parts.size() == 1 ? parts.front() : llvm::StructType::get(context, parts);
}

BasicBlock *Emitter::newBlock(const char *name) { return BasicBlock::Create(context, name, function); }

// ---- functions

namespace {

/// Optimising code generators take more than linear time; straight-line giants gain nothing from them.
constexpr size_t kMaxHotOperations = 3000;

bool insideLoop(mlir::Operation *op) {
    return op->getParentOfType<mlir::scf::WhileOp>() || op->getParentOfType<mlir::scf::ForOp>();
}

/// Functions that run code repeatedly: with loops, recursive, or called from inside such code.
llvm::StringSet<> hotFunctionsOf(mlir::ModuleOp module) {
    llvm::StringSet<> hot;
    std::vector<std::tuple<std::string, std::string, bool>> calls; // caller, callee, inside a loop
    for (auto f : module.getOps<mlir::func::FuncOp>()) {
        std::string caller = f.getSymName().str();
        f.walk([&](mlir::Operation *op) {
            if (mlir::isa<mlir::scf::WhileOp, mlir::scf::ForOp>(op))
                hot.insert(caller);
            else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
                calls.emplace_back(caller, call.getCallee().str(), insideLoop(op) || caller == call.getCallee());
            else if (auto callee = op->getAttrOfType<mlir::FlatSymbolRefAttr>(ir::kCallee)) // map, try
                calls.emplace_back(caller, callee.getValue().str(), insideLoop(op) || ir::asOp(op, "map"));
        });
    }
    llvm::StringSet<> repeated;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto &[caller, callee, inLoop] : calls)
            if (inLoop || repeated.contains(caller))
                changed |= repeated.insert(callee).second;
    }
    for (auto &entry : repeated)
        hot.insert(entry.getKey());
    for (auto f : module.getOps<mlir::func::FuncOp>()) {
        size_t operations = 0;
        f.walk([&](mlir::Operation *) { ++operations; });
        if (operations > kMaxHotOperations)
            hot.erase(f.getSymName());
    }
    return hot;
}

/// Functions that call none can neither recurse nor run for long without a loop or a runtime function, which test
/// themselves.
bool mayRecurse(mlir::func::FuncOp f) {
    return f
        .walk([](mlir::Operation *op) {
            return op->hasAttr(ir::kCallee) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
        })
        .wasInterrupted();
}

} // namespace

/// The function of an IR symbol in the module being written, declared there if need be.
llvm::Function *Emitter::declaration(llvm::StringRef symbol) { return declaration(symbol, *target); }

llvm::Function *Emitter::declaration(llvm::StringRef symbol, llvm::Module &module) {
    std::string name = ("fn_" + symbol).str();
    if (llvm::Function *existing = module.getFunction(name))
        return existing;
    auto f = source.lookupSymbol<mlir::func::FuncOp>(symbol);
    LlvmTypes params{ptr};
    for (mlir::Type t : f.getFunctionType().getInputs())
        append(params, t);
    auto *type = llvm::FunctionType::get(resultType(f.getFunctionType().getResults()), params, false);
    auto *fn = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    fn->setUWTableKind(llvm::UWTableKind::Async);
    return fn;
}

/// The function as one call in the script calls it: by a name that says which call it is.
llvm::FunctionCallee Emitter::calleeOf(llvm::StringRef symbol, mlir::Location call) {
    llvm::Module &home = hotFunctions.contains(symbol) ? hot : glue;
    llvm::Function *function = declaration(symbol, home);
    // The symbol is the name in the script and the number of the version.
    std::string name = calls.add(symbol.substr(0, symbol.rfind('_')).str(), ir::spanOf(call));
    auto *alias = llvm::GlobalAlias::create(llvm::GlobalValue::ExternalLinkage, name, function);
    if (&home == target)
        return {function->getFunctionType(), alias};
    return target->getOrInsertFunction(name, function->getFunctionType());
}

/// One argument and one result area per function: calls never nest, so all share them.
void Emitter::reserveArgumentArea(mlir::Region &body) {
    size_t maxArgs = 1, maxResults = 1;
    body.walk([&](mlir::Operation *op) {
        if (!mlir::isa<ir::DaphneOp, ir::PipelineOp>(op))
            return;
        maxArgs = std::max<size_t>(maxArgs, op->getNumOperands());
        maxResults = std::max<size_t>(maxResults, op->getNumResults());
    });
    argArea = b.CreateAlloca(llvm::ArrayType::get(slotType, maxArgs), nullptr, "args");
    resultArea = b.CreateAlloca(llvm::ArrayType::get(slotType, maxResults), nullptr, "results");
}

/// User functions may recurse without end: compare the frame with the limit in the context.
void Emitter::emitStackCheck() {
    auto *frame = b.CreateIntrinsic(llvm::Intrinsic::frameaddress, {ptr}, {b.getInt32(0)});
    auto *limit = b.CreateLoad(i64, b.CreateConstGEP1_64(b.getInt8Ty(), contextArg, kThreadStackLimit));
    BasicBlock *overflow = newBlock("overflow"), *go = newBlock("go");
    b.CreateCondBr(b.CreateICmpULT(b.CreatePtrToInt(frame, i64), limit), overflow, go);
    b.SetInsertPoint(overflow);
    callRuntime("daphne_stack_overflow", b.getVoidTy(), {contextArg});
    b.CreateUnreachable();
    b.SetInsertPoint(go);
}

/// Where code may run for long without calling anything: at the beginning of functions and at the end of every turn of
/// a loop. Goes on at this block.
void Emitter::emitCancelCheck(BasicBlock *next) {
    auto *flag = b.CreateLoad(b.getInt8Ty(), cancelFlag);
    flag->setAtomic(llvm::AtomicOrdering::Monotonic);
    flag->setAlignment(llvm::Align(1));
    if (!cancelled)
        cancelled = BasicBlock::Create(b.getContext(), "cancelled");
    b.CreateCondBr(b.CreateICmpNE(flag, b.getInt8(0)), cancelled, next);
}

/// The block that all tests of a function share stands behind everything else: code that goes on falls through.
void Emitter::emitCancelled() {
    if (!cancelled)
        return;
    cancelled->insertInto(function);
    b.SetInsertPoint(cancelled);
    callRuntime("daphne_cancelled", b.getVoidTy(), {contextArg});
    b.CreateUnreachable();
    cancelled = nullptr;
}

void Emitter::emitFunction(mlir::func::FuncOp f) {
    function = declaration(f.getSymName());
    b.SetInsertPoint(newBlock("entry"));
    contextArg = function->getArg(0);
    values.clear();
    reserveArgumentArea(f.getBody());
    findKept(f);
    beginRoots();
    cancelFlag = b.CreateLoad(ptr, b.CreateConstGEP1_64(b.getInt8Ty(), contextArg, kThreadCancelFlag));
    unsigned next = 1;
    for (mlir::BlockArgument arg : f.getArguments()) {
        Lowered v{function->getArg(next++)};
        if (mlir::isa<ir::UnknownType>(arg.getType()))
            v.tag = function->getArg(next++);
        bindReceived(arg, v);
    }
    if (f.isPrivate() && mayRecurse(f)) {
        setCallSite(f.getLoc(), "call");
        emitStackCheck();
        BasicBlock *go = newBlock("go");
        emitCancelCheck(go);
        b.SetInsertPoint(go);
    }
    LoweredList results = emitBlock(f.getBody().front());
    endRoots();
    emitReturn(results);
    emitCancelled();
}

void Emitter::emitReturn(const LoweredList &results) {
    if (results.empty()) {
        b.CreateRetVoid();
        return;
    }
    llvm::SmallVector<llvm::Value *> parts;
    for (Lowered v : results)
        append(parts, v);
    if (parts.size() == 1) {
        b.CreateRet(parts.front());
        return;
    }
    llvm::Value *aggregate = llvm::PoisonValue::get(function->getReturnType());
    for (auto [i, part] : llvm::enumerate(parts))
        aggregate = b.CreateInsertValue(aggregate, part, i);
    b.CreateRet(aggregate);
}

void Emitter::emitFunctionCall(mlir::func::CallOp op) {
    llvm::SmallVector<llvm::Value *> args{contextArg};
    for (mlir::Value v : op.getOperands())
        append(args, get(v));
    handOver(op.getOperands());
    LoweredList results = resultsOf(b.CreateCall(calleeOf(op.getCallee(), op.getLoc()), args), op.getResultTypes());
    for (auto [r, v] : llvm::zip(op.getResults(), results))
        bindReceived(r, v);
}

/// The values that a call has returned.
Emitter::LoweredList Emitter::resultsOf(llvm::CallInst *call, mlir::TypeRange types) {
    LoweredList results;
    unsigned next = 0;
    auto part = [&]() -> llvm::Value * {
        return call->getType()->isStructTy() ? b.CreateExtractValue(call, next++) : call;
    };
    for (mlir::Type t : types) {
        Lowered v{part()};
        if (mlir::isa<ir::UnknownType>(t))
            v.tag = part();
        results.push_back(v);
    }
    return results;
}

/// void daphne_entry(ThreadContext *, Slot *inputs, Slot *outputs): @main with its arguments and results in slots.
void Emitter::emitEntry(mlir::func::FuncOp main) {
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr, ptr}, false);
    function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kEntry, *target);
    function->setUWTableKind(llvm::UWTableKind::Async);
    b.SetInsertPoint(newBlock("entry"));
    contextArg = function->getArg(0);
    llvm::SmallVector<llvm::Value *> args{contextArg};
    bool isKept = references == References::KeptByRun;
    for (auto [i, t] : llvm::enumerate(main.getFunctionType().getInputs())) {
        Lowered v = loadSlot(function->getArg(1), i, t);
        if (isKept && ir::isReference(t))
            callRuntime("daphne_keep", b.getVoidTy(), {contextArg, objectOf(v)});
        append(args, v);
    }
    auto *call = b.CreateCall(declaration(main.getSymName()), args);
    mlir::TypeRange types = main.getFunctionType().getResults();
    for (auto [i, v] : llvm::enumerate(resultsOf(call, types))) {
        mlir::Type t = types[i];
        if (isKept && ir::isReference(t))
            retain(v, t); // the caller owns results
        storeSlot(function->getArg(2), i, v, t);
    }
    b.CreateRetVoid();
}

void Emitter::emitModule(mlir::ModuleOp module) {
    source = module;
    hotFunctions = hotFunctionsOf(module);
    for (auto f : module.getOps<mlir::func::FuncOp>()) {
        target = hotFunctions.contains(f.getSymName()) ? &hot : &glue;
        emitFunction(f);
    }
    target = &glue;
    emitEntry(module.lookupSymbol<mlir::func::FuncOp>("main"));
}

// ---- control flow

Emitter::LoweredList Emitter::makePhis(mlir::TypeRange types) {
    LoweredList phis;
    for (mlir::Type t : types) {
        bool unknown = mlir::isa<ir::UnknownType>(t);
        Lowered v{b.CreatePHI(unknown ? i64 : llvmType(t), 2)};
        if (unknown)
            v.tag = b.CreatePHI(i64, 2);
        phis.push_back(v);
    }
    return phis;
}

void Emitter::addIncoming(const LoweredList &phis, const LoweredList &incoming, BasicBlock *from) {
    for (size_t i = 0; i < phis.size(); ++i) {
        llvm::cast<PHINode>(phis[i].bits)->addIncoming(incoming[i].bits, from);
        if (phis[i].tag)
            llvm::cast<PHINode>(phis[i].tag)->addIncoming(incoming[i].tag, from);
    }
}

/// LLVM's fast register allocator takes quadratic time on long basic blocks: long lists of operations are split.
Emitter::LoweredList Emitter::emitBlock(mlir::Block &block) {
    constexpr size_t kMaxOpsPerBlock = 256;
    size_t numOps = 0;
    for (mlir::Operation &op : block.without_terminator()) {
        if (++numOps % kMaxOpsPerBlock == 0) {
            BasicBlock *next = newBlock("next");
            b.CreateBr(next);
            b.SetInsertPoint(next);
        }
        emitOperation(&op);
    }
    LoweredList out;
    for (mlir::Value v : block.getTerminator()->getOperands())
        out.push_back(get(v));
    handOver(block.getTerminator()->getOperands());
    return out;
}

void Emitter::emitOperation(mlir::Operation *op) {
    if (auto daphne = mlir::dyn_cast<ir::DaphneOp>(op)) {
        if (!emitNative(daphne))
            emitKernelCall(daphne);
    } else if (auto pipeline = mlir::dyn_cast<ir::PipelineOp>(op)) {
        emitPipeline(pipeline);
    } else if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
        emitIf(branch);
    } else if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) {
        emitWhile(loop);
    } else if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
        emitFor(loop);
    } else {
        emitFunctionCall(mlir::cast<mlir::func::CallOp>(op));
    }
}

void Emitter::emitIf(mlir::scf::IfOp op) {
    BasicBlock *thenBlock = newBlock("then"), *elseBlock = newBlock("else"), *after = newBlock("endif");
    b.CreateCondBr(get(op.getCondition()).bits, thenBlock, elseBlock);
    b.SetInsertPoint(thenBlock);
    HandedOver byFirst;
    HandedOver *outer = std::exchange(handedOver, &byFirst);
    LoweredList thenValues = emitBlock(*op.thenBlock());
    handedOver = outer;
    takeBack(op, byFirst);
    thenBlock = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(elseBlock);
    LoweredList elseValues;
    if (!op.getElseRegion().empty())
        elseValues = emitBlock(*op.elseBlock());
    elseBlock = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(after);
    LoweredList phis = makePhis(op.getResultTypes());
    addIncoming(phis, thenValues, thenBlock);
    addIncoming(phis, elseValues, elseBlock);
    for (auto [result, v] : llvm::zip(op.getResults(), phis))
        bindReceived(result, v);
}

namespace {

/// Of short loops over scalars, whose turns take a nanosecond, so many copies stand one after another: then a test of
/// the cancel flag in each turn of the emitted loop costs nothing that can be measured.
constexpr unsigned kCopiesOfShortLoops = 4;
constexpr unsigned kOperationsOfShortLoops = 24;

/// Nothing but a few operations on scalars, no calls and no other loops inside.
bool isShort(mlir::Operation *loop) {
    unsigned operations = 0;
    auto isReference = [](mlir::Type t) { return ir::isReference(t); };
    return !loop->walk([&](mlir::Operation *op) {
                    bool isLong = ++operations > kOperationsOfShortLoops ||
                                  mlir::isa<ir::PipelineOp, mlir::func::CallOp>(op) ||
                                  (op != loop && mlir::isa<mlir::scf::WhileOp, mlir::scf::ForOp>(op)) ||
                                  llvm::any_of(op->getOperandTypes(), isReference) ||
                                  llvm::any_of(op->getResultTypes(), isReference);
                    return isLong ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
                })
                .wasInterrupted();
}

} // namespace

/// A loop: `turn` emits one turn from the values it begins with, and returns the values it leaves. It branches to the
/// block it is given where the loop ends, and tells with which values. Returns those, behind the loop.
Emitter::LoweredList Emitter::emitTurns(mlir::Operation *loop, const LoweredList &inits, mlir::TypeRange types,
                                        mlir::TypeRange resultTypes, Turn turn) {
    const unsigned copies = isShort(loop) ? kCopiesOfShortLoops : 1;
    BasicBlock *from = b.GetInsertBlock();
    BasicBlock *header = newBlock("loop"), *exit = BasicBlock::Create(context, "endloop");
    b.CreateBr(header);
    b.SetInsertPoint(exit);
    LoweredList results;
    if (copies > 1)
        results = makePhis(resultTypes);
    b.SetInsertPoint(header);
    LoweredList phis = makePhis(types);
    addIncoming(phis, inits, from);
    LoweredList current = phis;
    for (unsigned copy = 0; copy < copies; ++copy)
        current = turn(current, [&](llvm::Value *goesOn, const LoweredList &leaves) {
            BasicBlock *body = newBlock("do");
            if (copies > 1)
                addIncoming(results, leaves, b.GetInsertBlock());
            else
                results = leaves;
            b.CreateCondBr(goesOn, body, exit);
            b.SetInsertPoint(body);
        });
    addIncoming(phis, current, b.GetInsertBlock());
    emitCancelCheck(header);
    exit->insertInto(function);
    b.SetInsertPoint(exit);
    return results;
}

void Emitter::emitWhile(mlir::scf::WhileOp op) {
    LoweredList inits;
    for (mlir::Value v : op.getInits())
        inits.push_back(get(v));
    handOver(op.getInits());
    LoweredList results = emitTurns(op, inits, op.getBeforeBody()->getArgumentTypes(), op.getResultTypes(),
                                    [&](const LoweredList &current, GoesOn goesOn) {
                                        for (auto [arg, v] : llvm::zip(op.getBeforeArguments(), current))
                                            bindReceived(arg, v);
                                        LoweredList condition = emitBlock(*op.getBeforeBody());
                                        LoweredList passed(llvm::drop_begin(condition));
                                        goesOn(condition[0].bits, passed);
                                        for (auto [arg, v] : llvm::zip(op.getAfterArguments(), passed))
                                            bindReceived(arg, v);
                                        return emitBlock(*op.getAfterBody());
                                    });
    for (auto [result, v] : llvm::zip(op.getResults(), results))
        bindReceived(result, v);
}

void Emitter::emitFor(mlir::scf::ForOp op) {
    LoweredList inits{get(op.getLowerBound())};
    llvm::SmallVector<mlir::Type> types{op.getInductionVar().getType()};
    for (mlir::Value v : op.getInitArgs())
        inits.push_back(get(v));
    llvm::append_range(types, op.getResultTypes());
    handOver(op.getInitArgs());
    llvm::Value *upper = get(op.getUpperBound()).bits, *step = get(op.getStep()).bits;
    LoweredList results =
        emitTurns(op, inits, types, op.getResultTypes(), [&](const LoweredList &current, GoesOn goesOn) {
            llvm::Value *index = current.front().bits;
            LoweredList carried(llvm::drop_begin(current));
            goesOn(b.CreateICmpULT(index, upper), carried);
            bind(op.getInductionVar(), {index});
            for (auto [arg, v] : llvm::zip(op.getRegionIterArgs(), carried))
                bindReceived(arg, v);
            LoweredList yields = emitBlock(*op.getBody());
            yields.insert(yields.begin(), {b.CreateAdd(index, step)});
            return yields;
        });
    for (auto [result, v] : llvm::zip(op.getResults(), results))
        bindReceived(result, v);
}

} // namespace daphne::codegen
