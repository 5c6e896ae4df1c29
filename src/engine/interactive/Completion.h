// SPDX-License-Identifier: Apache-2.0
/// What may stand at the cursor of a prompt or a cell of a notebook: variables, functions, builtins and words of the
/// language; in a string the columns of the frame it indexes, else files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/Value.h"

namespace daphne::engine {

/// What the user has defined.
struct KnownNames {
    const std::map<std::string, Value> &variables;
    std::vector<std::string> functions;
    std::string home = {}; ///< what "~" stands for in names of files; "": nothing
};

struct Candidate {
    std::string text;
    const char *kind; ///< "variable", "function", "builtin", "word", "column" or "file"
};

/// What may stand at the cursor instead of the word that ends there.
struct Completions {
    size_t begin = 0; ///< of that word, a byte offset
    std::vector<Candidate> candidates;
};

/// For the word that ends at the cursor. Candidates are sorted; empty if the word is empty, or nothing fits.
Completions completionsAt(const std::string &text, size_t cursor, const KnownNames &names);

} // namespace daphne::engine
