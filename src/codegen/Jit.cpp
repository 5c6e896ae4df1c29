// SPDX-License-Identifier: Apache-2.0
#include "codegen/Jit.h"

#include "llvm/Support/TargetSelect.h"

namespace daphne::codegen {

llvm::orc::JITTargetMachineBuilder hostMachine() {
    static const bool initialised = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return true;
    }();
    (void)initialised;
    // Not the name alone: a virtual machine may hide features that processors of this name have.
    return orThrow(llvm::orc::JITTargetMachineBuilder::detectHost());
}

std::unique_ptr<llvm::orc::LLJIT> newJit(CompilerMaker compiler) {
    llvm::orc::LLJITBuilder builder;
    builder.setJITTargetMachineBuilder(hostMachine())
        .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
    if (compiler)
        builder.setCompileFunctionCreator(std::move(compiler));
    return orThrow(builder.create());
}

std::string hostDescription() {
    llvm::orc::JITTargetMachineBuilder machine = hostMachine();
    return machine.getCPU() + " " + machine.getFeatures().getString();
}

} // namespace daphne::codegen
