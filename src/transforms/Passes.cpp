// SPDX-License-Identifier: Apache-2.0
#include "transforms/Passes.h"

namespace daphne::transforms {

namespace {

constexpr NamedPass kPasses[] = {
    {"fold-scalars", "evaluate scalar operations on constants and branches on constants", foldScalars},
    {"infer-types", "propagate types, shapes and sparsity through control flow", inferTypes},
    {"columnar", "make column operators of relational operations",
     [](mlir::ModuleOp module) { lowerToColumns(module, Splitting::Off); }},
    {"cse", "merge equal operations", eliminateCommonOps},
    {"queries", "make blocks of joins, filters and groups", planQueries},
    {"algebra", "apply exact identities and strength reduction", simplifyAlgebra},
    {"transpose", "remove transposes", simplifyTransposes},
    {"aggregate-pushdown", "aggregate the factors of a product instead of the product", pushDownAggregates},
    {"matmul-chain", "order chains of matrix products by cost", orderMatMulChains},
    {"dead-code", "remove what nobody needs and what cannot fail", eliminateDeadOps},
    {"prune-reads", "read only the columns of files that are used", pruneReads},
    {"select-representations", "hold matrices with few non-zeros (a quarter) as Csr",
     [](mlir::ModuleOp module) { selectRepresentations(module, 0.25); }},
    {"adapt-representations", "convert Csr operands for operations that have no kernel for them", adaptRepresentations},
    {"pipelines", "collect operations that may run fused",
     [](mlir::ModuleOp module) { collectPipelines(module, Fusion::All); }},
    {"tiny-pipelines", "take pipelines over tiny matrices apart", dissolveTinyPipelines},
    {"references", "insert reference counting", manageReferences},
};

} // namespace

std::span<const NamedPass> allPasses() { return kPasses; }

} // namespace daphne::transforms
