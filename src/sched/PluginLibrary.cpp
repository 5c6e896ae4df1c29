// SPDX-License-Identifier: Apache-2.0
#include "sched/PluginLibrary.h"

#include <dlfcn.h>

#include "base/Error.h"

namespace daphne::sched {

PluginLibrary::PluginLibrary(std::string name) : path(std::move(name)) {
    if (path.empty())
        throw parseError({}, "a scheduling plug-in needs the path of a library");
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return;
    const char *reason = dlerror();
    Error error = parseError({}, "scheduling plug-in '" + path + "' cannot be loaded: " + (reason ? reason : ""));
    if (path.find('/') == path.npos)
        error.withHint("without a slash only the system's library directories are searched: did you mean './" + path +
                       "'?");
    throw error;
}

void *PluginLibrary::symbol(const char *name) const { return dlsym(handle, name); }

} // namespace daphne::sched
