// SPDX-License-Identifier: Apache-2.0
/// Lambdas, names of functions as values, and calls of such values.
#include "irgen/Generator.h"

#include "llvm/ADT/ScopeExit.h"

#include "lang/dsl/FreeNames.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

/// Parts of a function value before what it has captured.
constexpr size_t kText = 0, kNumber = 1, kNumParts = 2;

std::string textOf(std::span<const Param> params) {
    std::string text = "function(";
    for (const Param &p : params)
        text += (&p == params.data() ? "" : ", ") + std::string(p.name);
    return text + ")";
}

std::string addressOf(const void *p) { return std::to_string(reinterpret_cast<uintptr_t>(p)); }

std::string counted(size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }

} // namespace

/// Facts that all values of a form share.
static TypeDesc formType(const TypeDesc &t) {
    if (t.isMatrix())
        return TypeDesc::matrix(t.valueType);
    return t.isFrame() ? TypeDesc::frame(t.schema) : t;
}

// ------------------------------------------------------------------ new values

IrValue Generator::makeFunction(int32_t number, mlir::ValueRange captured, SourceSpan span) {
    std::vector<IrValue> parts{
        constant({.type = ValueType::Str, .s = functionForms->forms[static_cast<size_t>(number)].text}, span),
        intConstant(functionForms->atRunTime(number), span)};
    parts.insert(parts.end(), captured.begin(), captured.end());
    return emit("function", emit("createList", parts, {span, {}}), {span, {}});
}

/// A lambda captures the variables it names; a name before parentheses only if it may hold a function.
IrValue Generator::lambda(const Lambda &e) {
    std::vector<Param> params;
    std::vector<IrValue> captured;
    std::string key = "lambda " + addressOf(&e);
    FunctionForm form;
    for (const FreeName &free : freeNames(e)) {
        IrValue *v = find(free.name);
        if (!v || (free.isCalled && !typeOf(*v).isUnknown()))
            continue;
        auto function = functionOf(*v);
        form.captured.push_back(formType(typeOf(*v)));
        form.capturedForms.push_back(function ? function->number : -1);
        key += "|" + std::string(free.name) + ":" + form.captured.back().text() + "#" +
               std::to_string(form.capturedForms.back());
        params.push_back({free.name, e.span, false, {}, nullptr});
        captured.push_back(*v);
    }
    auto [it, isNew] = functionForms->numbers.try_emplace(key, static_cast<int32_t>(functionForms->forms.size()));
    if (isNew) {
        form.text = textOf(e.params);
        form.numParams = e.params.size();
        form.isLambda = true;
        form.params = std::move(params);
        form.params.insert(form.params.end(), e.params.begin(), e.params.end());
        FunctionForm &kept = functionForms->forms.emplace_back(std::move(form));
        kept.own = FuncDef{{StmtKind::FuncDef, e.span}, "lambda", e.span, kept.params, false, {}, e.body, e.script};
        kept.candidates = {&kept.own};
    }
    return makeFunction(it->second, captured, e.span);
}

/// The name of a `def` as a value.
IrValue Generator::functionNamed(const Var &name) {
    auto candidates = visibleFunctions(name.name, name.span);
    if (candidates.empty())
        throw internalError("variable " + std::string(name.name) + " passed the checks but is not defined")
            .at(name.span);
    std::string key = "def";
    for (const FuncDef *f : candidates)
        key += " " + addressOf(f);
    auto [it, isNew] = functionForms->numbers.try_emplace(key, static_cast<int32_t>(functionForms->forms.size()));
    if (isNew) {
        FunctionForm &form = functionForms->forms.emplace_back();
        form.text = textOf(candidates.front()->params);
        form.numParams = candidates.front()->params.size();
        form.candidates = candidates;
    }
    return makeFunction(it->second, {}, name.span);
}

/// Which function the value certainly is, and what it has captured.
std::optional<Generator::KnownFunction> Generator::functionOf(IrValue v) {
    auto function = ir::asOp(v.getDefiningOp(), "function");
    if (!function)
        return std::nullopt;
    auto parts = function->getOperand(0).getDefiningOp()->getOperands();
    return KnownFunction{FunctionForms::fromRunTime(ir::constantOf(parts[kNumber])->i), parts.drop_front(kNumParts)};
}

/// A value that is known to be of the form, made again, so that it is in sight: what it has captured comes out of it.
IrValue Generator::functionInSight(IrValue v, int32_t number, SourceSpan span) {
    const FunctionForm &form = functionForms->forms[static_cast<size_t>(number)];
    return makeFunction(
        number, form.captured.empty() ? std::vector<IrValue>() : capturedBy(partsOf(v, span), form, span), span);
}

/// The list of its parts; fails if v is no function.
IrValue Generator::partsOf(IrValue v, SourceSpan span) { return emit("functionParts", v, {span, {}}); }

std::vector<IrValue> Generator::capturedBy(IrValue parts, const FunctionForm &form, SourceSpan span) {
    std::vector<IrValue> captured;
    for (size_t i = 0; i < form.captured.size(); ++i) {
        IrValue part = emit("extractRow", {parts, intConstant(static_cast<int64_t>(kNumParts + i), span)}, {span, {}});
        part = adapt(part, form.captured[i], span);
        if (form.capturedForms[i] >= 0)
            part = functionInSight(part, form.capturedForms[i], span);
        captured.push_back(part);
    }
    return captured;
}

// ----------------------------------------------------------------------- calls

std::vector<IrValue> Generator::callValue(const Call &e, IrValue function) {
    if (!typeOf(function).isUnknown())
        raise(compileError(e.calleeSpan, "only functions can be called, this is " + typeOf(function).text()));
    std::vector<IrValue> args;
    for (const CallArg &a : e.args)
        args.push_back(expr(a.value));
    return invoke(function, args, e);
}

/// e tells where the arguments are.
std::vector<IrValue> Generator::invoke(IrValue function, const std::vector<IrValue> &args, const Call &e) {
    if (auto known = functionOf(function)) {
        std::vector<IrValue> captured(known->captured.begin(), known->captured.end());
        return invoke(functionForms->forms[static_cast<size_t>(known->number)], std::move(captured), args, e);
    }
    return {callUnknown(function, args, e.span)};
}

std::vector<IrValue> Generator::invoke(const FunctionForm &form, std::vector<IrValue> captured,
                                       const std::vector<IrValue> &args, const Call &e) {
    if (form.isLambda && args.size() != form.numParams)
        raise(compileError(e.span,
                           form.text + " takes " + counted(form.numParams) + ", got " + std::to_string(args.size())));
    std::vector<CallArg> given(captured.size(), CallArg{{}, nullptr, e.span});
    for (size_t i = 0; i < args.size(); ++i)
        given.push_back({{}, nullptr, i < e.args.size() ? e.args[i].span : e.span});
    captured.insert(captured.end(), args.begin(), args.end());
    Call call = e;
    call.args = given;
    return callDefinition(call, captured, form.candidates);
}

// ----------------------------------------------------------------- dispatchers

/// A call of a function that only the run time knows: of all functions of the program that take as many arguments.
/// Which those are is known at the end; so is what they yield.
IrValue Generator::callUnknown(IrValue function, const std::vector<IrValue> &args, SourceSpan span) {
    std::vector<TypeDesc> types;
    // Each call has its own dispatcher, whose errors are there; specialisations of the function around it share one.
    std::string key = std::to_string(span.fileId) + ":" + std::to_string(span.begin) + ":" + std::to_string(span.end);
    for (IrValue a : args) {
        types.push_back(formType(typeOf(a)));
        key += "|" + types.back().text();
    }
    auto [it, isNew] = dispatcherNumbers.try_emplace(key, dispatchers.size());
    if (isNew) {
        Dispatcher d{{}, types, {}, span};
        llvm::SmallVector<mlir::Type> inputs{irType(TypeDesc::unknown())};
        for (const TypeDesc &t : types)
            inputs.push_back(irType(t));
        d.op = newFunction("call", inputs, {irType(TypeDesc::unknown())}, span);
        dispatchers.push_back(std::move(d));
    }
    mlir::func::FuncOp callee = dispatchers[it->second].op;
    std::vector<IrValue> operands{adapt(function, TypeDesc::unknown(), span)};
    for (size_t i = 0; i < args.size(); ++i)
        operands.push_back(adapt(args[i], types[i], span));
    return builder.create<mlir::func::CallOp>(loc(span), callee, operands).getResult(0);
}

mlir::func::FuncOp Generator::newFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> inputs,
                                          llvm::ArrayRef<mlir::Type> results, SourceSpan span) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto op = builder.create<mlir::func::FuncOp>(loc(span), name.str() + "_" + std::to_string(++numFunctions),
                                                 builder.getFunctionType(inputs, results));
    op.setPrivate();
    op.addEntryBlock();
    return op;
}

/// A function (parts, arguments...) that calls one form. Whether it is ever called is not known: where the arguments do
/// not fit, it fails then.
mlir::func::FuncOp Generator::alternative(const Dispatcher &d, const FunctionForm &form) {
    llvm::SmallVector<mlir::Type> inputs{irType(TypeDesc::list(ValueType::Unknown))};
    for (const TypeDesc &t : d.types)
        inputs.push_back(irType(t));
    mlir::Type result = irType(TypeDesc::unknown());
    mlir::func::FuncOp op = newFunction("alternative", inputs, {result}, d.span);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&op.getBody().front());
    IrValue value;
    ++errorsAreKept;
    auto leave = llvm::make_scope_exit([&] { --errorsAreKept; });
    try {
        std::vector<IrValue> args(op.getArguments().begin() + 1, op.getArguments().end());
        Call call{};
        call.span = d.span;
        call.callee = form.text;
        std::vector<IrValue> results = invoke(form, capturedBy(op.getArgument(0), form, d.span), args, call);
        if (results.size() != 1)
            raise(compileError(d.span, form.text + " yields " + std::to_string(results.size()) +
                                           " values where one is needed"));
        value = adapt(results.front(), TypeDesc::unknown(), d.span);
    } catch (const DeadCode &) {
        value = undef(result);
    } catch (const Error &error) {
        if (error.stage == Stage::Internal)
            throw;
        op.getBody().front().clear();
        builder.setInsertionPointToStart(&op.getBody().front());
        ir::createOp(builder, loc(error.where), "fail", {}, {},
                     builder.getNamedAttr(ir::kMessage, builder.getStringAttr(error.message)));
        value = undef(result);
    }
    builder.create<mlir::func::ReturnOp>(loc(d.span), value);
    return op;
}

/// if (number == n1) alternative1 else if ...
IrValue Generator::choose(const Dispatcher &d, IrValue number, mlir::ValueRange operands, size_t next) {
    mlir::Type result = irType(TypeDesc::unknown());
    if (next == d.alternatives.size()) {
        ir::createOp(builder, loc(d.span), "fail", {}, {},
                     builder.getNamedAttr(ir::kMessage, builder.getStringAttr("no function of the program takes " +
                                                                              counted(d.types.size()) + " here")));
        return undef(result);
    }
    auto [form, op] = d.alternatives[next];
    IrValue wanted = intConstant(functionForms->atRunTime(form), d.span);
    IrValue isThis = emitCondition(emit("ewEq", {number, wanted}, {d.span, {}}), d.span);
    auto branch = builder.create<mlir::scf::IfOp>(loc(d.span), result, isThis, /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto call = builder.create<mlir::func::CallOp>(loc(d.span), op, operands);
    builder.create<mlir::scf::YieldOp>(loc(d.span), call.getResults());
    builder.setInsertionPointToStart(branch.elseBlock());
    IrValue other = choose(d, number, operands, next + 1);
    builder.create<mlir::scf::YieldOp>(loc(d.span), other);
    return branch.getResult(0);
}

/// Every dispatcher knows every form that takes as many arguments; compiling one may bring up others.
void Generator::finishDispatchers() {
    bool certainBefore = std::exchange(certain, false);
    auto restore = llvm::make_scope_exit([&] { certain = certainBefore; });
    ViewRegion region(*this, ViewRegion::Entry::Forget);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < dispatchers.size(); ++i)
            for (size_t n = dispatchers[i].numSeen; n < functionForms->forms.size(); n = ++dispatchers[i].numSeen) {
                const FunctionForm &form = functionForms->forms[n];
                std::vector<CallArg> args(dispatchers[i].types.size() + form.captured.size());
                bool takesAsMany = std::ranges::any_of(form.candidates, [&](const FuncDef *f) {
                    return bindToParams(*f, args).problem == Bound::Problem::None;
                });
                if (!takesAsMany)
                    continue;
                mlir::func::FuncOp op = alternative(dispatchers[i], form);
                dispatchers[i].alternatives.emplace_back(static_cast<int32_t>(n), op);
                changed = true;
            }
    }
    for (const Dispatcher &d : dispatchers) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        mlir::func::FuncOp op = d.op;
        builder.setInsertionPointToStart(&op.getBody().front());
        IrValue parts = partsOf(op.getArgument(0), d.span);
        IrValue number = adapt(emit("extractRow", {parts, intConstant(kNumber, d.span)}, {d.span, {}}),
                               TypeDesc::scalar(ValueType::SI64), d.span);
        std::vector<IrValue> operands(op.getArguments().begin(), op.getArguments().end());
        operands[0] = parts;
        builder.create<mlir::func::ReturnOp>(loc(d.span), choose(d, number, operands, 0));
    }
}

} // namespace daphne::irgen
