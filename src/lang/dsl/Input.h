// SPDX-License-Identifier: Apache-2.0
/// What somebody types at a prompt, taken apart by the parser: whether more lines may complete it, and its statements.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::lang {

struct InputStatement {
    size_t begin, end; ///< in the text
    bool lacksEnd;     ///< its ';' was left out: only the last one
    bool isExpression; ///< without ';'
};

/// The statements at the top level, in order. None if the text has errors of syntax; names and types are not looked at.
/// The last ';' may be missing.
std::vector<InputStatement> splitInput(std::string_view text, const std::map<std::string, std::string> &scriptArgs);

} // namespace daphne::lang
