// SPDX-License-Identifier: Apache-2.0
/// What the rewrites of this directory share: questions about values, building
/// the replacement of an operation, and sweeping rules over a module.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "ir/Dialect.h"

namespace daphne::transforms {

/// A rule replaces op (through Rewrite) and returns true, or returns false and leaves everything as it was.
class Rewrite;
using Rule = bool (*)(ir::DaphneOp op, Rewrite &rewrite);

/// Replaces one operation. New operations are created before it and take over its position in the source.
class Rewrite {
  public:
    explicit Rewrite(ir::DaphneOp op) : builder(op), op(op) {}

    /// daphne.<mnemonic> with inferred result types.
    mlir::Value create(ops::OpName mnemonic, mlir::ValueRange operands);
    mlir::Value constant(const ops::Constant &c) { return ir::makeConstant(builder, op.getLoc(), c); }
    mlir::Value boolean(bool value) { return constant({.type = ValueType::Bool, .i = value}); }

    /// v stands for the result of op from now on, behind daphne.adapt if its type has other facts.
    bool replaceWith(mlir::Value v);
    /// A new operation instead of op, with its result type.
    bool replaceWith(ops::OpName mnemonic, mlir::ValueRange operands);

  private:
    void replaceUses(mlir::Value v);
    mlir::OpBuilder builder;
    ir::DaphneOp op;
};

/// Applies the rule to every operation without a kernel hint, again and again until nothing changes.
void applyEverywhere(mlir::ModuleOp module, Rule rule);

/// Erases op, which has no users, and then the definitions of its operands that nobody uses or needs any more.
void eraseWithOperands(mlir::Operation *op);

inline ops::TypeDesc typeOf(mlir::Value v) { return ir::toTypeDesc(v.getType()); }
/// A matrix of a known numeric value type.
inline bool isNumericMatrix(const ops::TypeDesc &t) { return t.isMatrix() && isNumeric(t.valueType); }
/// A number or a matrix of numbers, of a known value type.
inline bool isNumericData(const ops::TypeDesc &t) { return (t.isScalar() || t.isMatrix()) && isNumeric(t.valueType); }

/// The operation that defines v if it is this one, without a kernel hint.
ir::DaphneOp definedBy(mlir::Value v, ops::OpName mnemonic);
/// As definedBy, and op is the only user and in the same block: rewriting both together repeats and moves no work.
ir::DaphneOp onlyFor(ir::DaphneOp user, mlir::Value v, ops::OpName mnemonic);

/// A constant flag such as those of matMul.
std::optional<bool> constantFlag(mlir::Value v);

} // namespace daphne::transforms
