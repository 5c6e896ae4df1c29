// SPDX-License-Identifier: Apache-2.0
/// What people who type ask about names: builtins, their own functions and variables. Texts have a few lines, each with
/// its end, and are made for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/Session.h"
#include "ops/Registry.h"

namespace daphne::engine {

struct Meaning {
    const char *kind = ""; ///< "variable", "function", "builtin", or "" if nobody knows the name
    std::string text;      ///< what it is
    std::string source;    ///< of a function: its definitions as they were written
};

/// Variables hide functions, functions hide builtins.
Meaning meaningOf(std::string_view name, const Session &session);

/// The names somebody at this byte of the text may want to know about: the one at the cursor, then that of the function
/// whose arguments the cursor is among.
std::vector<std::string> namesAt(std::string_view text, size_t cursor);

/// Signature, what it does, parameters, an example; "" if there is no builtin of this name.
std::string builtinHelp(std::string_view name);
/// The builtin whose name is close to this one; "" if none is.
std::string nearestBuiltin(std::string_view name);

/// "matrix, optional, default `1`": what parameter i takes, for Markdown.
std::string describeParameter(const ops::BuiltinInfo &b, size_t i);
/// Whether argument i must be known when the script is parsed.
bool isParseTimeConstant(const ops::BuiltinInfo &b, size_t i);
size_t numResults(const ops::BuiltinInfo &b);

} // namespace daphne::engine
