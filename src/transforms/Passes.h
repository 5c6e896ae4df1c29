// SPDX-License-Identifier: Apache-2.0
/// The transformations of DaphneIR, one function each. driver/Pipeline.cpp is
/// the list of when they run; allPasses() names them for tools and tests. All
/// expect a module that verifies and leave one that verifies. None touches an
/// operation with a kernel hint or lets an error disappear.
#pragma once

#include <span>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"

namespace daphne::transforms {

/// Evaluates scalar operations on constants and keeps only the taken branch of scf.if on a constant.
void foldScalars(mlir::ModuleOp module);

/// Applies identities and strength reduction that do not change a single bit of a result, on scalars and on matrices
/// (x * 1, x - x, x ^ 2, two negations, nrow of a known shape, ...).
void simplifyAlgebra(mlir::ModuleOp module);

/// Replaces an operation by an equal one that dominates it; operands of commutative operations may be swapped.
void eliminateCommonOps(mlir::ModuleOp module);

/// Removes operations that nobody needs and that cannot fail, values carried through scf operations in vain, and
/// functions that are never called.
void eliminateDeadOps(mlir::ModuleOp module);

/// Recomputes what is known of every value (data and value type, shape, sparsity) through branches, loops to a
/// fixpoint, and calls; facts are only ever added, run-time checks that became superfluous disappear.
void inferTypes(mlir::ModuleOp module);

/// Removes transposes: of transposes and fills, before aggregates, and before products (t(X) @ X becomes syrk).
void simplifyTransposes(mlir::ModuleOp module);

/// Multiplies chains of matrices of known shapes in the order with the fewest multiplications.
void orderMatMulChains(mlir::ModuleOp module);

/// Aggregates the factors of a product instead of the product where shapes are known: sum(A @ B) needs no A @ B.
void pushDownAggregates(mlir::ModuleOp module);

/// Joins, filters, projections and groups of frames whose columns are known become daphne.queryBlock operations, which
/// order joins, push filters down and fuse what they do when they are run. Whatever several of them need is computed
/// once.
void planQueries(mlir::ModuleOp module);

/// How sums of 64-bit integers per group are kept.
enum class Splitting : uint8_t {
    Off,
    Optimistic, ///< low halves apart from high halves, which are touched only if a sum needs them
};

/// Selections, joins, groups of sums and sums of columns of frames become column operators (daphne.colSelectEq,
/// daphne.colJoin ...) on columns and position lists.
void lowerToColumns(mlir::ModuleOp module, Splitting splitting);

/// Frames read from files of known columns have only those columns that somebody uses.
void pruneReads(mlir::ModuleOp module);

/// From here on matrices whose estimated share of non-zeros lies below the threshold are held as Csr: their types say
/// so, whatever later passes do.
void selectRepresentations(mlir::ModuleOp module, double threshold);

/// Puts daphne.densify before operations that have no kernel for a Csr operand.
void adaptRepresentations(mlir::ModuleOp module);

/// Which operations are handed to the fused engine.
enum class Fusion : uint8_t {
    All,
    Restricted, ///< cell by cell and aggregates only
};

/// Puts operations that may be fused, row by row, into daphne.pipeline operations.
void collectPipelines(mlir::ModuleOp module, Fusion fusion);

/// Takes pipelines apart whose matrices are all known to be tiny: not even looking for their plan would pay.
void dissolveTinyPipelines(mlir::ModuleOp module);

/// Inserts daphne.retain and daphne.release and marks operands a kernel may take over (attribute `consume`), so that
/// every object is freed or reused after its last use.
void manageReferences(mlir::ModuleOp module);

struct NamedPass {
    std::string_view name, summary;
    void (*run)(mlir::ModuleOp);
};

/// All of them, in the order in which the pipeline uses them first.
std::span<const NamedPass> allPasses();

} // namespace daphne::transforms
