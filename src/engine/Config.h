// SPDX-License-Identifier: Apache-2.0
/// The user configuration: a JSON object whose keys are those of the option
/// table. Everything unexpected (an unknown key, a value of another type, an
/// unknown name of an enumeration, text that is not JSON) is an Error of
/// Stage::Parse that names the file and the key. A file that does not exist
/// counts as an empty object.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/OptionTable.h"

namespace daphne::engine {

/// Library name (or "default_dirs") to directories, as given.
using ImportPaths = std::map<std::string, std::vector<std::string>>;

enum class LogLevel : uint8_t { Trace, Debug, Info, Warn, Error, Critical, Off };
std::string_view logLevelName(LogLevel level);

struct LogEntry {
    std::string name, filename;
    LogLevel level = LogLevel::Error;
    std::string format;
};

/// Files are opened by whoever logs, when something is logged.
struct LogSettings {
    LogLevel limit = LogLevel::Error; ///< nothing below is shown
    std::vector<LogEntry> entries;
};

struct Configuration {
    struct Entry {
        size_t row; ///< of the option table
        std::vector<std::string> values;
    };
    std::vector<Entry> entries; ///< in the order of the file's keys
    ImportPaths importPaths;
    LogSettings logging;
};

/// Loads plug-ins, before the other keys are read: given those that the file names, returns the values they add to
/// options.
using PluginLoader = std::function<std::span<const Choice>(const std::vector<std::string> &ofFile)>;

/// `name` is the file's name in messages.
Configuration parseConfiguration(std::string_view text, const std::string &name, const PluginLoader &plugins = {});
/// Options of an engine in a library: keys are those of the file, or options as on the command line ("num-threads").
Configuration parseEngineOptions(std::string_view text, const PluginLoader &plugins = {});
/// Reads a file; std::nullopt if there is none.
std::optional<Configuration> loadConfiguration(const std::string &path, const PluginLoader &plugins = {});

} // namespace daphne::engine
