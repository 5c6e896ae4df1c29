// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/CalledBuiltin.h"
#include "lang/dsl/Checker.h"
#include "lang/dsl/Habits.h"

namespace daphne::lang {

namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string argumentCount(size_t n) { return n == 1 ? "1 argument" : std::to_string(n) + " arguments"; }

} // namespace

Checker::CallResult Checker::checkCall(const Call &call) {
    const bool hasOther = functions.has(call.callee) || ops::Registry::get().findBuiltin(call.callee);
    const Variable *variable = variables->find(call.callee);
    if (variable && (variable->value.isFunction || (variable->value.mayBeFunction() && !hasOther)))
        return checkValueCall(call, *variable);
    // A user-defined function hides the builtin of the same name altogether.
    if (functions.has(call.callee))
        return checkUserCall(call);
    if (const auto *builtin = calledBuiltin(call))
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
    const Variable *variable = variables->find(call.callee);
    if (lambdas > 0 && call.callee == assigned)
        e.withHint("a lambda does not see its own name; only a 'def' can call itself");
    else if (variable && (variable->value.type.isMatrix() || variable->value.type.isFrame()))
        e.withHint(quoted(call.callee) + " is a variable; its cells are " + std::string(call.callee) + "[row, col]");
    else if (std::string habit = hintForName(call.callee); !habit.empty())
        e.withHint(habit);
    else if (variable)
        e.withHint(quoted(call.callee) + " is a variable that holds no function; only functions can be called");
    else if (std::string near = nearest(call.callee, names); !near.empty())
        e.withHint("did you mean '" + near + "'?");
}

// ------------------------------------------------------------ function values

/// Whether the builtin of that name is what a call means.
bool Checker::namesBuiltin(std::string_view name) const {
    const Variable *variable = variables->find(name);
    return !functions.has(name) && !(variable && variable->value.isFunction);
}

/// A call of a variable that holds a function, or may hold one while there is no other function of its name.
Checker::CallResult Checker::checkValueCall(const Call &call, const Variable &variable) {
    const Known function = variable.value;
    size_t errorsBefore = run.diagnostics.count();
    checkArguments(call);
    if (run.diagnostics.count() != errorsBefore)
        return {};
    for (const CallArg &arg : call.args)
        if (!arg.keyword.empty()) {
            report(arg.span, "the function in the variable " + quoted(call.callee) + " takes no keyword arguments")
                .withHint("the names of parameters belong to the name of a 'def'");
            return {};
        }
    if (!call.hint.empty()) {
        report(call.calleeSpan, "a kernel hint is not possible on the function in the variable " + quoted(call.callee))
            .withHint("hints select the implementation of a builtin or operator");
        return {};
    }
    if (function.numParams && *function.numParams != call.args.size())
        report(call.span, "the function in the variable " + quoted(call.callee) + " takes " +
                              argumentCount(*function.numParams) + ", got " + std::to_string(call.args.size()));
    return {};
}

// ----------------------------------------------------- user-defined functions

Checker::CallResult Checker::checkUserCall(const Call &call) {
    CheckedCall checked = checkArguments(call);
    if (!call.hint.empty()) {
        report(call.calleeSpan, "a kernel hint is not possible on the user-defined function " + quoted(call.callee))
            .withHint("hints select the implementation of a builtin or operator");
        return {};
    }
    const std::vector<Function *> &overloads = functions.overloads(call.callee);
    if (!checkKeywordOrder(call) || !keywordsAreClear(call, overloads))
        return {};
    std::vector<Type> args;
    for (const Known &value : checked.values)
        args.push_back(typeAsArgument(value));
    const Function *chosen = nullptr;
    for (Fit fit : {Fit::Exact, Fit::Widened})
        for (const Function *f : overloads)
            if (!chosen && fits(*f->def, bindToParams(*f->def, call.args), args, fit))
                chosen = f;
    if (!chosen) {
        reportNoOverload(call, args, overloads);
        return {};
    }
    const Function &f = *chosen;
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

/// Overloads of as many parameters as there are arguments must not give them different names (language 10.3).
bool Checker::keywordsAreClear(const Call &call, const std::vector<Function *> &overloads) {
    if (call.args.empty() || call.args.back().keyword.empty())
        return true;
    const Function *first = nullptr;
    for (const Function *f : overloads) {
        if (f->params.size() != call.args.size())
            continue;
        if (!first)
            first = f;
        if (std::ranges::equal(f->def->params, first->def->params, {}, &Param::name, &Param::name))
            continue;
        report(call.span, "keyword arguments are ambiguous: overloads of " + quoted(call.callee) +
                              " name their parameters differently")
            .withNote(first->signature() + " is defined", first->def->nameSpan)
            .withNote(f->signature() + " is defined", f->def->nameSpan);
        return false;
    }
    return true;
}

void Checker::reportNoOverload(const Call &call, const std::vector<Type> &args,
                               const std::vector<Function *> &overloads) {
    std::vector<std::pair<const Function *, Bound>> bound;
    for (const Function *f : overloads)
        if (Bound b = bindToParams(*f->def, call.args); b.problem == Bound::Problem::None)
            bound.emplace_back(f, std::move(b));
    if (bound.size() == 1)
        return reportWrongTypes(call, args, *bound[0].first, bound[0].second);
    if (overloads.size() == 1)
        return reportUnbound(call, *overloads[0], bindToParams(*overloads[0]->def, call.args));
    bool keywords = !call.args.empty() && !call.args.back().keyword.empty();
    Error &e = report(call.span, "no overload of " + quoted(call.callee) + " takes " +
                                     (!bound.empty() ? textOf(args)
                                      : keywords     ? "these arguments"
                                                     : argumentCount(call.args.size())));
    for (const Function *f : overloads)
        e.withNote(f->signature() + " is defined", f->def->nameSpan);
}

void Checker::reportUnbound(const Call &call, const Function &f, const Bound &bound) {
    const std::span<Param> params = f.def->params;
    size_t least = f.numRequired(), most = params.size();
    std::string count = (least == most ? "" : std::to_string(least) + " to ") + argumentCount(most);
    std::string wanted = quoted(call.callee) + " takes " + count + ", got " + std::to_string(call.args.size());
    auto say = [&](SourceSpan where, std::string message) -> Error & {
        return report(where, std::move(message)).withNote(f.signature() + " is defined", f.def->nameSpan);
    };
    switch (bound.problem) {
    case Bound::Problem::TooMany: say(call.span, wanted); return;
    case Bound::Problem::Missing: {
        bool isCount = call.args.size() < least;
        say(call.span, (isCount ? wanted + ": " : "in this call of " + quoted(call.callee) + " ") +
                           quoted(params[bound.where].name) + " is missing");
        return;
    }
    case Bound::Problem::GivenTwice:
        say(call.args[bound.where].span, "the argument " + quoted(call.args[bound.where].keyword) +
                                             " is given twice: by its position and by its name");
        return;
    case Bound::Problem::UnknownKeyword: {
        std::string_view keyword = call.args[bound.where].keyword;
        std::vector<std::string_view> names;
        for (const Param &p : params)
            names.push_back(p.name);
        std::string near = nearest(keyword, names);
        say(call.args[bound.where].span, quoted(call.callee) + " has no parameter " + quoted(keyword))
            .withHint(near.empty() ? "it is " + f.signature() : "did you mean '" + near + "'?");
        return;
    }
    case Bound::Problem::None: return;
    }
}

void Checker::reportWrongTypes(const Call &call, const std::vector<Type> &args, const Function &f, const Bound &bound) {
    for (size_t p = 0; p < f.params.size(); ++p) {
        size_t a = bound.argumentOf[p];
        if (a == Bound::kDefault || takes(f.params[p], args[a]))
            continue;
        const Type &wanted = f.params[p], &given = args[a];
        Error &e =
            report(call.args[a].span, "the parameter " + quoted(f.def->params[p].name) + " of " + quoted(call.callee) +
                                          " needs " + wanted.typeText() + ", got " + given.typeText());
        e.withNote(f.signature() + " is defined", f.def->nameSpan);
        bool numbers = isNumeric(wanted.valueType) && isNumeric(given.valueType) && wanted.kind == given.kind;
        if ((wanted.isScalar() || wanted.isMatrix()) && given.kind != ops::kFunctionKind)
            e.withHint(std::string(numbers ? "a conversion could change values" : "there is no implicit conversion") +
                       "; write as." + wanted.typeText() + "(x)");
        return;
    }
}

// --------------------------------------------- builtins that take a function

/// f(arg, function ...): functions of one parameter, of two for reduce.
Checker::CallResult Checker::checkSecondOrder(const CheckedCall &checked, const ops::BuiltinInfo &builtin,
                                              const std::vector<Known> &bound) {
    const Call &call = checked.call;
    auto argument = [&](size_t p) -> const CallArg & {
        for (size_t i = 0; i < call.args.size(); ++i)
            if (call.args[i].keyword.empty() ? i == p : call.args[i].keyword == builtin.params[p].name)
                return call.args[i];
        return call.args[0];
    };
    std::string name = quoted(call.callee);
    const Known &data = bound[0];
    Known function = bound[1];
    // A variable that is no function does not hide one here: only a function can be meant.
    const Expr *second = argument(1).value;
    if (!function.mayBeFunction() && second->kind == ExprKind::Var && functions.has(as<Var>(second).name))
        function = checkFunctionName(as<Var>(second));
    if (data.isFunction) {
        report(argument(0).span, "the first argument of " + name + " must be a matrix or list, this is a function")
            .withHint("the order is " + std::string(call.callee) + "(data, function)");
        return {};
    }
    if (data.type.isScalar() || (data.type.isFrame() && (builtin.name == "map" || builtin.name == "reduce"))) {
        report(argument(0).span,
               "the first argument of " + name + " must be a matrix or list, got " + data.type.typeText());
        return {};
    }
    if (!function.mayBeFunction()) {
        report(argument(1).span,
               "the second argument of " + name + " must be a function, got " + function.type.typeText())
            .withHint("the name of a 'def', or a lambda: x -> x + 1");
        return {};
    }
    size_t wanted = builtin.name == "reduce" ? 2 : 1;
    if (function.numParams && *function.numParams != wanted) {
        report(argument(1).span, name + " needs a function of " + (wanted == 1 ? "one parameter" : "two parameters") +
                                     ", this one has " + std::to_string(*function.numParams));
        return {};
    }
    if (builtin.name == "apply" && !(bound[2].constant && isAxis(*bound[2].constant))) {
        report(argument(2).span, "the axis of 'apply' must be a constant, 0 or 1")
            .withHint("0 applies the function to each row, 1 to each column");
        return {};
    }
    if (builtin.name != "map" || !data.type.isMatrix())
        return {true, {Type::unknown()}};
    const Expr *mapped = argument(1).value;
    bool isName = mapped->kind == ExprKind::Var && functions.has(as<Var>(mapped).name) &&
                  (!variables->find(as<Var>(mapped).name) || !bound[1].type.isUnknown());
    ValueType cells = isName ? mappedType(as<Var>(mapped), Type::scalar(data.type.valueType)) : ValueType::Unknown;
    return {true, {Type::matrix(cells)}};
}

/// The value type of the cells that the named function makes of cells; unknown after an error.
ValueType Checker::mappedType(const Var &name, const Type &cell) {
    CallArg arg{{}, &name, name.span};
    const auto &overloads = functions.overloads(name.name);
    for (Fit fit : {Fit::Exact, Fit::Widened})
        for (const Function *f : overloads)
            if (fits(*f->def, bindToParams(*f->def, {&arg, 1}), {cell}, fit)) {
                bool isKnown = f->state == Function::State::Callable && f->results.size() == 1;
                return isKnown && f->results[0].isScalar() ? f->results[0].valueType : ValueType::Unknown;
            }
    Error &e = report(name.span, "no definition of " + quoted(name.name) + " takes a cell of type " + cell.typeText());
    for (const Function *f : overloads)
        e.withNote(f->signature() + " is defined", f->def->nameSpan);
    return ValueType::Unknown;
}

} // namespace daphne::lang
