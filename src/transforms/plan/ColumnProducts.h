// SPDX-License-Identifier: Apache-2.0
/// Filters of products of tables in columnar plans.
#pragma once

#include "transforms/plan/ColumnBuilder.h"

namespace daphne::transforms {

/// The rows of a product of frames (daphne.cartesian, also of several) in which truth values are true, without the
/// product: what is said about one table chooses rows of it, tables are joined along equalities of their columns, and
/// the rest is tried on what is left. Rows come in the order of the product, whatever was joined first. Null if the
/// frame is no product whose columns are known, if nothing joins two of its tables, or if an expression might fail for
/// rows that would not be looked at.
mlir::Value joinedProduct(ColumnBuilder &builder, mlir::Location loc, mlir::Value frame, mlir::Value bits);

} // namespace daphne::transforms
