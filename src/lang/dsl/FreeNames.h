// SPDX-License-Identifier: Apache-2.0
/// The names in a lambda that are not its own: what it takes from where it
/// stands, if there is a variable of that name.
#pragma once

#include <string_view>
#include <vector>

#include "lang/dsl/Ast.h"

namespace daphne::lang {

struct FreeName {
    std::string_view name;
    bool isCalled; ///< occurs only before parentheses
};

/// In the order of the text, each once.
std::vector<FreeName> freeNames(const Lambda &lambda);

} // namespace daphne::lang
