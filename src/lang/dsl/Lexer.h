// SPDX-License-Identifier: Apache-2.0
/// Text to tokens (language 1). Tokens are offsets into the text; literal
/// values are decoded on demand. Errors are reported and the offending text
/// becomes the token it was probably meant to be, so that parsing can go on.
/// Linear time, any bytes.
///
/// Brackets are single tokens here: whether `[[` opens a filter or an index
/// with a matrix literal is decided by the parser from the matching bracket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/Source.h"
#include "base/ValueType.h"
#include "lang/dsl/Diagnostics.h"

namespace daphne::lang {

enum class TokenKind : uint8_t {
    End,
    // Punctuation
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Semicolon,
    Colon,
    ColonColon,
    Dot,
    Arrow,
    Assign,
    AssignWith, ///< "+=" and the like
    Dollar,
    Question,
    At,
    Caret,
    Percent,
    Star,
    Slash,
    Plus,
    Minus,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Not,
    // Keywords
    If,
    Else,
    While,
    Do,
    For,
    In,
    True,
    False,
    As,
    Def,
    Return,
    Import,
    DataTypeWord,
    ValueTypeWord,
    Int,
    Float,
    String,
    Identifier,
};

/// Marks a number that has been reported and cannot be decoded.
constexpr uint32_t kMalformed = UINT32_MAX;

struct Token {
    TokenKind kind = TokenKind::End;
    uint32_t begin = 0, end = 0;
    uint32_t match = 0; ///< opening brackets: index of the closing token, 0 if there is none; numbers: maybe kMalformed
};

struct TokenList {
    std::vector<Token> tokens; ///< the last one is End
    bool unterminated = false; ///< the text ends inside a string or a comment
};

TokenList tokenize(std::string_view text, uint32_t fileId, Diagnostics &diagnostics);

/// How a kind of token is called in messages: "';'", "an identifier".
std::string describe(TokenKind kind);

// Decoding of tokens that tokenize() accepted.

struct IntValue {
    int64_t value = 0; ///< two's complement bits for unsigned types
    ValueType type = ValueType::SI64;
    bool inRange = true;
};
IntValue decodeInt(std::string_view literal);

struct FloatValue {
    double value = 0;
    ValueType type = ValueType::F64;
    bool inRange = true;
};
FloatValue decodeFloat(std::string_view literal);

/// Text between the quotes, as written.
std::string_view rawString(std::string_view literal);
/// Replaces the escapes of a raw string.
std::string decodeEscapes(std::string_view raw);

} // namespace daphne::lang
