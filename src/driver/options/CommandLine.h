// SPDX-License-Identifier: Apache-2.0
/// The command line, the configuration file and the environment turned into one
/// typed value. A value given on the command line wins over the
/// configuration file, that over the default; nothing is read but the file
/// named by --config. All mistakes of the user are Errors of Stage::Parse.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/Options.h"

namespace daphne::driver {

using namespace engine; // the driver speaks of the engine's options all the time

enum class Action : uint8_t { Run, Interactive, ShowHelp, ShowVersion, ShowConfig, ShowReference };
enum class ScriptSource : uint8_t { None, File, StandardInput, CommandLine };

/// The engine's options and what this process does with it.
struct CommandLine : engine::Options {
    Action action = Action::Run;
    ScriptSource source = ScriptSource::None;
    std::string script;                ///< path of the file, or the code of -e
    std::string configPath;            ///< "" if none was given
    std::vector<std::string> warnings; ///< to be shown on standard error
};

/// What the process finds around itself; tests pass their own.
struct Surroundings {
    std::string executableDirectory;
    bool inputIsTerminal = false;                          ///< without a script: interactive prompt, else an error
    std::function<const char *(const char *)> environment; ///< like getenv

    static Surroundings ofThisProcess();
};

/// Arguments without the program's name.
CommandLine parseCommandLine(const std::vector<std::string> &words, const Surroundings &around);

/// --help: usage and every option in groups, with the schemes of the plug-ins that were named before it.
std::string helpText(const CommandLine &options);
/// --version; verbose adds how it was built and what is not part of it.
std::string versionText(bool verbose);
/// --print-config: each setting, its value and where it came from.
std::string configText(const CommandLine &options);

} // namespace daphne::driver
