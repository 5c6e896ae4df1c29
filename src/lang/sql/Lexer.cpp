// SPDX-License-Identifier: Apache-2.0
#include "lang/sql/Lexer.h"

#include <algorithm>

#include "base/Error.h"
#include "lang/sql/Ast.h"

namespace daphne::lang::sql {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::string_view kReserved[] = {
    "SELECT", "DISTINCT", "FROM",  "AS",    "INNER",   "JOIN",    "ON",   "WHERE",  "GROUP", "BY",        "HAVING",
    "ORDER",  "ASC",      "DESC",  "AND",   "OR",      "BETWEEN", "ALL",  "UNIQUE", "UNION", "INTERSECT", "MINUS",
    "WITH",   "ONLY",     "USING", "CROSS", "NATURAL", "FULL",    "LEFT", "RIGHT",  "OUTER"};
/// Words of what goes beyond the reserved ones; they can be names where no such part can stand.
constexpr std::string_view kFurther[] = {"LIMIT", "OFFSET", "EXCEPT", "NOT",  "IN",  "LIKE",   "IS",
                                         "CASE",  "WHEN",   "THEN",   "ELSE", "END", "EXISTS", "NULL"};

template <size_t N> bool contains(const std::string_view (&words)[N], std::string_view word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class Scanner {
  public:
    explicit Scanner(const QueryText &query) : query(query), text(query.text()) {}

    std::vector<Token> run() {
        while (skipBlanks(), at < text.size())
            next();
        tokens.push_back({TokenKind::End, "", "", text.size(), text.size()});
        return std::move(tokens);
    }

  private:
    char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
    void skipBlanks() {
        while (at < text.size() && isBlank(text[at]))
            ++at;
    }
    void add(TokenKind kind, size_t begin) {
        std::string written(text.substr(begin, at - begin)), upper;
        if (kind == TokenKind::Word)
            upper = upperCase(written);
        tokens.push_back({kind, std::move(written), std::move(upper), begin, at});
    }

    void next() {
        size_t begin = at;
        char c = peek();
        if (isLetter(c)) {
            while (isLetter(peek()) || isDigit(peek()))
                ++at;
            return add(TokenKind::Word, begin);
        }
        bool afterWord = !tokens.empty() && tokens.back().kind == TokenKind::Word && tokens.back().end == at;
        if (isDigit(c) || (c == '.' && isDigit(peek(1)) && !afterWord))
            return number();
        if (c == '\'' || c == '"')
            return string(c);
        static constexpr std::string_view kSymbols[] = {"<>", "!=", "<=", ">=", "||", "<", ">", "=", "+",
                                                        "-",  "*",  "/",  "%",  "(",  ")", ",", ".", ";"};
        for (std::string_view symbol : kSymbols)
            if (text.substr(at).starts_with(symbol)) {
                at += symbol.size();
                return add(TokenKind::Symbol, begin);
            }
        throw compileError(query.span(at, at + 1), "a query cannot contain the character '" + std::string(1, c) + "'");
    }

    void number() {
        size_t begin = at;
        bool isFloat = false;
        while (isDigit(peek()))
            ++at;
        if (peek() == '.') {
            isFloat = true;
            ++at;
            while (isDigit(peek()))
                ++at;
        }
        if (isLetter(peek()))
            throw compileError(query.span(begin, at + 1), "a number must not be followed by a letter");
        add(isFloat ? TokenKind::Float : TokenKind::Integer, begin);
    }

    void string(char quote) {
        size_t begin = at++;
        std::string value;
        while (true) {
            if (at >= text.size())
                throw compileError(query.span(begin, text.size()), "the string is not closed");
            char c = text[at++];
            if (c == quote) {
                if (peek() != quote)
                    break;
                ++at; // a doubled quote is one
            } else if (c == '\\') {
                c = escaped();
            }
            value += c;
        }
        tokens.push_back({quote == '"' ? TokenKind::Quoted : TokenKind::String, std::move(value), "", begin, at});
    }

    char escaped() {
        char c = peek();
        ++at;
        switch (c) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case '"':
        case '\'':
        case '\\': return c;
        default:
            throw compileError(query.span(at - 2, at), "unknown escape in a string")
                .withHint("known are \\b \\f \\n \\r \\t \\\" \\' \\\\");
        }
    }

    const QueryText &query;
    std::string_view text;
    size_t at = 0;
    std::vector<Token> tokens;
};

} // namespace

std::string upperCase(std::string_view word) {
    std::string upper(word);
    for (char &c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return upper;
}

std::vector<Token> tokenize(const QueryText &query) { return Scanner(query).run(); }

bool isReserved(std::string_view upper) { return contains(kReserved, upper); }
bool endsAlias(std::string_view upper) { return isReserved(upper) || contains(kFurther, upper); }

} // namespace daphne::lang::sql
