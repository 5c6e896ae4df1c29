// SPDX-License-Identifier: Apache-2.0
/// The file that this code was loaded from: a program, or a shared library inside of
/// the program of somebody else. Everything that belongs to one build of ours is found
/// through it, never through the program that runs.
#pragma once

#include <string>
#include <string_view>

namespace daphne {

struct OwnObject {
    std::string path;    ///< absolute, without symbolic links; "" if the system does not tell
    std::string buildId; ///< what the linker wrote into it, in hexadecimal digits; "" if it did not

    /// Of the object with this very function. Found once.
    static const OwnObject &get();
    /// The directory of the file.
    std::string directory() const { return path.substr(0, path.rfind('/')); }
};

/// The file of that name in the directory itself (of a library) or in lib/ beside it (of a program in bin/). If it is
/// in neither, the name it would have in lib/.
std::string findLibrary(const std::string &directory, std::string_view file);

/// One of our libraries, found from where this code is.
inline std::string ownLibrary(std::string_view file) { return findLibrary(OwnObject::get().directory(), file); }

} // namespace daphne
