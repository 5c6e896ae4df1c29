// SPDX-License-Identifier: Apache-2.0
/// The tokens of a query, one after another, as parsers look at them: what comes
/// next, taking it if it is wanted, and the error if it is not.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/Error.h"
#include "lang/sql/Lexer.h"
#include "lang/sql/QueryText.h"

namespace daphne::lang::sql {

class TokenReader {
  protected:
    explicit TokenReader(const QueryText &source) : source(source), tokens(tokenize(source)) {}

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
        bool isString = t.kind == TokenKind::String || t.kind == TokenKind::Quoted;
        std::string found = t.kind == TokenKind::End ? "the query ends"
                            : isString               ? "found a string"
                                                     : "found '" + t.text + "'";
        throw compileError(source.span(t.begin, std::max(t.end, t.begin + 1)),
                           "the query needs " + wanted + " here, but " + found);
    }
    SourceSpan spanFrom(size_t firstToken) const {
        return source.span(tokens[firstToken].begin, tokens[at > firstToken ? at - 1 : firstToken].end);
    }
    std::string name(const std::string &what) {
        bool isName = peek().kind == TokenKind::Quoted || (peek().kind == TokenKind::Word && !isReserved(peek().upper));
        if (!isName)
            unexpected(what);
        return tokens[at++].text;
    }

    /// Deeper expressions and queries are refused, so that the stack suffices.
    static constexpr int kMaxDepth = 400;
    /// Counts nested calls.
    struct Depth {
        explicit Depth(TokenReader &r) : reader(r) {
            if (++reader.depth > kMaxDepth)
                throw compileError(reader.source.span(reader.peek().begin, reader.peek().end),
                                   "the query is nested too deeply");
        }
        ~Depth() { --reader.depth; }
        TokenReader &reader;
    };

    const QueryText &source;
    std::vector<Token> tokens;
    size_t at = 0;
    int depth = 0;
};

} // namespace daphne::lang::sql
