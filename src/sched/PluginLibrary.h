// SPDX-License-Identifier: Apache-2.0
/// A shared library named by the user. Stays loaded until the process ends, since
/// what it registered may be in use until then.
#pragma once

#include <string>

namespace daphne::sched {

struct PluginLibrary {
    /// Throws Error (status 1) saying why it cannot be loaded.
    explicit PluginLibrary(std::string path);
    /// Null if it exports nothing of this name.
    void *symbol(const char *name) const;

    std::string path;

  private:
    void *handle;
};

} // namespace daphne::sched
