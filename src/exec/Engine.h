// SPDX-License-Identifier: Apache-2.0
/// What all regions of a program share: how loops are compiled, and when.
#pragma once

#include <memory>

#include "exec/LoopProgram.h"

namespace daphne::exec {

class Engine {
  public:
    struct Options {
        bool jit = true;     ///< false: loops are interpreted
        bool always = false; ///< fuse whatever can be, however small
    };
    Engine(Options options, std::unique_ptr<LoopCompiler> compiler) : options(options), compiler(std::move(compiler)) {}

    const Options options;
    /// Null if loops are interpreted, and for matrix products, which have their code already.
    LoopFunction compile(const LoopProgram &program) {
        return options.jit && !program.product ? compiler->compile(program) : nullptr;
    }

  private:
    std::unique_ptr<LoopCompiler> compiler;
};

} // namespace daphne::exec
