// SPDX-License-Identifier: Apache-2.0
#include "driver/options/CommandLine.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

#include "base/Error.h"

namespace daphne::driver {

Surroundings Surroundings::ofThisProcess() {
    Surroundings around;
    std::error_code failed;
    around.executableDirectory = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path().string();
    if (failed || around.executableDirectory.empty())
        around.executableDirectory = ".";
    around.inputIsTerminal = isatty(STDIN_FILENO) != 0;
    around.environment = [](const char *name) -> const char * { return std::getenv(name); };
    return around;
}

namespace {

/// What one word like "--no-vec" refers to.
struct OptionName {
    size_t row = 0;
    bool negated = false;
    std::string_view impliedChoice = {}; ///< "--GSS": the value it stands for
};

std::vector<std::string_view> allFlagNames() {
    std::vector<std::string_view> names;
    for (const OptionRow &row : optionTable())
        for (std::string_view name : {row.flag, row.negation, row.alias})
            if (name.size() > 1)
                names.push_back(name);
    return names;
}

OptionName findOption(std::string_view name, const std::string &word) {
    auto table = optionTable();
    for (size_t i = 0; i < table.size() && !name.empty(); ++i) {
        if (table[i].flag == name || table[i].alias == name)
            return {i};
        if (table[i].negation == name)
            return {i, true};
        if (table[i].choicesAreFlags)
            for (const Choice &choice : table[i].allChoices())
                if (choice.name == name)
                    return {i, false, choice.name};
    }
    Error error = parseError({}, "unknown option '" + word + "'");
    if (std::string close = nearest(name, allFlagNames()); !close.empty())
        error.withHint("did you mean '--" + close + "'?");
    else
        error.withHint("daphne --help lists all options");
    throw error;
}

class CommandLineParser {
  public:
    CommandLineParser(const std::vector<std::string> &words, const Surroundings &around)
        : words(words), around(around) {}

    CommandLine parse() {
        while (next < words.size() && options.source == ScriptSource::None && options.action != Action::ShowHelp)
            takeWord();
        if (options.action == Action::ShowHelp) {
            helpWithPlugins();
            return std::move(options);
        }
        for (const PendingValue &value : pending)
            if (!optionTable()[value.row].pluginsAddChoices)
                assignText(value);
        readFileAndPlugins();
        for (const PendingValue &value : pending)
            if (optionTable()[value.row].pluginsAddChoices)
                assignText(value);
        for (; next < words.size(); ++next)
            addScriptArgument(words[next], Place::AfterScript);
        for (const std::string &pair : given.list("args"))
            addScriptArgument(pair, Place::ArgsOption);
        combineSettings();
        chooseAction();
        return std::move(options);
    }

  private:
    enum class Place { AfterScript, ArgsOption };
    /// A value as it was given: which ones are allowed is known when the plug-ins are.
    struct PendingValue {
        size_t row;
        std::string text, subject;
    };

    void takeWord() {
        const std::string &word = words[next++];
        if (word == "--") {
            if (next < words.size())
                setScript(words[next++]);
        } else if (word == "-" || !word.starts_with('-')) {
            setScript(word);
        } else {
            takeOption(word);
        }
    }

    void setScript(const std::string &word) {
        options.source = word == "-" ? ScriptSource::StandardInput : ScriptSource::File;
        options.script = word;
    }

    void takeOption(const std::string &word) {
        std::string_view body = std::string_view(word).substr(word.starts_with("--") ? 2 : 1);
        size_t equals = body.find('=');
        OptionName name = findOption(body.substr(0, equals), word);
        const OptionRow &row = optionTable()[name.row];
        std::string subject = "option " + word.substr(0, word.find('='));

        if (!name.impliedChoice.empty()) {
            if (equals != body.npos)
                throw parseError({}, subject + " takes no value");
            pending.push_back({name.row, std::string(name.impliedChoice), subject});
        } else if (row.kind == OptionKind::FlagOrOneOf && equals == body.npos) {
            pending.push_back({name.row, "true", subject});
        } else if (row.kind == OptionKind::Flag) {
            bool value = equals == body.npos || checkedValue(row, body.substr(equals + 1), subject) == "true";
            assign(name.row, {value != name.negated ? "true" : "false"});
        } else {
            pending.push_back({name.row, valueText(row, body, equals, subject), subject});
        }
        noteAction(name.row);
    }

    /// The text after '=', or the next word.
    std::string valueText(const OptionRow &row, std::string_view body, size_t equals, const std::string &subject) {
        if (equals != body.npos)
            return std::string(body.substr(equals + 1));
        if (row.valueIsOptional)
            return row.kind == OptionKind::Text ? "-" : "1";
        if (next == words.size())
            throw parseError({}, subject + " needs a value");
        return words[next++];
    }

    void assignText(const PendingValue &value) {
        const auto &[index, text, subject] = value;
        const OptionRow &row = optionTable()[index];
        std::vector<std::string> values;
        if (row.isList()) {
            if (given.rows[index].origin == Origin::CommandLine)
                values = given.rows[index].values;
            for (std::string &value : checkedList(row, text, subject))
                values.push_back(std::move(value));
        } else {
            values = {checkedValue(row, text, subject, addedSchemes)};
        }
        assign(index, std::move(values));
    }

    void assign(size_t index, std::vector<std::string> values) {
        given.rows[index] = {std::move(values), Origin::CommandLine};
    }

    void noteAction(size_t index) {
        std::string_view flag = optionTable()[index].flag;
        if (flag == "help" && given.flag(flag))
            options.action = Action::ShowHelp;
        if (flag == "e") {
            options.source = ScriptSource::CommandLine;
            options.script = pending.back().text;
        }
    }

    /// The configuration file, and the plug-ins named by the command line, else by the file.
    void readFileAndPlugins() {
        options.configPath = given.text("config");
        bool loaded = false;
        auto load = [&](const std::vector<std::string> &ofFile) {
            loadPlugins(given.origin("sched-plugin") == Origin::CommandLine ? given.list("sched-plugin") : ofFile);
            loaded = true;
            return std::span<const Choice>(addedSchemes);
        };
        std::error_code unreadable; // then loading says so
        if (!options.configPath.empty() && !std::filesystem::exists(options.configPath, unreadable) && !unreadable)
            warnings.push_back("the configuration file '" + options.configPath + "' does not exist");
        if (!options.configPath.empty())
            file = loadConfiguration(options.configPath, load);
        if (!loaded)
            load({});
    }

    void loadPlugins(const std::vector<std::string> &libraries) {
        addedSchemes = loadSchemePlugins(options, libraries);
    }

    /// --help looks only for what adds to its text, before and behind it; the rest of the line may be wrong.
    void helpWithPlugins() {
        while (next < words.size()) {
            const std::string &word = words[next++];
            size_t begin = std::min(word.find_first_not_of('-'), word.size());
            std::string name = word.substr(begin, word.find('=') - begin);
            if (begin > 0 && (name == "sched-plugin" || name == "config"))
                takeOption(word);
        }
        for (const PendingValue &value : pending)
            if (std::string_view flag = optionTable()[value.row].flag; flag == "sched-plugin" || flag == "config")
                assignText(value);
        readFileAndPlugins();
    }

    void addScriptArgument(const std::string &pair, Place place) {
        size_t equals = pair.find('=');
        if (equals == pair.npos || equals == 0) {
            Error error = parseError({}, "script argument '" + pair + "' is not of the form name=value");
            if (place == Place::AfterScript && pair.starts_with('-'))
                error.withHint("options of daphne go before the script; what follows it belongs to the script");
            throw error;
        }
        if (place == Place::AfterScript && pair.starts_with('-'))
            warnings.push_back("'" + pair +
                               "' stands behind the script and is an argument of it; options of daphne go " +
                               "before the script");
        if (!options.scriptArgs.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
            throw parseError({}, "script argument '" + pair.substr(0, equals) + "' is given twice");
    }

    /// Default < configuration file < environment < command line.
    void combineSettings() {
        OptionValues &all = options.settings;
        if (file) {
            for (auto &entry : file->entries)
                all.rows[entry.row] = {std::move(entry.values), Origin::File};
            options.importPaths = std::move(file->importPaths);
            options.logging = std::move(file->logging);
        }
        for (size_t i = 0; i < all.rows.size(); ++i) {
            const OptionRow &row = optionTable()[i];
            if (!row.environment.empty() && around.environment)
                if (const char *text = around.environment(std::string(row.environment).c_str()); text && *text)
                    all.rows[i] = {checkedList(row, text, "environment variable " + std::string(row.environment)),
                                   Origin::Environment};
            if (given.rows[i].origin == Origin::CommandLine)
                all.rows[i] = std::move(given.rows[i]);
        }
        options.executableDirectory = around.executableDirectory;
        options.readSettings(userCacheDirectory());
    }

    /// None if the user has neither a cache nor a home.
    std::string userCacheDirectory() const {
        auto variable = [&](const char *name) -> std::string {
            const char *value = around.environment ? around.environment(name) : nullptr;
            return value ? value : "";
        };
        if (std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with("/"))
            return cache + "/daphne";
        std::string home = variable("HOME");
        return home.starts_with("/") ? home + "/.cache/daphne" : "";
    }

    void chooseAction() {
        const OptionValues &all = options.settings;
        if (all.flag("version")) {
            options.action = Action::ShowVersion;
        } else if (all.flag("print-config")) {
            options.action = Action::ShowConfig;
        } else if (!all.text("builtins").empty()) {
            options.action = Action::ShowReference;
        } else {
            options.warnings = options.check();
            options.warnings.insert(options.warnings.end(), warnings.begin(), warnings.end());
            if (options.source != ScriptSource::None)
                options.action = Action::Run;
            else if (around.inputIsTerminal)
                options.action = Action::Interactive;
            else
                throw parseError({}, "no script given")
                    .withHint("daphne script.daph, daphne -e 'code', daphne - for standard input, or daphne --help");
        }
    }

    const std::vector<std::string> &words;
    const Surroundings &around;
    size_t next = 0;
    std::vector<PendingValue> pending; ///< in the order of the command line
    std::optional<Configuration> file;
    std::vector<Choice> addedSchemes; ///< by plug-ins
    std::vector<std::string> warnings;
    OptionValues given; ///< what the command line says, before it is combined with the rest
    CommandLine options;
};

} // namespace

CommandLine parseCommandLine(const std::vector<std::string> &words, const Surroundings &around) {
    return CommandLineParser(words, around).parse();
}

} // namespace daphne::driver
