// SPDX-License-Identifier: Apache-2.0
/// The list of everything that happens to a program between its AST and machine
/// code, in order. Each step is named, timed and can be shown by --explain.
#pragma once

#include <functional>
#include <string>

#include "mlir/IR/BuiltinOps.h"

#include "engine/Options.h"

namespace daphne::engine {

/// Runs the transformations; calls `show` after each level of --explain that was asked for.
void runPipeline(mlir::ModuleOp module, const Options &options,
                 const std::function<void(ExplainLevel, const std::string &text)> &show);

/// The module in MLIR's textual form.
std::string moduleText(mlir::ModuleOp module);

} // namespace daphne::engine
