// SPDX-License-Identifier: Apache-2.0
#include "codegen/CompileMemory.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "llvm/Support/ErrorHandling.h"

#include "base/MemoryLimit.h"

namespace daphne::codegen {

namespace {

/// What the compiler takes at least for an operation (measured: 3.3 KiB with conditions and calls, code and tables of
/// the JIT included). And for itself: without it a failure could hit LLVM while it fills the tables of the process,
/// whose locks nobody would open again.
constexpr uint64_t kBytesPerOperation = 2 << 10, kBytesAlways = 16 << 20;
/// So much nobody looks up files of the system for: that takes longer than compiling a small program.
constexpr uint64_t kSmall = 64 << 20;

thread_local int depth = 0;
std::atomic<void (*)()> exitOfProcess{nullptr};

/// LLVM's own containers call malloc and end up here if there is none. They are compiled without exceptions, so nothing
/// of theirs is destroyed on the way; what they belong to is leaked.
void llvmAllocationFailed(void *, const char *, bool) {
    if (auto leave = exitOfProcess.load(); leave && CompileScope::isActive())
        leave();
    throw std::bad_alloc();
}

/// An exception that passes pthread_once, as one of an initialisation in LLVM does, makes the C library load the
/// unwinder by name, and end the process if it cannot. So it does while there is memory.
void loadUnwinder() {
    try {
        std::once_flag never;
        std::call_once(never, [] { throw std::bad_alloc(); });
    } catch (const std::bad_alloc &) {
    }
}

} // namespace

Error outOfCompileMemory(SourceSpan where) {
    Error error(Stage::Compile, "out of memory while compiling", where);
    return error.withHint("the script is too large for the memory of this process");
}

void needMemoryToBegin(SourceSpan where) {
    if (addressSpaceLeft() < kBytesAlways)
        throw outOfCompileMemory(where);
}

void needMemoryToCompile(mlir::ModuleOp module, SourceSpan where) {
    uint64_t operations = 0;
    module.walk([&](mlir::Operation *) { ++operations; });
    uint64_t need = kBytesAlways + operations * kBytesPerOperation;
    uint64_t left = addressSpaceLeft();
    if (need > kSmall)
        left = std::min(left, groupMemoryLeft());
    if (need > left)
        throw outOfCompileMemory(where);
}

// The copy of LLVM is ours alone: it is linked statically, and its symbols are hidden.
CompileScope::CompileScope() {
    static std::once_flag once;
    std::call_once(once, [] { llvm::install_bad_alloc_error_handler(llvmAllocationFailed); });
    if (addressSpaceLeft() != kNoMemoryLimit)
        loadUnwinder();
    ++depth;
}

CompileScope::~CompileScope() { --depth; }

bool CompileScope::isActive() { return depth > 0; }

void exitWithoutMemory(void (*leave)()) { exitOfProcess = leave; }

} // namespace daphne::codegen
