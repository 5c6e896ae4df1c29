// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/Checker.h"

namespace daphne::lang {

namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string argumentCount(size_t n) { return n == 1 ? "1 argument" : std::to_string(n) + " arguments"; }

} // namespace

Checker::CallResult Checker::checkCall(const Call &call) {
    // A user-defined function hides the builtin of the same name altogether.
    if (functions.has(call.callee))
        return checkUserCall(call);
    if (call.callee == "map")
        return checkMap(call);
    if (const auto *builtin = ops::Registry::get().findBuiltin(call.callee))
        return checkBuiltinCall(call, *builtin);
    reportUnknownFunction(call);
    checkArguments(call);
    return {};
}

Checker::CheckedCall Checker::checkArguments(const Call &call) {
    CheckedCall checked{call, {}};
    checked.values.reserve(call.args.size());
    for (const CallArg &arg : call.args)
        checked.values.push_back(checkValue(arg.value));
    return checked;
}

/// Positional arguments first, each keyword once.
bool Checker::checkKeywordOrder(const Call &call) {
    std::unordered_set<std::string_view> seen;
    bool keywords = false;
    for (const CallArg &arg : call.args) {
        if (arg.keyword.empty() && keywords) {
            report(arg.span, "positional arguments must come before keyword arguments");
            return false;
        }
        keywords |= !arg.keyword.empty();
        if (!arg.keyword.empty() && !seen.insert(arg.keyword).second) {
            report(arg.span, "the argument " + quoted(arg.keyword) + " is given twice");
            return false;
        }
    }
    return true;
}

void Checker::reportUnknownFunction(const Call &call) {
    if (isOfFailedImport(call.callee))
        return;
    Error &e = report(call.calleeSpan, "unknown function " + quoted(call.callee));
    for (const Stmt *stmt : parsed.script->body)
        if (stmt->kind == StmtKind::FuncDef && as<FuncDef>(stmt).name == call.callee) {
            e.withNote("it is defined later,", as<FuncDef>(stmt).nameSpan)
                .withHint("move the definition before the first call");
            return;
        }
    std::vector<std::string_view> names = functions.names();
    for (const ops::BuiltinInfo &b : ops::Registry::get().builtins())
        names.push_back(b.name);
    names.push_back("map");
    if (std::string near = nearest(call.callee, names); !near.empty())
        e.withHint("did you mean '" + near + "'?");
    else if (variables->find(call.callee))
        e.withHint(quoted(call.callee) + " is a variable; only functions can be called");
}

// ----------------------------------------------------- user-defined functions

Checker::CallResult Checker::checkUserCall(const Call &call) {
    CheckedCall checked = checkArguments(call);
    if (!call.hint.empty()) {
        report(call.calleeSpan, "a kernel hint is not possible on the user-defined function " + quoted(call.callee))
            .withHint("hints select the implementation of a builtin or operator");
        return {};
    }
    std::vector<Function *> candidates = withArity(call);
    if (candidates.empty() || !checkKeywordOrder(call))
        return {};
    auto args = orderForParams(checked, candidates);
    if (!args)
        return {};
    auto chosen = std::find_if(candidates.begin(), candidates.end(), [&](Function *f) { return f->accepts(*args); });
    if (chosen == candidates.end()) {
        reportNoOverload(checked, *args, candidates);
        return {};
    }
    const Function &f = **chosen;
    if (f.state == Function::State::Open) {
        report(call.calleeSpan, quoted(call.callee) + " cannot be called in its own body: its result types are not "
                                                      "declared")
            .withHint("declare them: def " + f.signature() + " -> type { ... }");
        return {};
    }
    if (f.state == Function::State::Broken)
        return {};
    return {true, f.results};
}

std::vector<Function *> Checker::withArity(const Call &call) {
    const std::vector<Function *> &overloads = functions.overloads(call.callee);
    std::vector<Function *> fitting;
    for (Function *f : overloads)
        if (f->params.size() == call.args.size())
            fitting.push_back(f);
    if (!fitting.empty())
        return fitting;
    bool single = overloads.size() == 1;
    Error &e = report(call.span,
                      single ? quoted(call.callee) + " takes " + argumentCount(overloads[0]->params.size()) + ", got " +
                                   std::to_string(call.args.size())
                             : "no overload of " + quoted(call.callee) + " takes " + argumentCount(call.args.size()));
    for (const Function *f : overloads)
        e.withNote(f->signature() + " is defined", f->def->nameSpan);
    return {};
}

std::optional<std::vector<Checker::Type>> Checker::orderForParams(const CheckedCall &checked,
                                                                  const std::vector<Function *> &among) {
    const Call &call = checked.call;
    size_t numArgs = call.args.size(), numPositional = 0;
    while (numPositional < numArgs && call.args[numPositional].keyword.empty())
        ++numPositional;
    std::vector<Type> types(numArgs);
    for (size_t i = 0; i < numPositional; ++i)
        types[i] = checked.values[i].type;
    if (numPositional == numArgs)
        return types;

    const std::span<Param> params = among[0]->def->params;
    for (const Function *f : among)
        for (size_t i = 0; i < numArgs; ++i)
            if (f->def->params[i].name != params[i].name) {
                report(call.span, "keyword arguments are ambiguous: overloads of " + quoted(call.callee) +
                                      " name their parameters differently")
                    .withNote(among[0]->signature() + " is defined", among[0]->def->nameSpan)
                    .withNote(f->signature() + " is defined", f->def->nameSpan);
                return std::nullopt;
            }
    for (size_t i = numPositional; i < numArgs; ++i) {
        const CallArg &arg = call.args[i];
        size_t p = 0;
        while (p < params.size() && params[p].name != arg.keyword)
            ++p;
        if (p == params.size()) {
            report(arg.span, quoted(call.callee) + " has no parameter " + quoted(arg.keyword))
                .withHint("it is " + among[0]->signature());
            return std::nullopt;
        }
        if (p < numPositional) {
            report(arg.span, "the argument " + quoted(arg.keyword) + " is given twice");
            return std::nullopt;
        }
        types[p] = checked.values[i].type;
    }
    return types;
}

void Checker::reportNoOverload(const CheckedCall &checked, const std::vector<Type> &args,
                               const std::vector<Function *> &candidates) {
    const Call &call = checked.call;
    if (candidates.size() > 1) {
        Error &e = report(call.span, "no overload of " + quoted(call.callee) + " takes " + textOf(args));
        for (const Function *f : candidates)
            e.withNote(f->signature() + " is defined", f->def->nameSpan);
        return;
    }
    const Function &f = *candidates[0];
    for (size_t i = 0; i < args.size(); ++i) {
        if (f.params[i].compatible(args[i]))
            continue;
        SourceSpan where = call.span;
        for (size_t k = 0; k < call.args.size(); ++k)
            if (call.args[k].keyword == f.def->params[i].name || (call.args[k].keyword.empty() && k == i))
                where = call.args[k].span;
        report(where, "the parameter " + quoted(f.def->params[i].name) + " of " + quoted(call.callee) + " needs " +
                          f.params[i].typeText() + ", got " + args[i].typeText())
            .withNote(f.signature() + " is defined", f.def->nameSpan)
            .withHint("there is no implicit conversion; write as." + f.params[i].typeText() + "(x)");
        return;
    }
}

// ------------------------------------------------------------------------ map

bool Checker::namesOnlyFunction(const Expr *e) const {
    return e->kind == ExprKind::Var && !variables->find(as<Var>(e).name) && functions.has(as<Var>(e).name);
}

/// map(arg, udf): the second argument is the bare name of a user-defined function.
Checker::CallResult Checker::checkMap(const Call &call) {
    const Expr *arg = nullptr, *udf = nullptr;
    bool fits = call.args.size() == 2 && checkKeywordOrder(call);
    for (size_t i = 0; fits && i < 2; ++i) {
        std::string_view keyword = call.args[i].keyword;
        fits = keyword.empty() || keyword == "arg" || keyword == "udf";
        (keyword == "udf" || (keyword.empty() && i == 1) ? udf : arg) = call.args[i].value;
    }
    if (!fits || !arg || !udf) {
        report(call.span, "'map' takes a matrix and the name of a function: map(arg, udf)");
        return {};
    }
    if (namesOnlyFunction(arg)) {
        report(arg->span,
               "the first argument of 'map' must be a matrix, " + quoted(as<Var>(arg).name) + " is a function")
            .withHint("the order is map(matrix, function)");
        return {};
    }
    Type type = checkType(arg);
    if (!type.isUnknown() && !type.isMatrix()) {
        report(arg->span, "the first argument of 'map' must be a matrix, got " + type.typeText());
        return {};
    }
    const Function *f = findMapped(udf, Type::scalar(type.isMatrix() ? type.valueType : ValueType::Unknown));
    if (!f)
        return {};
    bool known = f->state == Function::State::Callable && f->results.size() == 1 && f->results[0].isScalar();
    return {true, {Type::matrix(known ? f->results[0].valueType : ValueType::Unknown)}};
}

Function *Checker::findMapped(const Expr *udf, const Type &cell) {
    if (udf->kind != ExprKind::Var) {
        report(udf->span, "the second argument of 'map' must be the name of a function");
        return nullptr;
    }
    std::string_view name = as<Var>(udf).name;
    const auto &overloads = functions.overloads(name);
    if (overloads.empty()) {
        if (isOfFailedImport(name))
            return nullptr;
        Error &e = report(udf->span, "there is no user-defined function " + quoted(name));
        if (ops::Registry::get().findBuiltin(name))
            e.withHint("'map' takes no builtins; call " + std::string(name) +
                       "(x) on the whole matrix, or wrap it in "
                       "a function");
        else if (variables->find(name))
            e.withHint(quoted(name) + " is a variable; 'map' needs the name of a function");
        else if (std::string near = nearest(name, functions.names()); !near.empty())
            e.withHint("did you mean '" + near + "'?");
        return nullptr;
    }
    bool anyUnary = false;
    for (Function *f : overloads) {
        anyUnary |= f->params.size() == 1;
        if (!f->accepts({cell}))
            continue;
        if (f->state == Function::State::Open) {
            report(udf->span, quoted(name) + " cannot be used in its own body: its result types are not declared");
            return nullptr;
        }
        return f;
    }
    Error &e =
        report(udf->span, anyUnary ? "no overload of " + quoted(name) + " takes a cell of type " + cell.typeText()
                                   : "'map' needs a function of one parameter");
    for (const Function *f : overloads)
        e.withNote(f->signature() + " is defined", f->def->nameSpan);
    return nullptr;
}

} // namespace daphne::lang
