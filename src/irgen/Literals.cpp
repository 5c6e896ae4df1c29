// SPDX-License-Identifier: Apache-2.0
/// Matrix and frame literals.
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;
using ops::Constant;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

template <class T> T cell(const Constant &c) {
    return isFloat(c.type)
               ? static_cast<T>(c.d)
               : (isSigned(c.type) || c.type == ValueType::Bool ? static_cast<T>(c.i)
                                                                : static_cast<T>(static_cast<uint64_t>(c.i)));
}

/// Attribute holding the cells: raw bytes for numbers, an array of strings otherwise.
mlir::Attribute cellsAttribute(mlir::Builder &b, llvm::ArrayRef<Constant> cells, ValueType type) {
    if (type == ValueType::Str) {
        llvm::SmallVector<mlir::Attribute> texts;
        for (const Constant &c : cells)
            texts.push_back(b.getStringAttr(c.s));
        return b.getArrayAttr(texts);
    }
    return withNumericType(type, [&]<class T>(TypeTag<T>) -> mlir::Attribute {
        std::vector<char> bytes(cells.size() * sizeof(T));
        for (size_t i = 0; i < cells.size(); ++i) {
            T x = cell<T>(cells[i]);
            std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
        }
        auto shaped = mlir::RankedTensorType::get({static_cast<int64_t>(bytes.size())}, b.getI8Type());
        return mlir::DenseElementsAttr::getFromRawBuffer(shaped, bytes);
    });
}

double fractionOfNonZeros(llvm::ArrayRef<Constant> cells, ValueType type) {
    if (!isNumeric(type) || type == ValueType::Bool || cells.empty())
        return -1;
    size_t n = 0;
    for (const Constant &c : cells)
        n += cell<double>(c) != 0.0;
    return static_cast<double>(n) / static_cast<double>(cells.size());
}

} // namespace

IrValue Generator::constantMatrix(llvm::ArrayRef<Constant> cells, int64_t rows, int64_t cols, SourceSpan span) {
    ValueType type = ValueType::Bool;
    for (const Constant &c : cells)
        type = mostGeneral(type, c.type);
    if (type == ValueType::Size)
        type = ValueType::UI64;
    TypeDesc desc = TypeDesc::matrix(type, rows, cols, fractionOfNonZeros(cells, type));
    return ir::createOp(builder, loc(span), "matrixConstant", {}, irType(desc),
                        builder.getNamedAttr(ir::kCells, cellsAttribute(builder, cells, type)))
        ->getResult(0);
}

IrValue Generator::matrixLiteral(const MatrixLit &e) {
    std::vector<IrValue> cells;
    std::vector<Constant> constants;
    std::vector<SourceSpan> spans;
    cells.reserve(e.cells.size());
    for (const Expr *c : e.cells) {
        // Literal cells need no operation of their own: large tables stay small in the IR.
        if (c->kind == ExprKind::IntLit && constants.size() == cells.size()) {
            constants.push_back({.type = as<IntLit>(c).type, .i = as<IntLit>(c).value});
            cells.push_back({});
        } else if (c->kind == ExprKind::FloatLit && constants.size() == cells.size()) {
            constants.push_back({.type = as<FloatLit>(c).type, .d = as<FloatLit>(c).value});
            cells.push_back({});
        } else {
            IrValue v = expr(c);
            TypeDesc t = typeOf(v);
            if (!t.isUnknown() && !t.isScalar())
                raise(compileError(c->span, "cells of a matrix literal must be scalars, got " + t.text()));
            auto known = ir::constantOf(v);
            if (known && constants.size() == cells.size())
                constants.push_back(*known);
            cells.push_back(v);
        }
    }
    for (const Constant &c : constants)
        if (c.type != constants[0].type && (isTime(c.type) || isTime(constants[0].type)))
            raise(compileError(e.span, "a matrix literal cannot mix " + std::string(dslName(constants[0].type)) +
                                           " and " + std::string(dslName(c.type))));
    auto n = static_cast<int64_t>(e.cells.size());
    bool allConstant = constants.size() == cells.size();
    auto sizeOf = [&](const Expr *size) {
        return emitCast(position(expr(size), size->span), TypeDesc::scalar(ValueType::Size), size->span);
    };
    IrValue rows = e.rows ? sizeOf(e.rows) : IrValue();
    IrValue cols = e.cols ? sizeOf(e.cols) : IrValue();
    if (allConstant && !rows && !cols)
        return constantMatrix(constants, n, 1, e.span);
    auto dimension = [&](IrValue v, const Expr *) -> int64_t {
        auto c = v ? ir::constantOf(v) : std::nullopt;
        return c ? c->i : -1;
    };
    int64_t r = dimension(rows, e.rows), c = dimension(cols, e.cols);
    if (!rows && c > 0)
        r = n / c;
    if (!cols && r > 0)
        c = n / r;
    if (allConstant && r >= 0 && c >= 0 && r * c == n)
        return constantMatrix(constants, r, c, e.span);

    IrValue column;
    if (allConstant) {
        column = constantMatrix(constants, n, 1, e.span);
    } else {
        for (size_t i = 0; i < cells.size(); ++i)
            if (!cells[i])
                cells[i] = constant(constants[i], e.cells[i]->span);
        column = emit("matrixConstant", cells, {e.span, {}});
    }
    if (!rows && !cols)
        return column;
    // (r, ) and ( , c): the other dimension is the quotient.
    IrValue count = constant({.type = ValueType::Size, .i = n}, e.span);
    if (!rows)
        rows = emit("ewDiv", {count, cols}, {e.span, {}});
    if (!cols)
        cols = emit("ewDiv", {count, rows}, {e.span, {}});
    return emit("reshape", {column, rows, cols}, {e.span, {}});
}

IrValue Generator::frameColumns(const FrameColumns &e) {
    std::vector<IrValue> operands;
    std::vector<IrValue> labels;
    for (size_t i = 0; i < e.columns.size(); ++i) {
        labels.push_back(expr(e.labels[i]));
        operands.push_back(expr(e.columns[i]));
    }
    if (operands.empty())
        raise(compileError(e.span, "a frame literal needs at least one column"));
    operands.insert(operands.end(), labels.begin(), labels.end());
    return emit("createFrame", operands, {e.span, {}});
}

IrValue Generator::frameRows(const FrameRows &e) {
    size_t numCols = e.labels.size();
    std::vector<IrValue> labels, cells, operands;
    for (const Expr *l : e.labels)
        labels.push_back(expr(l));
    for (const Expr *c : e.cells)
        cells.push_back(expr(c));
    for (size_t c = 0; c < numCols; ++c) {
        std::vector<IrValue> column;
        for (size_t i = c; i < cells.size(); i += numCols)
            column.push_back(cells[i]);
        operands.push_back(emit("matrixConstant", column, {e.span, {}}));
    }
    operands.insert(operands.end(), labels.begin(), labels.end());
    return emit("createFrame", operands, {e.span, {}});
}

} // namespace daphne::irgen
