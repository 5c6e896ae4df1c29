// SPDX-License-Identifier: Apache-2.0
/// x[rows, cols], x[[rows, cols]], x[[cells]] and assignments to them.
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {
const TypeDesc kInteger = TypeDesc::scalar(ValueType::SI64);
}

IrValue Generator::position(IrValue v, SourceSpan span) {
    IrValue number = emitCast(v, TypeDesc::scalar(ValueType::Unknown), span);
    if (isIntegerLike(typeOf(number).valueType))
        return emitCast(number, kInteger, span);
    return emit("position", number, {span, {}});
}

/// What a part of x[rows, cols] selects: its expressions are evaluated here, once.
Generator::Selection::Part Generator::selectionPart(IrValue base, const IndexPart &part, bool rows, SourceSpan span) {
    using Form = Selection::Part::Form;
    if (part.form == IndexPart::Form::All)
        return {};
    if (part.form == IndexPart::Form::Single) {
        IrValue index = expr(part.lo);
        TypeDesc t = typeOf(index);
        if (t.isString())
            return {Form::Label, index, {}};
        if (!t.isScalar()) {
            noteComparison(part.lo, index);
            return {t.isMatrix() && t.valueType == ValueType::Bool ? Form::Marks : Form::Positions, index, {}};
        }
        IrValue lo = position(index, part.lo->span);
        return {Form::Single, lo, emit("ewAdd", {lo, intConstant(1, span)}, {part.lo->span, {}})};
    }
    IrValue lo = part.lo ? position(expr(part.lo), part.lo->span) : intConstant(0, span);
    IrValue hi = part.hi ? position(expr(part.hi), part.hi->span) : IrValue();
    if (!hi) {
        TypeDesc t = typeOf(base);
        int64_t size = rows ? t.rows : t.cols;
        ops::OpName sizeOf = rows ? ops::OpName("numRows") : ops::OpName("numCols");
        hi = size >= 0 ? intConstant(size, span) : emitCast(emit(sizeOf, base, {span, {}}), kInteger, span);
    }
    return {Form::Range, lo, hi};
}

/// Warns where the numbers 0 and 1 of a comparison are positions: most likely they were meant to mark rows.
void Generator::noteComparison(const Expr *index, IrValue value) {
    TypeDesc type = typeOf(value);
    bool direct = isTruthValue(index) || (index->kind == ExprKind::Var && truthValues.contains(value));
    if (!direct || !type.isMatrix() || type.valueType == ValueType::Bool || type.valueType == ValueType::Unknown)
        return;
    warn("the 0 and 1 of this comparison are used as positions",
         "to select marked rows write X[[mask, ]] (columns: X[[, mask]]), or as.bool(mask)", index->span);
}

/// Once per place, whatever the number of versions of a function.
void Generator::warn(std::string text, std::string hint, SourceSpan where) {
    for (const Error &earlier : warnings)
        if (earlier.where == where)
            return;
    warnings.push_back(Error(Stage::Compile, std::move(text), where).withHint(std::move(hint)));
}

// ------------------------------------------------------------------- reading

IrValue Generator::select(IrValue base, const Selection::Part &part, bool rows, SourceSpan span) {
    using Form = Selection::Part::Form;
    auto either = [&](ops::OpName ofRows, ops::OpName ofCols) { return rows ? ofRows : ofCols; };
    switch (part.form) {
    case Form::All: return base;
    case Form::Marks: return emit(either("filterRow", "filterCol"), {base, part.lo}, {span, {}});
    case Form::Positions:
    case Form::Label: return emit(either("extractRow", "extractCol"), {base, part.lo}, {span, {}});
    case Form::Single:
    case Form::Range: break;
    }
    IrValue slice = emit(either("sliceRow", "sliceCol"), {base, part.lo, part.hi}, {span, {}});
    if (part.form == Form::Single) {
        // Inference sees two numbers; here it is known that they are neighbours.
        TypeDesc one = typeOf(slice);
        (rows ? one.rows : one.cols) = 1;
        slice.setType(irType(one));
    }
    return slice;
}

/// To operations the elements of a list are its rows, but X[rows, cols] is for matrices and frames.
IrValue Generator::asTable(IrValue base, SourceSpan span) {
    constexpr std::string_view kMessage = "only matrices and frames have rows and columns";
    constexpr std::string_view kHint = "the elements of a list are l[i], and parts of an element l[i][rows, cols]";
    TypeDesc type = typeOf(base);
    if (type.isUnknown())
        return needKind("asTable", base, kMessage, kHint, span);
    if (!type.isScalar() && !type.isList())
        return base;
    Error error = compileError(span, std::string(kMessage) + ", this is " + type.text());
    if (type.isList())
        error.withHint(std::string(kHint));
    raise(std::move(error));
}

/// Of an index with the parts `index`, which may say nothing.
IrValue Generator::indexable(IrValue base, const Index &index, SourceSpan span) {
    constexpr auto kAll = IndexPart::Form::All;
    return index.rows.form == kAll && index.cols.form == kAll ? base : asTable(base, span);
}

IrValue Generator::indexExpr(const Index &e) {
    IrValue base = indexable(expr(e.base), e, e.span);
    base = select(base, selectionPart(base, e.rows, true, e.span), true, e.span);
    return select(base, selectionPart(base, e.cols, false, e.span), false, e.span);
}

/// A value whose elements are selected; fails if it is no list.
IrValue Generator::asList(IrValue v, SourceSpan span) {
    constexpr std::string_view kMessage = "only a list has elements";
    constexpr std::string_view kHint = "rows and columns are separated by a comma: X[i, ] is a row, X[i, j] a cell";
    TypeDesc t = typeOf(v);
    if (t.isList())
        return v;
    if (t.isUnknown())
        return needKind("asList", v, kMessage, kHint, span);
    Error e = compileError(span, std::string(kMessage) + ", this is " + t.text());
    if (t.isMatrix() || t.isFrame())
        e.withHint(std::string(kHint));
    raise(std::move(e));
}

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
    if (typeOf(base).isList() || typeOf(base).isUnknown())
        base = asTable(base, e.span);
    if (e.cells)
        return emit("filterCells", {base, expr(e.cells)}, {e.span, {e.base->span, e.cells->span}});
    if (e.rows)
        base = emit("filterRow", {base, expr(e.rows)}, {e.span, {}});
    if (e.cols)
        base = emit("filterCol", {base, expr(e.cols)}, {e.span, {}});
    return base;
}

IrValue Generator::read(IrValue base, const Selection &s) {
    for (IrValue position : s.elements)
        base = emit("extractRow", {asList(base, s.span), position}, {s.span, {}});
    if (s.cells)
        return emit("filterCells", {base, s.cells}, {s.span, {}});
    return select(select(base, s.rows, true, s.span), s.cols, false, s.span);
}

// ------------------------------------------------------------------- writing

/// What an index of a type that is not known yet selects for writing: one position, or marks if it is a matrix.
Generator::Selection::Part Generator::overwritten(IrValue index, SourceSpan span) {
    using Form = Selection::Part::Form;
    TypeDesc type = typeOf(index);
    if (!type.isMatrix()) {
        IrValue lo = position(index, span);
        return {Form::Single, lo, emit("ewAdd", {lo, intConstant(1, span)}, {span, {}})};
    }
    if (type.valueType != ValueType::Unknown)
        raise(compileError(span, "only a bool matrix can select what to overwrite, got " + type.text())
                  .withHint("to overwrite marked rows write X[[marks, ]]"));
    return {Form::Marks, adapt(index, TypeDesc::matrix(ValueType::Bool, type.rows, type.cols), span), {}};
}

/// What a target selects in its variable.
Generator::Selection Generator::selection(IrValue base, const Target &target, SourceSpan span) {
    using Form = Selection::Part::Form;
    Selection s;
    s.span = span;
    s.isPart = target.index || target.marks;
    for (const Expr *e : target.elements) {
        IrValue list = asList(base, span);
        s.elements.push_back(position(expr(e), e->span));
        if (s.isPart || s.elements.size() < target.elements.size())
            base = emit("extractRow", {list, s.elements.back()}, {span, {}});
    }
    if (!s.isPart)
        return s;
    if (target.index) {
        base = indexable(base, *target.index, span);
        s.rows = selectionPart(base, target.index->rows, true, span);
        s.cols = selectionPart(base, target.index->cols, false, span);
        for (Selection::Part *part : {&s.rows, &s.cols})
            if (part->form == Form::Positions)
                *part = overwritten(part->lo, span);
        return s;
    }
    const Filter &marks = *target.marks;
    if (marks.cells)
        s.cells = expr(marks.cells);
    if (marks.rows)
        s.rows = {Form::Marks, expr(marks.rows), {}};
    if (marks.cols)
        s.cols = {Form::Marks, expr(marks.cols), {}};
    return s;
}

/// base with value in the selected place; `level` lists around it are done with.
IrValue Generator::replaced(IrValue base, const Selection &s, IrValue value, size_t level) {
    if (level == s.elements.size())
        return s.isPart ? replacePart(base, s, value) : value;
    IrValue at = s.elements[level];
    std::vector<IrValue> taken = emitMulti("takeElement", {asList(base, s.span), at}, {s.span, {}});
    // Nobody else holds the element now, if nobody did before: it may be updated in place.
    IrValue element = replaced(taken[1], s, value, level + 1);
    return emit("putElement", {taken[0], element, at}, {s.span, {}});
}

/// base with value in the selected part.
IrValue Generator::replacePart(IrValue base, const Selection &s, IrValue value) {
    using Form = Selection::Part::Form;
    Site site{s.span, {}};
    if (s.cells)
        return emit("insertCells", {base, value, s.cells}, site);
    if (s.cols.form == Form::Label)
        return replaceColumn(base, s, value);
    bool allRows = s.rows.form == Form::All, allCols = s.cols.form == Form::All;
    if (allRows && allCols && !typeOf(value).isScalar())
        return value;
    bool marksRows = s.rows.form == Form::Marks, marksCols = s.cols.form == Form::Marks;
    if (marksRows || marksCols) {
        // Marks beside a range mark rows or columns of what the range selects.
        Selection outer = s, inner = s;
        (marksRows ? outer.rows : outer.cols) = {};
        (marksRows ? inner.cols : inner.rows) = {};
        bool nested = !(marksRows && marksCols) && !(marksRows ? allCols : allRows);
        if (nested)
            return replacePart(base, outer, replacePart(read(base, outer), inner, value));
        IrValue everything = boolConstant(true, s.span);
        return emit("insertMarked",
                    {base, value, marksRows ? s.rows.lo : everything, marksCols ? s.cols.lo : everything}, site);
    }
    if (allCols && !allRows)
        return emit("insertRow", {base, value, s.rows.lo, s.rows.hi}, site);
    if (allRows && !allCols)
        return emit("insertCol", {base, value, s.cols.lo, s.cols.hi}, site);
    if (allRows)
        return emit("insertMarked", {base, value, boolConstant(true, s.span), boolConstant(true, s.span)}, site);
    return emit("insert", {base, value, s.rows.lo, s.rows.hi, s.cols.lo, s.cols.hi}, site);
}

/// F[rows, "label"] = value
IrValue Generator::replaceColumn(IrValue base, const Selection &s, IrValue value) {
    using Form = Selection::Part::Form;
    Site site{s.span, {}};
    if (s.rows.form == Form::All)
        return emit("setColumn", {base, value, s.cols.lo}, site);
    if (s.rows.form != Form::Marks)
        return emit("insertInColumn", {base, value, s.cols.lo, s.rows.lo, s.rows.hi}, site);
    Selection rows;
    rows.span = s.span;
    rows.rows = s.rows;
    IrValue column = emit("columnOf", {base, s.cols.lo}, site);
    return emit("setColumn", {base, replacePart(column, rows, value), s.cols.lo}, site);
}

} // namespace daphne::irgen
