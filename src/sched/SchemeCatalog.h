// SPDX-License-Identifier: Apache-2.0
/// All partitioning schemes of a process: the built-in ones, those of plug-ins,
/// and EXPR. Filled before loops run, constant afterwards; plug-in libraries stay
/// loaded until the process ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sched/Expression.h"
#include "sched/Scheme.h"

namespace daphne::sched {

class PluginScheme;

class SchemeCatalog {
  public:
    SchemeCatalog();
    ~SchemeCatalog();

    /// Loads "library" or "library:args" and adds its schemes. A library without a slash in its name is looked for
    /// where the system keeps libraries, never in the working directory. Throws Error (status 1).
    void loadPlugin(std::string_view libraryAndArgs);
    /// Adds EXPR. Throws Error (status 1).
    void setExpression(std::string_view text);

    /// By name, upper or lower case; null if there is none.
    const Scheme *find(std::string_view name) const;
    /// Schemes of plug-ins, in the order in which they were loaded.
    const std::vector<const Scheme *> &added() const { return ofPlugins; }

  private:
    std::vector<std::unique_ptr<PluginScheme>> plugins;
    std::vector<const Scheme *> ofPlugins;
    std::unique_ptr<Expression> expression;
    Scheme expressionScheme{};
};

/// How often this scheme returned a size of 0 although units were left; 0 if it is not one of a plug-in.
uint64_t numFaults(const Scheme &scheme);

} // namespace daphne::sched
