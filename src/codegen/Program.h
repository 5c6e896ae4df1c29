// SPDX-License-Identifier: Apache-2.0
/// DaphneIR to machine code: emits LLVM IR, compiles it in process and runs it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"

#include "base/Source.h"
#include "data/Value.h"
#include "exec/Engine.h"
#include "kernels/Context.h"

namespace daphne::codegen {

/// Where an operation comes from, looked up by Context::callSite after a failure.
struct CallSite {
    SourceSpan span;
    std::string_view operation;
};

class Program {
  public:
    struct Options {
        std::string *llvmText = nullptr;   ///< receives the LLVM IR, if wanted
        exec::Engine::Options engine = {}; ///< of fused loops
        std::string loopDirectory = {};    ///< where compiled loops are kept from run to run; "" for nowhere
    };
    /// Compiles a module with a function @main. The module is not needed afterwards.
    static std::unique_ptr<Program> compile(mlir::ModuleOp module, const Options &options);
    ~Program();

    /// Runs @main; inputs are its arguments (taken over), the results its results. Throws Error with operation and
    /// position.
    std::vector<Value> run(Context &context, std::vector<Value> inputs = {});

    /// Number of results of @main.
    size_t numResults() const { return results; }

  private:
    Program();
    struct Parts;
    static std::unique_ptr<Program> compile(Parts &parts, mlir::ModuleOp module, const Options &options);
    struct Code; ///< the JIT and the literals it refers to
    std::unique_ptr<Code> code;
    std::vector<CallSite> callSites;
    size_t results = 0;
};

} // namespace daphne::codegen
