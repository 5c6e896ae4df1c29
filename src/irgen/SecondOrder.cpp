// SPDX-License-Identifier: Apache-2.0
/// Builtins that take a function: loops that call it. Of a lambda that computes
/// with cells only, map makes operations on the whole matrix.
#include "irgen/Generator.h"

#include <algorithm>

#include "llvm/ADT/ScopeExit.h"

#include "base/Widening.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

const TypeDesc kPosition = TypeDesc::scalar(ValueType::SI64);
const TypeDesc kAnyList = TypeDesc::list(ValueType::Unknown);

/// Whether an expression means the same for a cell as for a whole matrix, and fails for the one where it does for the
/// other. Operands are cells of the matrix and numbers.
class Cellwise {
  public:
    Cellwise(std::string_view cell, const std::function<bool(std::string_view)> &isNumber,
             const std::function<bool(std::string_view)> &isBuiltin)
        : cell(cell), isNumber(isNumber), isBuiltin(isBuiltin) {}

    /// Also whether the cell occurs in it: without it the result would be no matrix.
    bool holds(const Expr *e) {
        auto found = look(e);
        return found && found->usesCell;
    }

  private:
    struct Found {
        bool usesCell = false, mayFail = false;
    };
    using Maybe = std::optional<Found>;

    /// What may fail must depend on the cell, else it would fail for matrices without cells, too.
    Maybe combine(std::initializer_list<Maybe> parts, bool mayFail) {
        Found all;
        for (const Maybe &part : parts) {
            if (!part)
                return std::nullopt;
            all.usesCell |= part->usesCell;
            mayFail |= part->mayFail;
        }
        all.mayFail = mayFail;
        return mayFail && !all.usesCell ? Maybe() : Maybe(all);
    }

    Maybe look(const Expr *e) {
        switch (e->kind) {
        case ExprKind::IntLit:
        case ExprKind::FloatLit:
        case ExprKind::BoolLit: return Found{};
        case ExprKind::Var: {
            std::string_view name = as<Var>(e).name;
            if (name == cell)
                return Found{.usesCell = true};
            return isNumber(name) ? Maybe(Found{}) : Maybe();
        }
        case ExprKind::Unary: return look(as<Unary>(e).operand);
        case ExprKind::Binary: {
            const auto &b = as<Binary>(e);
            if (!b.hint.empty() || b.op == "@" || b.op == "&&" || b.op == "||")
                return std::nullopt;
            bool mayFail = b.op == "/" || b.op == "%" || b.op == "^";
            return combine({look(b.lhs), look(b.rhs)}, mayFail);
        }
        case ExprKind::Call: {
            const auto &call = as<Call>(e);
            const ops::BuiltinInfo *builtin = ops::Registry::get().findBuiltin(call.callee);
            const ops::OpInfo *op = builtin ? ops::Registry::get().findOp(builtin->row->op) : nullptr;
            bool isCellFunction =
                op && !op->cells.empty() && (op->family == ops::Family::EwUnary || op->family == ops::Family::EwBinary);
            bool isPlain =
                call.hint.empty() && std::ranges::all_of(call.args, [](const CallArg &a) { return a.keyword.empty(); });
            if (!isCellFunction || !isPlain || !isBuiltin(call.callee))
                return std::nullopt;
            if (op->family == ops::Family::EwUnary && call.args.size() == 1)
                return combine({look(call.args[0].value)}, true);
            if (op->family == ops::Family::EwBinary && call.args.size() == 2)
                return combine({look(call.args[0].value), look(call.args[1].value)}, true);
            return std::nullopt;
        }
        default: return std::nullopt;
        }
    }

    std::string_view cell;
    const std::function<bool(std::string_view)> &isNumber, &isBuiltin;
};

bool isNumber(const TypeDesc &t) { return t.isScalar() && isNumeric(t.valueType); }

} // namespace

// ------------------------------------------------------------------ components

/// for (i in 0 : count - 1) with values that are carried on.
std::vector<IrValue> Generator::loopOver(IrValue count, llvm::ArrayRef<IrValue> inits, SourceSpan span, Step step) {
    IrValue zero = constant({.type = ValueType::Size, .i = 0}, span),
            one = constant({.type = ValueType::Size, .i = 1}, span);
    count = emitCast(count, TypeDesc::scalar(ValueType::Size), span);
    auto op = builder.create<mlir::scf::ForOp>(loc(span), zero, count, one, inits);
    mlir::Block *body = op.getBody();
    if (inits.empty())
        body->clear();
    ViewRegion region(*this, ViewRegion::Entry::Forget);
    bool certainBefore = std::exchange(certain, false);
    auto restore = llvm::make_scope_exit([&] { certain = certainBefore; });
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    std::vector<IrValue> carried(op.getRegionIterArgs().begin(), op.getRegionIterArgs().end()), next;
    try {
        next = step(emitCast(op.getInductionVar(), kPosition, span), carried);
        for (size_t i = 0; i < next.size(); ++i)
            next[i] = adapt(next[i], typeOf(carried[i]), span);
    } catch (const DeadCode &) {
        next.clear();
        for (IrValue v : carried)
            next.push_back(undef(v.getType()));
    }
    builder.create<mlir::scf::YieldOp>(loc(span), next);
    return {op.result_begin(), op.result_end()};
}

/// The one result of a call with these arguments.
IrValue Generator::applied(IrValue function, const std::vector<IrValue> &args, const Call &e) {
    Call call = e;
    call.args = {};
    std::vector<IrValue> results = invoke(function, args, call);
    if (results.size() != 1)
        raise(compileError(e.span, "'" + std::string(e.callee) + "' needs a function with one result, this one has " +
                                       std::to_string(results.size())));
    return results.front();
}

/// The type of such a result, whose code is thrown away again.
TypeDesc Generator::typeApplied(IrValue function, const std::vector<TypeDesc> &args, const Call &e) {
    mlir::Block scratch;
    bool certainBefore = std::exchange(certain, false);
    auto restore = llvm::make_scope_exit([&] { certain = certainBefore; });
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scratch);
    try {
        std::vector<IrValue> values;
        for (const TypeDesc &t : args)
            values.push_back(undef(irType(t)));
        return typeOf(applied(function, values, e));
    } catch (const DeadCode &) {
        return TypeDesc::unknown();
    }
}

IrValue Generator::lengthOf(IrValue x, SourceSpan span, bool rows) {
    if (typeOf(x).isList())
        return emit("length", x, {span, {}});
    return emit(rows ? ops::OpName("numRows") : ops::OpName("numCols"), x, {span, {}});
}

/// An element of a list, a row or column of anything else.
IrValue Generator::partAt(IrValue x, IrValue i, SourceSpan span, bool rows) {
    if (typeOf(x).isList())
        return emit("extractRow", {x, i}, {span, {}});
    IrValue next = emit("ewAdd", {i, intConstant(1, span)}, {span, {}});
    IrValue line = emit(rows ? ops::OpName("sliceRow") : ops::OpName("sliceCol"), {x, i, next}, {span, {}});
    TypeDesc one = typeOf(line);
    (rows ? one.rows : one.cols) = 1;
    line.setType(irType(one));
    return line;
}

/// Data the function is applied to. Of a type that only the run time knows it must be a list: what a matrix becomes
/// depends on its type.
void Generator::needParts(IrValue &x, const Call &e, bool frames) {
    TypeDesc t = typeOf(x);
    if (t.isList() || t.isMatrix() || (frames && t.isFrame()))
        return;
    std::string wanted = "'" + std::string(e.callee) + "' needs a " + (frames ? "list, matrix or frame" : "list or matrix");
    if (!t.isUnknown())
        raise(compileError(e.span, wanted + ", got " + t.text()));
    x = needKind("asList", x, wanted + " whose type is known before the script runs",
                 "convert it first, for example with as.matrix<f64>()", e.span);
}

// ------------------------------------------------------------------------- map

/// A list of what the function makes of elements or rows.
IrValue Generator::mapParts(IrValue x, IrValue function, const Call &e) {
    IrValue none = adapt(emit("createList", {}, {e.span, {}}), kAnyList, e.span);
    return loopOver(lengthOf(x, e.span), none, e.span,
                    [&](IrValue i, const std::vector<IrValue> &carried) {
                        IrValue value = applied(function, {partAt(x, i, e.span)}, e);
                        return std::vector<IrValue>{emit("append", {carried[0], value}, {e.span, {}})};
                    })
        .front();
}

/// The lambda on the whole matrix, if that is the same; else null.
IrValue Generator::mapCellwise(IrValue matrix, const FunctionForm &form, mlir::ValueRange captured) {
    if (!form.isLambda || form.numParams != 1)
        return {};
    const Param &cell = form.params.back();
    auto isNumberNamed = [&](std::string_view name) {
        for (size_t i = 0; i < form.captured.size(); ++i)
            if (form.params[i].name == name)
                return isNumber(typeOf(captured[i]));
        return false;
    };
    auto isBuiltin = [&](std::string_view name) {
        bool isVariable = std::ranges::any_of(form.params, [&](const Param &p) { return p.name == name; });
        auto savedScript = std::exchange(script, form.own.script);
        bool isFunction = !visibleFunctions(name, form.own.span).empty();
        script = savedScript;
        return !isVariable && !isFunction;
    };
    const Expr *result = as<Return>(form.own.body->body.front()).values.front();
    if (!isNumeric(typeOf(matrix).valueType) || !Cellwise(cell.name, isNumberNamed, isBuiltin).holds(result))
        return {};
    auto savedScopes = std::exchange(scopes, {Variables{}});
    auto savedTryBodies = std::exchange(tryBodies, {});
    auto savedScript = std::exchange(script, form.own.script);
    auto restore = llvm::make_scope_exit([&] {
        scopes = std::move(savedScopes);
        tryBodies = std::move(savedTryBodies);
        script = savedScript;
    });
    for (size_t i = 0; i < form.captured.size(); ++i)
        scopes.back()[form.params[i].name] = captured[i];
    scopes.back()[cell.name] = matrix;
    return expr(result);
}

IrValue Generator::mapMatrix(IrValue matrix, IrValue function, const Call &e) {
    TypeDesc type = typeOf(matrix);
    auto known = functionOf(function);
    if (type.valueType == ValueType::Unknown)
        raise(compileError(e.span, "map needs a matrix whose value type is known, got " + type.text())
                  .withHint("convert it first, for example with as.matrix<f64>()"));
    if (!known)
        raise(compileError(e.span, "map needs a function that is known before the script runs, or results of one type")
                  .withHint("wrap it in a lambda that converts its results: x -> as.scalar<f64>(f(x))"));
    const FunctionForm &form = functionForms->forms[static_cast<size_t>(known->number)];
    std::vector<IrValue> captured(known->captured.begin(), known->captured.end());
    std::vector<CallArg> shape(captured.size() + 1, CallArg{{}, nullptr, e.span});
    Call call = e;
    call.callee = form.isLambda ? std::string_view(form.text) : form.candidates.front()->name;
    call.args = shape;
    std::vector<TypeDesc> types;
    for (IrValue v : captured)
        types.push_back(typeOf(v));
    types.push_back(TypeDesc::scalar(type.valueType));
    auto [def, bound] = chooseOverload(form.candidates, types, call);
    if (bound.usesDefaults())
        raise(compileError(e.span, "map needs a function of one parameter").withHint("wrap it: x -> f(x)"));
    if (def->params.back().typed) {
        matrix = emitCast(matrix, {.valueType = lang::typeOf(def->params.back().type).valueType}, e.span);
        type = typeOf(matrix);
    }
    if (IrValue whole = mapCellwise(matrix, form, captured))
        return whole;

    std::vector<Argument> args;
    for (IrValue v : captured)
        args.push_back(argumentOf(v));
    Argument cell;
    cell.type = TypeDesc::scalar(type.valueType);
    args.push_back(cell);
    bool outside = std::exchange(certain, false); // the matrix may be empty
    auto restore = llvm::make_scope_exit([&] { certain = outside; });
    const Specialisation &target = specialiseFor(e.span, *def, std::move(args));
    certain = outside;
    TypeDesc result = type;
    if (!target.neverReturns) {
        bool fits = target.results.size() == 1 && target.results[0].isScalar() && target.results[0].isComplete();
        if (!fits)
            raise(compileError(
                e.span, "map needs a function with one scalar result, " + std::string(call.callee) + " has " +
                            std::to_string(target.results.size()) +
                            (target.results.size() == 1 ? " result" : " results") +
                            (target.results.size() == 1 ? " of type " + target.results[0].typeText() : std::string())));
        result = TypeDesc::matrix(target.results[0].valueType, type.rows, type.cols);
    }
    auto inputs = mlir::func::FuncOp(target.op).getFunctionType().getInputs();
    std::vector<IrValue> operands{matrix};
    for (size_t i = 0; i < captured.size(); ++i)
        operands.push_back(adapt(captured[i], ir::toTypeDesc(inputs[i]), e.span));
    auto op = ir::createOp(builder, loc(e.span), "map", operands, irType(result),
                           builder.getNamedAttr(ir::kCallee, mlir::FlatSymbolRefAttr::get(target.op)));
    return op->getResult(0);
}

// ---------------------------------------------------------------------- reduce

/// The type of what is folded: that of the first value, widened until folding does not change it.
TypeDesc Generator::foldedType(TypeDesc type, IrValue function, const TypeDesc &element, const Call &e) {
    auto withoutShape = [](TypeDesc t) {
        if (t.isMatrix())
            return TypeDesc::matrix(t.valueType);
        return t.isFrame() ? TypeDesc::frame(nullptr) : t;
    };
    type = withoutShape(type);
    for (int tries = 0; tries < 3 && !type.isUnknown(); ++tries) {
        TypeDesc next = withoutShape(typeApplied(function, {type, element}, e));
        if (next == type)
            return type;
        auto common = leastCommonType(type.valueType, next.valueType);
        bool widens = type.kind == next.kind && (type.isScalar() || type.isMatrix()) && common;
        type = widens ? type : TypeDesc::unknown();
        if (widens)
            type.valueType = *common;
    }
    return TypeDesc::unknown();
}

IrValue Generator::reduce(IrValue x, IrValue function, IrValue init, const Call &e) {
    needParts(x, e, false);
    SourceSpan span = e.span;
    auto element = [&](IrValue i) {
        IrValue part = partAt(x, i, span);
        return typeOf(x).isList() ? part : emitCast(part, {.kind = ops::Kind::Scalar}, span);
    };
    if (!typeOf(x).isList()) // row by row
        x = emit("reshape", {x, emit("numCells", x, {span, {}}), intConstant(1, span)}, {span, {}});
    IrValue count = emitCast(lengthOf(x, span), kPosition, span), first = intConstant(0, span);
    if (!init) {
        IrValue isEmpty = emitCondition(emit("ewEq", {count, first}, {span, {}}), span);
        auto check = builder.create<mlir::scf::IfOp>(loc(span), isEmpty, /*withElseRegion=*/false);
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(check.thenBlock());
        ir::createOp(builder, loc(span), "fail", {}, {},
                     builder.getNamedAttr(ir::kMessage,
                                          builder.getStringAttr("reduce: there is nothing to fold (give an init)")));
    }
    if (!init) {
        init = element(first);
        first = intConstant(1, span);
        count = emit("ewSub", {count, first}, {span, {}});
    }
    TypeDesc elementType = TypeDesc::scalar(typeOf(x).valueType);
    if (typeOf(x).isList())
        elementType =
            typeOf(x).valueType == ValueType::Unknown ? TypeDesc::unknown() : TypeDesc::matrix(typeOf(x).valueType);
    TypeDesc type = foldedType(typeOf(init), function, elementType, e);
    auto fitted = [&](IrValue v) {
        TypeDesc t = typeOf(v);
        bool widens = t.kind == type.kind && t.valueType != type.valueType && (t.isScalar() || t.isMatrix());
        return adapt(widens ? emitCast(v, {.valueType = type.valueType}, span) : v, type, span);
    };
    return loopOver(count, fitted(init), span,
                    [&](IrValue i, const std::vector<IrValue> &carried) {
                        IrValue at = emit("ewAdd", {i, first}, {span, {}});
                        return std::vector<IrValue>{fitted(applied(function, {carried[0], element(at)}, e))};
                    })
        .front();
}

// ----------------------------------------------------------------------- parts

/// Truth values of the function for every element or row, as a column.
IrValue Generator::filter(IrValue x, IrValue function, const Call &e) {
    needParts(x, e, true);
    IrValue count = lengthOf(x, e.span);
    IrValue marks = emit("fill", {intConstant(0, e.span), count, intConstant(1, e.span)}, {e.span, {}});
    marks = adapt(marks, TypeDesc::matrix(ValueType::SI64), e.span);
    marks = loopOver(count, marks, e.span, [&](IrValue i, const std::vector<IrValue> &carried) {
                IrValue truth = emitCondition(applied(function, {partAt(x, i, e.span)}, e), e.span);
                TypeDesc cell = TypeDesc::matrix(ValueType::SI64);
                IrValue next = emit("ewAdd", {i, intConstant(1, e.span)}, {e.span, {}});
                return std::vector<IrValue>{
                    emit("insertRow", {carried[0], emitCast(truth, cell, e.span), i, next}, {e.span, {}})};
            }).front();
    return emit("filterRow", {x, marks}, {e.span, {}});
}

/// The type of what the function makes of an element, row or column.
TypeDesc Generator::resultOfPart(IrValue x, IrValue function, bool rows, const Call &e) {
    TypeDesc part;
    {
        mlir::Block scratch;
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(&scratch);
        part = typeOf(partAt(x, undef(irType(kPosition)), e.span, rows)); // any part: there may be none
    }
    return typeApplied(function, {part}, e);
}

/// The type of results that become cells of a matrix.
TypeDesc Generator::cellApplied(IrValue x, IrValue function, bool rows, const Call &e) {
    TypeDesc result = resultOfPart(x, function, rows, e);
    if (!result.isComplete() || !(result.isScalar() || result.isMatrix())) {
        Error error = compileError(e.span, "'" + std::string(e.callee) +
                                               "' needs to know the type of the function's "
                                               "results, which is " +
                                               (result.isUnknown() ? "known only when it runs" : result.typeText()));
        raise(std::move(error.withHint("convert them, as in x -> as.scalar<f64>(f(x))")));
    }
    return result;
}

/// Numbers or strings that the function yields for all parts: a column, or a row for columns.
IrValue Generator::cellsApplied(IrValue x, IrValue function, bool rows, const TypeDesc &cell, const Call &e) {
    SourceSpan span = e.span;
    IrValue count = lengthOf(x, span, rows), one = intConstant(1, span);
    IrValue zero = constant({.type = cell.valueType}, span);
    TypeDesc type = TypeDesc::matrix(cell.valueType);
    IrValue all = rows ? emit("fill", {zero, count, one}, {span, {}}) : emit("fill", {zero, one, count}, {span, {}});
    return loopOver(count, adapt(all, type, span), span,
                    [&](IrValue i, const std::vector<IrValue> &carried) {
                        IrValue value = emitCast(applied(function, {partAt(x, i, span, rows)}, e),
                                                 TypeDesc::matrix(cell.valueType, 1, 1), span);
                        IrValue next = emit("ewAdd", {i, one}, {span, {}});
                        ops::OpName insert = rows ? ops::OpName("insertRow") : ops::OpName("insertCol");
                        return std::vector<IrValue>{emit(insert, {carried[0], value, i, next}, {span, {}})};
                    })
        .front();
}

/// Vectors that the function yields become rows, or columns, of equal length.
IrValue Generator::vectorsApplied(IrValue x, IrValue function, bool rows, ValueType cells, const Call &e) {
    SourceSpan span = e.span;
    TypeDesc type = TypeDesc::matrix(cells);
    IrValue count = emitCast(lengthOf(x, span, rows), kPosition, span), zero = intConstant(0, span),
            one = intConstant(1, span), nothing = constant({.type = cells}, span);
    auto vectorAt = [&](IrValue i) {
        IrValue v = applied(function, {partAt(x, i, span, rows)}, e);
        IrValue breadth = emit("ewMin", {emit("numRows", v, {span, {}}), emit("numCols", v, {span, {}})}, {span, {}});
        IrValue isMatrix = emitCondition(emit("ewGt", {breadth, one}, {span, {}}), span);
        auto check = builder.create<mlir::scf::IfOp>(loc(span), isMatrix, /*withElseRegion=*/false);
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(check.thenBlock());
        ir::createOp(builder, loc(span), "fail", {}, {},
                     builder.getNamedAttr(ir::kMessage,
                                          builder.getStringAttr("apply: results must be numbers, rows or columns")));
        return v;
    };
    auto placed = [&](IrValue all, IrValue v, IrValue i, IrValue length) {
        IrValue line =
            rows ? emit("reshape", {v, one, length}, {span, {}}) : emit("reshape", {v, length, one}, {span, {}});
        IrValue next = emit("ewAdd", {i, one}, {span, {}});
        return emit(rows ? ops::OpName("insertRow") : ops::OpName("insertCol"), {all, line, i, next}, {span, {}});
    };
    IrValue any = emitCondition(emit("ewGt", {count, zero}, {span, {}}), span);
    auto branch = builder.create<mlir::scf::IfOp>(loc(span), irType(type), any, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    builder.create<mlir::scf::YieldOp>(loc(span), adapt(rows ? emit("fill", {nothing, zero, one}, {span, {}})
                                                             : emit("fill", {nothing, one, zero}, {span, {}}),
                                                        type, span));
    builder.setInsertionPointToStart(branch.thenBlock());
    bool certainBefore = std::exchange(certain, false);
    auto restore = llvm::make_scope_exit([&] { certain = certainBefore; });
    IrValue result;
    try {
        IrValue first = vectorAt(zero), length = emit("numCells", first, {span, {}});
        IrValue all = rows ? emit("fill", {nothing, count, length}, {span, {}})
                           : emit("fill", {nothing, length, count}, {span, {}});
        all = adapt(placed(adapt(all, type, span), first, zero, length), type, span);
        IrValue others = emit("ewSub", {count, one}, {span, {}});
        result = loopOver(others, all, span, [&](IrValue k, const std::vector<IrValue> &carried) {
                     IrValue i = emit("ewAdd", {k, one}, {span, {}});
                     return std::vector<IrValue>{placed(carried[0], vectorAt(i), i, length)};
                 }).front();
    } catch (const DeadCode &) {
        result = undef(irType(type));
    }
    builder.create<mlir::scf::YieldOp>(loc(span), adapt(result, type, span));
    return branch.getResult(0);
}

IrValue Generator::apply(IrValue x, IrValue function, IrValue axis, const Call &e) {
    if (typeOf(x).isList())
        raise(compileError(e.span, "apply works on the rows or columns of a matrix or frame, this is a list")
                  .withHint("map applies a function to the elements of a list"));
    if (typeOf(x).isUnknown())
        raise(compileError(e.span, "'apply' needs a matrix or frame whose type is known before the script runs")
                  .withHint("convert it first, for example with as.matrix<f64>()"));
    needParts(x, e, true);
    bool rows = ir::constantOf(axis)->asInt() == 0;
    TypeDesc result = cellApplied(x, function, rows, e);
    return result.isScalar() ? cellsApplied(x, function, rows, result, e)
                             : vectorsApplied(x, function, rows, result.valueType, e);
}

IrValue Generator::sortBy(IrValue x, IrValue function, const Call &e) {
    needParts(x, e, true);
    TypeDesc key = resultOfPart(x, function, true, e);
    if (key.isFrame() || key.isList())
        raise(compileError(e.span, "'sortBy' needs a function whose results are numbers or strings, not " +
                                       key.typeText()));
    IrValue positions;
    if (key.isComplete()) {
        key = TypeDesc::scalar(key.valueType); // of a matrix with one cell
        IrValue keys = cellsApplied(x, function, true, key, e), yes = boolConstant(true, e.span);
        positions = emit("order", {keys, intConstant(0, e.span), yes, yes}, {e.span, {}});
    } else {
        positions = emit("orderOfKeys", mapParts(x, function, e), {e.span, {}});
    }
    return emit("extractRow", {x, positions}, {e.span, {}});
}

std::vector<IrValue> Generator::callSecondOrder(const Call &e, const ops::BuiltinInfo &builtin) {
    std::vector<IrValue> args(builtin.params.size());
    for (size_t i = 0; i < e.args.size(); ++i) {
        auto named = std::ranges::find(builtin.params, e.args[i].keyword, &ops::BuiltinInfo::Param::name);
        size_t p = e.args[i].keyword.empty() ? i : static_cast<size_t>(named - builtin.params.begin());
        const Expr *value = e.args[i].value;
        IrValue *variable = value->kind == ExprKind::Var ? find(as<Var>(value).name) : nullptr;
        // A variable that is no function does not hide one here.
        bool isName = p == 1 && variable && !typeOf(*variable).isUnknown() &&
                      !visibleFunctions(as<Var>(value).name, value->span).empty();
        args[p] = isName ? functionNamed(as<Var>(value)) : expr(value);
    }
    if (builtin.name == "reduce")
        return {reduce(args[0], args[1], args[2], e)};
    if (builtin.name == "filter")
        return {filter(args[0], args[1], e)};
    if (builtin.name == "apply")
        return {apply(args[0], args[1], args[2], e)};
    if (builtin.name == "sortBy")
        return {sortBy(args[0], args[1], e)};
    needParts(args[0], e, false);
    return {typeOf(args[0]).isList() ? mapParts(args[0], args[1], e) : mapMatrix(args[0], args[1], e)};
}

} // namespace daphne::irgen
