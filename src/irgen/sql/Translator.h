// SPDX-License-Identifier: Apache-2.0
/// Queries to DaphneIR: names are resolved, and every part of a query becomes
/// the operation of its name (join, filterRow, group, order ...) on frames whose
/// columns are called table.column. Methods are spread over From.cpp, Query.cpp,
/// Aggregation.cpp and Expressions.cpp.
///
/// Nulls. A column that can be null has a second column beside it, its indicator:
/// 1 where the cell is there, 0 where it is null; the cell of a null is 0, NaN or
/// "". Frames come with indicators (data/NullIndicator.h), or nulls come into being
/// in a query, by outer joins, by NULL and by aggregates of nothing. No indicator
/// leaves the query unless it is selected: "SELECT t.x, t.x IS NOT NULL".
/// Times need none: their null is nat, also outside of queries.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "irgen/Generator.h"
#include "lang/sql/Ast.h"

namespace daphne::irgen {

namespace sql = lang::sql;

class Translator {
  public:
    explicit Translator(Generator &generator) : g(generator) {}
    /// The result of a query as a frame without nulls.
    mlir::Value translate(const sql::Query &query);

  private:
    using IrValue = mlir::Value;

    /// Cells of an expression: a column (n x 1) or a scalar, and where they are not null.
    struct Cells {
        IrValue value;
        IrValue valid = {};  ///< 0/1, a column or a scalar; none: never null
        bool filled = false; ///< the value of a null is the default of the type
    };

    struct Column {
        std::string label; ///< in the frame
        std::string name;  ///< after the table and the dot
        ValueType type = ValueType::Unknown;
        std::string indicator = {};   ///< label of its indicator, "" if it is never null
        bool indicatorCounts = false; ///< the indicator is a number of cells: null if it is 0
        bool isIndicator = false;     ///< of another column of a frame: '*' does not mean it
        bool isNull = false;          ///< nothing but nulls, which fit every type
        bool filled = false;          ///< the cell of a null is the default of the type for certain
    };
    struct Source {
        std::string alias;
        std::vector<Column> columns;              ///< those the query names
        bool known = true;                        ///< false: columns are those that the frame turns out to have
        std::string indicator = {};               ///< of columns not known
        std::vector<std::string> otherNames = {}; ///< of columns the query does not name; for messages
    };
    /// What FROM gives, or what filters leave of it. Columns are labelled alias.name.
    struct Relation {
        IrValue frame; ///< none: a query without FROM
        std::vector<Source> sources;
    };
    /// The result of a query, labelled as its items are.
    struct Result {
        IrValue frame;
        std::vector<Column> columns = {}; ///< empty if not known
        bool known = true;
    };
    /// What is left after GROUP BY or aggregates: keys and aggregates, found by their text.
    struct Grouped {
        IrValue frame;
        std::map<std::string, Column> columns;
        std::vector<std::string> keyLabels; ///< of keys that are columns
    };
    /// How expressions are read at some point of a query.
    struct Scope {
        const Relation *relation;                              ///< the names
        IrValue frame;                                         ///< the cells
        const Grouped *grouped;                                ///< null: every row by itself
        std::string_view clause;                               ///< "WHERE", for messages
        std::map<std::string, const sql::Expr *> aliases = {}; ///< names of items
    };
    /// Columns that a query names, as (table or "", column), and tables with all of their columns ("": all tables).
    struct Names {
        std::set<std::pair<std::string, std::string>> columns;
        std::set<std::string> stars;
    };
    struct Found {
        const Source *source = nullptr;
        const Column *column = nullptr; ///< null if the columns of the source are not known
        std::string label;
    };
    struct JoinCondition {
        Found left;
        std::string comparison;
        Found right;
    };
    struct OutputItem {
        std::string label, name;
        Cells cells;
        bool isWhole = false; ///< cells.value is a frame of columns not known
        SourceSpan span;
        std::string meaning; ///< equal for items that mean the same
    };
    struct SortColumn {
        Cells cells;
        bool ascending;
    };

    // ---- Query.cpp
    Result query(const sql::Query &q);
    Result select(const sql::Select &s, const sql::Query *whole);
    Relation filtered(Relation r, IrValue condition, SourceSpan span);
    std::vector<OutputItem> items(const sql::Select &s, Scope &scope);
    void expandStar(const sql::Expr &star, Scope &scope, std::vector<OutputItem> &out);
    Result project(const std::vector<OutputItem> &items, Scope &scope, SourceSpan span);
    Result distinct(Result r, SourceSpan span);
    Result distinctInOrder(Result r, const std::vector<OutputItem> &items, const sql::Select &s, const sql::Query &q,
                           Scope &scope);
    const sql::Expr *orderKey(const sql::OrderKey &k, const sql::Select &s);
    void order(const sql::Select &s, const sql::Query &q, Scope &scope);
    IrValue sorted(IrValue frame, const std::vector<SortColumn> &keys, SourceSpan span);
    [[noreturn]] void unknownOrderKey(const sql::Expr &e, const std::string &why);
    Result ordered(Result r, const sql::Query &q);
    Result combine(const sql::Body &b);
    Result aligned(const Result &r, const std::vector<Column> &like, SourceSpan span);

    // ---- From.cpp
    static void collectNames(const sql::Expr &e, Names &names);
    static Names namesOf(const sql::Select &s, const sql::Query *whole);
    Relation from(const sql::Select &s, const sql::Query *whole);
    static std::vector<Column> columnsOf(const ops::FrameSchema &schema, bool filled);
    Relation source(const sql::Table &t, const Names &names);
    Relation renamed(Result r, const std::string &alias, const Names &names, SourceSpan span);
    Relation product(const Relation &left, const Relation &right, const sql::Select &s, SourceSpan span);
    void needNewAlias(const Relation &left, const Relation &right, SourceSpan span);
    static Relation beside(const Relation &left, const Relation &right, IrValue frame);
    static void conjuncts(const sql::Expr &e, std::vector<const sql::Expr *> &parts);
    std::optional<JoinCondition> joinCondition(const sql::Expr &e, const Relation &left, const Relation &right);
    static std::string indicatorOf(const Found &f);
    Relation withoutNulls(Relation r, const Found &f, const std::string &comparison, SourceSpan span);
    Relation join(Relation left, Relation right, const sql::Join &j);
    void addIndicator(Relation &r, SourceSpan span);
    Relation outerJoin(Relation left, Relation right, const sql::Join &j, const std::vector<JoinCondition> &conditions,
                       const std::vector<const sql::Expr *> &rest);

    // ---- Aggregation.cpp
    static bool isAggregate(const sql::Expr &e);
    static void collectAggregates(const sql::Expr &e, std::vector<const sql::Expr *> &found, bool inside);
    static std::vector<const sql::Expr *> aggregatesOf(const sql::Select &s, const sql::Query *whole);
    std::string textOf(const sql::Expr &e, const Relation &r);
    void appendText(const sql::Expr &e, const Relation &r, std::string &out);
    std::optional<Cells> argumentOf(const sql::Expr &e, const Relation &input);
    std::vector<const sql::Expr *> groupKeys(const sql::Select &s, const Relation &input);
    Grouped group(const sql::Select &s, const sql::Query *whole, const Relation &input);
    Cells wholeAggregate(const sql::Expr &e, const Relation &input);
    Grouped aggregateAll(const std::vector<const sql::Expr *> &aggregates, const Relation &input, SourceSpan span);
    void addColumn(IrValue &frame, IrValue column, const std::string &label, SourceSpan span);

    // ---- Expressions.cpp
    std::optional<Found> tryFind(const sql::Expr &e, const Relation &r, Error *why);
    void nameColumns(sql::Expr &e, const Relation &r);
    void nameColumns(const sql::Select &s, const sql::Query *whole, const Relation &r);
    /// Throws Error (status 2) if there is no such column, or more than one.
    Found find(const sql::Expr &e, const Relation &r);
    Cells expr(const sql::Expr &e, Scope &scope);
    Cells columnCells(const sql::Expr &e, Scope &scope);
    static bool isNull(const Cells &c);                     ///< NULL itself
    void fit(Cells &a, const Cells &like, SourceSpan span); ///< gives NULL the type of other cells
    IrValue divisor(const Cells &c, SourceSpan span);
    IrValue notNat(IrValue cells, SourceSpan span);
    void findNat(Cells &c, SourceSpan span); ///< for cells of a type that is not known
    Cells monthsAdded(const sql::Expr &e, Scope &scope);
    Cells binary(const sql::Expr &e, Scope &scope);
    IrValue condition(const sql::Expr &e, Scope &scope); ///< not 0 where true, 0 where false or null
    Cells logical(bool isAnd, const Cells &a, const Cells &b, SourceSpan span);
    Cells between(const sql::Expr &e, Scope &scope);
    Cells membership(const sql::Expr &e, Scope &scope);
    Cells choose(IrValue when, Cells a, Cells b, Scope &scope, SourceSpan span);
    Cells caseOf(const sql::Expr &e, Scope &scope);
    Cells coalesce(const sql::Expr &e, Scope &scope);
    Cells call(const sql::Expr &e, Scope &scope);

    IrValue op(ops::OpName mnemonic, llvm::ArrayRef<IrValue> operands, SourceSpan span) {
        return g.emit(mnemonic, operands, {span, {}});
    }
    IrValue integer(int64_t x, SourceSpan span) { return g.intConstant(x, span); }
    IrValue text(const std::string &s, SourceSpan span) { return g.constant({.type = ValueType::Str, .s = s}, span); }
    ValueType typeOf(IrValue v) { return g.typeOf(v).valueType; }
    IrValue numRows(IrValue frame, SourceSpan span); ///< of size type; 1 without a frame
    IrValue asColumn(IrValue v, IrValue rows, SourceSpan span);
    IrValue cellsOf(IrValue frame, const std::string &label, SourceSpan span);
    Cells cellsOf(IrValue frame, const Column &c, SourceSpan span);
    IrValue defaultOf(ValueType type, SourceSpan span);
    IrValue both(IrValue a, IrValue b, SourceSpan span); ///< AND; none stands for 1
    IrValue truth(const Cells &c, SourceSpan span);      ///< not 0 where true, 0 where false or null
    Cells negated(Cells c, bool really, SourceSpan span);
    IrValue replaced(const Cells &c, IrValue replacement, SourceSpan span); ///< nulls by a scalar of the same type
    IrValue canonical(const Cells &c, SourceSpan span);                     ///< nulls by the default of the type
    IrValue hasRows(IrValue frame, SourceSpan span);                        ///< a scalar of si64
    IrValue rowOrDefault(IrValue column, SourceSpan span); ///< a null if it has no rows, else the column itself

    /// A label no table can have: names have no question marks.
    std::string fresh(const std::string &what) { return "?" + what + std::to_string(counter++); }

    Generator &g;
    std::vector<std::map<std::string, Result>> named;   ///< WITH, innermost last
    std::vector<std::unique_ptr<sql::Expr>> ownedExprs; ///< that stand for columns meant by '*'
    int counter = 0;
};

} // namespace daphne::irgen
