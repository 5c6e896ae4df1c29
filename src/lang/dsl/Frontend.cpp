// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Frontend.h"

#include <algorithm>
#include <limits>

#include "lang/dsl/Checker.h"

namespace daphne::lang {

namespace {

/// The order of the text, imported files after the script itself.
void sortByPlace(std::vector<Error> &errors) {
    std::stable_sort(errors.begin(), errors.end(), [](const Error &a, const Error &b) {
        return std::pair(a.where.fileId, a.where.begin) < std::pair(b.where.fileId, b.where.begin);
    });
}

} // namespace

FrontendResult parseProgram(SourceManager &sources, uint32_t fileId, const std::string &directory,
                            const FrontendOptions &options, const SessionNames &session) {
    FrontendResult result;
    result.program.arena = std::make_unique<Arena>();
    Diagnostics diagnostics;
    std::string_view text = sources.text(fileId);
    if (text.size() >= std::numeric_limits<uint32_t>::max()) {
        result.errors.push_back(parseError({}, "the script is too large: 4 GiB or more"));
        return result;
    }
    Parser parser(text, fileId, *result.program.arena, diagnostics, options.scriptArgs);
    ParsedScript parsed = parser.parse();
    result.program.main = parsed.script;
    // After a syntax error names would be missing that the script does define.
    if (diagnostics.count() == 0) {
        CheckRun run{sources, *result.program.arena, options, diagnostics};
        std::string identity = fileIdentity(sources.name(fileId));
        if (!identity.empty())
            run.loading.push_back(identity);
        Checker checker(run, std::move(parsed), {directory.empty() ? "." : directory, identity});
        checker.addSession(session);
        checker.check();
        result.program.anyFunctionValue = run.anyFunctionValue;
    }
    result.errors = diagnostics.take();
    sortByPlace(result.errors);
    return result;
}

bool isIncomplete(std::string_view text) {
    Arena arena;
    Diagnostics diagnostics;
    Parser::ScriptArgs noArgs;
    Parser parser(text, 1, arena, diagnostics, noArgs);
    parser.mayEndWithoutSemicolon();
    // A lexical error other than an open end will not be repaired by more text.
    bool broken = diagnostics.count() > 0 && !parser.endedTooEarly();
    if (broken)
        return false;
    parser.parse();
    return parser.endedTooEarly();
}

} // namespace daphne::lang
