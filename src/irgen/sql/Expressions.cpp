// SPDX-License-Identifier: Apache-2.0
/// Expressions of queries: names, operators, functions, null logic.
#include <algorithm>
#include <cmath>

#include "base/Calendar.h"
#include "irgen/sql/Translator.h"

namespace daphne::irgen {

using ops::Constant;
using ops::TypeDesc;
using sql::Expr;
using sql::ExprKind;
using IrValue = mlir::Value;

// ---------------------------------------------------------------------- names

std::optional<Translator::Found> Translator::tryFind(const Expr &e, const Relation &r, Error *why) {
    auto fail = [&](std::string message, std::string hint = {}) {
        if (why) {
            *why = compileError(e.span, std::move(message));
            if (!hint.empty())
                why->withHint(std::move(hint));
        }
        return std::nullopt;
    };
    std::vector<Found> found;
    const Source *open = nullptr; // whose columns are not known
    bool hasTable = false;
    std::vector<std::string_view> names;
    for (const Source &s : r.sources) {
        if (!e.table.empty() && s.alias != e.table)
            continue;
        hasTable = true;
        if (!s.known)
            open = &s;
        for (const Column &c : s.columns) {
            names.push_back(c.name);
            if (c.name == e.name)
                found.push_back({&s, &c, c.label});
        }
        names.insert(names.end(), s.otherNames.begin(), s.otherNames.end());
    }
    if (found.size() == 1)
        return found[0];
    if (found.size() > 1)
        return fail("the column " + e.name + " is in several tables: " + found[0].source->alias + " and " +
                        found[1].source->alias,
                    "write " + found[0].source->alias + "." + e.name);
    if (open)
        return Found{open, nullptr, open->alias + "." + e.name};
    if (!hasTable && !e.table.empty()) {
        std::vector<std::string_view> aliases;
        for (const Source &s : r.sources)
            aliases.push_back(s.alias);
        std::string close = nearest(e.table, aliases);
        return fail("the query has no table " + e.table, close.empty() ? "" : "did you mean " + close + "?");
    }
    std::string close = nearest(e.name, names);
    return fail(e.table.empty() ? "no table of the query has a column " + e.name
                                : "the table " + e.table + " has no column " + e.name,
                close.empty() ? "" : "did you mean " + close + "?");
}

/// Strings in double quotes that are names of columns of the tables become columns.
void Translator::nameColumns(Expr &e, const Relation &r) {
    if (e.kind == ExprKind::String && e.mayBeName) {
        Expr column{ExprKind::Column, e.span, e.name};
        auto found = tryFind(column, r, nullptr);
        if (found && found->column)
            e.kind = ExprKind::Column;
    }
    for (const auto &a : e.args)
        nameColumns(*a, r);
}

/// Also those that are names of items.
void Translator::nameColumns(const sql::Select &s, const sql::Query *whole, const Relation &r) {
    for (const sql::Item &i : s.items)
        nameColumns(*i.value, r);
    auto isItem = [&](const Expr &e) {
        return e.kind == ExprKind::String && e.mayBeName &&
               std::ranges::any_of(s.items, [&](const sql::Item &i) { return i.hasAlias && i.label == e.name; });
    };
    auto nameBoth = [&](Expr &e) {
        if (isItem(e))
            e.kind = ExprKind::Column;
        nameColumns(e, r);
    };
    for (const auto *e : {&s.where, &s.having})
        if (*e)
            nameColumns(**e, r);
    for (const auto &e : s.groupBy)
        nameBoth(*e);
    if (whole)
        for (const sql::OrderKey &k : whole->orderBy)
            nameBoth(*k.value);
}

Translator::Found Translator::find(const Expr &e, const Relation &r) {
    Error why(Stage::Compile, "");
    auto found = tryFind(e, r, &why);
    if (!found)
        throw why;
    return *found;
}

Translator::Cells Translator::columnCells(const Expr &e, Scope &scope) {
    Error why(Stage::Compile, "");
    auto found = tryFind(e, *scope.relation, &why);
    if (!found) {
        // The name of an item stands for its expression.
        auto alias = e.table.empty() ? scope.aliases.find(e.name) : scope.aliases.end();
        if (alias == scope.aliases.end() || alias->second == nullptr)
            throw why;
        const Expr *item = std::exchange(alias->second, nullptr); // never inside itself
        Cells cells = expr(*item, scope);
        alias->second = item;
        return cells;
    }
    if (scope.grouped)
        throw compileError(e.span, "the column " + found->label + " is neither a key of the groups nor in an aggregate")
            .withHint("add it to GROUP BY, or take min(" + found->label + ")");
    if (found->column)
        return cellsOf(scope.frame, *found->column, e.span);
    return cellsOf(scope.frame, {found->label, e.name, ValueType::Unknown, found->source->indicator}, e.span);
}

IrValue Translator::cellsOf(IrValue frame, const std::string &label, SourceSpan span) {
    return g.emitCast(op("extractCol", {frame, text(label, span)}, span), TypeDesc::matrix(ValueType::Unknown), span);
}

Translator::Cells Translator::cellsOf(IrValue frame, const Column &c, SourceSpan span) {
    Cells cells{cellsOf(frame, c.label, span)};
    if (!c.indicator.empty()) {
        cells.valid = cellsOf(frame, c.indicator, span);
        if (c.indicatorCounts)
            cells.valid = op("ewGt", {cells.valid, integer(0, span)}, span);
        cells.filled = c.filled;
    }
    if (isTime(typeOf(cells.value))) {
        cells.filled |= !cells.valid;
        cells.valid = both(cells.valid, notNat(cells.value, span), span);
    }
    return cells;
}

IrValue Translator::notNat(IrValue cells, SourceSpan span) {
    return op("ewEq", {op("isNat", {cells}, span), integer(0, span)}, span);
}

void Translator::findNat(Cells &c, SourceSpan span) {
    if (typeOf(c.value) == ValueType::Unknown)
        c.valid = both(c.valid, notNat(c.value, span), span);
}

IrValue Translator::numRows(IrValue frame, SourceSpan span) {
    return frame ? op("numRows", {frame}, span) : g.constant({.type = ValueType::Size, .i = 1}, span);
}

IrValue Translator::asColumn(IrValue v, IrValue rows, SourceSpan span) {
    if (!g.typeOf(v).isScalar())
        return v;
    return op("fill", {v, rows, g.constant({.type = ValueType::Size, .i = 1}, span)}, span);
}

// ---------------------------------------------------------------------- nulls

IrValue Translator::defaultOf(ValueType type, SourceSpan span) {
    if (type == ValueType::Str)
        return text("", span);
    int64_t integer = isTime(type) ? calendar::natOf(type) : 0;
    return g.constant({.type = type, .i = integer, .d = isFloat(type) ? std::nan("") : 0}, span);
}

bool Translator::isNull(const Cells &c) {
    auto valid = c.valid ? ir::constantOf(c.valid) : std::nullopt;
    return valid && valid->asInt() == 0;
}

void Translator::fit(Cells &a, const Cells &like, SourceSpan span) {
    bool differs = !areAlike(typeOf(a.value), typeOf(like.value));
    if (isNull(a) && differs && typeOf(like.value) != ValueType::Unknown)
        a.value = defaultOf(typeOf(like.value), span);
}

IrValue Translator::both(IrValue a, IrValue b, SourceSpan span) {
    if (!a || !b)
        return a ? a : b;
    return a == b ? a : op("ewAnd", {a, b}, span);
}

IrValue Translator::truth(const Cells &c, SourceSpan span) { return both(c.value, c.valid, span); }

Translator::Cells Translator::negated(Cells c, bool really, SourceSpan span) {
    if (really)
        c.value = op("ewEq", {c.value, integer(0, span)}, span);
    return c;
}

/// Of AND and OR what is true follows from what is true of their sides: which of the rest is null need not be known.
IrValue Translator::condition(const Expr &e, Scope &scope) {
    bool isAnd = e.kind == ExprKind::Binary && e.name == "AND", isOr = e.kind == ExprKind::Binary && e.name == "OR";
    bool isKey = scope.grouped && scope.grouped->columns.contains(textOf(e, *scope.relation));
    if (isKey || (!isAnd && !isOr))
        return truth(expr(e, scope), e.span);
    IrValue a = condition(*e.args[0], scope), b = condition(*e.args[1], scope);
    return op(isAnd ? ops::OpName("ewAnd") : ops::OpName("ewOr"), {a, b}, e.span);
}

IrValue Translator::replaced(const Cells &c, IrValue replacement, SourceSpan span) {
    if (!c.valid)
        return c.value;
    IrValue valid = c.valid;
    if (!g.typeOf(c.value).isScalar())
        valid = asColumn(valid, op("numRows", {c.value}, span), span);
    return op("cond", {valid, c.value, replacement}, span);
}

IrValue Translator::canonical(const Cells &c, SourceSpan span) {
    // A column of unknown type is one of a frame and should have the defaults already.
    if (!c.valid || c.filled || typeOf(c.value) == ValueType::Unknown)
        return c.value;
    return replaced(c, defaultOf(typeOf(c.value), span), span);
}

IrValue Translator::hasRows(IrValue frame, SourceSpan span) {
    IrValue rows = g.emitCast(numRows(frame, span), TypeDesc::scalar(ValueType::SI64), span);
    return op("ewGt", {rows, integer(0, span)}, span);
}

IrValue Translator::rowOrDefault(IrValue column, SourceSpan span) {
    TypeDesc type = g.typeOf(column);
    if (type.rows > 0)
        return column;
    IrValue row;
    if (type.valueType != ValueType::Unknown) {
        row = asColumn(defaultOf(type.valueType, span), numRows({}, span), span);
    } else {
        // Only a join that finds no partner knows what stands for a null.
        IrValue cells = op("createFrame", {column, text("cell", span)}, span);
        IrValue first = op("limitRows", {cells, integer(0, span), integer(1, span)}, span);
        IrValue ones = asColumn(integer(1, span), numRows(first, span), span);
        addColumn(first, ones, "one", span);
        IrValue one = op("createFrame", {asColumn(integer(1, span), numRows({}, span), span), text("key", span)}, span);
        IrValue joined = op("leftOuterJoin", {one, first, text("key", span), text("one", span)}, span);
        row = cellsOf(joined, "cell", span);
    }
    return op("cond", {hasRows(column, span), column, row}, span);
}

/// In three-valued logic AND is false if one side is, OR is true if one side is, whatever the other.
Translator::Cells Translator::logical(bool isAnd, const Cells &a, const Cells &b, SourceSpan span) {
    ops::OpName same = isAnd ? ops::OpName("ewAnd") : ops::OpName("ewOr");
    ops::OpName opposite = isAnd ? ops::OpName("ewOr") : ops::OpName("ewAnd");
    if (!a.valid && !b.valid)
        return {op(same, {a.value, b.value}, span)};
    IrValue trueA = truth(a, span), trueB = truth(b, span);
    auto isFalse = [&](const Cells &c) {
        return truth({op("ewEq", {c.value, integer(0, span)}, span), c.valid}, span);
    };
    IrValue falseA = isFalse(a), falseB = isFalse(b);
    IrValue isTrue = op(same, {trueA, trueB}, span);
    IrValue isKnownFalse = op(opposite, {falseA, falseB}, span);
    return {isTrue, op("ewOr", {isTrue, isKnownFalse}, span)};
}

// ------------------------------------------------------------------ operators

/// The cell of a null is 0, which must not be divided by.
IrValue Translator::divisor(const Cells &c, SourceSpan span) {
    bool mayFail = c.valid && isIntegerLike(typeOf(c.value));
    return mayFail ? replaced(c, g.constant({.type = typeOf(c.value), .i = 1}, span), span) : c.value;
}

/// d + INTERVAL '1' MONTH, and with years and quarters.
Translator::Cells Translator::monthsAdded(const Expr &e, Scope &scope) {
    bool first = e.args[0]->kind == ExprKind::Months;
    const Expr &months = *e.args[first ? 0 : 1], &moment = *e.args[first ? 1 : 0];
    bool fits = e.name == "+" || (e.name == "-" && !first);
    if (!fits || moment.kind == ExprKind::Months)
        throw compileError(e.span, "months, quarters and years can only be added to and subtracted from dates");
    Cells c = expr(moment, scope);
    findNat(c, e.span);
    int64_t n = e.name == "-" ? -months.integer : months.integer;
    return {op("addMonths", {c.value, integer(n, e.span)}, e.span), c.valid};
}

Translator::Cells Translator::binary(const Expr &e, Scope &scope) {
    if (e.args[0]->kind == ExprKind::Months || e.args[1]->kind == ExprKind::Months)
        return monthsAdded(e, scope);
    Cells a = expr(*e.args[0], scope), b = expr(*e.args[1], scope);
    if (e.name == "AND" || e.name == "OR")
        return logical(e.name == "AND", a, b, e.span);
    fit(a, b, e.span);
    fit(b, a, e.span);
    if (isTime(typeOf(a.value)) || isTime(typeOf(b.value)))
        for (Cells *c : {&a, &b}) {
            findNat(*c, e.span);
            // The days between dates are numbers, of which none is missing.
            if (e.name == "-" && c->valid)
                c->value = op("natToEpoch", {c->value}, e.span);
        }
    struct Operator {
        std::string_view token;
        ops::OpName mnemonic;
    };
    static constexpr Operator kOperators[] = {{"+", "ewAdd"},    {"-", "ewSub"}, {"*", "ewMul"},  {"/", "ewDiv"},
                                              {"%", "ewMod"},    {"=", "ewEq"},  {"<>", "ewNeq"}, {"!=", "ewNeq"},
                                              {"<", "ewLt"},     {"<=", "ewLe"}, {">", "ewGt"},   {">=", "ewGe"},
                                              {"||", "ewConcat"}};
    auto *found = std::ranges::find(kOperators, e.name, &Operator::token);
    if (found == std::end(kOperators))
        throw internalError("no operation for the operator " + e.name).at(e.span);
    ops::OpName mnemonic = found->mnemonic;
    if (mnemonic == "ewDiv" || mnemonic == "ewMod")
        b.value = divisor(b, e.span);
    if (mnemonic == "ewAdd" && (typeOf(a.value) == ValueType::Str || typeOf(b.value) == ValueType::Str))
        mnemonic = "ewConcat";
    return {op(mnemonic, {a.value, b.value}, e.span), both(a.valid, b.valid, e.span)};
}

/// Bounds in either order: only if both are constants it is known which one is the lower.
Translator::Cells Translator::between(const Expr &e, Scope &scope) {
    Cells x = expr(*e.args[0], scope), p = expr(*e.args[1], scope), q = expr(*e.args[2], scope);
    for (Cells *bound : {&p, &q}) {
        fit(x, *bound, e.span);
        fit(*bound, x, e.span);
    }
    auto within = [&](const Cells &low, const Cells &high) {
        return op("ewAnd", {op("ewGe", {x.value, low.value}, e.span), op("ewLe", {x.value, high.value}, e.span)},
                  e.span);
    };
    IrValue result;
    auto low = ir::constantOf(p.value), high = ir::constantOf(q.value);
    bool comparable = low && high && (low->type == high->type || (isNumeric(low->type) && isNumeric(high->type)));
    if (comparable) {
        bool inOrder = low->type == ValueType::Str ? low->s <= high->s : low->asDouble() <= high->asDouble();
        result = inOrder ? within(p, q) : within(q, p);
    } else {
        result = op("ewOr", {within(p, q), within(q, p)}, e.span);
    }
    Cells cells{result, both(x.valid, both(p.valid, q.valid, e.span), e.span)};
    return negated(cells, e.negated, e.span);
}

Translator::Cells Translator::membership(const Expr &e, Scope &scope) {
    Cells x = expr(*e.args[0], scope);
    if (e.kind == ExprKind::In) {
        Cells any;
        for (size_t i = 1; i < e.args.size(); ++i) {
            Cells other = expr(*e.args[i], scope);
            fit(x, other, e.span);
            fit(other, x, e.span);
            Cells equal{op("ewEq", {x.value, other.value}, e.args[i]->span), other.valid};
            any = any.value ? logical(false, any, equal, e.span) : equal;
        }
        any.valid = both(x.valid, any.valid, e.span);
        return negated(any, e.negated, e.span);
    }
    Result r = query(*e.query);
    if (r.known && r.columns.size() != 1)
        throw compileError(e.span,
                           "the query after IN must have one column, but it has " + std::to_string(r.columns.size()));
    Cells set = r.known ? cellsOf(r.frame, r.columns[0], e.span)
                        : Cells{g.emitCast(r.frame, TypeDesc::matrix(ValueType::Unknown), e.span)};
    IrValue noNulls;
    if (set.valid) {
        // A cell that is not found could equal a null.
        IrValue nulls = op("sumAll", {op("ewEq", {set.valid, integer(0, e.span)}, e.span)}, e.span);
        noNulls = op("ewEq", {nulls, integer(0, e.span)}, e.span);
        set.value = op("filterRow", {set.value, set.valid}, e.span);
    }
    bool isScalar = g.typeOf(x.value).isScalar();
    IrValue found = op("isMember", {asColumn(x.value, numRows({}, e.span), e.span), set.value}, e.span);
    if (isScalar)
        found = g.emitCast(found, TypeDesc::scalar(ValueType::Unknown), e.span);
    IrValue valid = both(x.valid, noNulls ? op("ewOr", {found, noNulls}, e.span) : IrValue(), e.span);
    if (valid) {
        // Nothing is in an empty set, not even a null.
        IrValue rows = g.emitCast(numRows(r.frame, e.span), TypeDesc::scalar(ValueType::SI64), e.span);
        valid = op("ewOr", {valid, op("ewEq", {rows, integer(0, e.span)}, e.span)}, e.span);
    }
    return negated({found, valid}, e.negated, e.span);
}

// ---------------------------------------------------------------- CASE, calls

/// a where `when` is not 0, else b; both get the more general type.
Translator::Cells Translator::choose(IrValue when, Cells a, Cells b, Scope &scope, SourceSpan span) {
    if (isNull(a) && isNull(b))
        return a;
    ValueType ta = typeOf(a.value), tb = typeOf(b.value);
    ValueType common = isNull(a) ? tb : isNull(b) ? ta : mostGeneral(ta, tb);
    bool areKnown = ta != ValueType::Unknown && tb != ValueType::Unknown;
    if (areKnown && !isNull(a) && !isNull(b) && !areAlike(ta, tb))
        throw compileError(span, isTime(ta) || isTime(tb)
                                     ? "the values of CASE must be of one kind, got " + std::string(dslName(ta)) +
                                           " and " + std::string(dslName(tb))
                                     : "the values of CASE must all be strings or all be numbers");
    auto convert = [&](Cells &c) {
        if (isNull(c) && common != ValueType::Unknown)
            c.value = defaultOf(common, span);
        else if (common != ValueType::Unknown && typeOf(c.value) != common)
            c.value = g.emitCast(c.value, {.valueType = common}, span);
    };
    convert(a);
    convert(b);
    IrValue rows = numRows(scope.frame, span);
    bool anyColumn = false;
    for (IrValue v : {when, a.value, b.value, a.valid, b.valid})
        anyColumn |= v && !g.typeOf(v).isScalar();
    if (anyColumn)
        when = asColumn(when, rows, span);
    Cells result{op("cond", {when, a.value, b.value}, span)};
    if (a.valid || b.valid) {
        auto validity = [&](const Cells &c) {
            IrValue v = c.valid ? c.valid : integer(1, span);
            return typeOf(v) == ValueType::SI64 ? v : g.emitCast(v, {.valueType = ValueType::SI64}, span);
        };
        result.valid = op("cond", {when, validity(a), validity(b)}, span);
    }
    return result;
}

Translator::Cells Translator::caseOf(const Expr &e, Scope &scope) {
    bool hasElse = e.args.size() % 2 == 1;
    Cells result{integer(0, e.span), integer(0, e.span)};
    if (hasElse)
        result = expr(*e.args.back(), scope);
    for (size_t i = e.args.size() / 2; i-- > 0;) {
        IrValue when = condition(*e.args[2 * i], scope);
        result = choose(when, expr(*e.args[2 * i + 1], scope), result, scope, e.span);
    }
    return result;
}

namespace {

struct Function {
    std::string_view name;
    ops::OpName mnemonic;
    size_t numArgs;
};
constexpr Function kFunctions[] = {
    {"ABS", "ewAbs", 1},      {"SIGN", "ewSign", 1},   {"FLOOR", "ewFloor", 1},   {"CEIL", "ewCeil", 1},
    {"CEILING", "ewCeil", 1}, {"ROUND", "ewRound", 1}, {"SQRT", "ewSqrt", 1},     {"LN", "ewLn", 1},
    {"EXP", "ewExp", 1},      {"LOWER", "ewLower", 1}, {"UPPER", "ewUpper", 1},   {"POWER", "ewPow", 2},
    {"POW", "ewPow", 2},      {"MOD", "ewMod", 2},     {"CONCAT", "ewConcat", 2}, {"GREATEST", "ewMax", 2},
    {"LEAST", "ewMin", 2},
};
/// Parts of dates and timestamps, which nulls do not have.
constexpr Function kParts[] = {
    {"YEAR", "year", 1},     {"QUARTER", "quarter", 1}, {"MONTH", "month", 1},    {"WEEK", "week", 1},
    {"DAY", "day", 1},       {"DOY", "yearDay", 1},     {"ISODOW", "weekday", 1}, {"HOUR", "hour", 1},
    {"MINUTE", "minute", 1}, {"SECOND", "second", 1},
};

} // namespace

Translator::Cells Translator::coalesce(const Expr &e, Scope &scope) {
    if (e.args.size() < 2)
        throw compileError(e.span, e.name + " needs at least two values");
    Cells result = expr(*e.args.back(), scope);
    for (size_t i = e.args.size() - 1; i-- > 0;) {
        Cells c = expr(*e.args[i], scope);
        if (isNull(c))
            continue;
        if (isTime(typeOf(result.value)))
            findNat(c, e.span);
        result = c.valid ? choose(c.valid, {c.value}, result, scope, e.span) : c;
    }
    return result;
}

Translator::Cells Translator::call(const Expr &e, Scope &scope) {
    if (isAggregate(e))
        throw compileError(e.span, "the aggregate " + e.name + " cannot be used in " + std::string(scope.clause))
            .withHint(scope.clause == "WHERE" ? "HAVING filters groups by aggregates" : "");
    std::string name = lang::sql::upperCase(e.name);
    if (name == "COALESCE" || name == "IFNULL")
        return coalesce(e, scope);
    std::vector<std::string_view> known{"COUNT", "SUM", "MIN", "MAX", "AVG", "COALESCE"};
    for (const Function &f : kFunctions) {
        known.push_back(f.name);
        if (f.name != name)
            continue;
        if (e.args.size() != f.numArgs || e.distinct)
            throw compileError(e.span, e.name + " takes " + std::to_string(f.numArgs) +
                                           (f.numArgs == 1 ? " value, got " : " values, got ") +
                                           std::to_string(e.args.size()));
        std::vector<IrValue> operands;
        IrValue valid;
        for (const auto &a : e.args) {
            Cells c = expr(*a, scope);
            bool isDivisor = f.mnemonic == "ewMod" && &a == &e.args[1];
            operands.push_back(isDivisor ? divisor(c, e.span) : canonical(c, e.span));
            valid = both(valid, c.valid, e.span);
        }
        return {op(f.mnemonic, operands, e.span), valid};
    }
    for (const Function &f : kParts) {
        known.push_back(f.name);
        if (f.name != name)
            continue;
        if (e.args.size() != 1 || e.distinct)
            throw compileError(e.span, e.name + " takes 1 value, got " + std::to_string(e.args.size()));
        Cells c = expr(*e.args[0], scope);
        findNat(c, e.span);
        IrValue moment = c.valid ? op("natToEpoch", {c.value}, e.span) : c.value;
        return {op(f.mnemonic, {moment}, e.span), c.valid};
    }
    std::string close = nearest(name, known);
    throw compileError(e.span, "queries have no function " + e.name)
        .withHint(close.empty() ? "" : "did you mean " + close + "?");
}

Translator::Cells Translator::expr(const Expr &e, Scope &scope) {
    bool isLiteral = e.kind == ExprKind::Integer || e.kind == ExprKind::Float || e.kind == ExprKind::String ||
                     e.kind == ExprKind::Time || e.kind == ExprKind::Months;
    if (scope.grouped && !isLiteral) {
        auto found = scope.grouped->columns.find(textOf(e, *scope.relation));
        if (found != scope.grouped->columns.end())
            return cellsOf(scope.frame, found->second, e.span);
    }
    switch (e.kind) {
    case ExprKind::Integer: return {integer(e.integer, e.span)};
    case ExprKind::Float: return {g.constant({.type = ValueType::F64, .d = e.number}, e.span)};
    case ExprKind::String: return {text(e.name, e.span)};
    case ExprKind::Null: return {integer(0, e.span), integer(0, e.span)};
    case ExprKind::Time: return {g.constant({.type = e.type, .i = e.integer}, e.span)};
    case ExprKind::Months:
        throw compileError(e.span, "months, quarters and years can only be added to and subtracted from dates");
    case ExprKind::Column: return columnCells(e, scope);
    case ExprKind::Star: throw compileError(e.span, "'*' stands for columns, not for a value");
    case ExprKind::Call: return call(e, scope);
    case ExprKind::Negate: {
        Cells c = expr(*e.args[0], scope);
        return {op("ewMinus", {c.value}, e.span), c.valid};
    }
    case ExprKind::Not: return negated(expr(*e.args[0], scope), true, e.span);
    case ExprKind::Binary: return binary(e, scope);
    case ExprKind::Between: return between(e, scope);
    case ExprKind::In:
    case ExprKind::InQuery: return membership(e, scope);
    case ExprKind::Like: {
        Cells x = expr(*e.args[0], scope), pattern = expr(*e.args[1], scope);
        if (!g.typeOf(pattern.value).isScalar())
            throw compileError(e.args[1]->span, "the pattern of LIKE must be a constant");
        fit(x, pattern, e.span);
        fit(pattern, x, e.span);
        return negated({op("like", {x.value, pattern.value}, e.span), both(x.valid, pattern.valid, e.span)}, e.negated,
                       e.span);
    }
    case ExprKind::IsNull: {
        Cells x = expr(*e.args[0], scope);
        findNat(x, e.span);
        if (!x.valid)
            return {integer(e.negated, e.span)};
        return {e.negated ? x.valid : op("ewEq", {x.valid, integer(0, e.span)}, e.span)};
    }
    case ExprKind::Case: return caseOf(e, scope);
    case ExprKind::Subquery: {
        Result r = query(*e.query);
        if (r.known && r.columns.size() != 1)
            throw compileError(e.span, "a query used as a value must have one column, but it has " +
                                           std::to_string(r.columns.size()));
        TypeDesc scalar = TypeDesc::scalar(ValueType::Unknown);
        // Without a row it is null.
        Cells c = r.known ? cellsOf(r.frame, r.columns[0], e.span)
                          : Cells{g.emitCast(r.frame, TypeDesc::matrix(ValueType::Unknown), e.span)};
        auto oneOf = [&](IrValue column) { return g.emitCast(rowOrDefault(column, e.span), scalar, e.span); };
        IrValue valid = c.valid ? oneOf(c.valid) : g.typeOf(c.value).rows == 1 ? IrValue() : hasRows(r.frame, e.span);
        return {oneOf(c.value), valid, c.filled};
    }
    case ExprKind::Exists: {
        return {hasRows(query(*e.query).frame, e.span)};
    }
    }
    throw internalError("unknown expression of a query").at(e.span);
}

} // namespace daphne::irgen
