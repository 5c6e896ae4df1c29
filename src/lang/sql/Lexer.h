// SPDX-License-Identifier: Apache-2.0
/// Tokens of queries. Keywords are words in any letter case; identifiers keep
/// theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/sql/QueryText.h"

namespace daphne::lang::sql {

/// Quoted: in double quotes; a name if there is something of that name, else a string.
enum class TokenKind : uint8_t { Word, Integer, Float, String, Quoted, Symbol, End };

struct Token {
    TokenKind kind;
    std::string text;  ///< as written; strings decoded
    std::string upper; ///< words: in upper case
    size_t begin, end; ///< in the query
};

/// Throws Error (status 2) for characters and strings that cannot be read. The last token is End.
std::vector<Token> tokenize(const QueryText &query);

/// Words that are never names (queries 1).
bool isReserved(std::string_view upper);
/// Words with a meaning after a table or an item, which therefore are no aliases without AS.
bool endsAlias(std::string_view upper);

} // namespace daphne::lang::sql
