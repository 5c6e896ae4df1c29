// SPDX-License-Identifier: Apache-2.0
/// Memory of the compiler. MLIR and LLVM are left inconsistent by an allocation that
/// fails, and crash when they are destroyed. Therefore
///  - a program that will not fit into the limits of this process is refused before
///    (needMemoryToCompile),
///  - what fails nevertheless is an Error, and what MLIR and LLVM have made is never
///    destroyed (withCompileMemory): it is leaked on purpose. Nothing is begun without
///    room for LLVM's own tables, whose locks would stay closed,
///  - nothing ends the process, unless its owner wants that (exitWithoutMemory), because
///    destroying nothing at all is safer still.
///
///     auto program = withCompileMemory(where, [&] { return compile(*module); }, [&] { (void)module.release(); });
///
/// Any number of threads.
#pragma once

#include <new>

#include "mlir/IR/BuiltinOps.h"

#include "base/Error.h"

namespace daphne::codegen {

/// Error(Stage::Compile): out of memory while compiling.
Error outOfCompileMemory(SourceSpan where);

/// Throws outOfCompileMemory() if compiling the program is not going to fit into what this process may take.
void needMemoryToCompile(mlir::ModuleOp module, SourceSpan where);

/// The same without knowing the program.
void needMemoryToBegin(SourceSpan where);

/// While one lives, this thread compiles.
class CompileScope {
  public:
    CompileScope();
    ~CompileScope();
    CompileScope(const CompileScope &) = delete;
    CompileScope &operator=(const CompileScope &) = delete;
    static bool isActive();
};

/// body(); if memory runs out inside, leak() before anything outside of it is destroyed, and the Error is thrown.
template <class Body, class Leak> auto withCompileMemory(SourceSpan where, Body &&body, Leak &&leak) {
    needMemoryToBegin(where);
    CompileScope scope;
    try {
        return body();
    } catch (const std::bad_alloc &) {
        leak();
    }
    throw outOfCompileMemory(where);
}

/// The same for a part of it, whose std::bad_alloc is passed on.
template <class Body, class Leak> auto leakingWithoutMemory(Body &&body, Leak &&leak) {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        leak();
        throw;
    }
}

/// For the owner of the process: what a thread that compiles calls where LLVM's own containers find no memory, instead
/// of throwing std::bad_alloc through them. It must not return.
void exitWithoutMemory(void (*leave)());

} // namespace daphne::codegen
