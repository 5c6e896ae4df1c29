// SPDX-License-Identifier: Apache-2.0
/// try: its block becomes a function that the run time calls and whose errors
/// it catches. What the block has assigned to variables from outside must be
/// there after a failure: the function keeps each new value where the run time
/// finds it, and the operation daphne.try yields what was kept last, together
/// with how the block was left and, after a failure, message and place.
#include "irgen/Generator.h"

#include <algorithm>

#include "llvm/ADT/ScopeExit.h"

#include "ir/Try.h"
#include "ops/CommonType.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

/// What is defined outside of the block of a try becomes a parameter of its function when it is asked for.
IrValue *Generator::find(std::string_view name, size_t numScopes, size_t numTryBodies) {
    TryBody *body = numTryBodies ? &tryBodies[numTryBodies - 1] : nullptr;
    const size_t first = body ? body->firstScope : 0;
    for (size_t i = numScopes; i-- > first;)
        if (auto it = scopes[i].find(name); it != scopes[i].end())
            return &it->second;
    IrValue *outer = body ? find(name, first, numTryBodies - 1) : nullptr;
    if (!outer)
        return nullptr;
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body->entry);
    IrValue inside;
    const SourceSpan span = ir::spanOf(outer->getLoc());
    if (auto c = ir::constantOf(*outer)) {
        inside = constant(*c, span);
    } else {
        inside = body->entry->addArgument(outer->getType(), outer->getLoc());
        body->captured.push_back(*outer);
        if (auto function = functionOf(*outer)) // which one it is stays known
            inside = functionInSight(inside, function->number, span);
    }
    return &(scopes[first][name] = inside);
}

void Generator::keep(IrValue value, const TypeDesc &type, size_t index, SourceSpan span) {
    ir::createOp(builder, loc(span), "keep", convert(value, type, span), {},
                 {builder.getNamedAttr(ir::kValue, builder.getI64IntegerAttr(static_cast<int64_t>(index))),
                  builder.getNamedAttr(ir::kKeptType, mlir::TypeAttr::get(irType(type)))});
}

/// Keeps what is assigned to a variable from outside of the innermost try.
void Generator::noteAssigned(std::string_view name, IrValue value, SourceSpan span) {
    if (tryBodies.empty())
        return;
    TryBody &body = tryBodies.back();
    auto known = std::ranges::find(body.kept->names, name);
    if (known == body.kept->names.end())
        return;
    for (size_t i = scopes.size(); i-- > body.firstScope + 1;)
        if (scopes[i].contains(name))
            return; // the name of a caught message hides it
    auto i = static_cast<size_t>(known - body.kept->names.begin());
    const TypeDesc &type = body.kept->types[i];
    if (!ops::holds(type, typeOf(value)))
        widenCarried(*body.wider, i, typeOf(value), span);
    keep(value, type, i, span); // worth nothing if that has widened it
}

Generator::TryFunction Generator::tryFunction(const Try &s, const Carried &kept, Carried &wider) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    TryFunction function;
    function.op = builder.create<mlir::func::FuncOp>(loc(s.span), "try_" + std::to_string(++numFunctions),
                                                     builder.getFunctionType({}, {}));
    function.op.setPrivate();
    function.op->setAttr(ir::kTryBody, builder.getUnitAttr());
    mlir::Block *entry = function.op.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    const bool certainOutside = std::exchange(certain, false);
    Exits outside = std::exchange(exits, {});
    tryBodies.push_back({scopes.size(), entry, &kept, &wider});
    scopes.emplace_back();
    auto restore = llvm::make_scope_exit([&] {
        scopes.pop_back();
        tryBodies.pop_back();
        exits = std::move(outside);
        certain = certainOutside;
    });
    ViewRegion region(*this, ViewRegion::Entry::Forget);
    try {
        scoped(s.body);
    } catch (const Error &) {
        function.op.erase();
        throw;
    }
    const size_t numKept = kept.names.size();
    if (exits.ways) {
        IrValue way = exits.isSeveral() ? exits.way : intConstant(exits.ways, s.span);
        keep(way, TypeDesc::scalar(ValueType::SI64), numKept, s.span);
    }
    for (size_t i = 0; i < exits.values.size(); ++i)
        keep(exits.values[i], typeOf(exits.values[i]), numKept + 1 + i, s.span);
    builder.create<mlir::func::ReturnOp>(loc(s.span));
    function.op.setFunctionType(builder.getFunctionType(entry->getArgumentTypes(), {}));
    function.captured = std::move(tryBodies.back().captured);
    function.exits = exits;
    return function;
}

void Generator::tryStatement(const Try &s) {
    Carried kept = carriedThrough(s.body);
    TryFunction function;
    untilTypesHold(kept, [&](Carried &wider) {
        if (function.op)
            function.op.erase();
        function = tryFunction(s, kept, wider);
    });
    const size_t numKept = kept.names.size();
    llvm::SmallVector<IrValue> operands;
    for (size_t i = 0; i < numKept; ++i)
        operands.push_back(convert(kept.before[i], kept.types[i], s.span));
    llvm::SmallVector<mlir::Type> results;
    for (IrValue v : operands)
        results.push_back(v.getType());
    llvm::append_range(operands, function.captured);
    results.push_back(scalarType(ValueType::SI64));
    for (IrValue v : function.exits.values)
        results.push_back(v.getType());
    results.append(2, scalarType(ValueType::Str));
    auto op =
        ir::createOp(builder, loc(s.span), "try", operands, results,
                     {builder.getNamedAttr(ir::kCallee, mlir::FlatSymbolRefAttr::get(function.op)),
                      builder.getNamedAttr(ir::kValue, builder.getI64IntegerAttr(static_cast<int64_t>(numKept)))});
    bindCarried(kept, op->getResults().take_front(numKept));
    for (size_t i = 0; i < numKept; ++i)
        noteAssigned(kept.names[i], op->getResult(i), s.span); // for a try around this one

    IrValue way = op->getResult(numKept);
    IrValue failed = emitCondition(emit("ewEq", {way, intConstant(ir::kFailed, s.span)}, {s.span, {}}), s.span);
    std::vector<std::string_view> watched = kept.names;
    Stmt *handlerStatement = s.handler;
    addAssigned({&handlerStatement, 1}, watched);
    Path handler = path(watched, [&] {
        scopes.emplace_back();
        auto close = llvm::make_scope_exit([&] { scopes.pop_back(); });
        if (!s.message.empty())
            scopes.back()[s.message] = op->getResult(op->getNumResults() - 2);
        if (!s.place.empty())
            scopes.back()[s.place] = op->getResult(op->getNumResults() - 1);
        scoped(s.handler);
    });
    Path done = path(watched, [&] {
        exits.ways = function.exits.ways;
        exits.way = way;
        for (size_t i = 0; i < function.exits.values.size(); ++i)
            exits.values.push_back(op->getResult(numKept + 1 + i));
    });
    merge(failed, std::move(handler), std::move(done), watched, s.span);
}

} // namespace daphne::irgen
