// SPDX-License-Identifier: Apache-2.0
/// for (x in elements): the elements of a list, and rows, columns and cells of
/// matrices and frames, which are taken one by one.
#include "irgen/Generator.h"

#include "lang/dsl/Elements.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {
const TypeDesc kInteger = TypeDesc::scalar(ValueType::SI64);
constexpr std::string_view kLinesOfMatrix =
    "languages differ in what they take from a matrix: write rows(x), cols(x) or cells(x)";
}

/// Row or column k, which exists.
IrValue Generator::line(IrValue base, IrValue k, Parts parts, SourceSpan span) {
    const bool isRow = parts == Parts::Rows;
    IrValue next = emit("ewAdd", {k, intConstant(1, span)}, {span, {}});
    IrValue slice = emit(isRow ? ops::OpName("sliceRow") : ops::OpName("sliceCol"), {base, k, next}, {span, {}});
    TypeDesc one = typeOf(slice); // inference sees two numbers; here it is known that they are neighbours
    (isRow ? one.rows : one.cols) = 1;
    slice.setType(irType(one));
    return slice;
}

void Generator::overParts(const ForEach &s, const Call &call, Parts parts) {
    const Expr *of = call.args.front().value;
    IrValue base = expr(of);
    TypeDesc t = typeOf(base);
    if (t.isUnknown() && parts == Parts::Cells)
        base = adapt(base, t = TypeDesc::matrix(ValueType::Unknown), of->span);
    bool fits = t.isUnknown() || t.isMatrix() || (t.isFrame() && parts != Parts::Cells);
    if (!fits)
        raise(compileError(of->span, std::string(call.callee) + " needs a matrix" +
                                         (parts == Parts::Cells ? "" : " or a frame") + ", got " + t.text()));
    auto count = [&](ops::OpName op) { return emit(op, base, {call.span, {}}); };
    auto asIndex = [&](IrValue k) { return emitCast(k, kInteger, s.variableSpan); };
    if (parts != Parts::Cells)
        return countedLoop(s, s.variable, s.body,
                           count(parts == Parts::Rows ? ops::OpName("numRows") : ops::OpName("numCols")),
                           [&](IrValue k) { return line(base, asIndex(k), parts, s.variableSpan); });
    IrValue cols = emitCast(count("numCols"), kInteger, call.span);
    countedLoop(s, s.variable, s.body, count("numCells"), [&](IrValue k) {
        const Site site{s.variableSpan, {}};
        IrValue row = line(base, emit("ewDiv", {asIndex(k), cols}, site), Parts::Rows, s.variableSpan);
        IrValue cell = line(row, emit("ewMod", {asIndex(k), cols}, site), Parts::Cols, s.variableSpan);
        return emitCast(cell, {.kind = ops::Kind::Scalar}, s.variableSpan);
    });
}

/// A value of a type that only the run time knows, after a check by asList or asTable.
IrValue Generator::needKind(ops::OpName check, IrValue v, std::string_view message, std::string_view hint,
                            SourceSpan span) {
    auto text = [&](std::string_view s) { return constant({.type = ValueType::Str, .s = std::string(s)}, span); };
    return emit(check, {v, text(message), text(hint)}, {span, {}});
}

void Generator::forEachLoop(const ForEach &s) {
    if (s.elements->kind == ExprKind::Call) {
        const Call &call = as<Call>(s.elements);
        IrValue *variable = find(call.callee);
        bool isBuiltin = visibleFunctions(call.callee, call.calleeSpan).empty() && !(variable && functionOf(*variable));
        if (auto parts = partsNamed(call.callee); parts && isBuiltin)
            return overParts(s, call, *parts);
    }
    IrValue list = expr(s.elements);
    TypeDesc t = typeOf(list);
    if (!t.isList() && !t.isUnknown())
        raise(compileError(s.elements->span, "a loop runs through the elements of a list, this is " + t.typeText())
                  .withHint(t.isMatrix() || t.isFrame()
                                ? std::string(kLinesOfMatrix)
                                : "numbers are counted as in 1:10"));
    if (t.isUnknown())
        list = needKind("asList", list, "a loop runs through the elements of a list", kLinesOfMatrix, s.elements->span);
    IrValue count = emit("length", list, {s.elements->span, {}});
    countedLoop(s, s.variable, s.body, count, [&](IrValue k) {
        return emit("element", {list, emitCast(k, kInteger, s.variableSpan)}, {s.variableSpan, {}});
    });
}

} // namespace daphne::irgen
