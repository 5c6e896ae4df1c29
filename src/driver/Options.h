// SPDX-License-Identifier: Apache-2.0
/// The command line, the configuration file and the environment turned into one
/// typed Options value. A value given on the command line wins over the
/// configuration file, that over the default; nothing is read but the file
/// named by --config. All mistakes of the user are Errors of Stage::Parse.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/Config.h"
#include "driver/ExplainLevels.h"
#include "driver/OptionTable.h"
#include "sched/SchemeCatalog.h"

namespace daphne::driver {

enum class Action : uint8_t { Run, Interactive, ShowHelp, ShowVersion, ShowConfig, ShowReference };
enum class ScriptSource : uint8_t { None, File, StandardInput, CommandLine };

enum class Origin : uint8_t { Default, File, Environment, CommandLine };

/// The value of one row of the option table. Scalars have one element.
struct Setting {
    std::vector<std::string> values;
    Origin origin = Origin::Default;
};

/// All settings, in the order of the table; rows are named by flag, negation or configuration key.
class Settings {
  public:
    Settings();
    bool flag(std::string_view name) const;
    int64_t integer(std::string_view name) const;
    double number(std::string_view name) const;
    /// "" if there is no value.
    const std::string &text(std::string_view name) const;
    const std::vector<std::string> &list(std::string_view name) const { return rows[optionIndex(name)].values; }
    Origin origin(std::string_view name) const { return rows[optionIndex(name)].origin; }

    std::vector<Setting> rows;
};

struct Options {
    Action action = Action::Run;
    ScriptSource source = ScriptSource::None;
    std::string script; ///< path of the file, or the code of -e
    std::map<std::string, std::string> scriptArgs;

    std::string configPath;            ///< "" if none was given
    std::string libdir;                ///< {exedir} already replaced
    std::string executableDirectory;   ///< of this process
    std::vector<ExplainLevel> explain; ///< in pipeline order, no duplicates
    bool timing = false;
    bool verbose = false;
    bool vec = true;                  ///< fused, task-parallel execution
    bool vecRestricted = false;       ///< only cell by cell and aggregates
    bool vecAlways = false;           ///< however small the data is
    bool jit = true;                  ///< compile fused loops
    std::string loopCache;            ///< directory of compiled loops; "" for none
    bool ipaConstPropa = true;        ///< propagate constants into functions
    bool objRefMgnt = true;           ///< free intermediates
    bool phyOpSelection = true;       ///< choose among physical operators
    bool columnar = false;            ///< relational operations on columns and position lists
    bool optimisticSplitting = false; ///< sums of the columnar plan
    bool selectMatrixRepr = false;    ///< dense or CSR by estimated sparsity
    double sparsityThreshold = 0.25;
    ImportPaths importPaths;
    LogSettings logging;
    std::shared_ptr<sched::SchemeCatalog> schemes; ///< with those of plug-ins and EXPR

    std::vector<std::string> warnings; ///< to be shown on standard error
    Settings settings;                 ///< every row of the table, with its origin

    bool explains(ExplainLevel level) const;
};

/// What the process finds around itself; tests pass their own.
struct Surroundings {
    std::string executableDirectory;
    bool inputIsTerminal = false;                          ///< without a script: interactive prompt, else an error
    std::function<const char *(const char *)> environment; ///< like getenv

    static Surroundings ofThisProcess();
};

/// Arguments without the program's name.
Options parseCommandLine(const std::vector<std::string> &words, const Surroundings &around);

/// --help: usage and every option in groups, with the schemes of the plug-ins that were named before it.
std::string helpText(const Options &options);
/// --version; verbose adds how it was built and what is not part of it.
std::string versionText(bool verbose);
/// --print-config: each setting, its value and where it came from.
std::string configText(const Options &options);

} // namespace daphne::driver
