// SPDX-License-Identifier: Apache-2.0
/// How the regions of a program run their loops: compiled or interpreted, and
/// whether by estimated gain or always. Thread-safe.
#pragma once

#include <memory>

#include "exec/LoopProgram.h"

namespace daphne::exec {

class LoopEngine {
  public:
    struct Options {
        bool jit = true;     ///< false: loops are interpreted
        bool always = false; ///< fuse whatever can be, however small
    };
    LoopEngine(Options options, std::shared_ptr<LoopCompiler> compiler)
        : options(options), compiler(std::move(compiler)) {}

    const Options options;
    /// Null if loops are interpreted, for matrix products, which have their code already, and, unless the caller
    /// waits, while another thread compiles the same loop.
    LoopCodeRef compile(const LoopProgram &program, LoopCompiler::Wait wait = LoopCompiler::Wait::Yes) const {
        return options.jit && !program.product ? compiler->compile(program, wait) : nullptr;
    }

  private:
    std::shared_ptr<LoopCompiler> compiler;
};

} // namespace daphne::exec
