// SPDX-License-Identifier: Apache-2.0
/// Compiles fused loops for this processor. Equal programs share their code:
/// within the process, and through a directory of object files also from run to
/// run. Code is there as long as a plan or the cache holds it; the cache forgets
/// the loops that nobody asked for for the longest time. Thread-safe: the first
/// thread that asks for a loop compiles it, outside of any lock.
#pragma once

#include <memory>
#include <string>

#include "exec/LoopProgram.h"

namespace daphne::codegen {

/// The loops of this process. directory: where object files are kept, "" for nowhere.
std::shared_ptr<exec::LoopCompiler> loopCompilerOfProcess(std::string directory);

/// A compiler with a cache of its own, for tests. text: receives the LLVM IR of every loop, if wanted.
std::shared_ptr<exec::LoopCompiler> makeLoopCompiler(std::string directory, std::string *text = nullptr);

} // namespace daphne::codegen
