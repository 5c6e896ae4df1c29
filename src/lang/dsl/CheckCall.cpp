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
    // A user-defined function hides the builtin of the same name altogether.
    if (functions.has(call.callee))
        return checkUserCall(call);
    if (call.callee == "map")
        return checkMap(call);
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
    names.push_back("map");
    if (const Variable *variable = variables->find(call.callee))
        e.withHint(quoted(call.callee) + " is a variable; " +
                   (variable->value.type.isMatrix() || variable->value.type.isFrame()
                        ? "its cells are " + std::string(call.callee) + "[row, col]"
                        : "only functions can be called"));
    else if (std::string habit = hintForName(call.callee); !habit.empty())
        e.withHint(habit);
    else if (std::string near = nearest(call.callee, names); !near.empty())
        e.withHint("did you mean '" + near + "'?");
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
        args.push_back(value.type);
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
        if (wanted.isScalar() || wanted.isMatrix())
            e.withHint(std::string(numbers ? "a conversion could change values" : "there is no implicit conversion") +
                       "; write as." + wanted.typeText() + "(x)");
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
