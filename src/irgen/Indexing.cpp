// SPDX-License-Identifier: Apache-2.0
/// x[rows, cols], x[[rows, cols]] and x[rows, cols] = y.
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {
const TypeDesc kInteger = TypeDesc::scalar(ValueType::SI64);
}

/// A single position p is the range p : p+1, positions truncated toward zero first.
Generator::Bounds Generator::bounds(IrValue base, const IndexPart &part, bool rows, SourceSpan span) {
    auto position = [&](const Expr *e) { return emitCast(expr(e), kInteger, e->span); };
    if (part.form == IndexPart::Form::Single) {
        IrValue lo = position(part.lo);
        return {lo, emit("ewAdd", {lo, intConstant(1, span)}, {part.lo->span, {}})};
    }
    Bounds b;
    b.lo = part.lo ? position(part.lo) : intConstant(0, span);
    b.hi = part.hi ? position(part.hi) : IrValue();
    if (!b.hi) {
        TypeDesc t = typeOf(base);
        int64_t size = rows ? t.rows : t.cols;
        ops::OpName sizeOf = rows ? ops::OpName("numRows") : ops::OpName("numCols");
        b.hi = size >= 0 ? intConstant(size, span) : emitCast(emit(sizeOf, base, {span, {}}), kInteger, span);
    }
    return b;
}

IrValue Generator::select(IrValue base, const IndexPart &part, bool rows, SourceSpan span) {
    if (part.form == IndexPart::Form::All || (part.form == IndexPart::Form::Range && !part.lo && !part.hi))
        return base;
    TypeDesc baseType = typeOf(base);
    if (baseType.isUnknown()) // lists have rows to the operations, but not here
        emit("numRows", base, {span, {}});
    if (baseType.isScalar() || baseType.isList())
        raise(compileError(span, "only matrices and frames can be indexed, got " + baseType.text()));
    if (part.form == IndexPart::Form::Single) {
        IrValue index = expr(part.lo);
        TypeDesc t = typeOf(index);
        bool number = t.isScalar() && t.valueType != ValueType::Str;
        if (!number)
            return emit(rows ? ops::OpName("extractRow") : ops::OpName("extractCol"), {base, index}, {span, {}});
        IrValue lo = emitCast(index, kInteger, part.lo->span);
        IrValue hi = emit("ewAdd", {lo, intConstant(1, span)}, {part.lo->span, {}});
        IrValue slice = emit(rows ? ops::OpName("sliceRow") : ops::OpName("sliceCol"), {base, lo, hi}, {span, {}});
        // Inference sees two numbers; here it is known that they are neighbours.
        TypeDesc one = typeOf(slice);
        (rows ? one.rows : one.cols) = 1;
        slice.setType(irType(one));
        return slice;
    }
    Bounds b = bounds(base, part, rows, span);
    return emit(rows ? ops::OpName("sliceRow") : ops::OpName("sliceCol"), {base, b.lo, b.hi}, {span, {}});
}

IrValue Generator::indexExpr(const Index &e) {
    IrValue base = expr(e.base);
    return select(select(base, e.rows, true, e.span), e.cols, false, e.span);
}

/// Of a value whose type is unknown: fails when it turns out to be no list.
IrValue Generator::asList(IrValue v, SourceSpan span) {
    TypeDesc t = typeOf(v);
    if (t.isList())
        return v;
    if (t.isUnknown())
        return adapt(v, TypeDesc::list(ValueType::Unknown), span);
    Error e = compileError(span, "only a list has elements, this is " + t.text());
    if (t.isMatrix() || t.isFrame())
        e.withHint("rows and columns are separated by a comma: X[i, ] is a row, X[i, j] a cell");
    raise(std::move(e));
}

IrValue Generator::position(IrValue v, SourceSpan span) { return emitCast(v, kInteger, span); }

/// l[i], l[a:b]
IrValue Generator::elementExpr(const Element &e) {
    IrValue list = asList(expr(e.base), e.span);
    const IndexPart &part = e.part;
    if (part.form == IndexPart::Form::All)
        return list;
    if (part.form == IndexPart::Form::Single)
        return emit("extractRow", {list, position(expr(part.lo), part.lo->span)}, {e.span, {}});
    IrValue lo = part.lo ? position(expr(part.lo), part.lo->span) : intConstant(0, e.span);
    IrValue hi = part.hi ? position(expr(part.hi), part.hi->span)
                         : emitCast(emit("length", list, {e.span, {}}), kInteger, e.span);
    return emit("sliceRow", {list, lo, hi}, {e.span, {}});
}

IrValue Generator::filterExpr(const Filter &e) {
    IrValue base = expr(e.base);
    if (typeOf(base).isUnknown() || typeOf(base).isList())
        emit("numRows", base, {e.span, {}});
    if (e.rows)
        base = emit("filterRow", {base, expr(e.rows)}, {e.span, {}});
    if (e.cols)
        base = emit("filterCol", {base, expr(e.cols)}, {e.span, {}});
    return base;
}

IrValue Generator::insert(IrValue base, const Index &index, IrValue value, SourceSpan span) {
    auto isAll = [](const IndexPart &p) {
        return p.form == IndexPart::Form::All || (p.form == IndexPart::Form::Range && !p.lo && !p.hi);
    };
    bool allRows = isAll(index.rows), allCols = isAll(index.cols);
    if (allRows && allCols)
        return value;
    Site site{span, {}};
    if (allCols) {
        Bounds r = bounds(base, index.rows, true, span);
        return emit("insertRow", {base, value, r.lo, r.hi}, site);
    }
    if (allRows) {
        Bounds c = bounds(base, index.cols, false, span);
        return emit("insertCol", {base, value, c.lo, c.hi}, site);
    }
    Bounds r = bounds(base, index.rows, true, span);
    Bounds c = bounds(base, index.cols, false, span);
    return emit("insert", {base, value, r.lo, r.hi, c.lo, c.hi}, site);
}

} // namespace daphne::irgen
