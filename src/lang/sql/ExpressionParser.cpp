// SPDX-License-Identifier: Apache-2.0
#include "lang/sql/ExpressionParser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/Calendar.h"

namespace daphne::lang::sql {

namespace {

/// Long chains of operators are trees that are high on their left side.
constexpr int kMaxHeight = 4000;

ExprPtr measured(ExprPtr e) {
    for (const ExprPtr &a : e->args)
        e->height = std::max(e->height, a->height + 1);
    if (e->height > kMaxHeight)
        throw compileError(e->span, "the expression is too long");
    return e;
}

template <class... Args> ExprPtr node(ExprKind kind, SourceSpan span, std::string name, Args... args) {
    auto e = std::make_unique<Expr>(Expr{kind, span, std::move(name)});
    (e->args.push_back(std::move(args)), ...);
    return measured(std::move(e));
}

} // namespace

ExprPtr ExpressionParser::condition() {
    Depth guard(*this);
    size_t first = at;
    auto left = conjunction();
    while (acceptWord("OR")) {
        auto right = conjunction();
        left = node(ExprKind::Binary, spanFrom(first), "OR", std::move(left), std::move(right));
    }
    return left;
}

ExprPtr ExpressionParser::conjunction() {
    size_t first = at;
    auto left = negation();
    while (acceptWord("AND")) {
        auto right = negation();
        left = node(ExprKind::Binary, spanFrom(first), "AND", std::move(left), std::move(right));
    }
    return left;
}

ExprPtr ExpressionParser::negation() {
    Depth guard(*this);
    size_t first = at;
    // NOT may also be a name, followed by a dot or an operator.
    if (!isWord("NOT") || isSymbol(".", 1))
        return predicate();
    ++at;
    auto operand = negation();
    return node(ExprKind::Not, spanFrom(first), "NOT", std::move(operand));
}

ExprPtr ExpressionParser::predicate() {
    size_t first = at;
    auto left = comparison();
    while (true) {
        bool negated = isWord("NOT") && (isWord("BETWEEN", 1) || isWord("IN", 1) || isWord("LIKE", 1));
        at += negated;
        if (acceptWord("BETWEEN")) {
            auto low = comparison();
            expectWord("AND");
            auto high = comparison();
            left =
                node(ExprKind::Between, spanFrom(first), "BETWEEN", std::move(left), std::move(low), std::move(high));
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

ExprPtr ExpressionParser::membership(ExprPtr left, size_t first) {
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

template <size_t N>
ExprPtr ExpressionParser::chain(const std::string_view (&operators)[N], ExprPtr (ExpressionParser::*operand)()) {
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

ExprPtr ExpressionParser::comparison() {
    static constexpr std::string_view kOperators[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
    return chain(kOperators, &ExpressionParser::sum);
}
ExprPtr ExpressionParser::sum() {
    static constexpr std::string_view kOperators[] = {"+", "-", "||"};
    return chain(kOperators, &ExpressionParser::product);
}
ExprPtr ExpressionParser::product() {
    static constexpr std::string_view kOperators[] = {"*", "/", "%"};
    return chain(kOperators, &ExpressionParser::sign);
}

ExprPtr ExpressionParser::sign() {
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

int64_t ExpressionParser::integer(const Token &t) const {
    int64_t value = 0;
    auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
    if (error != std::errc())
        throw compileError(source.span(t.begin, t.end), "the integer " + t.text + " does not fit into 64 bits");
    return value;
}

ExprPtr ExpressionParser::literal() {
    const Token &t = tokens[at++];
    SourceSpan span = source.span(t.begin, t.end);
    if (t.kind == TokenKind::String || t.kind == TokenKind::Quoted) {
        auto e = node(ExprKind::String, span, t.text);
        e->mayBeName = t.kind == TokenKind::Quoted;
        return e;
    }
    if (t.kind == TokenKind::Integer) {
        auto e = node(ExprKind::Integer, span, "");
        e->integer = integer(t);
        return e;
    }
    auto e = node(ExprKind::Float, span, "");
    std::from_chars(t.text.data(), t.text.data() + t.text.size(), e->number);
    return e;
}

/// DATE '2024-01-31', TIMESTAMP '2024-01-31 12:00'
ExprPtr ExpressionParser::moment() {
    size_t first = at;
    ValueType type = isWord("DATE") ? ValueType::Date : ValueType::Timestamp;
    const Token &text = tokens[at + 1];
    at += 2;
    auto stored = calendar::parse(text.text, type);
    if (!stored || *stored == calendar::natOf(type))
        throw compileError(source.span(text.begin, text.end),
                           "\"" + text.text + "\" is no " + std::string(dslName(type)))
            .withHint(type == ValueType::Date ? "a date is written DATE '2024-01-31'"
                                              : "a timestamp is written TIMESTAMP '2024-01-31 12:00:00'");
    auto e = node(ExprKind::Time, spanFrom(first), std::string(dslName(type)) + " " + text.text);
    e->type = type;
    e->integer = *stored;
    return e;
}

/// INTERVAL '3' DAY
ExprPtr ExpressionParser::interval() {
    size_t first = at;
    const Token &text = tokens[at + 1];
    at += 2;
    int64_t n = 0, micros = 0;
    const char *end = text.text.data() + text.text.size();
    auto [stop, error] = std::from_chars(text.text.data(), end, n);
    if (error != std::errc() || stop != end)
        throw compileError(source.span(text.begin, text.end),
                           "an interval needs a whole number, found \"" + text.text + "\"")
            .withHint("an interval is written INTERVAL '3' DAY");
    std::string word = peek().kind == TokenKind::Word ? peek().upper : "";
    if (word.ends_with("S"))
        word.pop_back();
    std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    auto unit = calendar::parseUnit(word);
    if (!unit)
        unexpected("a unit (YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND)");
    ++at;
    bool isMonths = calendar::monthsIn(*unit) > 0;
    int64_t length = isMonths ? calendar::monthsIn(*unit) : calendar::microsIn(*unit);
    if (__builtin_mul_overflow(n, length, &micros) || micros == calendar::kNat)
        throw compileError(spanFrom(first), "the interval is too long");
    auto e = node(isMonths ? ExprKind::Months : ExprKind::Time, spanFrom(first), "interval " + text.text + " " + word);
    e->type = ValueType::Duration;
    e->integer = micros;
    return e;
}

/// EXTRACT(YEAR FROM d) is the function YEAR.
ExprPtr ExpressionParser::extract() {
    size_t first = at;
    at += 2;
    std::string part = name("a part of a date, such as YEAR");
    expectWord("FROM");
    auto value = condition();
    expect(")");
    return node(ExprKind::Call, spanFrom(first), std::move(part), std::move(value));
}

ExprPtr ExpressionParser::primary() {
    size_t first = at;
    const Token &t = peek();
    bool isQualifier = t.kind == TokenKind::Quoted && isSymbol(".", 1);
    if (isQualifier)
        return column();
    if (t.kind == TokenKind::Integer || t.kind == TokenKind::Float || t.kind == TokenKind::String ||
        t.kind == TokenKind::Quoted)
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
    bool beforeString = peek(1).kind == TokenKind::String;
    if (beforeString && (isWord("DATE") || isWord("TIMESTAMP")))
        return moment();
    if (beforeString && isWord("INTERVAL"))
        return interval();
    if (isWord("EXTRACT") && isSymbol("(", 1) && isWord("FROM", 3))
        return extract();
    if (isWord("NULL") && !isSymbol(".", 1)) {
        ++at;
        return node(ExprKind::Null, spanFrom(first), "NULL");
    }
    return isSymbol("(", 1) ? call() : column();
}

ExprPtr ExpressionParser::column() {
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

ExprPtr ExpressionParser::call() {
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
ExprPtr ExpressionParser::caseExpression() {
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

ExprPtr ExpressionParser::star() {
    size_t first = at++;
    return std::make_unique<Expr>(Expr{ExprKind::Star, spanFrom(first)});
}

} // namespace daphne::lang::sql
