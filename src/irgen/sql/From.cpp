// SPDX-License-Identifier: Apache-2.0
/// FROM: tables under their names, products and joins. Only columns that the
/// query names are taken along.
#include <algorithm>

#include "data/NullIndicator.h"
#include "irgen/sql/Translator.h"

namespace daphne::irgen {

using ops::TypeDesc;
using sql::Expr;
using sql::ExprKind;
using sql::JoinKind;
using IrValue = mlir::Value;

namespace {

/// The name of a column without what stands before its first dot.
std::string bareName(const std::string &label) {
    size_t dot = label.find('.');
    return dot == label.npos ? label : label.substr(dot + 1);
}

bool isComparison(const Expr &e) {
    static constexpr std::string_view kComparisons[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
    return e.kind == ExprKind::Binary &&
           std::find(std::begin(kComparisons), std::end(kComparisons), e.name) != std::end(kComparisons);
}

/// As it comes from a file: readers put the default of the type under a null, whoever changes a column may not.
bool isRead(IrValue frame) {
    while (ir::DaphneOp check = ir::asOp(frame.getDefiningOp(), "adapt"))
        frame = check->getOperand(0);
    return ir::isOp(frame, "read");
}

std::string mirrored(const std::string &comparison) {
    if (comparison[0] == '<' && comparison != "<>")
        return ">" + comparison.substr(1);
    return comparison[0] == '>' ? "<" + comparison.substr(1) : comparison;
}

} // namespace

// -------------------------------------------------------------- what is named

void Translator::collectNames(const Expr &e, Names &names) {
    if (e.kind == ExprKind::Column || e.mayBeName)
        names.columns.insert({e.table, e.name});
    if (e.kind == ExprKind::Star)
        names.stars.insert(e.table);
    for (const auto &a : e.args)
        // count(*) needs rows, not columns.
        if (!(e.kind == ExprKind::Call && a->kind == ExprKind::Star))
            collectNames(*a, names);
}

Translator::Names Translator::namesOf(const sql::Select &s, const sql::Query *whole) {
    Names names;
    for (const sql::Item &i : s.items)
        collectNames(*i.value, names);
    for (const sql::Join &j : s.joins)
        if (j.on)
            collectNames(*j.on, names);
    for (const Expr *e : {s.where.get(), s.having.get()})
        if (e)
            collectNames(*e, names);
    for (const auto &e : s.groupBy)
        collectNames(*e, names);
    if (whole)
        for (const sql::OrderKey &k : whole->orderBy)
            collectNames(*k.value, names);
    return names;
}

// --------------------------------------------------------------------- tables

/// The columns of a frame; indicators are those of other columns, and only themselves if they are named.
std::vector<Translator::Column> Translator::columnsOf(const ops::FrameSchema &schema, bool filled) {
    std::vector<Column> columns;
    columns.reserve(schema.labels.size());
    for (size_t c = 0; c < schema.labels.size(); ++c)
        columns.push_back({schema.labels[c], bareName(schema.labels[c]), schema.types[c]});
    std::vector<size_t> indicators = findIndicators(schema.labels, schema.types);
    for (size_t c = 0; c < columns.size(); ++c)
        if (size_t i = indicators[c]; i != kNoIndicator) {
            columns[c].indicator = schema.labels[i];
            columns[c].indicatorCounts = schema.types[i] != ValueType::Bool;
            columns[c].filled = filled;
            columns[i].isIndicator = true;
        }
    return columns;
}

Translator::Relation Translator::source(const sql::Table &t, const Names &names) {
    if (t.query)
        return renamed(query(*t.query), t.alias, names, t.span);
    for (size_t i = named.size(); i-- > 0;)
        if (auto found = named[i].find(t.name); found != named[i].end())
            return renamed(found->second, t.alias, names, t.span);
    IrValue frame = g.viewNamed(t.name, t.span);
    TypeDesc type = g.typeOf(frame);
    Result r{frame, {}, type.schema && type.schema->labels.size() == type.schema->types.size()};
    if (r.known)
        r.columns = columnsOf(*type.schema, isRead(frame));
    return renamed(std::move(r), t.alias, names, t.span);
}

/// The columns of a table as alias.name; those the query does not name are left out.
Translator::Relation Translator::renamed(Result r, const std::string &alias, const Names &names, SourceSpan span) {
    Source s{alias, {}, r.known};
    if (!r.known) {
        IrValue frame = op("withoutNulls", {r.frame}, span); // they could not be heeded
        return {op("setColLabelsPrefix", {frame, text(alias, span)}, span), {s}};
    }
    bool all = names.stars.contains("") || names.stars.contains(alias);
    auto isNamed = [&](const Column &c) {
        return (all && !c.isIndicator) || names.columns.contains({alias, c.name}) ||
               names.columns.contains({"", c.name});
    };
    std::vector<IrValue> columns, labels;
    auto add = [&](IrValue cells, const std::string &label) {
        columns.push_back(cells);
        labels.push_back(text(label, span));
    };
    for (const Column &c : r.columns) {
        if (!isNamed(c)) {
            if (!c.isIndicator)
                s.otherNames.push_back(c.name);
            continue;
        }
        Cells cells = cellsOf(r.frame, c, span);
        bool isOfTimes = isTime(typeOf(cells.value)); // whose nulls are nat
        Column named{.label = alias + "." + c.name,
                     .name = c.name,
                     .type = c.type,
                     .isIndicator = c.isIndicator,
                     .isNull = c.isNull,
                     .filled = c.filled || isOfTimes};
        add(isOfTimes ? canonical(cells, span) : cells.value, named.label);
        if (cells.valid && !isOfTimes)
            add(cells.valid, named.indicator = fresh("there"));
        s.columns.push_back(std::move(named));
    }
    // Some column must tell the number of rows.
    if (columns.empty() && !r.columns.empty())
        add(cellsOf(r.frame, r.columns[0].label, span), fresh("rows"));
    columns.insert(columns.end(), labels.begin(), labels.end());
    return {op("createFrame", columns, span), {s}};
}

Translator::Relation Translator::from(const sql::Select &s, const sql::Query *whole) {
    Names names = namesOf(s, whole);
    Relation result = source(s.tables[0], names);
    for (size_t i = 1; i < s.tables.size(); ++i) {
        Relation right = source(s.tables[i], names);
        needNewAlias(result, right, s.tables[i].span);
        result = product(result, right, s, s.tables[i].span);
    }
    for (const sql::Join &j : s.joins) {
        Relation right = source(j.table, names);
        needNewAlias(result, right, j.table.span);
        result = join(std::move(result), std::move(right), j);
    }
    return result;
}

/// All pairs of rows. Where columns are not known, the compiler cannot find out later that WHERE makes a join of it, so
/// equalities of WHERE are used at once.
Translator::Relation Translator::product(const Relation &left, const Relation &right, const sql::Select &s,
                                         SourceSpan span) {
    auto isKnown = [](const Source &source) { return source.known; };
    bool allKnown = std::all_of(left.sources.begin(), left.sources.end(), isKnown) && right.sources[0].known;
    std::vector<IrValue> operands{left.frame, right.frame};
    std::vector<const Expr *> parts;
    if (!allKnown && s.where)
        conjuncts(*s.where, parts);
    for (const Expr *part : parts)
        if (auto c = joinCondition(*part, left, right); c && c->comparison == "=")
            for (const std::string &t : {c->left.label, c->comparison, c->right.label})
                operands.push_back(text(t, part->span));
    ops::OpName join = operands.size() == 2 ? ops::OpName("cartesian") : ops::OpName("thetaJoin");
    return beside(left, right, op(join, operands, span));
}

void Translator::needNewAlias(const Relation &left, const Relation &right, SourceSpan span) {
    for (const Source &s : left.sources)
        if (s.alias == right.sources[0].alias)
            throw compileError(span, "the table " + s.alias + " is there twice")
                .withHint("give one of them another name with AS");
}

Translator::Relation Translator::beside(const Relation &left, const Relation &right, IrValue frame) {
    Relation r{frame, left.sources};
    r.sources.insert(r.sources.end(), right.sources.begin(), right.sources.end());
    return r;
}

// ---------------------------------------------------------------------- joins

void Translator::conjuncts(const Expr &e, std::vector<const Expr *> &parts) {
    if (e.kind == ExprKind::Binary && e.name == "AND") {
        conjuncts(*e.args[0], parts);
        conjuncts(*e.args[1], parts);
    } else {
        parts.push_back(&e);
    }
}

/// A comparison of a column of the left with one of the right side, turned so that the left one comes first.
std::optional<Translator::JoinCondition> Translator::joinCondition(const Expr &e, const Relation &left,
                                                                   const Relation &right) {
    if (!isComparison(e) || e.args[0]->kind != ExprKind::Column || e.args[1]->kind != ExprKind::Column)
        return std::nullopt;
    auto l = tryFind(*e.args[0], left, nullptr), r = tryFind(*e.args[1], right, nullptr);
    if (l && r)
        return JoinCondition{*l, e.name, *r};
    l = tryFind(*e.args[1], left, nullptr);
    r = tryFind(*e.args[0], right, nullptr);
    if (l && r)
        return JoinCondition{*l, mirrored(e.name), *r};
    return std::nullopt;
}

std::string Translator::indicatorOf(const Found &f) { return f.column ? f.column->indicator : f.source->indicator; }

/// Rows whose cell is null equal nothing, and differ from nothing. nat equals nothing already.
Translator::Relation Translator::withoutNulls(Relation r, const Found &f, const std::string &comparison,
                                              SourceSpan span) {
    bool differs = comparison == "<>" || comparison == "!=";
    if (f.column && isTime(f.column->type) && differs)
        r.frame = op("filterRow", {r.frame, cellsOf(r.frame, *f.column, span).valid}, span);
    if (!indicatorOf(f).empty())
        r.frame = op("filterRow", {r.frame, cellsOf(r.frame, indicatorOf(f), span)}, span);
    return r;
}

Translator::Relation Translator::join(Relation left, Relation right, const sql::Join &j) {
    if (j.kind == JoinKind::Cross)
        return beside(left, right, op("cartesian", {left.frame, right.frame}, j.span));
    std::vector<const Expr *> parts, rest;
    nameColumns(*j.on, beside(left, right, {}));
    conjuncts(*j.on, parts);
    std::vector<JoinCondition> conditions;
    for (const Expr *part : parts) {
        if (auto c = joinCondition(*part, left, right))
            conditions.push_back(*c);
        else
            rest.push_back(part);
    }
    if (j.kind != JoinKind::Inner)
        return outerJoin(std::move(left), std::move(right), j, conditions, rest);
    for (const JoinCondition &c : conditions) {
        left = withoutNulls(std::move(left), c.left, c.comparison, j.span);
        right = withoutNulls(std::move(right), c.right, c.comparison, j.span);
    }
    std::vector<IrValue> operands{left.frame, right.frame};
    IrValue frame;
    if (conditions.empty()) {
        frame = op("cartesian", operands, j.span);
    } else if (conditions.size() == 1 && conditions[0].comparison == "=") {
        operands.push_back(text(conditions[0].left.label, j.span));
        operands.push_back(text(conditions[0].right.label, j.span));
        frame = op("innerJoin", operands, j.span);
    } else {
        for (const JoinCondition &c : conditions)
            for (const std::string &s : {c.left.label, c.comparison, c.right.label})
                operands.push_back(text(s, j.span));
        frame = op("thetaJoin", operands, j.span);
    }
    Relation result = beside(left, right, frame);
    for (const Expr *e : rest) {
        Scope scope{&result, result.frame, nullptr, "ON"};
        result = filtered(result, condition(*e, scope), e->span);
    }
    return result;
}

/// Every column that is never null gets the indicator of its side: 1 here, 0 in rows that an outer join fills.
void Translator::addIndicator(Relation &r, SourceSpan span) {
    std::string label = fresh("there");
    addColumn(r.frame, asColumn(integer(1, span), numRows(r.frame, span), span), label, span);
    for (Source &s : r.sources) {
        for (Column &c : s.columns)
            if (c.indicator.empty()) {
                c.indicator = label;
                c.filled = true;
            }
        if (s.indicator.empty())
            s.indicator = label;
    }
}

Translator::Relation Translator::outerJoin(Relation left, Relation right, const sql::Join &j,
                                           const std::vector<JoinCondition> &conditions,
                                           const std::vector<const Expr *> &rest) {
    // A condition on the side that may be missing alone only decides which of its rows take part.
    Relation &optional = j.kind == JoinKind::Right ? left : right;
    for (const Expr *e : rest) {
        Names names;
        collectNames(*e, names);
        bool onOptional = j.kind != JoinKind::Full;
        for (const auto &[table, name] : names.columns) {
            Expr column{ExprKind::Column, e->span, name, table};
            onOptional &= tryFind(column, optional, nullptr).has_value();
            find(column, beside(left, right, {})); // throws if it is in no table
        }
        if (!onOptional)
            throw compileError(e->span, "outer joins need comparisons of a column of one side with one of the other");
        Scope scope{&optional, optional.frame, nullptr, "ON"};
        IrValue bits = condition(*e, scope);
        optional = filtered(std::move(optional), bits, e->span); // conditions point to its sources
    }
    std::vector<std::string> lhsOn, rhsOn;
    for (const JoinCondition &c : conditions) {
        if (c.comparison != "=")
            throw compileError(j.span, "outer joins compare with '=' only");
        lhsOn.push_back(c.left.label);
        rhsOn.push_back(c.right.label);
        // A null equals nothing, not even the cell that stands for it: it is compared with a column of ones.
        for (bool ofLeft : {true, false})
            if (std::string indicator = indicatorOf(ofLeft ? c.left : c.right); !indicator.empty()) {
                Relation &other = ofLeft ? right : left;
                std::string ones = fresh("one");
                addColumn(other.frame, asColumn(integer(1, j.span), numRows(other.frame, j.span), j.span), ones,
                          j.span);
                lhsOn.push_back(ofLeft ? indicator : ones);
                rhsOn.push_back(ofLeft ? ones : indicator);
            }
    }
    if (lhsOn.empty())
        throw compileError(j.span, "outer joins need a comparison of a column of one side with one of the other");
    if (j.kind != JoinKind::Right)
        addIndicator(right, j.span);
    if (j.kind != JoinKind::Left)
        addIndicator(left, j.span);
    bool swap = j.kind == JoinKind::Right;
    std::vector<IrValue> operands{swap ? right.frame : left.frame, swap ? left.frame : right.frame};
    for (const auto &labels : {swap ? rhsOn : lhsOn, swap ? lhsOn : rhsOn})
        for (const std::string &label : labels)
            operands.push_back(text(label, j.span));
    ops::OpName join = j.kind == JoinKind::Full ? ops::OpName("fullOuterJoin") : ops::OpName("leftOuterJoin");
    return beside(left, right, op(join, operands, j.span));
}

} // namespace daphne::irgen
