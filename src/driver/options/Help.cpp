// SPDX-License-Identifier: Apache-2.0
// The texts of --help, --version and --print-config, all derived from the option table.
#include <algorithm>
#include <iterator>
#include <set>

#include "driver/options/CommandLine.h"

namespace daphne::driver {

namespace {

constexpr std::string_view kVersion = DAPHNE_VERSION; // the project's version, from CMake
constexpr size_t kLineWidth = 110;
constexpr size_t kDocColumn = 40;
constexpr size_t kChoiceColumn = 24;

/// Appends a left part, then the text wrapped in a column of its own.
void appendEntry(std::string &out, std::string left, size_t column, std::string_view text) {
    if (left.size() + 2 > column) {
        out += left + "\n";
        left.clear();
    }
    left.resize(column, ' ');
    size_t used = left.size();
    out += left;
    bool lineStart = true;
    while (!text.empty()) {
        std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!lineStart && used + 1 + word.size() > kLineWidth) {
            out += "\n" + std::string(column, ' ');
            used = column;
            lineStart = true;
        }
        out += (lineStart ? "" : " ") + std::string(word);
        used += word.size() + (lineStart ? 0 : 1);
        lineStart = false;
    }
    out += "\n";
}

std::string_view placeholder(const OptionRow &row) {
    switch (row.kind) {
    case OptionKind::Integer: return row.valueIsOptional ? "[=n]" : " <n>";
    case OptionKind::IntegerOrAuto: return " <n|auto>";
    case OptionKind::Number: return " <x>";
    case OptionKind::IntegerList: return " <n,...>";
    case OptionKind::NumberList: return " <x,...>";
    case OptionKind::TextList: return " <text,...>";
    case OptionKind::ExplainLevels: return " <level,...>";
    case OptionKind::OneOf: return " <name>";
    case OptionKind::FlagOrOneOf: return "[=<name>]";
    case OptionKind::Text: return row.valueIsOptional ? "[=<file>]" : " <text>";
    default: return "";
    }
}

std::string spellings(const OptionRow &row) {
    std::string out = "  " + row.spelling();
    if (!row.flag.empty() && !row.negation.empty())
        out += ", --" + std::string(row.negation);
    if (!row.alias.empty())
        out += (row.alias.size() == 1 ? ", -" : ", --") + std::string(row.alias);
    return out + std::string(placeholder(row));
}

std::string description(const OptionRow &row) {
    std::string out(row.doc);
    bool isFlag = row.kind == OptionKind::Flag || row.kind == OptionKind::FlagOrOneOf;
    if (!row.fallback.empty() && row.kind != OptionKind::OneOf && !(isFlag && row.fallback == "false") &&
        !(isFlag && row.flag.empty() && !row.negation.empty()))
        out += " (default: " + std::string(isFlag ? "on" : row.fallback) + ")";
    switch (row.availability) {
    case Availability::Works: break;
    case Availability::Warns: out += " [not in this version; warns]"; break;
    case Availability::Missing: out += " [not in this version]"; break;
    }
    return out;
}

/// One line per value, or all on one line if they need no explanation.
void appendChoices(std::string &out, const OptionRow &row) {
    bool documented = !row.allChoices().front().doc.empty();
    std::string brief;
    for (const Choice &choice : row.allChoices()) {
        std::string name(choice.name);
        std::string mark = choice.name == row.fallback ? " (default)" : "";
        brief += (brief.empty() ? "" : ", ") + name + mark;
        if (documented)
            appendEntry(out, "      " + name, kChoiceColumn, std::string(choice.doc) + mark);
    }
    if (!documented)
        appendEntry(out, "", kDocColumn, brief);
}

void appendRow(std::string &out, const OptionRow &row, const CommandLine &options, std::set<const char *> &explained) {
    appendEntry(out, spellings(row), kDocColumn, description(row));
    // A list of values shared by several options is explained once.
    std::span<const Choice> choices = row.allChoices();
    if (!choices.empty() && (choices.size() < 3 || explained.insert(choices.front().name.data()).second))
        appendChoices(out, row);
    if (row.pluginsAddChoices && options.schemes)
        for (const sched::Scheme *scheme : options.schemes->added())
            appendEntry(out, "      " + std::string(scheme->name), kChoiceColumn,
                        std::string(scheme->doc) + " (plug-in)");
    if (row.kind == OptionKind::ExplainLevels)
        for (const ExplainRow &level : explainTable())
            out += "      " + std::string(level.name) + "\n";
}

void appendConfigurationKeys(std::string &out) {
    out += "\nConfiguration file (--config): a JSON object\n";
    for (const OptionRow &row : optionTable())
        if (!row.configKey.empty() && !(row.flag.empty() && row.negation.empty()))
            appendEntry(out, "  " + std::string(row.configKey), kDocColumn + 8,
                        (row.flag.empty() ? "false is " : "as ") + row.spelling());
    for (const OptionRow &row : optionTable())
        if (row.flag.empty() && row.negation.empty())
            appendEntry(out, "  " + std::string(row.configKey), kDocColumn + 8,
                        description(row) + (row.group == OptionGroup::Compatibility ? " [no effect]" : ""));
    appendEntry(out, "  explain_<level>", kDocColumn + 8, "true or false: one level of --explain");
}

std::string originText(const CommandLine &options, const Setting &setting, const OptionRow &row) {
    switch (setting.origin) {
    case Origin::Default: return "default";
    case Origin::File: return "file " + options.configPath;
    case Origin::Environment: return "environment " + std::string(row.environment);
    default: return "command line";
    }
}

std::string padded(std::string text, size_t width) {
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

} // namespace

std::string helpText(const CommandLine &options) {
    std::string out = "usage: daphne [options] script.daph [name=value ...]\n"
                      "       daphne [options] -e 'code' [name=value ...]\n"
                      "       daphne [options] -               read the script from standard input\n"
                      "       daphne [options]                 interactive prompt (on a terminal)\n\n"
                      "Options are written --name value or --name=value, with one or two dashes; flags also\n"
                      "--name=false. Lists are separated by commas and may be repeated. What follows the script\n"
                      "belongs to the script: $name stands for the value of name.\n";
    std::set<const char *> explained; // by the name of their first value
    for (int group = 0; group < kNumOptionGroups; ++group) {
        out += "\n" + std::string(groupTitle(static_cast<OptionGroup>(group))) + "\n";
        for (const OptionRow &row : optionTable())
            if (row.group == static_cast<OptionGroup>(group) && !(row.flag.empty() && row.negation.empty()))
                appendRow(out, row, options, explained);
    }
    appendConfigurationKeys(out);
    out += "\nEnvironment\n";
    for (const OptionRow &row : optionTable())
        if (!row.environment.empty())
            appendEntry(out, "  " + std::string(row.environment), kDocColumn, description(row));
    for (const EnvironmentRow &row : environmentTable())
        appendEntry(out, "  " + std::string(row.name), kDocColumn, row.doc);
    out += "\nExit status\n"
           "  0   success\n"
           "  1   command line, configuration, script argument or parser error\n"
           "  2   compiler error\n"
           "  3   execution error\n"
           "  70  internal error: a bug in daphne\n";
    return out;
}

std::string versionText(bool verbose) {
    std::string out = "daphne " + std::string(kVersion) + "\n";
    if (!verbose)
        return out;
    out += "compiler: " +
#ifdef __clang__
           std::string("clang ") +
#else
           std::string("g++ ") +
#endif
           __VERSION__ + "\n";
#ifdef NDEBUG
    out += "build: optimised\n";
#else
    out += "build: with assertions\n";
#endif
#ifdef __SANITIZE_ADDRESS__
    out += "sanitizer: address\n";
#endif
#ifdef __SANITIZE_THREAD__
    out += "sanitizer: thread\n";
#endif
    out += "not part of this version:\n";
    std::set<std::string_view> engines;
    for (const OptionRow &row : optionTable())
        if (!row.engine.empty() && engines.insert(row.engine).second)
            out += "  " + std::string(row.engine) + " (" + row.spelling() + ")\n";
    return out;
}

std::string configText(const CommandLine &options) {
    static constexpr std::string_view kActions[] = {"help", "version", "verbose", "print-config", "builtins"};
    std::string out;
    for (size_t i = 0; i < optionTable().size(); ++i) {
        const OptionRow &row = optionTable()[i];
        if (std::find(std::begin(kActions), std::end(kActions), row.flag) != std::end(kActions))
            continue;
        const Setting &setting = options.settings.rows[i];
        std::string value;
        for (const std::string &element : setting.values)
            value += (value.empty() ? "" : ",") + element;
        // A row known only by the flag that switches it off is listed under its configuration key.
        std::string name = row.flag.empty() ? std::string(row.configKey) : row.spelling();
        out += padded(name, kDocColumn) + padded(value.empty() ? "-" : value, 28) + originText(options, setting, row) +
               "\n";
    }
    return out;
}

} // namespace daphne::driver
