// SPDX-License-Identifier: Apache-2.0
/// while, do-while and for: variables assigned in the body that exist before
/// the loop are carried from iteration to iteration. Their data and value type
/// is fixed, their shape may change.
#include "irgen/Generator.h"

#include <algorithm>

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

/// What is known of a carried variable in every iteration.
TypeDesc inEveryIteration(const TypeDesc &t) {
    switch (t.kind) {
    case ops::Kind::Matrix: return TypeDesc::matrix(t.valueType);
    case ops::Kind::Frame: return TypeDesc::frame(nullptr);
    default: return t;
    }
}

} // namespace

Flow Generator::loopBody(const Stmt *body, const std::vector<std::string_view> &carried,
                         const std::vector<TypeDesc> &types, bool certainOutside, std::vector<IrValue> &values) {
    Flow flow;
    ViewRegion region(*this, ViewRegion::Entry::Forget);
    try {
        flow = scoped(body);
    } catch (const DeadCode &) {
        flow = Flow::Ends;
    }
    for (size_t i = 0; i < carried.size(); ++i) {
        IrValue v = *find(carried[i]);
        TypeDesc after = typeOf(v);
        if (flow == Flow::Ends) {
            values.push_back(undef(irType(types[i])));
            continue;
        }
        if (types[i].isList() && after.isList() && types[i].valueType != ValueType::Unknown &&
            types[i].valueType != after.valueType)
            throw ListHoldsMore{carried[i]};
        if (!after.compatible(types[i])) {
            certain = certainOutside;
            try {
                raise(compileError(body->span, "variable " + std::string(carried[i]) + " is " + types[i].typeText() +
                                                   " before the loop and " + after.typeText() + " after its body")
                          .withHint("a loop must not change the type of a variable"));
            } catch (const DeadCode &) {
                flow = Flow::Ends; // the loop itself may never run: it fails when it does
                values.push_back(undef(irType(types[i])));
                continue;
            }
        }
        values.push_back(adapt(v, types[i], body->span));
    }
    return flow;
}

/// A list of matrices of one type that holds something else after a turn is a list of anything from the entry on: then
/// the loop is generated again.
Flow Generator::loop(const Stmt *s) {
    std::vector<std::string_view> assigned = assignedExisting({s});
    bool anyList = std::ranges::any_of(assigned, [&](std::string_view name) { return typeOf(*find(name)).isList(); });
    auto generate = [&] {
        if (s->kind != StmtKind::For)
            return whileLoop(as<While>(s));
        forLoop(as<For>(s));
        return Flow::Falls;
    };
    if (!anyList)
        return generate();
    while (true) {
        auto savedScopes = scopes;
        ReturnState savedReturns = returns;
        auto at = builder.saveInsertionPoint();
        mlir::Operation *last = at.getBlock()->empty() ? nullptr : &at.getBlock()->back();
        try {
            return generate();
        } catch (const ListHoldsMore &list) {
            scopes = std::move(savedScopes);
            returns = std::move(savedReturns);
            while (!at.getBlock()->empty() && &at.getBlock()->back() != last)
                at.getBlock()->back().erase();
            builder.restoreInsertionPoint(at);
            IrValue *v = find(list.name);
            *v = adapt(*v, TypeDesc::list(ValueType::Unknown), s->span);
        }
    }
}

/// Ends if the first iteration is certain and never comes to its end: what follows the loop is dead then.
Flow Generator::whileLoop(const While &s) {
    bool doWhile = s.kind == StmtKind::DoWhile;
    std::vector<std::string_view> carried = assignedExisting({s.body});
    std::vector<TypeDesc> types;
    llvm::SmallVector<mlir::Type> irTypes;
    llvm::SmallVector<IrValue> inits;
    for (std::string_view name : carried) {
        IrValue v = *find(name);
        types.push_back(inEveryIteration(typeOf(v)));
        inits.push_back(adapt(v, types.back(), s.span));
        irTypes.push_back(inits.back().getType());
    }
    auto op = builder.create<mlir::scf::WhileOp>(loc(s.span), irTypes, inits);
    llvm::SmallVector<mlir::Location> locs(irTypes.size(), loc(s.span));
    mlir::Block *before = builder.createBlock(&op.getBefore(), {}, irTypes, locs);
    mlir::Block *after = builder.createBlock(&op.getAfter(), {}, irTypes, locs);
    bool certainOutside = certain;
    auto bind = [&](mlir::Block *block) {
        for (size_t i = 0; i < carried.size(); ++i)
            *find(carried[i]) = block->getArgument(i);
    };
    auto restore = [&] { certain = certainOutside; };
    Flow flow = Flow::Falls;
    try {
        builder.setInsertionPointToEnd(before);
        bind(before);
        std::vector<IrValue> values;
        if (doWhile) {
            // The first iteration always runs, but nothing in it is worth a compile-time error of its own.
            certain = false;
            flow = loopBody(s.body, carried, types, certainOutside, values);
            for (size_t i = 0; i < carried.size(); ++i)
                *find(carried[i]) = values[i];
        } else {
            values.assign(before->args_begin(), before->args_end());
        }
        IrValue condition;
        try {
            condition = emitCondition(expr(s.condition), s.condition->span);
        } catch (const DeadCode &) {
            condition = boolConstant(false, s.condition->span);
            flow = Flow::Ends;
        }
        builder.create<mlir::scf::ConditionOp>(loc(s.condition->span), condition, values);

        builder.setInsertionPointToEnd(after);
        bind(after);
        values.clear();
        if (doWhile) {
            values.assign(after->args_begin(), after->args_end());
        } else {
            certain = false;
            Flow bodyFlow = loopBody(s.body, carried, types, certainOutside, values);
            if (bodyFlow == Flow::Ends && constantBool(condition) == true)
                flow = Flow::Ends;
        }
        builder.create<mlir::scf::YieldOp>(loc(s.span), values);
    } catch (...) {
        restore();
        throw;
    }
    restore();
    builder.setInsertionPointAfter(op);
    for (size_t i = 0; i < carried.size(); ++i)
        *find(carried[i]) = op.getResult(i);
    return flow;
}

void Generator::forLoop(const For &s) {
    const TypeDesc integer = TypeDesc::scalar(ValueType::SI64);
    IrValue from = emitCast(expr(s.from), integer, s.from->span);
    IrValue to = emitCast(expr(s.to), integer, s.to->span);
    IrValue step;
    if (s.step) {
        step = emitCast(expr(s.step), integer, s.step->span);
    } else {
        IrValue up = emit("ewGe", {to, from}, {s.span, {}});
        step = emit("cond", {up, intConstant(1, s.span), intConstant(-1, s.span)}, {s.span, {}});
        step = adapt(step, integer, s.span);
    }
    const TypeDesc size = TypeDesc::scalar(ValueType::Size);
    IrValue count = ir::createOp(builder, loc(s.span), "tripCount", {from, to, step}, irType(size))->getResult(0);
    IrValue zero = constant({.type = ValueType::Size, .i = 0}, s.span);
    IrValue one = constant({.type = ValueType::Size, .i = 1}, s.span);

    std::vector<std::string_view> carried = assignedExisting({s.body});
    bool hidesOuter = find(s.variable) != nullptr;
    std::erase(carried, s.variable);
    std::vector<TypeDesc> types;
    llvm::SmallVector<IrValue> inits;
    for (std::string_view name : carried) {
        IrValue v = *find(name);
        types.push_back(inEveryIteration(typeOf(v)));
        inits.push_back(adapt(v, types.back(), s.span));
    }
    if (hidesOuter) {
        TypeDesc outer = typeOf(*find(s.variable));
        if (!outer.compatible(integer))
            raise(compileError(s.variableSpan, "the loop variable " + std::string(s.variable) +
                                                   " would change the type of the variable of that name from " +
                                                   outer.typeText() + " to si64"));
        inits.push_back(adapt(*find(s.variable), integer, s.span));
    }
    auto op = builder.create<mlir::scf::ForOp>(loc(s.span), zero, count, one, inits);
    mlir::Block *body = op.getBody();
    if (inits.empty())
        body->clear(); // the builder adds a terminator if nothing is carried
    bool certainOutside = certain;
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(body);
        std::vector<IrValue> values;
        certain = false;
        scopes.emplace_back();
        try {
            for (size_t i = 0; i < carried.size(); ++i)
                *find(carried[i]) = op.getRegionIterArg(i);
            IrValue k = emitCast(op.getInductionVar(), integer, s.variableSpan);
            IrValue i = emit("ewAdd", {from, emit("ewMul", {k, step}, {s.span, {}})}, {s.variableSpan, {}});
            scopes.back()[s.variable] = i;
            loopBody(s.body, carried, types, certainOutside, values);
            if (hidesOuter)
                values.push_back(i);
        } catch (...) {
            scopes.pop_back();
            certain = certainOutside;
            throw;
        }
        scopes.pop_back();
        certain = certainOutside;
        builder.create<mlir::scf::YieldOp>(loc(s.span), values);
    }
    for (size_t i = 0; i < carried.size(); ++i)
        *find(carried[i]) = op.getResult(i);
    if (hidesOuter)
        *find(s.variable) = op.getResult(carried.size());
}

} // namespace daphne::irgen
