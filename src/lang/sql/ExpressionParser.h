// SPDX-License-Identifier: Apache-2.0
/// Expressions of queries. Queries inside of them are parsed by whoever knows
/// their grammar.
#pragma once

#include "lang/sql/Ast.h"
#include "lang/sql/TokenReader.h"

namespace daphne::lang::sql {

class ExpressionParser : protected TokenReader {
  protected:
    using TokenReader::TokenReader;
    virtual ~ExpressionParser() = default;

    /// Any expression: OR and everything that binds tighter.
    ExprPtr condition();
    /// "*", which comes next.
    ExprPtr star();
    int64_t integer(const Token &t) const;

    /// A query in parentheses, from behind the opening to before the closing one.
    virtual std::shared_ptr<Query> query() = 0;

  private:
    ExprPtr conjunction();
    ExprPtr negation();
    ExprPtr predicate();
    ExprPtr membership(ExprPtr left, size_t first);
    /// One level of left-associative binary operators.
    template <size_t N> ExprPtr chain(const std::string_view (&operators)[N], ExprPtr (ExpressionParser::*operand)());
    ExprPtr comparison();
    ExprPtr sum();
    ExprPtr product();
    ExprPtr sign();
    ExprPtr literal();
    ExprPtr moment();
    ExprPtr interval();
    ExprPtr extract();
    ExprPtr primary();
    ExprPtr column();
    ExprPtr call();
    ExprPtr caseExpression();
};

} // namespace daphne::lang::sql
