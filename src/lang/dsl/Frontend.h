// SPDX-License-Identifier: Apache-2.0
/// The front end in one call: text to checked AST. Everything that the parser
/// stage rejects (language 14.2, status 1) is reported here, several errors per
/// run where possible.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/Error.h"
#include "base/Source.h"
#include "lang/dsl/Ast.h"
#include "ops/TypeDesc.h"

namespace daphne::lang {

struct FrontendOptions {
    std::map<std::string, std::string> scriptArgs; ///< $name -> text as given
    /// daphnedsl_import_paths of the configuration: library name -> directories.
    std::map<std::string, std::vector<std::string>> importPaths;
};

/// What earlier inputs of an interactive session left behind.
struct SessionNames {
    std::map<std::string, ops::TypeDesc> variables;
    std::vector<const FuncDef *> functions; ///< in order of definition
    std::vector<const Import *> imports;    ///< in order of execution
};

/// A script that was parsed and checked. Owns the nodes.
struct CheckedScript {
    std::unique_ptr<Arena> arena;
    const Script *main = nullptr;
    bool anyFunctionValue = false; ///< variables may hold functions
};

/// Most errors reported in one run.
constexpr size_t kMaxErrors = 20;

/// Parses and checks the file already added to `sources` (imports are added to it). `directory` is where relative
/// imports of the main script start. On errors the program is unusable and `errors` is not empty.
struct FrontendResult {
    CheckedScript program;
    std::vector<Error> errors;
};
FrontendResult parseProgram(SourceManager &sources, uint32_t fileId, const std::string &directory,
                            const FrontendOptions &options, const SessionNames &session = {});

/// Interactive input: true if the text ends inside brackets, a string, a comment or a statement, so more lines may
/// complete it.
bool isIncomplete(std::string_view text);

} // namespace daphne::lang
