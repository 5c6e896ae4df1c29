// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/Utf8.h"

namespace daphne::lang {

namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool isWordPart(char c) { return isLetter(c) || isDigit(c); }
constexpr bool isSeparator(char c) { return c == '_' || c == '\''; }

struct Spelling {
    std::string_view text;
    TokenKind kind;
};

constexpr std::array<Spelling, 35> kPunctuation = {{
    // Two characters before one: the longest match wins.
    {"::", TokenKind::ColonColon}, {"->", TokenKind::Arrow},      {"==", TokenKind::Equal},
    {"!=", TokenKind::NotEqual},   {"<=", TokenKind::LessEqual},  {">=", TokenKind::GreaterEqual},
    {"&&", TokenKind::And},        {"||", TokenKind::Or},         {"+=", TokenKind::AssignWith},
    {"-=", TokenKind::AssignWith}, {"*=", TokenKind::AssignWith}, {"/=", TokenKind::AssignWith},
    {"{", TokenKind::LeftBrace},   {"}", TokenKind::RightBrace},  {"(", TokenKind::LeftParen},
    {")", TokenKind::RightParen},  {"[", TokenKind::LeftBracket}, {"]", TokenKind::RightBracket},
    {",", TokenKind::Comma},       {";", TokenKind::Semicolon},   {":", TokenKind::Colon},
    {".", TokenKind::Dot},         {"=", TokenKind::Assign},      {"$", TokenKind::Dollar},
    {"?", TokenKind::Question},    {"@", TokenKind::At},          {"^", TokenKind::Caret},
    {"%", TokenKind::Percent},     {"*", TokenKind::Star},        {"/", TokenKind::Slash},
    {"+", TokenKind::Plus},        {"-", TokenKind::Minus},       {"<", TokenKind::Less},
    {">", TokenKind::Greater},     {"!", TokenKind::Not},
}};

constexpr std::array<Spelling, 29> kWords = {{
    {"if", TokenKind::If},
    {"else", TokenKind::Else},
    {"while", TokenKind::While},
    {"do", TokenKind::Do},
    {"for", TokenKind::For},
    {"in", TokenKind::In},
    {"true", TokenKind::True},
    {"false", TokenKind::False},
    {"as", TokenKind::As},
    {"def", TokenKind::Def},
    {"return", TokenKind::Return},
    {"import", TokenKind::Import},
    {"matrix", TokenKind::DataTypeWord},
    {"scalar", TokenKind::DataTypeWord},
    {"frame", TokenKind::DataTypeWord},
    {"f64", TokenKind::ValueTypeWord},
    {"f32", TokenKind::ValueTypeWord},
    {"si64", TokenKind::ValueTypeWord},
    {"si32", TokenKind::ValueTypeWord},
    {"si8", TokenKind::ValueTypeWord},
    {"ui64", TokenKind::ValueTypeWord},
    {"ui32", TokenKind::ValueTypeWord},
    {"ui8", TokenKind::ValueTypeWord},
    {"str", TokenKind::ValueTypeWord},
    {"bool", TokenKind::ValueTypeWord},
    {"nan", TokenKind::Float},
    {"nanf", TokenKind::Float},
    {"inf", TokenKind::Float},
    {"inff", TokenKind::Float},
}};

TokenKind wordKind(std::string_view word) {
    if (word.size() > 6)
        return TokenKind::Identifier;
    for (const Spelling &s : kWords)
        if (s.text == word)
            return s.kind;
    return TokenKind::Identifier;
}

/// The two-character spellings end here in kPunctuation.
constexpr size_t kNumLongPunctuation = 12;

/// First index in kPunctuation of a one-character token by its character, 0 if it is none.
constexpr auto kSingle = [] {
    std::array<uint8_t, 128> table{};
    for (size_t i = kNumLongPunctuation; i < kPunctuation.size(); ++i)
        table[static_cast<unsigned char>(kPunctuation[i].text[0])] = static_cast<uint8_t>(i);
    return table;
}();

class Lexer {
  public:
    Lexer(std::string_view text, uint32_t fileId, Diagnostics &diagnostics)
        : text(text), fileId(fileId), diagnostics(diagnostics) {}

    TokenList run() {
        out.tokens.reserve(text.size() / 4 + 16);
        checkEncoding();
        while (skipBlanks())
            token();
        emit(TokenKind::End, at);
        matchBrackets();
        return std::move(out);
    }

  private:
    char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
    SourceSpan span(size_t begin, size_t end) const {
        return {fileId, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    }
    void emit(TokenKind kind, size_t begin) {
        out.tokens.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(at), 0});
    }

    /// Positions in strings count characters, so there must not be anything else.
    void checkEncoding() {
        size_t bad = findBadUtf8(text);
        if (bad == text.npos)
            return;
        auto c = static_cast<unsigned char>(text[bad]);
        constexpr std::string_view kHex = "0123456789abcdef";
        diagnostics
            .report(span(bad, bad + 1), std::string("the script is not UTF-8: byte 0x") + kHex[c >> 4] + kHex[c & 15] +
                                            " belongs to no character")
            .withHint("save the file as UTF-8");
    }

    /// Skips white space and comments; false at the end of the text.
    bool skipBlanks() {
        while (at < text.size()) {
            char c = text[at];
            if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
                ++at;
            else if (c == '#' || (c == '/' && peek(1) == '/'))
                at = std::min(text.find('\n', at), text.size());
            else if (c == '/' && peek(1) == '*')
                blockComment();
            else
                return true;
        }
        return false;
    }

    void blockComment() {
        size_t end = text.find("*/", at + 2);
        if (end == text.npos) {
            out.unterminated = true;
            diagnostics.report(span(at, at + 2), "this comment is never closed").withHint("close it with */");
            at = text.size();
        } else {
            at = end + 2;
        }
    }

    void token() {
        char c = text[at];
        if (isLetter(c))
            word();
        else if (isDigit(c))
            number();
        else if (c == '"')
            string();
        else if (c == '.' && isDigit(peek(1)) && !followsName())
            malformedNumber(at, "a number needs a digit before the decimal point", "write 0.5, not .5");
        else if (!punctuation())
            strayCharacter();
    }

    /// In a.5 the point belongs to a dotted name (which the parser rejects with a better message).
    bool followsName() const { return !out.tokens.empty() && out.tokens.back().kind == TokenKind::Identifier; }

    void word() {
        size_t begin = at;
        while (isWordPart(peek()))
            ++at;
        emit(wordKind(text.substr(begin, at - begin)), begin);
    }

    bool punctuation() {
        for (size_t i = 0; i < kNumLongPunctuation; ++i)
            if (text[at] == kPunctuation[i].text[0] && peek(1) == kPunctuation[i].text[1])
                return accept(kPunctuation[i]);
        auto c = static_cast<unsigned char>(text[at]);
        return c < 128 && kSingle[c] && accept(kPunctuation[kSingle[c]]);
    }
    bool accept(const Spelling &s) {
        size_t begin = at;
        at += s.text.size();
        emit(s.kind, begin);
        return true;
    }

    // ------------------------------------------------------------- numbers

    /// { [separator] digit }, separators only between digits.
    void digitsWithSeparators() {
        while (isDigit(peek()) || (isSeparator(peek()) && isDigit(peek(1))))
            at += isDigit(peek()) ? 1 : 2;
    }

    void number() {
        size_t begin = at;
        bool zero = peek() == '0';
        ++at;
        if (!zero)
            digitsWithSeparators();
        else if (isDigit(peek()))
            return malformedNumber(begin, "a number cannot start with a zero", "drop the leading zeros");
        bool fraction = takeFraction(), exponent = takeExponent();
        bool isReal = fraction || exponent;
        if (isReal && peek() == 'f')
            ++at;
        else if (!isReal)
            takeIntSuffix();
        if (isWordPart(peek()) || peek() == '\'' || peek() == '.')
            return malformedNumber(begin, whatIsWrong(begin, isReal), {});
        emit(isReal ? TokenKind::Float : TokenKind::Int, begin);
        checkRange();
    }

    bool takeFraction() {
        if (peek() != '.' || !isDigit(peek(1)))
            return false;
        at += 2;
        digitsWithSeparators();
        return true;
    }
    bool takeExponent() {
        if (peek() != 'e' && peek() != 'E')
            return false;
        size_t sign = peek(1) == '+' || peek(1) == '-';
        if (!isDigit(peek(1 + sign)))
            return false;
        at += 1 + sign;
        bool zero = peek() == '0';
        ++at;
        while (!zero && isDigit(peek()))
            ++at;
        return true;
    }
    void takeIntSuffix() {
        if (text.substr(at, 3) == "ull")
            at += 3;
        else if (peek() == 'l' || peek() == 'u' || peek() == 'z')
            ++at;
    }

    std::string whatIsWrong(size_t begin, bool isReal) const {
        char c = peek();
        if (c == '.')
            return isReal ? "a number has at most one decimal point" : "digits must follow the decimal point";
        if (isSeparator(c))
            return "a separator must stand between two digits of a number";
        if (isDigit(c))
            return "an exponent cannot start with a zero";
        if (c == 'f' && !isReal)
            return "the suffix f needs a fraction or an exponent, as in 1.0f";
        if ((c == 'e' || c == 'E') && !isReal)
            return "the exponent has no digits";
        if (c == 'x' && text.substr(begin, at - begin) == "0")
            return "there are no hexadecimal numbers";
        return "letters cannot follow a number directly";
    }

    /// Swallows the rest of what looks like one number and goes on as if it had been a valid one.
    void malformedNumber(size_t begin, std::string message, std::string hint) {
        at = std::max(at, begin);
        auto isExponentSign = [&] {
            return (peek() == '+' || peek() == '-') && at > begin && (text[at - 1] == 'e' || text[at - 1] == 'E');
        };
        while (isWordPart(peek()) || peek() == '\'' || peek() == '.' || isExponentSign())
            ++at;
        Error &e = diagnostics.report(span(begin, at), "not a number: " + std::move(message));
        e.withHint(std::move(hint));
        emit(TokenKind::Int, begin);
        out.tokens.back().match = kMalformed;
    }

    void checkRange() {
        const Token &t = out.tokens.back();
        std::string_view literal = text.substr(t.begin, t.end - t.begin);
        ValueType type = ValueType::Unknown;
        if (t.kind == TokenKind::Int) {
            if (literal.size() < 19)
                return;
            IntValue v = decodeInt(literal);
            if (v.inRange)
                return;
            type = v.type;
        } else {
            // Without an exponent it takes 39 digits to leave the range of f32.
            if (literal.size() < 39 && literal.find_first_of("eE") == literal.npos)
                return;
            FloatValue v = decodeFloat(literal);
            if (v.inRange)
                return;
            type = v.type;
        }
        std::string shown(literal.size() > 40 ? literal.substr(0, 37) : literal);
        Error &e =
            diagnostics.report(span(t.begin, t.end), shown + (literal.size() > 40 ? "..." : "") +
                                                         " is out of the range of " + std::string(dslName(type)));
        if (type == ValueType::SI64)
            e.withHint("ui64 literals (suffix u) reach up to 18446744073709551615; write 1.0e19 for a float");
    }

    // ------------------------------------------------------------- strings

    void string() {
        size_t begin = at++;
        while (at < text.size() && text[at] != '"') {
            if (text[at] == '\\')
                escape();
            else
                ++at;
        }
        if (at < text.size()) {
            ++at;
        } else {
            out.unterminated = true;
            diagnostics.report(span(begin, begin + 1), "this string is never closed").withHint("close it with \"");
        }
        emit(TokenKind::String, begin);
    }

    void escape() {
        constexpr std::string_view kEscapes = "bfnrt\"\\";
        size_t begin = at++;
        if (at >= text.size())
            return;
        ++at;
        if (kEscapes.find(text[at - 1]) == std::string_view::npos)
            diagnostics.report(span(begin, at), "unknown escape in a string")
                .withHint("known ones are \\b \\f \\n \\r \\t \\\" and \\\\");
    }

    // ------------------------------------------------------------ the rest

    void strayCharacter() {
        size_t begin = at++;
        auto c = static_cast<unsigned char>(text[begin]);
        // One report for a run of non-ASCII bytes: they usually are one word.
        while (c >= 128 && at < text.size() && static_cast<unsigned char>(text[at]) >= 128)
            ++at;
        Error &e = diagnostics.report(span(begin, at), strayText(c));
        if (c == '&' || c == '|')
            e.withHint(std::string("the logical operator is ") + text[begin] + text[begin]);
        else if (c == '\'')
            e.withHint(isBehindValue(begin) ? "the transpose is t(X); strings are written in double quotes"
                                            : "strings are written in double quotes");
        else if (c == '~')
            e.withHint("'not' is written !x, inequality a != b");
        else if (c == '`')
            e.withHint("names stand without quotes, strings in double quotes");
        else if (c >= 128)
            e.withHint("only strings and comments may contain non-ASCII characters");
    }

    /// Whether what stands right before may be a value.
    bool isBehindValue(size_t at) const {
        char before = at > 0 ? text[at - 1] : ' ';
        return std::isalnum(static_cast<unsigned char>(before)) || before == '_' || before == ')' || before == ']';
    }

    static std::string strayText(unsigned char c) {
        if (c >= 128)
            return "unexpected non-ASCII text";
        if (c > 32 && c < 127)
            return std::string("unexpected character '") + static_cast<char>(c) + "'";
        constexpr std::string_view kHex = "0123456789abcdef";
        return std::string("unexpected byte 0x") + kHex[c >> 4] + kHex[c & 15];
    }

    /// Links opening brackets to their closing ones. Tokens inside mismatched brackets stay unlinked.
    void matchBrackets() {
        std::vector<uint32_t> open;
        for (uint32_t i = 0; i < out.tokens.size(); ++i) {
            TokenKind kind = out.tokens[i].kind;
            if (kind == TokenKind::LeftBrace || kind == TokenKind::LeftParen || kind == TokenKind::LeftBracket) {
                open.push_back(i);
                continue;
            }
            if (kind != TokenKind::RightBrace && kind != TokenKind::RightParen && kind != TokenKind::RightBracket)
                continue;
            // Every closing kind directly follows its opening one in the enumeration.
            if (open.empty() || static_cast<int>(out.tokens[open.back()].kind) + 1 != static_cast<int>(kind))
                return;
            out.tokens[open.back()].match = i;
            open.pop_back();
        }
    }

    std::string_view text;
    uint32_t fileId;
    Diagnostics &diagnostics;
    size_t at = 0;
    TokenList out;
};

} // namespace

TokenList tokenize(std::string_view text, uint32_t fileId, Diagnostics &diagnostics) {
    return Lexer(text, fileId, diagnostics).run();
}

std::string describe(TokenKind kind) {
    switch (kind) {
    case TokenKind::End: return "the end of the script";
    case TokenKind::DataTypeWord:
    case TokenKind::ValueTypeWord: return "a type";
    case TokenKind::Int:
    case TokenKind::Float: return "a number";
    case TokenKind::String: return "a string";
    case TokenKind::Identifier: return "a name";
    default: break;
    }
    for (const Spelling &s : kPunctuation)
        if (s.kind == kind)
            return "'" + std::string(s.text) + "'";
    for (const Spelling &s : kWords)
        if (s.kind == kind)
            return "'" + std::string(s.text) + "'";
    return "a token";
}

} // namespace daphne::lang
