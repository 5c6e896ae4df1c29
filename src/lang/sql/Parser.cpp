// SPDX-License-Identifier: Apache-2.0
#include "lang/sql/Parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/Error.h"
#include "lang/sql/Lexer.h"

namespace daphne::lang::sql {

namespace {

/// Deeper expressions and queries are refused, so that the stack suffices.
constexpr int kMaxDepth = 400;
/// Long chains of operators are trees that are high on their left side.
constexpr int kMaxHeight = 4000;

class Parser {
  public:
    explicit Parser(const QueryText &source) : source(source), tokens(tokenize(source)) {}

    std::shared_ptr<Query> run() {
        auto q = query();
        accept(";");
        if (peek().kind != TokenKind::End)
            unexpected("the end of the query");
        return q;
    }

  private:
    // ---- tokens

    const Token &peek(size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
    bool isSymbol(std::string_view s, size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::Symbol && peek(ahead).text == s;
    }
    bool isWord(std::string_view upper, size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::Word && peek(ahead).upper == upper;
    }
    bool accept(std::string_view s) {
        bool hit = isSymbol(s);
        at += hit;
        return hit;
    }
    bool acceptWord(std::string_view upper) {
        bool hit = isWord(upper);
        at += hit;
        return hit;
    }
    void expect(std::string_view s) {
        if (!accept(s))
            unexpected("'" + std::string(s) + "'");
    }
    void expectWord(std::string_view upper) {
        if (!acceptWord(upper))
            unexpected(std::string(upper));
    }
    [[noreturn]] void unexpected(const std::string &wanted) const {
        const Token &t = peek();
        std::string found = t.kind == TokenKind::End      ? "the query ends"
                            : t.kind == TokenKind::String ? "found a string"
                                                          : "found '" + t.text + "'";
        throw compileError(source.span(t.begin, std::max(t.end, t.begin + 1)),
                           "the query needs " + wanted + " here, but " + found);
    }
    SourceSpan spanFrom(size_t firstToken) const {
        return source.span(tokens[firstToken].begin, tokens[at > firstToken ? at - 1 : firstToken].end);
    }
    std::string name(const std::string &what) {
        if (peek().kind != TokenKind::Word || isReserved(peek().upper))
            unexpected(what);
        return tokens[at++].text;
    }

    /// Counts nested calls.
    struct Depth {
        explicit Depth(Parser &p) : parser(p) {
            if (++parser.depth > kMaxDepth)
                throw compileError(parser.source.span(parser.peek().begin, parser.peek().end),
                                   "the query is nested too deeply");
        }
        ~Depth() { --parser.depth; }
        Parser &parser;
    };

    // ---- queries

    std::shared_ptr<Query> query() {
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

    ExprPtr star() {
        size_t first = at++;
        return std::make_unique<Expr>(Expr{ExprKind::Star, spanFrom(first)});
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

    // ---- expressions

    template <class... Args> static ExprPtr node(ExprKind kind, SourceSpan span, std::string name, Args... args) {
        auto e = std::make_unique<Expr>(Expr{kind, span, std::move(name)});
        (e->args.push_back(std::move(args)), ...);
        return measured(std::move(e));
    }
    static ExprPtr measured(ExprPtr e) {
        for (const ExprPtr &a : e->args)
            e->height = std::max(e->height, a->height + 1);
        if (e->height > kMaxHeight)
            throw compileError(e->span, "the expression is too long");
        return e;
    }

    ExprPtr condition() {
        Depth guard(*this);
        size_t first = at;
        auto left = conjunction();
        while (acceptWord("OR")) {
            auto right = conjunction();
            left = node(ExprKind::Binary, spanFrom(first), "OR", std::move(left), std::move(right));
        }
        return left;
    }

    ExprPtr conjunction() {
        size_t first = at;
        auto left = negation();
        while (acceptWord("AND")) {
            auto right = negation();
            left = node(ExprKind::Binary, spanFrom(first), "AND", std::move(left), std::move(right));
        }
        return left;
    }

    ExprPtr negation() {
        Depth guard(*this);
        size_t first = at;
        // NOT may also be a name, followed by a dot or an operator.
        if (!isWord("NOT") || isSymbol(".", 1))
            return predicate();
        ++at;
        auto operand = negation();
        return node(ExprKind::Not, spanFrom(first), "NOT", std::move(operand));
    }

    ExprPtr predicate() {
        size_t first = at;
        auto left = comparison();
        while (true) {
            bool negated = isWord("NOT") && (isWord("BETWEEN", 1) || isWord("IN", 1) || isWord("LIKE", 1));
            at += negated;
            if (acceptWord("BETWEEN")) {
                auto low = comparison();
                expectWord("AND");
                auto high = comparison();
                left = node(ExprKind::Between, spanFrom(first), "BETWEEN", std::move(left), std::move(low),
                            std::move(high));
            } else if (acceptWord("IN")) {
                left = membership(std::move(left), first);
            } else if (acceptWord("LIKE")) {
                auto pattern = comparison();
                left = node(ExprKind::Like, spanFrom(first), "LIKE", std::move(left), std::move(pattern));
            } else if (isWord("IS")) {
                ++at;
                negated = acceptWord("NOT");
                expectWord("NULL");
                left = node(ExprKind::IsNull, spanFrom(first), "IS NULL", std::move(left));
            } else {
                return left;
            }
            left->negated = negated;
        }
    }

    ExprPtr membership(ExprPtr left, size_t first) {
        expect("(");
        if (isWord("SELECT") || isWord("WITH")) {
            auto inner = query();
            expect(")");
            auto e = node(ExprKind::InQuery, spanFrom(first), "IN", std::move(left));
            e->query = std::move(inner);
            return e;
        }
        auto e = node(ExprKind::In, {}, "IN", std::move(left));
        do
            e->args.push_back(condition());
        while (accept(","));
        expect(")");
        e->span = spanFrom(first);
        return measured(std::move(e));
    }

    /// One level of left-associative binary operators.
    template <size_t N> ExprPtr chain(const std::string_view (&operators)[N], ExprPtr (Parser::*operand)()) {
        size_t first = at;
        auto left = (this->*operand)();
        while (true) {
            std::string_view found;
            for (std::string_view o : operators)
                if (isSymbol(o))
                    found = o;
            if (found.empty())
                return left;
            ++at;
            auto right = (this->*operand)();
            left = node(ExprKind::Binary, spanFrom(first), std::string(found), std::move(left), std::move(right));
        }
    }

    ExprPtr comparison() {
        static constexpr std::string_view kOperators[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
        return chain(kOperators, &Parser::sum);
    }
    ExprPtr sum() {
        static constexpr std::string_view kOperators[] = {"+", "-", "||"};
        return chain(kOperators, &Parser::product);
    }
    ExprPtr product() {
        static constexpr std::string_view kOperators[] = {"*", "/", "%"};
        return chain(kOperators, &Parser::sign);
    }

    ExprPtr sign() {
        Depth guard(*this);
        size_t first = at;
        if (accept("+"))
            return sign();
        if (!accept("-"))
            return primary();
        // 2^63 is an integer only after a minus.
        if (peek().kind == TokenKind::Integer && peek().text == "9223372036854775808") {
            ++at;
            auto e = node(ExprKind::Integer, spanFrom(first), "");
            e->integer = INT64_MIN;
            return e;
        }
        auto operand = sign();
        return node(ExprKind::Negate, spanFrom(first), "-", std::move(operand));
    }

    int64_t integer(const Token &t) const {
        int64_t value = 0;
        auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
        if (error != std::errc())
            throw compileError(source.span(t.begin, t.end), "the integer " + t.text + " does not fit into 64 bits");
        return value;
    }

    ExprPtr literal() {
        const Token &t = tokens[at++];
        SourceSpan span = source.span(t.begin, t.end);
        if (t.kind == TokenKind::String)
            return node(ExprKind::String, span, t.text);
        if (t.kind == TokenKind::Integer) {
            auto e = node(ExprKind::Integer, span, "");
            e->integer = integer(t);
            return e;
        }
        auto e = node(ExprKind::Float, span, "");
        std::from_chars(t.text.data(), t.text.data() + t.text.size(), e->number);
        return e;
    }

    ExprPtr primary() {
        size_t first = at;
        const Token &t = peek();
        if (t.kind == TokenKind::Integer || t.kind == TokenKind::Float || t.kind == TokenKind::String)
            return literal();
        if (accept("(")) {
            ExprPtr inner;
            if (isWord("SELECT") || isWord("WITH")) {
                auto q = query();
                inner = node(ExprKind::Subquery, {}, "");
                inner->query = std::move(q);
            } else {
                inner = condition();
            }
            expect(")");
            inner->span = spanFrom(first);
            return inner;
        }
        if (t.kind != TokenKind::Word || isReserved(t.upper))
            unexpected("an expression");
        if (isWord("CASE") && !isSymbol(".", 1))
            return caseExpression();
        if (isWord("EXISTS") && isSymbol("(", 1)) {
            at += 2;
            auto q = query();
            expect(")");
            auto e = node(ExprKind::Exists, spanFrom(first), "EXISTS");
            e->query = std::move(q);
            return e;
        }
        if (isWord("NULL") && !isSymbol(".", 1)) {
            ++at;
            return node(ExprKind::Null, spanFrom(first), "NULL");
        }
        return isSymbol("(", 1) ? call() : column();
    }

    ExprPtr column() {
        size_t first = at;
        std::string word = tokens[at++].text;
        auto e = node(ExprKind::Column, {}, word);
        if (accept(".")) {
            e->table = word;
            if (accept("*"))
                e->kind = ExprKind::Star;
            else
                e->name = name("a column after the dot");
        }
        e->span = spanFrom(first);
        return e;
    }

    ExprPtr call() {
        size_t first = at;
        auto e = node(ExprKind::Call, {}, tokens[at].text);
        at += 2;
        e->distinct = acceptWord("DISTINCT");
        if (isSymbol("*"))
            e->args.push_back(star());
        else if (!isSymbol(")"))
            do
                e->args.push_back(condition());
            while (accept(","));
        expect(")");
        e->span = spanFrom(first);
        return measured(std::move(e));
    }

    /// CASE [subject] WHEN ... THEN ... [ELSE ...] END; with a subject every WHEN is a comparison with it.
    ExprPtr caseExpression() {
        size_t first = at++;
        auto e = node(ExprKind::Case, {}, "CASE");
        size_t subject = at, afterSubject = at;
        if (!isWord("WHEN")) {
            condition();
            afterSubject = at;
        }
        while (acceptWord("WHEN")) {
            size_t start = at;
            auto when = condition();
            if (afterSubject > subject) {
                // The subject is parsed again for every comparison: nodes have one owner.
                size_t resume = std::exchange(at, subject);
                auto copy = condition();
                at = resume;
                when = node(ExprKind::Binary, spanFrom(start), "=", std::move(copy), std::move(when));
            }
            e->args.push_back(std::move(when));
            expectWord("THEN");
            e->args.push_back(condition());
        }
        if (e->args.empty())
            unexpected("WHEN");
        if (acceptWord("ELSE"))
            e->args.push_back(condition());
        expectWord("END");
        e->span = spanFrom(first);
        return measured(std::move(e));
    }

    const QueryText &source;
    std::vector<Token> tokens;
    size_t at = 0;
    int depth = 0;
};

} // namespace

std::shared_ptr<Query> parse(const QueryText &query) { return Parser(query).run(); }

} // namespace daphne::lang::sql
