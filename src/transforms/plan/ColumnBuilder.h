// SPDX-License-Identifier: Apache-2.0
/// Builds columnar plans: columns of frames and the position lists of truth
/// values. Everything is built once and found again; columns of a projected
/// frame are fetched from the frame below it.
#pragma once

#include <map>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include "transforms/plan/ColumnSources.h"

namespace daphne::transforms {

class ColumnBuilder {
  public:
    explicit ColumnBuilder(mlir::MLIRContext *context) : builder(context) {}

    ColumnSources sources;

    /// Operations are created before op from now on.
    void before(mlir::Operation *op) { builder.setInsertionPoint(op); }

    /// daphne.<mnemonic> with inferred result types.
    mlir::ValueRange create(mlir::Location loc, ops::OpName mnemonic, mlir::ValueRange operands);
    mlir::Value createOne(mlir::Location loc, ops::OpName mnemonic, mlir::ValueRange operands) {
        return create(loc, mnemonic, operands)[0];
    }
    mlir::Value constant(mlir::Location loc, const ops::Constant &c) { return ir::makeConstant(builder, loc, c); }
    mlir::Value frame(mlir::Location loc, mlir::ArrayRef<mlir::Value> columns, mlir::ArrayRef<std::string> labels);
    /// The pairs of rows of two frames with equal cells, as a frame.
    mlir::Value join(mlir::Location loc, mlir::Value left, mlir::Value right, const std::string &leftOn,
                     const std::string &rightOn);
    /// Rows of two frames beside each other, as many of one as of the other; they have no label in common.
    mlir::Value paired(mlir::Location loc, mlir::Value left, mlir::Value leftRows, mlir::Value right,
                       mlir::Value rightRows);
    /// Uses of `old` become uses of `by`, behind daphne.adapt if its type has other facts.
    void replace(mlir::Value old, mlir::Value by);

    /// The column of a frame with this label.
    mlir::Value column(mlir::Location loc, mlir::Value frame, const std::string &label);
    /// Whether column() would find it below the frame, and not ask the frame itself.
    bool isFoundBelow(mlir::Value frame, const std::string &label);
    /// The rows in which truth values are true, as a position list made where they are made.
    mlir::Value positions(mlir::Value bits);
    /// A value with as many rows as the truth values, which does not need them if there are positions instead.
    mlir::Value lengthOf(mlir::Value bits);

    /// The work of op is done by others: it is dropped at the end unless somebody uses it.
    /// False if that was known.
    bool drop(mlir::Operation *op) { return dropped.insert(op); }
    /// Erases what was dropped and is used nowhere, and what was needed only for it.
    void eraseDropped();

  private:
    mlir::Value columnOfNewFrame(ir::DaphneOp op, llvm::StringRef label);
    mlir::Value asMatrix(mlir::Location loc, mlir::Value frame);
    mlir::Value fetched(mlir::Location loc, mlir::Value column, ir::DaphneOp projection);
    mlir::Value newPositions(mlir::Value bits);
    void erase(mlir::Operation *op);

    mlir::OpBuilder builder;
    llvm::SetVector<mlir::Operation *> dropped;
    llvm::DenseMap<mlir::Value, mlir::Value> positionsOf;
    llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> fetchedAt; ///< by column and positions
    std::map<std::pair<void *, std::string>, mlir::Value> columnOf;             ///< by frame and label
};

} // namespace daphne::transforms
