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
#include "exec/LoopEngine.h"
#include "exec/ThreadContext.h"

namespace daphne::codegen {

/// Where an operation comes from, looked up by ThreadContext::callSite after a failure.
struct CallSite {
    SourceSpan span;
    std::string_view operation;
};

/// What tells where an error comes from while the program runs.
struct Places {
    const std::vector<CallSite> *callSites = nullptr;
    const SourceManager *sources = nullptr; ///< null: nobody knows
};

class Executable {
  public:
    struct Options {
        std::string *llvmText = nullptr;        ///< receives the LLVM IR, if wanted
        const SourceManager *sources = nullptr; ///< of the program, which they must outlive; for places of errors
        exec::LoopEngine::Options loops = {};
        std::shared_ptr<exec::LoopCompiler> loopCompiler = nullptr; ///< null only if loops are interpreted
        /// The module says where references end (transforms::manageReferences); else a run keeps all objects.
        bool managesReferences = true;
    };
    /// Compiles a module with a function @main. The module is not needed afterwards.
    static std::unique_ptr<Executable> compile(mlir::ModuleOp module, const Options &options);
    ~Executable();

    /// Runs @main; inputs are its arguments (taken over), the results its results. Throws Error with operation and
    /// position. Several threads may run it at the same time.
    std::vector<Value> run(exec::ThreadContext &thread, std::vector<Value> inputs = {}) const;

    /// Where the operation with this id comes from.
    const CallSite &callSite(uint64_t id) const { return callSites[id]; }

    /// Number of results of @main.
    size_t numResults() const { return results; }

  private:
    Executable();
    struct Parts;
    static std::unique_ptr<Executable> compile(Parts &parts, mlir::ModuleOp module, const Options &options);
    struct Code; ///< the JIT and the literals it refers to
    std::unique_ptr<Code> code;
    std::vector<CallSite> callSites;
    size_t results = 0;
};

} // namespace daphne::codegen
