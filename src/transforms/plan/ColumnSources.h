// SPDX-License-Identifier: Apache-2.0
/// What the columnar plan knows about values: which matrices are columns of
/// frames, or computed from such cell by cell, and which have equally many rows
/// whatever the data.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

/// The text of a constant string.
std::optional<std::string> constantText(mlir::Value v);

/// Comparisons: colSelectXx is the column operator of ewXx.
bool isComparisonOp(ops::OpName mnemonic);

/// Answers are remembered: operations must not be erased as long as it is used.
class ColumnSources {
  public:
    /// A value that stands for the number of rows of v: two values with the same one have equally many rows. Follows
    /// projections, new labels and cell by cell operations to where rows were made.
    mlir::Value rowsOf(mlir::Value v);
    /// Equally many rows, as far as can be proven.
    bool haveSameRows(mlir::Value a, mlir::Value b);
    /// A matrix with one column that is a column of a frame, chosen rows of one, or computed from such cell by cell.
    bool isColumn(mlir::Value v);

  private:
    mlir::Value sameRowsAs(ir::DaphneOp op);
    bool findOut(mlir::Value v);
    llvm::DenseMap<mlir::Value, mlir::Value> rows;
    llvm::DenseMap<mlir::Value, bool> columns;
};

} // namespace daphne::transforms
