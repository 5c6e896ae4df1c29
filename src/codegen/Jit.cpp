// SPDX-License-Identifier: Apache-2.0
#include "codegen/Jit.h"

#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace daphne::codegen {

namespace {

void registerTarget() {
    static const bool initialised = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return true;
    }();
    (void)initialised;
}

/// Null: only this very processor.
const char *plainProcessor() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool fits = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe") &&
                __builtin_cpu_supports("f16c");
    return fits ? "x86-64-v3" : nullptr;
#else
    return nullptr;
#endif
}

} // namespace

llvm::orc::JITTargetMachineBuilder plainMachine() {
    const char *name = plainProcessor();
    if (!name)
        return hostMachine();
    registerTarget();
    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
    builder.setCPU(name);
    // Calls of the run time go through stubs that the linker makes: calls to addresses far away are beyond LLVM's fast
    // instruction selection, and the slow one takes twice as long.
    builder.setCodeModel(llvm::CodeModel::Small);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    return builder;
}

llvm::orc::JITTargetMachineBuilder hostMachine() {
    registerTarget();
    // Not the name alone: a virtual machine may hide features that processors of this name have.
    return orThrow(llvm::orc::JITTargetMachineBuilder::detectHost());
}

std::unique_ptr<llvm::orc::LLJIT> newJit(llvm::orc::JITTargetMachineBuilder machine,
                                         std::optional<llvm::DataLayout> layout, CompilerMaker compiler) {
    llvm::orc::LLJITBuilder builder;
    builder.setJITTargetMachineBuilder(std::move(machine)).setPlatformSetUp(llvm::orc::setUpInactivePlatform);
    if (layout)
        builder.setDataLayout(std::move(*layout));
    if (compiler)
        builder.setCompileFunctionCreator(std::move(compiler));
    return orThrow(builder.create());
}

std::string hostDescription() {
    llvm::orc::JITTargetMachineBuilder machine = hostMachine();
    return machine.getCPU() + " " + machine.getFeatures().getString();
}

} // namespace daphne::codegen
