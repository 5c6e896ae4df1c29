// SPDX-License-Identifier: Apache-2.0
/// GROUP BY and aggregates: one operation computes all aggregates of a query.
#include <algorithm>

#include "irgen/sql/Translator.h"

namespace daphne::irgen {

using ops::TypeDesc;
using sql::Expr;
using sql::ExprKind;
using IrValue = mlir::Value;

namespace {

struct AggregateFunction {
    std::string_view name, function;
};
constexpr AggregateFunction kAggregates[] = {
    {"COUNT", "COUNT"},
    {"SUM", "SUM"},
    {"MIN", "MIN"},
    {"MAX", "MAX"},
    {"AVG", "AVG"},
    {"STDDEV", "STDDEV_SAMP"},
    {"STDDEV_SAMP", "STDDEV_SAMP"},
    {"STDDEV_POP", "STDDEV_POP"},
    {"VARIANCE", "VAR_SAMP"},
    {"VAR_SAMP", "VAR_SAMP"},
    {"VAR_POP", "VAR_POP"},
};

std::string_view functionOf(const Expr &e) {
    std::string upper = lang::sql::upperCase(e.name);
    for (const auto &[name, function] : kAggregates)
        if (name == upper)
            return function;
    return {};
}

} // namespace

bool Translator::isAggregate(const Expr &e) { return e.kind == ExprKind::Call && !functionOf(e).empty(); }

void Translator::collectAggregates(const Expr &e, std::vector<const Expr *> &found, bool inside) {
    bool aggregate = isAggregate(e);
    if (aggregate && inside)
        throw compileError(e.span, "the aggregate " + e.name + " is inside another aggregate");
    if (aggregate)
        found.push_back(&e);
    for (const auto &a : e.args)
        collectAggregates(*a, found, inside || aggregate);
}

std::vector<const Expr *> Translator::aggregatesOf(const sql::Select &s, const sql::Query *whole) {
    std::vector<const Expr *> found;
    for (const sql::Item &i : s.items)
        collectAggregates(*i.value, found, false);
    if (s.having)
        collectAggregates(*s.having, found, false);
    if (whole)
        for (const sql::OrderKey &k : whole->orderBy)
            collectAggregates(*k.value, found, false);
    return found;
}

/// Equal for expressions that mean the same columns and operations.
std::string Translator::textOf(const Expr &e, const Relation &r) {
    std::string text;
    appendText(e, r, text);
    return text;
}

void Translator::appendText(const Expr &e, const Relation &r, std::string &out) {
    switch (e.kind) {
    case ExprKind::Integer: out += std::to_string(e.integer); return;
    case ExprKind::Float: {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.17g", e.number);
        out += buffer;
        return;
    }
    case ExprKind::String: out += "'" + e.name + "'"; return;
    case ExprKind::Time:
    case ExprKind::Months: out += "'" + e.name + "'" + std::to_string(e.integer); return;
    case ExprKind::Column: {
        auto found = tryFind(e, r, nullptr);
        out += found ? found->label : "?" + e.table + "." + e.name;
        return;
    }
    case ExprKind::Subquery:
    case ExprKind::InQuery:
    case ExprKind::Exists: // a query is equal to itself only
        out += "?query" + std::to_string(reinterpret_cast<uintptr_t>(&e));
        return;
    default: break;
    }
    out += e.kind == ExprKind::Call ? lang::sql::upperCase(e.name) : e.name;
    out += std::string(e.negated ? "!" : "") + (e.distinct ? "~" : "") + "(" + e.table;
    for (const auto &a : e.args) {
        appendText(*a, r, out);
        out += ",";
    }
    out += ")";
}

/// The cells an aggregate works on. count(*) counts rows: nothing to compute.
std::optional<Translator::Cells> Translator::argumentOf(const Expr &e, const Relation &input) {
    if (e.args.size() != 1)
        throw compileError(e.span,
                           "the aggregate " + e.name + " takes one value, got " + std::to_string(e.args.size()));
    if (e.args[0]->kind == ExprKind::Star) {
        if (functionOf(e) != "COUNT" || e.distinct || !e.args[0]->table.empty())
            throw compileError(e.span, "'*' is an argument of count only");
        return std::nullopt;
    }
    if (e.distinct && functionOf(e) != "COUNT" && functionOf(e) != "MIN" && functionOf(e) != "MAX")
        throw compileError(e.span, "DISTINCT can be used in count, min and max only");
    Scope scope{&input, input.frame, nullptr, "an aggregate"};
    Cells c = expr(*e.args[0], scope);
    if (c.valid)
        c.valid = asColumn(c.valid, numRows(input.frame, e.span), e.span);
    c.value = asColumn(c.value, numRows(input.frame, e.span), e.span);
    return c;
}

void Translator::addColumn(IrValue &frame, IrValue column, const std::string &label, SourceSpan span) {
    IrValue added = op("createFrame", {column, text(label, span)}, span);
    frame = frame ? op("colBind", {frame, added}, span) : added;
}

// ------------------------------------------------------------------- GROUP BY

/// The expressions after GROUP BY: a position or the name of an item stands for the item, '*' for columns.
std::vector<const Expr *> Translator::groupKeys(const sql::Select &s, const Relation &input) {
    std::vector<const Expr *> keys;
    for (const auto &e : s.groupBy) {
        const Expr *key = e.get();
        if (key->kind == ExprKind::Star) {
            for (const Source &source : input.sources) {
                if (!key->table.empty() && source.alias != key->table)
                    continue;
                if (!source.known)
                    throw compileError(key->span, "the columns of " + source.alias + " are not known here")
                        .withHint("name the columns");
                for (const Column &c : source.columns)
                    if (!c.isIndicator)
                        keys.push_back(ownedExprs
                                           .emplace_back(std::make_unique<Expr>(
                                               Expr{ExprKind::Column, key->span, c.name, source.alias}))
                                           .get());
            }
            if (keys.empty())
                throw compileError(key->span, "the query has no table " + key->table);
            continue;
        }
        if (key->kind == ExprKind::Integer) {
            if (key->integer < 1 || key->integer > static_cast<int64_t>(s.items.size()))
                throw compileError(key->span, "there is no item " + std::to_string(key->integer));
            key = s.items[static_cast<size_t>(key->integer - 1)].value.get();
        } else if (key->kind == ExprKind::Column && key->table.empty() && !tryFind(*key, input, nullptr)) {
            for (const sql::Item &i : s.items)
                if (i.hasAlias && i.label == key->name)
                    key = i.value.get();
        }
        std::vector<const Expr *> none;
        collectAggregates(*key, none, false);
        if (!none.empty())
            throw compileError(none[0]->span, "the aggregate " + none[0]->name + " cannot be a key of groups");
        keys.push_back(key);
    }
    return keys;
}

Translator::Grouped Translator::group(const sql::Select &s, const sql::Query *whole, const Relation &input) {
    std::vector<const Expr *> aggregates = aggregatesOf(s, whole);
    if (s.groupBy.empty())
        return aggregateAll(aggregates, input, s.span);
    Grouped grouped;
    std::vector<IrValue> columns, labels, operands, keyLabels;
    IrValue rows = numRows(input.frame, s.span);
    auto add = [&](IrValue column, const std::string &label, SourceSpan span) {
        columns.push_back(asColumn(column, rows, span));
        labels.push_back(text(label, span));
    };
    Scope scope{&input, input.frame, nullptr, "GROUP BY"};
    for (const Expr *key : groupKeys(s, input)) {
        std::string called = textOf(*key, input);
        if (grouped.columns.contains(called))
            continue;
        Cells c = expr(*key, scope);
        Column column{.label = key->kind == ExprKind::Column ? called : fresh("key"),
                      .name = "",
                      .type = typeOf(c.value),
                      .filled = true};
        if (c.valid) {
            // Nulls are one group, and the first one.
            column.indicator = fresh("there");
            add(c.valid, column.indicator, key->span);
            keyLabels.push_back(text(column.indicator, key->span));
        }
        add(canonical(c, key->span), column.label, key->span);
        keyLabels.push_back(text(column.label, key->span));
        if (key->kind == ExprKind::Column)
            grouped.keyLabels.push_back(called);
        grouped.columns[called] = std::move(column);
    }
    std::vector<IrValue> wanted;
    auto want = [&](const std::string &function, const std::string &label, const std::string &mask, SourceSpan span) {
        for (const std::string &t : {function, label, mask})
            wanted.push_back(text(t, span));
        return function + "(" + label + ")";
    };
    for (const Expr *e : aggregates) {
        std::string called = textOf(*e, input);
        if (grouped.columns.contains(called))
            continue;
        auto argument = argumentOf(*e, input);
        std::string label = fresh("a"), mask;
        add(argument ? argument->value : integer(1, e->span), label, e->span);
        if (argument && argument->valid)
            add(argument->valid, mask = fresh("m"), e->span);
        bool isCount = functionOf(*e) == "COUNT";
        Column column;
        column.label =
            want(isCount && e->distinct ? "COUNT_DISTINCT" : std::string(functionOf(*e)), label, mask, e->span);
        if (!mask.empty() && !isCount) {
            // Null if there was no cell.
            column.indicator = want("COUNT", label, mask, e->span);
            column.indicatorCounts = true;
        }
        grouped.columns[called] = std::move(column);
    }
    columns.insert(columns.end(), labels.begin(), labels.end());
    operands = {op("createFrame", columns, s.span), integer(static_cast<int64_t>(keyLabels.size()), s.span)};
    operands.insert(operands.end(), keyLabels.begin(), keyLabels.end());
    operands.insert(operands.end(), wanted.begin(), wanted.end());
    grouped.frame = op("group", operands, s.span);
    return grouped;
}

// ---------------------------------------------------------- aggregates of all

/// A scalar, and whether there was any cell.
Translator::Cells Translator::wholeAggregate(const Expr &e, const Relation &input) {
    auto argument = argumentOf(e, input);
    TypeDesc si64 = TypeDesc::scalar(ValueType::SI64), f64{.valueType = ValueType::F64};
    auto countOf = [&](IrValue v) { return g.emitCast(numRows(v, e.span), si64, e.span); };
    if (!argument)
        return {countOf(input.frame)};
    IrValue x = argument->value;
    if (argument->valid)
        x = op("filterRow", {x, argument->valid}, e.span);
    IrValue valid = hasRows(x, e.span);
    std::string_view function = functionOf(e);
    if (function == "COUNT") {
        if (!e.distinct)
            return {countOf(x)};
        IrValue frame = op("createFrame", {x, text("x", e.span)}, e.span);
        return {countOf(op("group", {frame, integer(1, e.span), text("x", e.span)}, e.span))};
    }
    if (function == "SUM") // of no rows it is 0, of nothing but nulls null
        return {op("sumAll", {x}, e.span), argument->valid ? valid : IrValue()};
    // There is no least of no strings; and where the type is not known, nor is its default.
    if (typeOf(x) == ValueType::Str || typeOf(x) == ValueType::Unknown)
        x = rowOrDefault(x, e.span);
    if (function == "MIN" || function == "MAX")
        return {op(function == "MIN" ? ops::OpName("minAll") : ops::OpName("maxAll"), {x}, e.span), valid};
    // Durations have means; of what is not known the operations find out.
    ValueType type = typeOf(x);
    IrValue numbers = isTime(type) || type == ValueType::Unknown ? x : g.emitCast(x, f64, e.span);
    if (function == "AVG")
        return {op("meanAll", {numbers}, e.span), valid};
    IrValue result = op("varAll", {numbers}, e.span);
    if (function.ends_with("_SAMP")) {
        IrValue n = g.emitCast(countOf(x), TypeDesc::scalar(ValueType::F64), e.span);
        IrValue one = g.constant({.type = ValueType::F64, .d = 1}, e.span);
        result = op("ewDiv", {op("ewMul", {result, n}, e.span), op("ewSub", {n, one}, e.span)}, e.span);
    }
    if (function.starts_with("STDDEV"))
        result = op("ewSqrt", {result}, e.span);
    return {result, valid};
}

Translator::Grouped Translator::aggregateAll(const std::vector<const Expr *> &aggregates, const Relation &input,
                                             SourceSpan span) {
    Grouped grouped;
    std::vector<IrValue> columns, labels;
    TypeDesc matrix = TypeDesc::matrix(ValueType::Unknown);
    auto add = [&](IrValue scalar, const std::string &label, SourceSpan at) {
        columns.push_back(g.emitCast(scalar, matrix, at));
        labels.push_back(text(label, at));
    };
    for (const Expr *e : aggregates) {
        std::string called = textOf(*e, input);
        if (grouped.columns.contains(called))
            continue;
        Cells c = wholeAggregate(*e, input);
        Column column;
        add(c.value, column.label = fresh("a"), e->span);
        if (c.valid)
            add(c.valid, column.indicator = fresh("there"), e->span);
        grouped.columns[called] = std::move(column);
    }
    if (columns.empty())
        add(integer(1, span), fresh("rows"), span); // HAVING without aggregates
    columns.insert(columns.end(), labels.begin(), labels.end());
    grouped.frame = op("createFrame", columns, span);
    return grouped;
}

} // namespace daphne::irgen
