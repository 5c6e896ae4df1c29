// SPDX-License-Identifier: Apache-2.0
#include "codegen/Jit.h"

#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace daphne::codegen {

llvm::orc::JITTargetMachineBuilder hostMachine() {
    static const bool initialised = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return true;
    }();
    (void)initialised;
    llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(llvm::sys::getProcessTriple())};
    machine.setCPU(llvm::sys::getHostCPUName().str());
    return machine;
}

} // namespace daphne::codegen
