// SPDX-License-Identifier: Apache-2.0
/// Abstract syntax of queries. Nodes own their parts; spans are places in the
/// script, inside the literal that holds the query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/Source.h"
#include "base/ValueType.h"

namespace daphne::lang::sql {

struct Query;

/// Names of functions are compared in upper case.
std::string upperCase(std::string_view word);

enum class ExprKind : uint8_t {
    Integer,
    Float,
    String,
    Null,
    Time,     ///< DATE '...', TIMESTAMP '...', INTERVAL '...' unit: integer as stored, of the type in `type`
    Months,   ///< INTERVAL '...' MONTH, QUARTER or YEAR: their number in months
    Column,   ///< [table.]name
    Star,     ///< [table.]*
    Call,     ///< name([DISTINCT] args)
    Negate,   ///< -args[0]
    Not,      ///< NOT args[0]
    Binary,   ///< args[0] name args[1]
    Between,  ///< args[0] [NOT] BETWEEN args[1] AND args[2]
    In,       ///< args[0] [NOT] IN (args[1], ...)
    InQuery,  ///< args[0] [NOT] IN (query)
    Like,     ///< args[0] [NOT] LIKE args[1]
    IsNull,   ///< args[0] IS [NOT] NULL
    Case,     ///< pairs of condition and value in args, then the ELSE value, if given (odd number)
    Subquery, ///< (query) as a single value
    Exists,   ///< EXISTS (query)
};

struct Expr {
    ExprKind kind;
    SourceSpan span;
    std::string name = {};               ///< column, function or operator as written; value of a string
    std::string table = {};              ///< of a column or star; "" if not given
    ValueType type = ValueType::Unknown; ///< of a time
    int64_t integer = 0;
    double number = 0;
    bool negated = false;
    bool distinct = false;
    bool mayBeName = false; ///< a string in double quotes: a column, if there is one of that name
    int height = 1;         ///< of the tree below it
    std::vector<std::unique_ptr<Expr>> args = {};
    std::shared_ptr<Query> query = {};
};
using ExprPtr = std::unique_ptr<Expr>;

/// A view, or a query in parentheses, under the name it has in the query.
struct Table {
    std::string name; ///< of the view; "" for a query
    std::string alias;
    SourceSpan span;
    std::shared_ptr<Query> query;
};

enum class JoinKind : uint8_t { Inner, Left, Right, Full, Cross };

struct Join {
    JoinKind kind;
    Table table;
    ExprPtr on; ///< null for Cross
    SourceSpan span;
};

struct Item {
    ExprPtr value;
    std::string label; ///< the alias, or the text of the item without blanks
    bool hasAlias = false;
};

struct Select {
    SourceSpan span;
    bool distinct = false;
    std::vector<Item> items;
    std::vector<Table> tables; ///< with commas between them
    std::vector<Join> joins;
    ExprPtr where, having; ///< null if not given
    std::vector<ExprPtr> groupBy;
};

enum class SetOperation : uint8_t { Union, UnionAll, Intersect, Except };

/// One SELECT, or two bodies combined.
struct Body {
    SourceSpan span;
    std::unique_ptr<Select> select; ///< null if combined
    SetOperation operation = SetOperation::Union;
    std::unique_ptr<Body> left, right;
};

struct OrderKey {
    ExprPtr value;
    bool ascending = true;
};

struct NamedQuery {
    std::string name;
    SourceSpan span;
    std::shared_ptr<Query> query;
};

struct Query {
    SourceSpan span;
    std::vector<NamedQuery> with;
    std::unique_ptr<Body> body;
    std::vector<OrderKey> orderBy;
    std::optional<int64_t> limit;
    int64_t offset = 0;
};

} // namespace daphne::lang::sql
