// SPDX-License-Identifier: Apache-2.0
/// AST to DaphneIR. Walks the checked program in execution order and builds SSA
/// with types as it goes: variables become values, functions are specialised per
/// call (argument types and constants), constant conditions keep only the taken
/// branch. Raises Error(Stage::Compile) for operations that certainly run and
/// certainly fail; elsewhere such an operation becomes `daphne.fail`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "base/Error.h"
#include "base/Source.h"
#include "lang/dsl/Frontend.h"
#include "ops/TypeDesc.h"

namespace daphne::irgen {

struct FunctionForms;

/// A named value passed into or out of a program.
struct Binding {
    std::string name;
    ops::TypeDesc type;
};

struct GenerateOptions {
    bool propagateConstants = true; ///< specialise functions for constant arguments
    /// Variables that exist already become arguments of @main, functions stay callable, and variables at the end
    /// become results of @main.
    std::vector<Binding> inputs;
    std::vector<const lang::FuncDef *> functions;
    std::vector<const lang::Import *> imports;    ///< whose functions stay callable
    std::vector<Binding> views;                   ///< registered by earlier inputs
    bool exportVariables = false;                 ///< all of them
    std::vector<std::string> outputs;             ///< else these, which must be there at the end
    SourceManager *sources = nullptr;             ///< of the program; queries that are not in a literal are added
    std::shared_ptr<FunctionForms> functionForms; ///< of a session, whose variables may hold functions; else null
};

struct Result {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::vector<Binding> exports;   ///< in the order of @main's results
    std::vector<std::string> files; ///< whose types and shapes the module relies on
    std::vector<Error> warnings;    ///< about what probably is not meant
};

/// Name of the entry function.
inline constexpr const char *kMain = "main";

/// The context must have the dialects daphne, func and scf loaded.
Result generate(mlir::MLIRContext &context, const lang::CheckedScript &program, const GenerateOptions &options);

} // namespace daphne::irgen
