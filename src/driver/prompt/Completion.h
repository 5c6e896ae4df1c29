// SPDX-License-Identifier: Apache-2.0
/// What may stand at the cursor of the prompt: variables, functions, builtins and words of the language; in a string
/// the columns of the frame it indexes, else files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/Value.h"
#include "driver/prompt/LineEditor.h"

namespace daphne::driver {

/// What the user has defined.
struct KnownNames {
    const std::map<std::string, Value> &variables;
    std::vector<std::string> functions;
};

/// For the word that ends at the cursor. Candidates are sorted; empty if the word is empty, or nothing fits.
Completions completionsAt(const std::string &text, size_t cursor, const KnownNames &names);

} // namespace daphne::driver
