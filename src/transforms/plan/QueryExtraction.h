// SPDX-License-Identifier: Apache-2.0
/// Reads a part of DaphneIR as a query block: frames joined, filtered and
/// projected, and expressions over their columns.
#pragma once

#include <map>
#include <optional>

#include "llvm/ADT/DenseSet.h"

#include "ops/QueryBlock.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

class QueryExtraction {
  public:
    /// Results of `boundaries` are taken as sources, whatever makes them. Everything has to be there before `root`.
    QueryExtraction(mlir::Operation *root, const llvm::DenseSet<mlir::Operation *> &boundaries)
        : root(root), boundaries(boundaries) {}

    /// Nodes of the columns of a frame, by label.
    struct Columns {
        std::vector<std::string> labels;
        std::vector<size_t> nodes;
        std::optional<size_t> find(llvm::StringRef label) const;
    };
    /// Takes a frame and what makes it into the block. Nothing if its columns are not known.
    std::optional<Columns> relation(mlir::Value frame);
    /// The node of an expression (n x 1 or scalar) over the columns of a frame; nothing if blocks cannot compute it.
    std::optional<size_t> expression(mlir::Value v, mlir::Value frame, const Columns &columns);

    ops::QueryBlock block;
    llvm::SmallVector<mlir::Value> sources, scalars;
    llvm::DenseSet<mlir::Operation *> taken; ///< what the block stands for
    llvm::DenseSet<mlir::Operation *> twice; ///< joins and filters that were met more than once

    /// Makes rows: join, product or filter.
    static bool makesRows(mlir::Operation *op);

  private:
    struct State {
        ops::QueryBlock block;
        size_t numSources, numScalars;
        llvm::DenseSet<mlir::Operation *> taken;
    };
    State state() const { return {block, sources.size(), scalars.size(), taken}; }
    void restore(State s);

    std::optional<Columns> source(mlir::Value frame);
    std::optional<Columns> made(ir::DaphneOp op);
    std::optional<Columns> projection(ir::DaphneOp op);
    std::optional<Columns> filter(ir::DaphneOp op);
    std::optional<Columns> join(ir::DaphneOp op);
    bool addCondition(size_t node);
    std::optional<size_t> scalar(mlir::Value v);
    std::optional<size_t> part(mlir::Value v, mlir::Value frame, const Columns &columns);
    std::optional<size_t> newPart(mlir::Value v, mlir::Value frame, const Columns &columns);
    std::optional<size_t> call(ir::DaphneOp op, mlir::Value frame, const Columns &columns);
    bool isTruth(size_t node) const;
    size_t natTest(const std::string &mnemonic, size_t node);
    std::optional<size_t> compare(const std::string &mnemonic, size_t a, size_t b);
    bool isLengthOf(mlir::Value rows, mlir::Value frame);

    mlir::Operation *root;
    const llvm::DenseSet<mlir::Operation *> &boundaries;
    std::string alias;                                        ///< of the next source
    llvm::DenseMap<mlir::Value, std::optional<size_t>> known; ///< parts of the expression being read
};

/// v without operations that only change what is known of it.
mlir::Value withoutAdapt(mlir::Value v);

} // namespace daphne::transforms
