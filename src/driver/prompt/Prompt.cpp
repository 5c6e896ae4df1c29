// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/Prompt.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "driver/ScriptRunner.h"
#include "driver/process/Interruptible.h"
#include "driver/prompt/LineEditor.h"
#include "engine/interactive/Completion.h"
#include "engine/interactive/Display.h"
#include "engine/interactive/Help.h"
#include "lang/dsl/Ast.h"
#include "lang/dsl/Frontend.h"

namespace daphne::driver {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string trimmed(std::string_view text) {
    size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos)
        return "";
    return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

bool isName(std::string_view text) {
    auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    return !text.empty() && std::ranges::all_of(text, isPart) && !std::isdigit(static_cast<unsigned char>(text[0]));
}

/// "sum" of "?sum" or "help(sum)", with or without ';'; "" if the input does not ask for help.
std::string helpWanted(std::string input) {
    if (input.ends_with(';'))
        input = trimmed(std::string_view(input).substr(0, input.size() - 1));
    std::string name;
    if (input.starts_with('?'))
        name = trimmed(std::string_view(input).substr(1));
    else if (input.starts_with("help") && input.ends_with(')') && trimmed(input.substr(4)).starts_with('('))
        name = trimmed(std::string_view(input).substr(input.find('(') + 1, input.size() - input.find('(') - 2));
    if (name.size() > 1 && name.starts_with('"') && name.ends_with('"'))
        name = name.substr(1, name.size() - 2);
    return isName(name) ? name : "";
}

class Prompt {
  public:
    explicit Prompt(ScriptRunner &runner)
        : runner(runner),
          editor({.isIncomplete = [](const std::string &text) { return needsMore(text); },
                  .complete = [this](const std::string &text, size_t cursor) { return completions(text, cursor); }}) {}

    void run() {
        if (editor.isOnTerminal())
            ignoreInterrupts();
        while (auto line = editor.read("daphne> ")) {
            std::string input = trimmed(*line);
            if (input == "exit" || input == "quit")
                break;
            if (input.empty())
                continue;
            editor.remember(input);
            if (input.starts_with(':'))
                command(input);
            else if (std::string name = helpWanted(input); !name.empty() || input.starts_with('?'))
                help(name);
            else
                statements(*line);
        }
    }

  private:
    /// Lines that are not of the language are complete.
    static bool needsMore(const std::string &text) {
        std::string input = trimmed(text);
        return !input.starts_with(':') && !input.starts_with('?') && lang::isIncomplete(text);
    }

    void print(const std::string &text) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
    void complain(const std::string &text) {
        std::fprintf(stderr, "%s\n", text.c_str());
        std::fflush(stderr);
    }

    Completions completions(const std::string &text, size_t cursor) {
        engine::KnownNames known = runner.session().knownNames();
        if (const char *home = std::getenv("HOME"))
            known.home = home;
        engine::Completions found = engine::completionsAt(text, cursor, known);
        Completions shown{found.begin, {}};
        for (engine::Candidate &candidate : found.candidates)
            shown.candidates.push_back(std::move(candidate.text));
        return shown;
    }

    void statements(const std::string &text) {
        auto spent = runner.runInteractive(
            text, [&](const Value &value) { print(engine::displayText(value, editor.columns())); });
        if (isTiming && spent) {
            char line[96];
            std::snprintf(line, sizeof line, "time: %.1f ms (%.1f ms compiling)",
                          1e3 * (spent->parsing + spent->compilation + spent->execution),
                          1e3 * (spent->parsing + spent->compilation));
            complain(line);
        }
    }

    // ------------------------------------------------------------- commands

    void command(const std::string &input) {
        if (input == ":time on" || input == ":time off")
            isTiming = input == ":time on";
        else if (input == ":time")
            print(isTiming ? "on\n" : "off\n");
        else if (input == ":vars")
            print(variablesText());
        else
            complain("error: there is no command " + input + "\n  = hint: :time on|off, :vars, ?name");
    }

    std::string variablesText() {
        std::string text;
        size_t width = 0;
        for (const auto &[name, value] : runner.session().variables)
            width = std::max(width, name.size());
        for (const auto &[name, value] : runner.session().variables)
            text += name + std::string(width - name.size() + 2, ' ') + engine::summaryText(value) + "\n";
        for (const lang::FuncDef *f : runner.session().definitions())
            text += "def " + runner.session().headingOf(*f) + "\n";
        return text;
    }

    /// Variables hide functions, functions hide builtins.
    void help(const std::string &name) {
        if (engine::Meaning meaning = engine::meaningOf(name, runner.session()); !meaning.text.empty())
            return print(meaning.text);
        std::string message = name.empty() ? "error: help needs a name, as in ?sum" : "error: there is no " + name;
        std::string near = name.empty() ? "" : engine::nearestBuiltin(name);
        complain(message + (near.empty() ? "" : "\n  = hint: did you mean " + near + "?"));
    }

    ScriptRunner &runner;
    LineEditor editor;
    bool isTiming = false;
};

} // namespace

int runPrompt(CommandLine options, std::shared_ptr<dist::TransportModule> job) {
    std::puts("Daphne. ?name explains a builtin, Ctrl-D leaves.");
    std::fflush(stdout);
    ScriptRunner runner(std::move(options), std::move(job));
    Prompt(runner).run();
    runner.reportStatistics();
    return runner.reportMachines();
}

} // namespace daphne::driver
