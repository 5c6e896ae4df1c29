// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Checker.h"

namespace daphne::lang {

void Checker::checkSignatureType(const TypeSpec &type, std::string_view what) {
    if (!isSignatureType(type))
        report(type.span, textOf(type) + " cannot be the type of a " + std::string(what))
            .withHint("value types, matrix, matrix<value type>, frame, list and function can");
}

void Checker::checkFuncDef(const FuncDef &def) {
    if (!isTopLevel())
        report(def.nameSpan, "functions can only be defined at the top level of a script")
            .withHint("move the definition of '" + std::string(def.name) + "' out of the " +
                      (body ? "function" : "block"));
    std::unordered_set<std::string_view> names;
    for (const Param &p : def.params)
        if (!names.insert(p.name).second)
            report(p.span, "there are two parameters named '" + std::string(p.name) + "'");
    for (const Param &p : def.params)
        if (p.typed)
            checkSignatureType(p.type, "parameter");
    for (const TypeSpec &r : def.results)
        checkSignatureType(r, "result");
    checkDefaults(def);
    checkFunctionBody(*declare(def));
}

/// A default sees the parameters before it, and the functions that are defined before its own.
void Checker::checkDefaults(const FuncDef &def) {
    Variables earlier;
    auto *outerVariables = std::exchange(variables, &earlier);
    auto outerUndefined = std::exchange(undefined, {});
    const Param *lastDefault = nullptr;
    for (const Param &p : def.params) {
        Type type = typeOf(p);
        if (p.defaultValue) {
            Type given = typeAsArgument(checkValue(p.defaultValue));
            if (!takes(type, given))
                report(p.defaultValue->span, "the default of '" + std::string(p.name) + "' is " + given.typeText() +
                                                 ", but its type is declared as " + type.typeText());
            lastDefault = &p;
        } else if (lastDefault) {
            report(p.span, "the parameter '" + std::string(p.name) + "' needs a default, because '" +
                               std::string(lastDefault->name) + "' before it has one")
                .withHint("parameters with defaults come last");
        }
        earlier.define(p.name, knownOf(type), p.span);
    }
    variables = outerVariables;
    undefined = std::move(outerUndefined);
}

/// Makes the function known. Its own body may call it only if its results are declared.
Function *Checker::declare(const FuncDef &def) {
    Function &f = run.functions.emplace_back();
    f.def = &def;
    for (const Param &p : def.params)
        f.params.push_back(typeOf(p));
    for (const TypeSpec &r : def.results)
        f.results.push_back(typeOf(r));
    f.state = def.resultsDeclared ? Function::State::Callable : Function::State::Open;
    functions.add(def.name, &f);
    ownFunctions.push_back(&f);
    return &f;
}

void Checker::checkFunctionBody(Function &function) {
    const FuncDef &def = *function.def;
    Variables locals;
    for (size_t i = 0; i < def.params.size(); ++i)
        locals.define(def.params[i].name, knownOf(function.params[i]), def.params[i].span);

    Body own{.def = &def, .function = &function};
    size_t errorsBefore = run.diagnostics.count();
    auto *outerVariables = std::exchange(variables, &locals);
    auto *outerBody = std::exchange(body, &own);
    size_t outerDepth = std::exchange(depth, 0);
    auto *outerLoop = std::exchange(loop, nullptr);
    auto outerUndefined = std::exchange(undefined, {});

    Flow flow = checkAll(def.body->body);
    if (run.diagnostics.count() == errorsBefore)
        checkReturnsAlways(own, flow);

    variables = outerVariables;
    body = outerBody;
    depth = outerDepth;
    loop = outerLoop;
    undefined = std::move(outerUndefined);
    if (def.resultsDeclared)
        return;
    bool broken = run.diagnostics.count() != errorsBefore;
    function.results = std::move(own.results);
    function.state = broken ? Function::State::Broken : Function::State::Callable;
}

void Checker::checkReturnsAlways(const Body &own, Flow flow) {
    bool needsValue = own.def->resultsDeclared || !own.results.empty();
    if (!needsValue || flow != Flow::Continues)
        return;
    Error &e = report(
        own.def->nameSpan,
        own.anyReturn ? "the function '" + std::string(own.def->name) + "' does not return a value on every path"
                      : "the function '" + std::string(own.def->name) + "' declares results but does not return any");
    e.withHint("end the body with a 'return'");
}

void Checker::checkReturn(const Return &stmt) {
    std::vector<Type> types;
    for (const Expr *value : stmt.values)
        types.push_back(checkType(value));
    if (!body) {
        report(stmt.span, "'return' is only possible in a function");
        return;
    }
    if (body->def->resultsDeclared)
        compareWithDeclared(stmt, types);
    else
        compareWithOtherReturns(stmt, types);
    if (!body->anyReturn)
        body->firstReturn = stmt.span;
    body->anyReturn = true;
}

namespace {
std::string countOf(size_t n) { return n == 1 ? "1 value" : std::to_string(n) + " values"; }
} // namespace

void Checker::compareWithDeclared(const Return &stmt, const std::vector<Type> &types) {
    const std::vector<Type> &declared = body->function->results;
    if (types.size() != declared.size()) {
        report(stmt.span, "this returns " + countOf(types.size()) + ", but '" + std::string(body->def->name) +
                              "' declares " + countOf(declared.size()));
        return;
    }
    for (size_t i = 0; i < types.size(); ++i)
        if (!types[i].compatible(declared[i]))
            report(stmt.values[i]->span, "this returns " + types[i].typeText() + ", but '" +
                                             std::string(body->def->name) + "' declares " + declared[i].typeText())
                .withHint("there is no implicit conversion; write as." + declared[i].typeText() + "(x)");
}

void Checker::compareWithOtherReturns(const Return &stmt, const std::vector<Type> &types) {
    if (!body->anyReturn) {
        body->results = types;
        return;
    }
    std::vector<Type> &results = body->results;
    if (types.size() != results.size()) {
        report(stmt.span, "this returns " + countOf(types.size()) + ", but another 'return' of '" +
                              std::string(body->def->name) + "' has " + countOf(results.size()))
            .withNote("the other 'return' is", body->firstReturn);
        return;
    }
    for (size_t i = 0; i < types.size(); ++i) {
        if (!types[i].compatible(results[i]))
            report(stmt.values[i]->span, "this returns " + types[i].typeText() + ", but another 'return' of '" +
                                             std::string(body->def->name) + "' has " + results[i].typeText())
                .withNote("the other 'return' is", body->firstReturn);
        results[i] = ops::join(results[i], types[i]);
    }
}

} // namespace daphne::lang
