// SPDX-License-Identifier: Apache-2.0
/// SELECT from FROM to DISTINCT, in the order of evaluation; set operations,
/// WITH and LIMIT.
#include <algorithm>

#include "irgen/sql/Translator.h"

namespace daphne::irgen {

using ops::TypeDesc;
using sql::Expr;
using sql::ExprKind;
using IrValue = mlir::Value;

IrValue Translator::translate(const sql::Query &q) {
    Result r = query(q);
    bool hasNulls =
        std::any_of(r.columns.begin(), r.columns.end(), [](const Column &c) { return !c.indicator.empty(); });
    if (!hasNulls)
        return r.frame;
    std::vector<IrValue> operands, labels;
    for (const Column &c : r.columns) {
        operands.push_back(cellsOf(r.frame, c.label, q.span));
        labels.push_back(text(c.label, q.span));
    }
    operands.insert(operands.end(), labels.begin(), labels.end());
    return op("createFrame", operands, q.span);
}

Translator::Result Translator::query(const sql::Query &q) {
    named.emplace_back();
    for (const sql::NamedQuery &n : q.with) {
        if (named.back().contains(n.name))
            throw compileError(n.span, "WITH names " + n.name + " twice");
        Result r = query(*n.query);
        named.back()[n.name] = std::move(r);
    }
    Result r;
    if (q.body->select) {
        r = select(*q.body->select, &q);
    } else {
        r = combine(*q.body);
        if (!q.orderBy.empty())
            r = ordered(std::move(r), q);
    }
    named.pop_back();
    if (q.limit || q.offset > 0)
        r.frame =
            op("limitRows", {r.frame, integer(q.offset, q.span), integer(q.limit.value_or(INT64_MAX), q.span)}, q.span);
    return r;
}

// --------------------------------------------------------------------- SELECT

Translator::Relation Translator::filtered(Relation r, IrValue condition, SourceSpan span) {
    IrValue bits = asColumn(condition, numRows(r.frame, span), span);
    r.frame = op("filterRow", {r.frame, bits}, span);
    return r;
}

Translator::Result Translator::select(const sql::Select &s, const sql::Query *whole) {
    Relation relation;
    if (!s.tables.empty())
        relation = from(s, whole);
    nameColumns(s, whole, relation);
    Scope scope{&relation, relation.frame, nullptr, "WHERE"};
    if (s.where) {
        if (!relation.frame)
            throw compileError(s.where->span, "WHERE needs FROM");
        relation = filtered(relation, condition(*s.where, scope), s.where->span);
        scope.frame = relation.frame;
    }
    Grouped grouped;
    if (!s.groupBy.empty() || s.having || !aggregatesOf(s, whole).empty()) {
        if (!relation.frame)
            throw compileError(s.span, "groups and aggregates need FROM");
        grouped = group(s, whole, relation);
        scope = {&relation, grouped.frame, &grouped, "SELECT"};
    }
    for (const sql::Item &i : s.items)
        if (i.hasAlias)
            scope.aliases.emplace(i.label, i.value.get());
    if (s.having) {
        scope.clause = "HAVING";
        Relation groups = filtered({scope.frame, {}}, condition(*s.having, scope), s.having->span);
        scope.frame = groups.frame;
    }
    bool isOrdered = whole && !whole->orderBy.empty();
    if (isOrdered)
        order(s, *whole, scope);
    scope.clause = "SELECT";
    std::vector<OutputItem> selected = items(s, scope);
    Result r = project(selected, scope, s.span);
    if (s.distinct && isOrdered)
        return distinctInOrder(std::move(r), selected, s, *whole, scope);
    return s.distinct ? distinct(std::move(r), s.span) : r;
}

/// Columns that '*' or 'table.*' stands for; after grouping, the keys among them.
void Translator::expandStar(const Expr &star, Scope &scope, std::vector<OutputItem> &out) {
    const Relation &relation = *scope.relation;
    bool found = false;
    if (!relation.frame)
        throw compileError(star.span, "'*' needs FROM");
    for (const Source &s : relation.sources) {
        if (!star.table.empty() && s.alias != star.table)
            continue;
        found = true;
        if (!s.known && !scope.grouped) {
            bool isAll = relation.sources.size() == 1;
            IrValue columns =
                isAll ? scope.frame : op("extractCol", {scope.frame, text(s.alias + ".*", star.span)}, star.span);
            out.push_back({"", "", {columns}, true, star.span, ""});
        }
        for (const Column &c : s.columns) {
            if (c.isIndicator)
                continue;
            if (!scope.grouped)
                out.push_back({c.label, c.name, cellsOf(scope.frame, c, star.span), false, star.span, c.label});
            else if (std::find(scope.grouped->keyLabels.begin(), scope.grouped->keyLabels.end(), c.label) !=
                     scope.grouped->keyLabels.end())
                out.push_back({c.label, c.name, cellsOf(scope.frame, scope.grouped->columns.at(c.label), star.span),
                               false, star.span, c.label});
        }
    }
    if (!found)
        throw compileError(star.span, "the query has no table " + star.table);
    if (scope.grouped && scope.grouped->keyLabels.empty())
        throw compileError(star.span, "'*' next to aggregates needs GROUP BY");
}

std::vector<Translator::OutputItem> Translator::items(const sql::Select &s, Scope &scope) {
    std::vector<OutputItem> out;
    for (const sql::Item &i : s.items) {
        if (i.value->kind == ExprKind::Star) {
            expandStar(*i.value, scope, out);
            continue;
        }
        // Inside other queries a column keeps its name without the table.
        bool isColumn = i.value->kind == ExprKind::Column && !i.hasAlias;
        std::string label = isColumn && i.value->mayBeName ? i.value->name : i.label;
        out.push_back({label, isColumn ? i.value->name : i.label, expr(*i.value, scope), false, i.value->span,
                       textOf(*i.value, *scope.relation)});
    }
    if (out.empty())
        throw compileError(s.span, "no column is selected");
    return out;
}

/// Columns side by side under their labels. Equal labels fail when this is run.
Translator::Result Translator::project(const std::vector<OutputItem> &items, Scope &scope, SourceSpan span) {
    Result r;
    IrValue rows = numRows(scope.frame, span);
    std::vector<IrValue> columns, labels;
    auto add = [&](IrValue v, const std::string &label, SourceSpan at) {
        columns.push_back(asColumn(v, rows, at));
        labels.push_back(text(label, at));
    };
    auto flush = [&] {
        if (columns.empty())
            return;
        columns.insert(columns.end(), labels.begin(), labels.end());
        IrValue part = op("createFrame", columns, span);
        r.frame = r.frame ? op("colBind", {r.frame, part}, span) : part;
        columns.clear();
        labels.clear();
    };
    for (const OutputItem &i : items) {
        if (i.isWhole) {
            flush();
            r.known = false;
            r.frame = r.frame ? op("colBind", {r.frame, i.cells.value}, i.span) : i.cells.value;
            continue;
        }
        Column column{
            .label = i.label, .name = i.name, .type = typeOf(i.cells.value), .isNull = isNull(i.cells), .filled = true};
        add(canonical(i.cells, i.span), i.label, i.span);
        if (i.cells.valid && !isTime(column.type))
            add(i.cells.valid, column.indicator = fresh("there"), i.span);
        r.columns.push_back(std::move(column));
    }
    flush();
    if (!r.known) {
        for (const Column &c : r.columns)
            if (!c.indicator.empty())
                throw compileError(span, "the columns of a table are not known here, so '*' cannot stand beside "
                                         "expressions that may be null");
        r.columns.clear();
    }
    return r;
}

/// Sorted by all columns; nulls first.
Translator::Result Translator::distinct(Result r, SourceSpan span) {
    std::vector<IrValue> keys;
    for (const Column &c : r.columns) {
        if (!c.indicator.empty())
            keys.push_back(text(c.indicator, span));
        keys.push_back(text(c.label, span));
    }
    if (!r.known)
        keys = {text("*", span)};
    std::vector<IrValue> operands{r.frame, integer(static_cast<int64_t>(keys.size()), span)};
    operands.insert(operands.end(), keys.begin(), keys.end());
    r.frame = op("group", operands, span);
    return r;
}

// ------------------------------------------------------------------- ORDER BY

/// Rows of the frame by the keys; nulls before everything else, or after it in descending order.
IrValue Translator::sorted(IrValue frame, const std::vector<SortColumn> &keys, SourceSpan span) {
    std::vector<IrValue> columns, labels, positions, flags;
    IrValue rows = numRows(frame, span);
    auto add = [&](IrValue v, bool ascending) {
        positions.push_back(integer(static_cast<int64_t>(columns.size()), span));
        labels.push_back(text("k" + std::to_string(columns.size()), span));
        columns.push_back(asColumn(v, rows, span));
        flags.push_back(g.boolConstant(ascending, span));
    };
    for (const SortColumn &k : keys) {
        if (k.cells.valid)
            add(k.cells.valid, k.ascending);
        add(canonical(k.cells, span), k.ascending);
    }
    columns.insert(columns.end(), labels.begin(), labels.end());
    std::vector<IrValue> operands{op("createFrame", columns, span)};
    operands.insert(operands.end(), positions.begin(), positions.end());
    operands.insert(operands.end(), flags.begin(), flags.end());
    operands.push_back(g.boolConstant(true, span));
    return op("extractRow", {frame, op("order", operands, span)}, span);
}

/// The language gives an unknown label to the run time.
void Translator::unknownOrderKey(const Expr &e, const std::string &why) {
    g.raise(Error(Stage::Execute, "ORDER BY: " + why, e.span));
}

/// A position or the name of an item stands for the item.
const Expr *Translator::orderKey(const sql::OrderKey &k, const sql::Select &s) {
    const Expr *e = k.value.get();
    if (e->kind == ExprKind::Integer) {
        if (e->integer < 1 || e->integer > static_cast<int64_t>(s.items.size()))
            unknownOrderKey(*e, "there is no item " + std::to_string(e->integer));
        e = s.items[static_cast<size_t>(e->integer - 1)].value.get();
        if (e->kind == ExprKind::Star)
            throw compileError(k.value->span, "a position in ORDER BY cannot mean '*'");
    } else if (e->kind == ExprKind::Column && e->table.empty()) {
        for (const sql::Item &i : s.items)
            if (i.hasAlias && i.label == e->name)
                return i.value.get();
    }
    return e;
}

/// The rows are in order already. If the keys are among the items, they are so again without duplicates, equal ones by
/// all columns; else every row has the place of its first duplicate.
Translator::Result Translator::distinctInOrder(Result r, const std::vector<OutputItem> &items, const sql::Select &s,
                                               const sql::Query &q, Scope &scope) {
    std::vector<SortColumn> keys;
    if (!r.known) {
        r = distinct(std::move(r), s.span);
        for (const sql::OrderKey &k : q.orderBy) {
            auto found = k.value->kind == ExprKind::Column ? tryFind(*k.value, *scope.relation, nullptr) : std::nullopt;
            if (!found)
                throw compileError(k.value->span, "next to DISTINCT and '*' it needs a column");
            keys.push_back({{cellsOf(r.frame, found->label, k.value->span)}, k.ascending});
        }
        r.frame = sorted(r.frame, keys, q.span);
        return r;
    }
    std::vector<size_t> positions;
    for (const sql::OrderKey &k : q.orderBy) {
        std::string meaning = textOf(*orderKey(k, s), *scope.relation);
        positions.push_back(
            static_cast<size_t>(std::ranges::find(items, meaning, &OutputItem::meaning) - items.begin()));
    }
    if (std::ranges::find(positions, items.size()) == positions.end()) {
        r = distinct(std::move(r), s.span);
        for (size_t i = 0; i < positions.size(); ++i)
            keys.push_back({cellsOf(r.frame, r.columns[positions[i]], q.span), q.orderBy[i].ascending});
        r.frame = sorted(r.frame, keys, q.span);
        return r;
    }
    std::string place = fresh("place");
    IrValue ones = asColumn(integer(1, s.span), numRows(r.frame, s.span), s.span);
    addColumn(r.frame, op("sumCum", {ones}, s.span), place, s.span);
    std::vector<IrValue> labels;
    for (const Column &c : r.columns)
        for (const std::string &label : {c.indicator, c.label})
            if (!label.empty())
                labels.push_back(text(label, s.span));
    std::vector<IrValue> operands{r.frame, integer(static_cast<int64_t>(labels.size()), s.span)};
    operands.insert(operands.end(), labels.begin(), labels.end());
    for (const std::string &t : {std::string("MIN"), place, std::string()})
        operands.push_back(text(t, s.span));
    IrValue groups = op("group", operands, s.span);
    keys.push_back({{cellsOf(groups, "MIN(" + place + ")", s.span)}, true});
    IrValue inOrder = sorted(groups, keys, s.span);
    operands.clear();
    for (IrValue label : labels)
        operands.push_back(cellsOf(inOrder, ir::constantOf(label)->s, s.span));
    operands.insert(operands.end(), labels.begin(), labels.end());
    r.frame = op("createFrame", operands, s.span);
    return r;
}

void Translator::order(const sql::Select &s, const sql::Query &q, Scope &scope) {
    scope.clause = "ORDER BY";
    std::vector<SortColumn> keys;
    for (const sql::OrderKey &k : q.orderBy) {
        const Expr *e = orderKey(k, s);
        if (e->kind == ExprKind::Column) {
            Error why(Stage::Compile, "");
            auto found = tryFind(*e, *scope.relation, &why);
            if (!found)
                unknownOrderKey(*e, why.message);
            if (scope.grouped && !scope.grouped->columns.contains(found->label))
                unknownOrderKey(*e, "the column " + found->label + " is not a key of the groups");
        }
        keys.push_back({expr(*e, scope), k.ascending});
    }
    if (scope.frame)
        scope.frame = sorted(scope.frame, keys, q.span);
}

/// ORDER BY after a set operation: labels and positions of its columns.
Translator::Result Translator::ordered(Result r, const sql::Query &q) {
    std::vector<SortColumn> keys;
    for (const sql::OrderKey &k : q.orderBy) {
        const Expr &e = *k.value;
        const Column *column = nullptr;
        if (e.kind == ExprKind::Integer && e.integer >= 1 && e.integer <= static_cast<int64_t>(r.columns.size()))
            column = &r.columns[static_cast<size_t>(e.integer - 1)];
        std::string label = e.table.empty() ? e.name : e.table + "." + e.name;
        if (e.kind == ExprKind::Column)
            for (const Column &c : r.columns)
                if (c.label == label || (e.table.empty() && c.name == e.name && !column))
                    column = &c;
        if (!column)
            unknownOrderKey(e, "after UNION, INTERSECT or EXCEPT it needs a column of the result");
        keys.push_back({cellsOf(r.frame, *column, e.span), k.ascending});
    }
    r.frame = sorted(r.frame, keys, q.span);
    return r;
}

// ------------------------------------------------------------- set operations

/// The columns with the given labels and types, and with indicators where wanted.
Translator::Result Translator::aligned(const Result &r, const std::vector<Column> &like, SourceSpan span) {
    std::vector<IrValue> columns, labels;
    for (size_t c = 0; c < like.size(); ++c) {
        Cells cells = cellsOf(r.frame, r.columns[c], span);
        ValueType type = like[c].type;
        if (type != ValueType::Unknown && typeOf(cells.value) != type)
            cells = {g.emitCast(cells.value, {.valueType = type}, span), cells.valid}; // with the cells of nulls
        columns.push_back(canonical(cells, span));
        labels.push_back(text(like[c].label, span));
        if (like[c].indicator.empty())
            continue;
        IrValue valid = cells.valid ? cells.valid : asColumn(integer(1, span), numRows(r.frame, span), span);
        columns.push_back(g.emitCast(valid, {.valueType = ValueType::SI64}, span));
        labels.push_back(text(like[c].indicator, span));
    }
    columns.insert(columns.end(), labels.begin(), labels.end());
    return {op("createFrame", columns, span), like, true};
}

Translator::Result Translator::combine(const sql::Body &b) {
    if (b.select)
        return select(*b.select, nullptr);
    Result l = combine(*b.left), r = combine(*b.right);
    static constexpr ops::OpName kMnemonics[] = {"merge", "rowBind", "intersect", "except"};
    ops::OpName mnemonic = kMnemonics[static_cast<size_t>(b.operation)];
    if (!l.known || !r.known)
        return {op(mnemonic, {l.frame, r.frame}, b.span), {}, false};
    if (l.columns.size() != r.columns.size())
        throw compileError(b.span, "both sides need equal numbers of columns, got " + std::to_string(l.columns.size()) +
                                       " and " + std::to_string(r.columns.size()));
    std::vector<Column> common = l.columns;
    for (size_t c = 0; c < common.size(); ++c) {
        ValueType a = l.columns[c].type, z = r.columns[c].type;
        if (l.columns[c].isNull)
            a = z;
        else if (r.columns[c].isNull)
            z = a;
        bool known = a != ValueType::Unknown && z != ValueType::Unknown;
        if (known && !areAlike(a, z))
            throw compileError(b.span, "column " + common[c].label + " is " + std::string(dslName(a)) +
                                           " on one side and " + std::string(dslName(z)) + " on the other");
        common[c].type = known ? mostGeneral(a, z) : ValueType::Unknown;
        bool nullable = !isTime(common[c].type) && (!l.columns[c].indicator.empty() || !r.columns[c].indicator.empty());
        common[c].indicator = nullable ? fresh("there") : "";
        common[c].indicatorCounts = false;
        common[c].isNull = l.columns[c].isNull && r.columns[c].isNull;
        common[c].filled = true;
    }
    l = aligned(l, common, b.span);
    r = aligned(r, common, b.span);
    l.frame = op(mnemonic, {l.frame, r.frame}, b.span);
    return l;
}

} // namespace daphne::irgen
