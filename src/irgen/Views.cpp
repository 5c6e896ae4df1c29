// SPDX-License-Identifier: Apache-2.0
/// registerView and sql. The table of views exists at run time; where the frame
/// behind a name is known here, queries use it directly.
#include "irgen/Generator.h"

#include "irgen/sql/Translator.h"
#include "lang/sql/Parser.h"

namespace daphne::irgen {

using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

/// What stays true of a view where it may have been registered elsewhere.
TypeDesc withoutRows(const TypeDesc &t) { return TypeDesc::frame(t.schema, -1, t.cols); }

} // namespace

Generator::ViewRegion::ViewRegion(Generator &generator, Entry entry, ViewTypes *registered)
    : g(generator), outside(generator.views), registered(registered) {
    if (entry == Entry::Forget)
        for (auto &[name, view] : g.views)
            view = {withoutRows(view.type), {}, view.version};
}

Generator::ViewRegion::~ViewRegion() {
    std::map<std::string, View> inside = std::exchange(g.views, outside);
    for (auto &[name, view] : inside) {
        auto before = outside.find(name);
        if (before != outside.end() && before->second.version == view.version)
            continue;
        TypeDesc type = before == outside.end() ? view.type : ops::join(before->second.type, view.type);
        if (registered)
            registered->insert_or_assign(name, withoutRows(view.type));
        else
            g.views[name] = {withoutRows(type), {}, view.version};
    }
}

void Generator::applyViews(const ViewTypes &registered) {
    for (const auto &[name, type] : registered)
        views[name] = {type, {}, ++numViewVersions};
}

std::string Generator::viewsKey() const {
    std::string key;
    for (const auto &[name, view] : views)
        key += "|" + name + ":" + view.type.typeText();
    return key;
}

void Generator::registerView(std::vector<IrValue> operands, SourceSpan span) {
    TypeDesc given = typeOf(operands[1]);
    if (given.isScalar() || given.isList())
        raise(compileError(span, "registerView needs a frame, got " + given.text()));
    if (!given.isFrame())
        operands[1] = emitCast(operands[1], {.kind = ops::Kind::Frame}, span);
    emitMulti("registerView", operands, {span, {}});
    views[ir::constantOf(operands[0])->s] = {typeOf(operands[1]), operands[1], ++numViewVersions};
}

IrValue Generator::viewNamed(const std::string &name, SourceSpan span) {
    auto found = views.find(name);
    if (found == views.end()) {
        std::vector<std::string_view> known;
        for (const auto &[other, view] : views)
            known.push_back(other);
        std::string close = nearest(name, known);
        throw compileError(span, "no view " + name + " has been registered before this query")
            .withHint(close.empty() ? "registerView(\"" + name + "\", frame) makes a frame known to queries"
                                    : "did you mean " + close + "?");
    }
    if (found->second.value)
        return found->second.value;
    usesViewTable = true;
    IrValue frame = emit("view", constant({.type = ValueType::Str, .s = name}, span), {span, {}});
    return adapt(frame, found->second.type, span);
}

/// Mistakes in a query are found at compile time, even where it may never be run.
IrValue Generator::sqlQuery(IrValue text, SourceSpan span) {
    auto constantText = ir::constantOf(text);
    if (!constantText)
        throw parseError(span, "the query must be a constant string");
    lang::sql::QueryText query(constantText->s, ir::spanOf(text.getLoc()), *options.sources);
    return Translator(*this).translate(*lang::sql::parse(query));
}

void Generator::dropUnusedViewTable() {
    // At a prompt later inputs may ask for the views.
    if (usesViewTable || options.exportVariables)
        return;
    module.walk([](ir::DaphneOp op) {
        if (op.is("registerView"))
            op->erase();
    });
}

} // namespace daphne::irgen
