// SPDX-License-Identifier: Apache-2.0
/// What all users of LLVM's in-process compiler share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

#include "base/Error.h"

namespace daphne::codegen {

/// LLVM's own failures here are never the user's fault.
template <class T> T orThrow(llvm::Expected<T> value) {
    if (!value)
        throw internalError(llvm::toString(value.takeError()));
    if constexpr (std::is_reference_v<T>)
        return *value;
    else
        return std::move(*value);
}
inline void orThrow(llvm::Error error) {
    if (error)
        throw internalError(llvm::toString(std::move(error)));
}

/// A linker for code in this process; `compiler` turns modules into objects, if modules are added. Initialisers and
/// thread-local storage are not for generated code.
using CompilerMaker = llvm::orc::LLJITBuilder::CompileFunctionCreator;
std::unique_ptr<llvm::orc::LLJIT> newJit(llvm::orc::JITTargetMachineBuilder machine,
                                         std::optional<llvm::DataLayout> layout = {}, CompilerMaker compiler = {});

/// This processor; registers the target on first use.
llvm::orc::JITTargetMachineBuilder hostMachine();
/// A processor that this one can stand in for, for code whose speed does not matter: known by its name alone, while a
/// list of features is expensive to apply.
llvm::orc::JITTargetMachineBuilder plainMachine();
/// Its name and features: code for another description may not run here.
std::string hostDescription();

} // namespace daphne::codegen
