// SPDX-License-Identifier: Apache-2.0
/// A library that is loaded when it is first needed: programs that do not use it
/// do not pay for it, and it may be missing.
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>

#include "base/Error.h"

namespace daphne::io {

class SharedLibrary {
  public:
    /// Throws Error (status 3) if none of the names can be loaded. Never unloaded.
    SharedLibrary(std::string title, std::initializer_list<const char *> names) : title(std::move(title)) {
        for (const char *name : names)
            if (!handle)
                handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            throw executionError("the library " + this->title + " cannot be loaded: " + ::dlerror());
    }
    /// The function or variable of a name.
    template <class T> T *get(const char *name) const {
        void *symbol = ::dlsym(handle, name);
        if (!symbol)
            throw executionError("the library " + title + " has no " + name);
        return reinterpret_cast<T *>(symbol);
    }

  private:
    std::string title;
    void *handle = nullptr;
};

} // namespace daphne::io
