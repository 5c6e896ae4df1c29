// SPDX-License-Identifier: Apache-2.0
/// Compiles fused loops for this processor. Equal programs share their code:
/// within the process, and through a directory of object files also from run to
/// run.
#pragma once

#include <memory>
#include <string>

#include "exec/LoopProgram.h"

namespace daphne::codegen {

/// directory: where object files are kept, "" for nowhere. text: receives the LLVM IR of every loop, if wanted.
std::unique_ptr<exec::LoopCompiler> makeLoopCompiler(std::string directory, std::string *text = nullptr);

} // namespace daphne::codegen
