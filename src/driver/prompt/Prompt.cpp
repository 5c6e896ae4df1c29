// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/Prompt.h"

#include <cstdio>

#include "driver/ScriptRunner.h"
#include "driver/prompt/LineEditor.h"
#include "lang/dsl/Frontend.h"

namespace daphne::driver {

namespace {

bool isBlank(const std::string &text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

/// The input as it would be complete: the last ';' may be left out.
std::string asStatement(std::string text) {
    size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos || text[end] == ';' || text[end] == '}')
        return text;
    return text.substr(0, end + 1) + ";";
}

} // namespace

int runPrompt(CommandLine options, std::shared_ptr<dist::TransportModule> job) {
    std::puts("Daphne. Statements end with ';'. Leave with Ctrl-D or exit.");
    ScriptRunner engine(std::move(options), std::move(job));
    LineEditor editor;
    std::string input;
    while (auto line = editor.read(input.empty() ? "daphne> " : "   ...> ")) {
        if (input.empty() && (*line == "exit" || *line == "quit"))
            break;
        input += *line + "\n";
        if (isBlank(input)) {
            input.clear();
            continue;
        }
        // An empty line ends an unfinished input: its error is shown.
        if (lang::isIncomplete(asStatement(input)) && !isBlank(*line))
            continue;
        editor.remember(input.substr(0, input.size() - 1));
        std::string text = std::exchange(input, {});
        if (asStatement(text) != text && engine.isExpression(text))
            text = "print(" + text.substr(0, text.find_last_not_of(" \t\r\n") + 1) + ");";
        engine.runInteractive(asStatement(std::move(text)));
    }
    engine.reportStatistics();
    return engine.reportMachines();
}

} // namespace daphne::driver
