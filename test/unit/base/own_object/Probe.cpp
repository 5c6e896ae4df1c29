// SPDX-License-Identifier: Apache-2.0
/// A shared library with our code in it, loaded by a program of somebody else.
#include "base/OwnObject.h"

extern "C" [[gnu::visibility("default")]] const char *probe_path() { return daphne::OwnObject::get().path.c_str(); }
extern "C" [[gnu::visibility("default")]] const char *probe_build_id() {
    return daphne::OwnObject::get().buildId.c_str();
}
extern "C" [[gnu::visibility("default")]] const char *probe_library(const char *file) {
    static std::string found;
    found = daphne::ownLibrary(file);
    return found.c_str();
}
