// SPDX-License-Identifier: Apache-2.0
/// The state of a file that several machines read: by it they tell whether they see
/// the same file. And where a worker may look for files. Names may be those of data
/// sets ("x.h5:/a/b"): then the file counts.
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
