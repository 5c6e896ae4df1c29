// SPDX-License-Identifier: Apache-2.0
/// Parsing of queries: binding, labels, places of mistakes.
#include <gtest/gtest.h>

#include "base/Error.h"
#include "lang/sql/Parser.h"

namespace daphne::lang::sql {
namespace {

/// Fully parenthesised.
std::string text(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Integer: return std::to_string(e.integer);
    case ExprKind::String: return "'" + e.name + "'";
    case ExprKind::Column: return e.table.empty() ? e.name : e.table + "." + e.name;
    case ExprKind::Star: return e.table.empty() ? "*" : e.table + ".*";
    default: break;
    }
    std::string result = "(" + std::string(e.negated ? "NOT " : "") + e.name;
    for (const auto &a : e.args)
        result += " " + text(*a);
    return result + ")";
}

struct Parsed {
    SourceManager sources;
    std::shared_ptr<Query> query;
    explicit Parsed(const std::string &query) : query(parse(QueryText(query, {}, sources))) {}
    const Select &select() const { return *query->body->select; }
};

std::string where(const std::string &condition) {
    return text(*Parsed("SELECT t.a FROM t WHERE " + condition).select().where);
}

TEST(Sql, BindsOperatorsByTheirRank) {
    EXPECT_EQ(where("a + b * c - d"), "(- (+ a (* b c)) d)");
    EXPECT_EQ(where("a = b + 1 OR c < 2 AND NOT d > 3"), "(OR (= a (+ b 1)) (AND (< c 2) (NOT (> d 3))))");
    EXPECT_EQ(where("a < b < c"), "(< (< a b) c)");
    EXPECT_EQ(where("a - -1"), "(- a (- 1))");
    EXPECT_EQ(where("a -1"), "(- a 1)");
    EXPECT_EQ(where("(a OR b) AND c"), "(AND (OR a b) c)");
}

TEST(Sql, GivesTheFirstAndAfterBetweenToIt) {
    EXPECT_EQ(where("t.x BETWEEN 2 AND 4 AND t.y < 7"), "(AND (BETWEEN t.x 2 4) (< t.y 7))");
    EXPECT_EQ(where("t.x < 1 AND t.y BETWEEN 8 AND 3"), "(AND (< t.x 1) (BETWEEN t.y 8 3))");
    EXPECT_EQ(where("a < b BETWEEN 0 AND 1"), "(BETWEEN (< a b) 0 1)");
}

TEST(Sql, LabelsItemsByTheirTextWithoutBlanks) {
    Parsed p("SELECT t.a, Sum( t.b  +\n1 ), 1 * t.b AS x, t.c y FROM t");
    std::vector<std::string> labels;
    for (const Item &i : p.select().items)
        labels.push_back(i.label);
    EXPECT_EQ(labels, (std::vector<std::string>{"t.a", "Sum(t.b+1)", "x", "y"}));
}

TEST(Sql, TakesFurtherKeywordsAsNamesWhereTheyCannotBeMeant) {
    Parsed p("SELECT t.limit, t.end AS case FROM in AS t ORDER BY t.like");
    EXPECT_EQ(p.select().items[1].label, "case");
    EXPECT_EQ(p.select().tables[0].name, "in");
    EXPECT_EQ(text(*p.query->orderBy[0].value), "t.like");
}

TEST(Sql, IntersectBindsTighterThanUnion) {
    Parsed p("SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM v");
    EXPECT_EQ(p.query->body->operation, SetOperation::Union);
    EXPECT_EQ(p.query->body->right->operation, SetOperation::Intersect);
}

TEST(Sql, PointsToTheMistake) {
    auto place = [](const std::string &query) {
        try {
            Parsed p(query);
        } catch (const Error &e) {
            EXPECT_EQ(e.stage, Stage::Compile);
            return static_cast<int>(e.where.begin);
        }
        return -1;
    };
    EXPECT_EQ(place("SELECT t.a FROM t"), -1);
    EXPECT_EQ(place("SELECT t.a FRM t"), 15);
    EXPECT_EQ(place("SELECT t.a FROM t WHERE t.a == 1"), 29);
    EXPECT_EQ(place("SELECT t.a FROM t WHERE t.s = 'x"), 30);
    EXPECT_EQ(place("SELECT ? FROM t"), 7);
    EXPECT_EQ(place("SELECT t.a FROM t WHERE"), 23);
    EXPECT_EQ(place("SELECT t.a FROM t; SELECT"), 19);
}

TEST(Sql, FindsPlacesInsideALiteralWithEscapes) {
    SourceManager sources;
    std::string script = "x = 1; sql(\"a\\\"b\\nc\");";
    uint32_t file = sources.add("script", script);
    auto begin = static_cast<uint32_t>(script.find('"'));
    QueryText query("a\"b\nc", {file, begin, begin + 9}, sources);
    EXPECT_EQ(query.span(2, 3), (SourceSpan{file, begin + 4, begin + 5}));
    EXPECT_EQ(query.span(4, 5), (SourceSpan{file, begin + 7, begin + 8}));
}

TEST(Sql, RefusesWhatIsTooDeepInsteadOfRunningOutOfStack) {
    EXPECT_THROW(Parsed("SELECT " + std::string(100000, '(') + "1 FROM t"), Error);
    EXPECT_THROW(Parsed("SELECT " + std::string(100000, '-') + "1 FROM t"), Error);
    std::string chain = "1";
    for (int i = 0; i < 100000; ++i)
        chain += "+1";
    EXPECT_THROW(Parsed("SELECT " + chain + " FROM t"), Error);
}

} // namespace
} // namespace daphne::lang::sql
