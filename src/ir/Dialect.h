// SPDX-License-Identifier: Apache-2.0
/// DaphneIR: the dialect. Control flow is scf, functions are func; everything
/// else is an operation `daphne.<mnemonic>` whose facts (arity, inference,
/// effects) come from the registry of src/ops. One C++ class, DaphneOp, stands
/// for all of them: adding a row to the registry adds the operation.
///
/// Scalars use builtin types: si8..si64, ui8..ui64, f32, f64, i1 (bool), index
/// (size). The dialect adds !daphne.str, !daphne.date, !daphne.timestamp,
/// !daphne.duration, !daphne.matrix<...>, !daphne.frame<...>, !daphne.list<...> and !daphne.unknown (a value whose type
/// is known only at run time).
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "base/Source.h"
#include "ops/OpName.h"

namespace daphne::ir {

namespace detail {
struct MatrixTypeStorage;
struct FrameTypeStorage;
struct ListTypeStorage;
} // namespace detail

class StringType : public mlir::Type::TypeBase<StringType, mlir::Type, mlir::TypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.str";
};

/// Dates, timestamps and durations are held as integers.
class DateType : public mlir::Type::TypeBase<DateType, mlir::Type, mlir::TypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.date";
};
class TimestampType : public mlir::Type::TypeBase<TimestampType, mlir::Type, mlir::TypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.timestamp";
};
class DurationType : public mlir::Type::TypeBase<DurationType, mlir::Type, mlir::TypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.duration";
};

class UnknownType : public mlir::Type::TypeBase<UnknownType, mlir::Type, mlir::TypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.unknown";
};

/// Facts as in ops::TypeDesc; the element type is a scalar type or UnknownType.
class MatrixType : public mlir::Type::TypeBase<MatrixType, mlir::Type, detail::MatrixTypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.matrix";
    static MatrixType get(mlir::Type element, int64_t rows, int64_t cols, double sparsity,
                          ops::Representation representation);
    mlir::Type element() const;
    int64_t rows() const;
    int64_t cols() const;
    double sparsity() const;
    ops::Representation representation() const;
};

/// columns is null if labels and types are unknown.
class FrameType : public mlir::Type::TypeBase<FrameType, mlir::Type, detail::FrameTypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.frame";
    /// labels: ArrayAttr of StringAttr or null; types: ArrayAttr of TypeAttr or null.
    static FrameType get(mlir::MLIRContext *context, int64_t rows, int64_t cols, mlir::ArrayAttr labels,
                         mlir::ArrayAttr types);
    int64_t rows() const;
    int64_t cols() const;
    mlir::ArrayAttr labels() const;
    mlir::ArrayAttr types() const;
};

class ListType : public mlir::Type::TypeBase<ListType, mlir::Type, detail::ListTypeStorage> {
  public:
    using Base::Base;
    static constexpr mlir::StringLiteral name = "daphne.list";
    static ListType get(mlir::Type element);
    mlir::Type element() const;
};

/// Both directions of the correspondence with TypeDesc. Lossless.
mlir::Type toIrType(mlir::MLIRContext *context, const ops::TypeDesc &type);
ops::TypeDesc toTypeDesc(mlir::Type type);
mlir::Type scalarType(mlir::MLIRContext *context, ValueType type);
/// Values held by reference: strings, matrices, frames, lists and unknown ones.
bool isReference(mlir::Type type);
/// A date, timestamp or duration.
bool isTime(mlir::Type type);

class DaphneDialect;

/// Every operation of the dialect but PipelineOp and YieldOp. Each name is registered with a TypeID of its own, the
/// address of its row, so the class is recognised by the dialect.
class DaphneOp : public mlir::Op<DaphneOp, mlir::OpTrait::VariadicOperands, mlir::OpTrait::VariadicResults,
                                 mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroSuccessors> {
  public:
    using Op::Op;
    /// No operation has this name: there is one per row of the registry.
    static llvm::StringRef getOperationName() { return "daphne.op"; }
    using Op::classof;
    static bool classof(mlir::Operation *op);
    static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }

    ops::OpName mnemonic() { return info().mnemonic; }
    const ops::OpInfo &info() { return infoOf(*this); }
    static const ops::OpInfo &infoOf(mlir::Operation *op);

    bool is(ops::OpName name) { return mnemonic() == name; }
    bool isOneOf(std::initializer_list<ops::OpName> names) { return ops::isOneOf(mnemonic(), names); }
    /// Kernel hint or "".
    llvm::StringRef hint();

    mlir::LogicalResult verify();
    void print(mlir::OpAsmPrinter &p);
    static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &result);
};

/// Operations of a block that are planned and run together (exec/Region.h): its region has the operands as arguments
/// and ends with a YieldOp of the results.
class PipelineOp : public mlir::Op<PipelineOp, mlir::OpTrait::OneRegion, mlir::OpTrait::VariadicOperands,
                                   mlir::OpTrait::VariadicResults, mlir::OpTrait::ZeroSuccessors,
                                   mlir::OpTrait::IsIsolatedFromAbove> {
  public:
    using Op::Op;
    static llvm::StringRef getOperationName() { return "daphne.pipeline"; }
    static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
    mlir::Block &body() { return (*this)->getRegion(0).front(); }
    mlir::LogicalResult verify();
};

class YieldOp
    : public mlir::Op<YieldOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::VariadicOperands, mlir::OpTrait::ZeroResults,
                      mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::IsTerminator> {
  public:
    using Op::Op;
    static llvm::StringRef getOperationName() { return "daphne.yield"; }
    static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
};

/// Null unless op is an operation of the dialect with this mnemonic.
DaphneOp asOp(mlir::Operation *op, ops::OpName mnemonic);
/// Operation that defines v, if it is one of the dialect.
DaphneOp definingOp(mlir::Value v);
inline bool isOp(mlir::Value v, ops::OpName mnemonic) { return bool(asOp(v.getDefiningOp(), mnemonic)); }

class DaphneDialect : public mlir::Dialect {
  public:
    explicit DaphneDialect(mlir::MLIRContext *context);
    static llvm::StringRef getDialectNamespace() { return "daphne"; }
    mlir::Type parseType(mlir::DialectAsmParser &parser) const override;
    void printType(mlir::Type type, mlir::DialectAsmPrinter &printer) const override;
};

// ---- constants

/// The value of a `daphne.constant`, or nothing.
std::optional<ops::Constant> constantOf(mlir::Value v);
mlir::Value makeConstant(mlir::OpBuilder &b, mlir::Location loc, const ops::Constant &c);

/// Types and constants of the operands, as inference wants them.
std::vector<ops::Arg> argsOf(mlir::ValueRange operands);
/// Inference input of an operation; `storage` keeps the arguments alive.
ops::InferCall inferCallOf(DaphneOp op, std::vector<ops::Arg> &storage);
/// Wanted kind and value type of a cast.
ops::TypeDesc castTargetOf(mlir::Operation *op);

/// Creates daphne.<mnemonic>.
DaphneOp createOp(mlir::OpBuilder &b, mlir::Location loc, ops::OpName mnemonic, mlir::ValueRange operands,
                  mlir::TypeRange results, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// True if executing op may raise an error or has an effect: it must not be dropped, even if unused.
bool mustKeep(mlir::Operation *op);

// ---- positions: a Location that is a byte range of a source file

mlir::Location locationOf(mlir::MLIRContext *context, SourceSpan span);
SourceSpan spanOf(mlir::Location loc);

/// Attribute names.
inline constexpr llvm::StringLiteral kHint = "kernel_hint";
inline constexpr llvm::StringLiteral kValue = "value";
inline constexpr llvm::StringLiteral kCells = "cells";
inline constexpr llvm::StringLiteral kConsume = "consume"; ///< bit mask of operands given to the kernel
inline constexpr llvm::StringLiteral kMessage = "message";
inline constexpr llvm::StringLiteral kTargetKind = "kind";
inline constexpr llvm::StringLiteral kCallee = "callee";
inline constexpr llvm::StringLiteral kCsrThreshold =
    "daphne.csr_threshold"; ///< of the module, see selectRepresentations

} // namespace daphne::ir

MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::DaphneOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::PipelineOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::YieldOp)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::DaphneDialect)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::StringType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::DateType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::TimestampType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::DurationType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::UnknownType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::MatrixType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::FrameType)
MLIR_DECLARE_EXPLICIT_TYPE_ID(daphne::ir::ListType)

namespace daphne::ir {

inline bool DaphneOp::classof(mlir::Operation *op) {
    mlir::OperationName name = op->getName();
    if (!name.isRegistered() || name.getDialect()->getTypeID() != mlir::TypeID::get<DaphneDialect>())
        return false;
    return name.getTypeID() != mlir::TypeID::get<PipelineOp>() && name.getTypeID() != mlir::TypeID::get<YieldOp>();
}

} // namespace daphne::ir
