// SPDX-License-Identifier: Apache-2.0
#include "lang/sql/Parser.h"

#include "lang/sql/ExpressionParser.h"

namespace daphne::lang::sql {

namespace {

class QueryParser : ExpressionParser {
  public:
    explicit QueryParser(const QueryText &source) : ExpressionParser(source) {}

    std::shared_ptr<Query> run() {
        auto q = query();
        accept(";");
        if (peek().kind != TokenKind::End)
            unexpected("the end of the query");
        return q;
    }

  private:
    std::shared_ptr<Query> query() override {
        Depth guard(*this);
        size_t first = at;
        auto q = std::make_shared<Query>();
        if (acceptWord("WITH"))
            do {
                size_t start = at;
                std::string called = name("a name");
                expectWord("AS");
                expect("(");
                auto inner = query();
                expect(")");
                q->with.push_back({called, spanFrom(start), inner});
            } while (accept(","));
        q->body = body();
        if (acceptWord("ORDER")) {
            expectWord("BY");
            do {
                OrderKey key{condition()};
                key.ascending = !acceptWord("DESC");
                if (key.ascending)
                    acceptWord("ASC");
                q->orderBy.push_back(std::move(key));
            } while (accept(","));
        }
        if (acceptWord("LIMIT"))
            q->limit = count();
        if (acceptWord("OFFSET"))
            q->offset = count();
        q->span = spanFrom(first);
        return q;
    }

    int64_t count() {
        if (peek().kind != TokenKind::Integer)
            unexpected("a number of rows");
        return integer(tokens[at++]);
    }

    /// INTERSECT binds tighter than UNION and EXCEPT.
    std::unique_ptr<Body> body() {
        auto left = intersection();
        while (isWord("UNION") || isWord("EXCEPT") || isWord("MINUS")) {
            SetOperation operation = SetOperation::Except;
            if (tokens[at++].upper == "UNION")
                operation = acceptWord("ALL") ? SetOperation::UnionAll : SetOperation::Union;
            left = combined(std::move(left), operation, intersection());
        }
        return left;
    }

    std::unique_ptr<Body> intersection() {
        auto left = selection();
        while (acceptWord("INTERSECT"))
            left = combined(std::move(left), SetOperation::Intersect, selection());
        return left;
    }

    static std::unique_ptr<Body> combined(std::unique_ptr<Body> l, SetOperation operation, std::unique_ptr<Body> r) {
        auto b = std::make_unique<Body>();
        b->span = SourceSpan::join(l->span, r->span);
        b->operation = operation;
        b->left = std::move(l);
        b->right = std::move(r);
        return b;
    }

    std::unique_ptr<Body> selection() {
        Depth guard(*this);
        if (accept("(")) {
            auto inner = body();
            expect(")");
            return inner;
        }
        auto b = std::make_unique<Body>();
        size_t first = at;
        b->select = select();
        b->span = b->select->span = spanFrom(first);
        return b;
    }

    std::unique_ptr<Select> select() {
        auto s = std::make_unique<Select>();
        expectWord("SELECT");
        s->distinct = acceptWord("DISTINCT");
        if (!s->distinct)
            acceptWord("ALL");
        do
            s->items.push_back(item());
        while (accept(","));
        if (acceptWord("FROM"))
            from(*s);
        if (acceptWord("WHERE"))
            s->where = condition();
        if (acceptWord("GROUP")) {
            expectWord("BY");
            do
                s->groupBy.push_back(isSymbol("*") ? star() : condition());
            while (accept(","));
        }
        if (acceptWord("HAVING"))
            s->having = condition();
        return s;
    }

    Item item() {
        size_t first = at;
        Item i;
        bool isStar = isSymbol("*");
        i.value = isStar ? star() : condition();
        std::string_view written =
            std::string_view(source.text()).substr(tokens[first].begin, tokens[at - 1].end - tokens[first].begin);
        for (char c : written)
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
                i.label += c;
        if (acceptWord("AS")) {
            i.label = name("a name after AS");
            i.hasAlias = true;
        } else if (peek().kind == TokenKind::Word && !endsAlias(peek().upper)) {
            i.label = tokens[at++].text;
            i.hasAlias = true;
        }
        if (i.hasAlias && i.value->kind == ExprKind::Star)
            throw compileError(i.value->span, "'*' stands for several columns and cannot be renamed");
        return i;
    }

    void from(Select &s) {
        do
            s.tables.push_back(table());
        while (accept(","));
        while (true) {
            size_t first = at;
            JoinKind kind = JoinKind::Inner;
            if (acceptWord("CROSS")) {
                kind = JoinKind::Cross;
            } else if (isWord("LEFT") || isWord("RIGHT") || isWord("FULL")) {
                kind = isWord("LEFT") ? JoinKind::Left : isWord("RIGHT") ? JoinKind::Right : JoinKind::Full;
                ++at;
                acceptWord("OUTER");
            } else if (!acceptWord("INNER") && !isWord("JOIN")) {
                return;
            }
            expectWord("JOIN");
            Join join{kind, table(), nullptr, {}};
            if (kind != JoinKind::Cross) {
                expectWord("ON");
                join.on = condition();
            }
            join.span = spanFrom(first);
            s.joins.push_back(std::move(join));
        }
    }

    Table table() {
        size_t first = at;
        Table t;
        if (accept("(")) {
            t.query = query();
            expect(")");
        } else {
            t.name = t.alias = name("a table");
        }
        if (acceptWord("AS"))
            t.alias = name("a name after AS");
        else if (peek().kind == TokenKind::Word && !endsAlias(peek().upper))
            t.alias = tokens[at++].text;
        else if (t.query)
            unexpected("a name for the query in parentheses");
        t.span = spanFrom(first);
        return t;
    }
};

} // namespace

std::shared_ptr<Query> parse(const QueryText &query) { return QueryParser(query).run(); }

} // namespace daphne::lang::sql
