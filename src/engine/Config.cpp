// SPDX-License-Identifier: Apache-2.0
#include "engine/Config.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/Error.h"
#include "engine/ExplainLevels.h"
#include "engine/OptionTable.h"

namespace daphne::engine {

namespace {
using Json = nlohmann::json;

constexpr std::string_view kLogLevels[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "CRITICAL", "OFF"};
constexpr size_t kMaxShownValue = 60;

/// A JSON value as shown in messages: shortened and with its type.
std::string shown(const Json &value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kMaxShownValue)
        text = text.substr(0, kMaxShownValue) + "...";
    return std::string(value.type_name()) + " " + text;
}

class ConfigurationReader {
  public:
    /// where: begins every message.
    ConfigurationReader(std::string where, const PluginLoader &plugins, bool flagsToo)
        : where(std::move(where)), plugins(plugins), flagsToo(flagsToo) {}

    Configuration read(std::string_view text) {
        Json root = parse(text);
        if (!root.is_object())
            throw mistake("needs a JSON object at the top, got " + shown(root));
        loadPlugins(root);
        for (auto &[key, value] : root.items())
            readEntry(key, value);
        addExplainLevels();
        return std::move(result);
    }

  private:
    Error mistake(const std::string &message) const { return parseError({}, where + message); }
    Error wrongType(const std::string &key, const std::string &expected, const Json &value) const {
        return mistake("key '" + key + "' needs " + expected + ", got " + shown(value));
    }

    Json parse(std::string_view text) const {
        if (text.find_first_not_of(" \t\r\n") == text.npos)
            throw mistake("the file is empty; it needs a JSON object, at least {}");
        try {
            return Json::parse(text);
        } catch (const Json::parse_error &e) {
            throw mistake("invalid JSON at " + position(text, e.byte) + ": " + reason(e.what()));
        } catch (const Json::exception &e) { // e.g. a number out of range
            throw mistake("invalid JSON: " + reason(e.what()));
        }
    }

    /// `byte` counts from 1.
    static std::string position(std::string_view text, size_t byte) {
        size_t offset = std::min(byte == 0 ? 0 : byte - 1, text.size());
        std::string_view before = text.substr(0, offset);
        auto line = 1 + std::count(before.begin(), before.end(), '\n');
        size_t lineStart = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
        return "line " + std::to_string(line) + ", column " + std::to_string(offset - lineStart + 1);
    }

    /// The library's text without its own numbering and position.
    static std::string reason(std::string_view text) {
        for (std::string_view start : {"] ", "column "})
            if (size_t at = text.find(start); at != text.npos)
                text.remove_prefix(at + start.size());
        if (size_t colon = text.find(": "); colon != text.npos && colon < 8)
            text.remove_prefix(colon + 2);
        return std::string(text);
    }

    /// What they add must be known when other values are checked.
    void loadPlugins(const Json &root) {
        const OptionRow &row = optionTable()[optionIndex("sched-plugin")];
        std::string key(row.configKey);
        std::vector<std::string> ofFile;
        if (root.contains(key))
            ofFile = readValue(row, key, root[key]);
        if (plugins)
            added = plugins(ofFile);
    }

    void readEntry(const std::string &key, const Json &value) {
        for (const ExplainRow &row : explainTable())
            if (row.configKey == key)
                return noteExplainLevel(row, key, value);
        auto table = optionTable();
        for (size_t i = 0; i < table.size(); ++i)
            if (!key.empty() && (table[i].configKey == key || (flagsToo && table[i].flag == key)))
                return result.entries.push_back({i, readValue(table[i], key, value)});
        throw unknownKey(key);
    }

    Error unknownKey(const std::string &key) const {
        std::vector<std::string_view> keys;
        for (const OptionRow &row : optionTable())
            if (!row.configKey.empty())
                keys.push_back(row.configKey);
        for (const OptionRow &row : flagsToo ? optionTable() : optionTable().first(0))
            keys.push_back(row.flag);
        for (const ExplainRow &row : explainTable())
            keys.push_back(row.configKey);
        Error error = mistake("unknown key '" + key + "'");
        if (std::string close = nearest(key, keys); !close.empty())
            error.withHint("did you mean '" + close + "'?");
        return error;
    }

    std::vector<std::string> readValue(const OptionRow &row, const std::string &key, const Json &value) {
        if (key == "daphnedsl_import_paths")
            return readImportPaths(key, value);
        if (key == "logging")
            return readLogging(key, value);
        if (!row.isList())
            return {readScalar(row, key, value)};
        if (!value.is_array())
            throw wrongType(key, "a list of " + elementName(row), value);
        std::vector<std::string> values;
        for (const Json &element : value)
            values.push_back(readScalar(row, key, element));
        return values;
    }

    static std::string elementName(const OptionRow &row) {
        switch (row.kind) {
        case OptionKind::IntegerList: return "integers";
        case OptionKind::NumberList: return "numbers";
        default: return "strings";
        }
    }

    std::string readScalar(const OptionRow &row, const std::string &key, const Json &value) const {
        std::string subject = where + "key '" + key + "'";
        switch (row.kind) {
        case OptionKind::Flag:
            if (!value.is_boolean())
                throw wrongType(key, "true or false", value);
            return value.get<bool>() ? "true" : "false";
        case OptionKind::IntegerOrAuto:
            if (value.is_string())
                return checkedValue(row, value.get_ref<const std::string &>(), subject);
            [[fallthrough]];
        case OptionKind::Integer:
        case OptionKind::IntegerList:
            if (!value.is_number_integer())
                throw wrongType(key, row.isList() ? "a list of integers" : "an integer", value);
            return checkedValue(row, value.dump(), subject);
        case OptionKind::Number:
        case OptionKind::NumberList:
            if (!value.is_number())
                throw wrongType(key, row.isList() ? "a list of numbers" : "a number", value);
            return checkedValue(row, value.dump(), subject);
        case OptionKind::OneOf:
            // Switches are called on and off on the command line; JSON has words for them.
            if (value.is_boolean() && row.choices.front().name == "on")
                return value.get<bool>() ? "on" : "off";
            if (!value.is_string())
                throw wrongType(key, "the name of a choice (a string)", value);
            return checkedValue(row, value.get_ref<const std::string &>(), subject, added);
        case OptionKind::FlagOrOneOf:
            if (value.is_boolean())
                return value.get<bool>() ? "true" : "false";
            if (!value.is_string())
                throw wrongType(key, "true, false or the name of a choice", value);
            return checkedValue(row, value.get_ref<const std::string &>(), subject);
        default:
            if (!value.is_string())
                throw wrongType(key, row.isList() ? "a list of strings" : "a string", value);
            if (row.kind == OptionKind::ExplainLevels)
                return checkedValue(row, value.get_ref<const std::string &>(), subject);
            return value.get<std::string>();
        }
    }

    void noteExplainLevel(const ExplainRow &row, const std::string &key, const Json &value) {
        if (!value.is_boolean())
            throw wrongType(key, "true or false", value);
        explainGiven = true;
        if (value.get<bool>())
            explain.emplace_back(row.name);
    }

    void addExplainLevels() {
        if (explainGiven)
            result.entries.push_back({optionIndex("explain"), std::move(explain)});
    }

    std::vector<std::string> readImportPaths(const std::string &key, const Json &value) {
        constexpr const char *kExpected = "an object of name -> list of directories";
        if (!value.is_object())
            throw wrongType(key, kExpected, value);
        std::vector<std::string> listing;
        for (auto &[library, directories] : value.items()) {
            if (!directories.is_array())
                throw wrongType(key, kExpected, value);
            auto &paths = result.importPaths[library];
            for (const Json &directory : directories) {
                if (!directory.is_string())
                    throw wrongType(key, kExpected, value);
                paths.push_back(directory.get<std::string>());
                listing.push_back(library + "=" + paths.back());
            }
        }
        return listing;
    }

    std::vector<std::string> readLogging(const std::string &key, const Json &value) {
        if (!value.is_array())
            throw wrongType(key, "a list of objects", value);
        std::vector<std::string> listing;
        for (const Json &entry : value) {
            if (!entry.is_object())
                throw wrongType(key, "a list of objects", value);
            if (entry.contains("log-level-limit")) {
                checkLogFields(entry, {"log-level-limit"}, "comment");
                result.logging.limit = readLogLevel(entry, "log-level-limit");
                listing.push_back("limit=" + std::string(logLevelName(result.logging.limit)));
            } else {
                checkLogFields(entry, {"name", "filename", "level", "format"}, "comment");
                result.logging.entries.push_back({entry["name"].get<std::string>(),
                                                  entry["filename"].get<std::string>(), readLogLevel(entry, "level"),
                                                  entry["format"].get<std::string>()});
                const LogEntry &added = result.logging.entries.back();
                listing.push_back(added.name + "=" + added.filename + ":" + std::string(logLevelName(added.level)));
            }
        }
        return listing;
    }

    /// All required fields are there, nothing else is, and all are strings.
    void checkLogFields(const Json &entry, const std::vector<std::string_view> &required,
                        std::string_view optional) const {
        for (std::string_view field : required)
            if (!entry.contains(field))
                throw mistake("key 'logging': an entry needs the field '" + std::string(field) + "', got " +
                              shown(entry));
        for (auto &[field, value] : entry.items()) {
            if (field != optional && std::find(required.begin(), required.end(), field) == required.end())
                throw mistake("key 'logging': unknown field '" + field + "' in " + shown(entry));
            if (!value.is_string())
                throw wrongType("logging", "a string as '" + field + "'", value);
        }
    }

    LogLevel readLogLevel(const Json &entry, const char *field) const {
        const auto &name = entry[field].get_ref<const std::string &>();
        for (size_t i = 0; i < std::size(kLogLevels); ++i)
            if (sameWord(kLogLevels[i], name))
                return static_cast<LogLevel>(i);
        throw mistake("key 'logging': '" + std::string(field) +
                      "' needs one of TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL, OFF, got '" + name + "'");
    }

    std::string where;
    const PluginLoader &plugins;
    const bool flagsToo;           ///< options may also be called as on the command line
    std::span<const Choice> added; ///< values of options that plug-ins add
    Configuration result;
    bool explainGiven = false;
    std::vector<std::string> explain;
};

} // namespace

std::string_view logLevelName(LogLevel level) { return kLogLevels[static_cast<size_t>(level)]; }

Configuration parseConfiguration(std::string_view text, const std::string &name, const PluginLoader &plugins) {
    return ConfigurationReader("configuration file '" + name + "': ", plugins, false).read(text);
}

Configuration parseEngineOptions(std::string_view text, const PluginLoader &plugins) {
    return ConfigurationReader("engine options: ", plugins, true).read(text);
}

std::optional<Configuration> loadConfiguration(const std::string &path, const PluginLoader &plugins) {
    auto unreadable = [&](const char *why) {
        return parseError({}, "cannot read configuration file '" + path + "': " + why);
    };
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return std::nullopt;
        throw unreadable(std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode))
        throw unreadable("it is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw unreadable(std::strerror(errno));
    return parseConfiguration(std::string{std::istreambuf_iterator<char>(file), {}}, path, plugins);
}

} // namespace daphne::engine
