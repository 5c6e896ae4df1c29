// SPDX-License-Identifier: Apache-2.0
/// Emits LLVM IR for a module; private to src/codegen. Methods are spread over
/// Emitter.cpp (functions, control flow), EmitScalar.cpp (native scalar code),
/// EmitCall.cpp (kernels, literals), EmitTry.cpp (errors that are caught) and
/// EmitRoots.cpp (references).
///
/// How values look in LLVM: numbers natively (bool i1, size i64), everything
/// held by reference as a pointer, values of unknown type as tag and bits.
///
/// Every reference that a function owns is also in a slot of its root frame
/// (exec/ThreadContext.h) while something may throw: a slot is filled when the
/// reference is made and emptied when it goes.
#pragma once

#include <cstddef>
#include <set>

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "codegen/CallTable.h"
#include "codegen/Executable.h"
#include "exec/Region.h"
#include "ir/Dialect.h"
#include "kernels/KernelTable.h"

namespace daphne::codegen {

/// An IR value in LLVM; tag only for values of unknown type.
struct Lowered {
    llvm::Value *bits = nullptr;
    llvm::Value *tag = nullptr;
};

/// ThreadContext is not of standard layout, for which alone the language defines offsetof; our compilers define it for
/// all classes without virtual bases.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr size_t kThreadCallSite = offsetof(exec::ThreadContext, callSite);
constexpr size_t kThreadStackLimit = offsetof(exec::ThreadContext, stackLimit);
constexpr size_t kThreadRoots = offsetof(exec::ThreadContext, roots);
constexpr size_t kThreadCancelFlag = offsetof(exec::ThreadContext, cancelFlag);
#pragma GCC diagnostic pop

class Emitter {
  public:
    /// Functions worth optimising (loops, recursion, called from those; not huge) go to `hot`, the others to `glue`.
    enum class References : uint8_t {
        Managed,   ///< the module says where they are made, handed over and released
        KeptByRun, ///< nobody releases: objects go when the run ends
    };
    Emitter(llvm::Module &glue, llvm::Module &hot, std::vector<CallSite> &callSites, CallTable &calls,
            const Places &places, std::vector<Value> &literals, const exec::LoopEngine &loops,
            std::vector<std::unique_ptr<exec::Region>> &regions, References references);
    void emitModule(mlir::ModuleOp module);

    /// Symbols used for kernels: all lead to the same trampoline, the kernel is its argument.
    const std::set<std::string> &kernelSymbols() const { return kernels; }

    static constexpr const char *kEntry = "daphne_entry";

  private:
    using LlvmTypes = llvm::SmallVector<llvm::Type *>;
    using LoweredList = llvm::SmallVector<Lowered>;
    using HandedOver = llvm::SmallVector<std::pair<mlir::Value, unsigned>>;

    // ---- Emitter.cpp
    llvm::Function *declaration(llvm::StringRef symbol);
    llvm::Function *declaration(llvm::StringRef symbol, llvm::Module &module);
    llvm::FunctionCallee calleeOf(llvm::StringRef symbol, mlir::Location call);
    void emitFunction(mlir::func::FuncOp f);
    void emitEntry(mlir::func::FuncOp main);
    void reserveArgumentArea(mlir::Region &body);
    void emitStackCheck();
    void emitCancelCheck(llvm::BasicBlock *next);
    void emitCancelled();
    void emitReturn(const LoweredList &results);
    LoweredList resultsOf(llvm::CallInst *call, mlir::TypeRange types);
    /// Emits all operations but the terminator, whose (lowered) operands are returned.
    LoweredList emitBlock(mlir::Block &block);
    void emitOperation(mlir::Operation *op);
    void emitIf(mlir::scf::IfOp op);
    void emitWhile(mlir::scf::WhileOp op);
    void emitFor(mlir::scf::ForOp op);
    void emitFunctionCall(mlir::func::CallOp op);
    void bind(mlir::Value v, Lowered lowered) { values[v] = lowered; }

    // ---- EmitRoots.cpp: references the function owns
    void beginRoots();
    void endRoots();
    /// The value is there and the function owns one reference to it.
    void bindOwned(mlir::Value v, Lowered lowered);
    /// The same for a reference that comes from elsewhere in the program: an argument, the result of a call or branch.
    void bindReceived(mlir::Value v, Lowered lowered);
    void own(mlir::Value v);
    unsigned newRoot();
    /// The next operation takes over a reference to the value.
    void handOver(mlir::Value v);
    void handOver(mlir::OperandRange operands);
    /// What the first side of the branch has handed over is still there on the second one.
    void takeBack(mlir::Operation *branch, const HandedOver &byFirst);
    uint64_t handOverConsumed(mlir::Operation *op);
    llvm::Value *rootSlot(unsigned index);
    llvm::Value *objectOf(Lowered v);
    Lowered get(mlir::Value v) { return values.lookup(v); }
    llvm::BasicBlock *newBlock(const char *name);

    /// Phi nodes for a list of values of these types.
    LoweredList makePhis(mlir::TypeRange types);
    /// The loop goes on if the condition holds, else it ends with these values.
    using GoesOn = llvm::function_ref<void(llvm::Value *condition, const LoweredList &results)>;
    using Turn = llvm::function_ref<LoweredList(const LoweredList &current, GoesOn goesOn)>;
    LoweredList emitTurns(mlir::Operation *loop, const LoweredList &inits, mlir::TypeRange types,
                          mlir::TypeRange resultTypes, Turn turn);
    void addIncoming(const LoweredList &phis, const LoweredList &incoming, llvm::BasicBlock *from);
    void append(LlvmTypes &out, mlir::Type type);
    void append(llvm::SmallVectorImpl<llvm::Value *> &out, Lowered v);
    llvm::Type *llvmType(mlir::Type type);
    llvm::Type *resultType(mlir::TypeRange types);

    // ---- EmitScalar.cpp
    /// Native code for operations on scalars; false if a kernel must do it.
    bool emitNative(ir::DaphneOp op);
    bool emitInternal(ir::DaphneOp op);
    bool emitNativeBinary(ir::DaphneOp op, const ops::TypeDesc &a, const ops::TypeDesc &c, const ops::TypeDesc &result);
    bool emitNativeConditional(ir::DaphneOp op);
    llvm::Type *numberType(ValueType type);
    llvm::Value *convert(llvm::Value *v, ValueType from, ValueType to);
    llvm::Value *isTrue(llvm::Value *v, ValueType type);
    llvm::Value *fromBool(llvm::Value *v, ValueType type);
    llvm::Value *nativeUnary(ops::OpName name, llvm::Value *v, ValueType type);
    llvm::Value *arithmetic(ops::OpName name, llvm::Value *x, llvm::Value *y, ValueType g, mlir::Location loc);
    llvm::Value *integerDivision(bool remainder, llvm::Value *x, llvm::Value *y, ValueType type, mlir::Location loc);
    llvm::Value *position(llvm::Value *x, ValueType type, mlir::Location loc);
    llvm::Value *tripCount(llvm::Value *from, llvm::Value *to, llvm::Value *step);
    llvm::Value *constant(const ops::Constant &c);
    llvm::Value *mathCall(llvm::StringRef function, llvm::ArrayRef<llvm::Value *> args, ValueType type);

    // ---- EmitCall.cpp
    void emitKernelCall(ir::DaphneOp op);
    void emitPipeline(ir::PipelineOp op);
    uint64_t castTargetOf(ir::DaphneOp op);
    uint64_t newCallSite(mlir::Location loc, std::string_view operation);
    void emitFrameCheck(Lowered frame, const ops::TypeDesc &from, const ops::TypeDesc &to);
    void emitAdapt(ir::DaphneOp op);
    void emitMap(ir::DaphneOp op);
    void emitFail(ir::DaphneOp op);

    // ---- EmitTry.cpp
    void findKept(mlir::func::FuncOp f);
    void emitKeep(ir::DaphneOp op);
    llvm::Function *tryWrapper(llvm::StringRef callee, mlir::TypeRange types);
    void emitTry(ir::DaphneOp op);
    void emitLiteral(ir::DaphneOp op);
    void retain(Lowered v, mlir::Type type);
    void release(Lowered v, mlir::Type type);
    Lowered literal(Value value, mlir::Type type);
    Lowered undef(mlir::Type type);
    llvm::Value *toBits(Lowered v, mlir::Type type);
    Lowered fromBits(llvm::Value *bits, llvm::Value *tag, mlir::Type type);
    llvm::Value *tagOf(Lowered v, mlir::Type type);
    llvm::Value *slotField(llvm::Value *area, size_t index, unsigned field);
    void storeSlot(llvm::Value *area, size_t index, Lowered v, mlir::Type type);
    Lowered loadSlot(llvm::Value *area, size_t index, mlir::Type type);
    void setCallSite(mlir::Location loc, std::string_view operation);
    llvm::CallInst *callRuntime(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> args);
    llvm::Value *pointerConstant(const void *p);

    llvm::LLVMContext &context;
    llvm::Module &glue, &hot;
    llvm::Module *target; ///< where the function being emitted goes
    llvm::StringSet<> hotFunctions;
    mlir::ModuleOp source;
    llvm::IRBuilder<> b;
    std::vector<CallSite> &callSites;
    CallTable &calls;
    const Places &places;
    std::vector<Value> &literals;
    const exec::LoopEngine &loops;
    std::vector<std::unique_ptr<exec::Region>> &regions;
    std::set<std::string> kernels;
    llvm::DenseMap<mlir::Value, Lowered> values;
    llvm::Type *i64, *ptr, *slotType;
    // of the function being emitted
    llvm::Function *function = nullptr;
    llvm::Value *contextArg = nullptr, *argArea = nullptr, *resultArea = nullptr, *cancelFlag = nullptr,
                *keptArea = nullptr;
    llvm::BasicBlock *cancelled = nullptr; ///< of the function that is emitted; null: nothing has asked for it
    const References references;
    llvm::DenseMap<mlir::Value, unsigned> rootOf;  ///< slots of owned references
    llvm::DenseMap<mlir::Value, unsigned> further; ///< references made by `retain` for the next operation
    llvm::SmallVector<unsigned> freeRoots;
    HandedOver *handedOver = nullptr; ///< by the first side of a branch, with the slots; null: nobody asks
    unsigned numRoots = 0;
    llvm::AllocaInst *rootFrame = nullptr;
};

} // namespace daphne::codegen
