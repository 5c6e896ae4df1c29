// SPDX-License-Identifier: Apache-2.0
/// What is written differently in other languages (Python, R, Julia, MATLAB, SQL):
/// hints for names and words that are not known here.
#pragma once

#include <string>
#include <string_view>

namespace daphne::lang {

/// For a function or a variable that does not exist; "" if nothing is known about it. Also of members: "X.shape".
std::string hintForName(std::string_view name);

/// For a builtin that is called with another number of arguments than it takes; "" if nothing is known about it.
std::string_view hintForArity(std::string_view builtin, size_t numArgs);

/// A place where the parser cannot go on: the first two tokens of the statement, the token before the place and the one
/// found there; what stands between these two; the innermost open bracket, if it ought to be closed there, and the
/// token before it.
struct BrokenPlace {
    std::string_view first, second, before, found, gap, opening, beforeOpening;
    std::string_view called; ///< the name in front of parentheses that end before the place, or ""
};
/// "" if nothing is known about it.
std::string_view hintForSyntax(const BrokenPlace &place);

/// For a word that stands where a type is expected.
std::string_view hintForType(std::string_view word);

/// For a type that stands where a value is expected, and the token behind it.
std::string hintForTypeAsValue(std::string_view type, std::string_view after);

} // namespace daphne::lang
