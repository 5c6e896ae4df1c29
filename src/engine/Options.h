// SPDX-License-Identifier: Apache-2.0
/// The options of an engine: the value of every row of the option table, and the
/// fields that are asked for often. Whoever makes them (command line, JSON of a
/// library's user) fills the settings; readSettings() does the rest. All mistakes
/// of the user are Errors of Stage::Parse.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/Config.h"
#include "engine/ExplainLevels.h"
#include "engine/OptionTable.h"
#include "sched/SchemeCatalog.h"

namespace daphne::engine {

enum class Origin : uint8_t { Default, File, Environment, CommandLine };

/// The value of one row of the option table. Scalars have one element.
struct Setting {
    std::vector<std::string> values;
    Origin origin = Origin::Default;
};

/// All settings, in the order of the table; rows are named by flag, negation or configuration key.
class OptionValues {
  public:
    OptionValues();
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
    std::map<std::string, std::string> scriptArgs; ///< of $name

    std::string libdir;                ///< {exedir} already replaced
    std::string executableDirectory;   ///< of this process; "" in a library
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

    OptionValues settings; ///< every row of the table, with its origin

    bool explains(ExplainLevel level) const;
    /// Several machines are asked for.
    bool isDistributed() const;

    /// Fills the typed fields from the settings. userCache: directory for files of the user that may be lost, "" for
    /// none.
    void readSettings(const std::string &userCache);
    /// Throws if settings contradict each other or ask for what is not part of this version. Returns warnings.
    std::vector<std::string> check() const;
};

/// Options of an engine in a library: the keys of a configuration file, as a JSON object; "" for none.
Options optionsOfJson(std::string_view json, std::vector<std::string> &warnings);

/// Loads the plug-ins and adds the values that they give to options.
std::vector<Choice> loadSchemePlugins(Options &options, const std::vector<std::string> &libraries);

} // namespace daphne::engine
