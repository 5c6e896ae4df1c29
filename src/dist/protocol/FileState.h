// SPDX-License-Identifier: Apache-2.0
/// A file that several machines can read: what tells whether all of them see the
/// same one, and where a worker may look for it. Names may be those of data sets
/// ("x.h5:/a/b"): then it is the file that counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace daphne::dist {

/// What a file looked like when it was first asked for.
struct FileState {
    uint64_t bytes = 0;
    int64_t changedNs = 0; ///< time of the last change
    bool operator==(const FileState &) const = default;
};

/// Nothing if it is no regular file.
std::optional<FileState> stateOf(const std::string &path);

/// The name from the root on, without "..".
std::string absoluteName(const std::string &path);

/// Whether the regular file of this name lies, after all links have been followed, in one of the directories. Names
/// must begin at the root and must not contain "..".
bool isAllowed(const std::string &path, const std::vector<std::string> &roots);

} // namespace daphne::dist
