// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Input.h"

#include "lang/dsl/Frontend.h"
#include "lang/dsl/Parser.h"

namespace daphne::lang {

std::vector<InputStatement> splitInput(std::string_view text, const std::map<std::string, std::string> &scriptArgs) {
    Arena arena;
    Diagnostics diagnostics;
    Parser parser(text, 1, arena, diagnostics, scriptArgs);
    parser.mayEndWithoutSemicolon();
    ParsedScript parsed = parser.parse();
    if (diagnostics.count() > 0)
        return {};
    std::vector<InputStatement> statements;
    for (const Stmt *s : parsed.script->body)
        statements.push_back({s->span.begin, s->span.end, false, false});
    if (!statements.empty() && parser.endedWithoutSemicolon()) {
        statements.back().lacksEnd = true;
        statements.back().isExpression = parsed.script->body.back()->kind == StmtKind::ExprStmt;
    }
    return statements;
}

} // namespace daphne::lang
