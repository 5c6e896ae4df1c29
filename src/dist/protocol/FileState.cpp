// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/FileState.h"

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

#include "io/FormatTable.h"

namespace daphne::dist {

namespace {

using Path = std::filesystem::path;

/// Whether a path is in a directory; both are complete and without links.
bool isInside(const Path &path, const Path &directory) {
    auto [inPath, inDirectory] = std::mismatch(path.begin(), path.end(), directory.begin(), directory.end());
    // A name that ends in '/' has an empty last part.
    return inPath != path.end() && (inDirectory == directory.end() || inDirectory->empty());
}

} // namespace

std::optional<FileState> stateOf(const std::string &name) {
    std::string path = io::DataPath(name).file;
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return std::nullopt;
    return FileState{static_cast<uint64_t>(info.st_size), info.st_mtim.tv_sec * 1000000000ll + info.st_mtim.tv_nsec};
}

std::string absoluteName(const std::string &name) {
    io::DataPath path(name);
    if (path.file.empty())
        return name;
    std::string file = std::filesystem::absolute(path.file).lexically_normal().string();
    return path.part.empty() ? file : file + ":" + path.part;
}

bool isAllowed(const std::string &name, const std::vector<std::string> &roots) {
    Path path(io::DataPath(name).file);
    if (!path.is_absolute() || std::ranges::find(path, Path("..")) != path.end() || !stateOf(name))
        return false;
    std::error_code error;
    Path complete = std::filesystem::canonical(path, error);
    return !error && std::ranges::any_of(roots, [&](const std::string &root) {
        Path directory = std::filesystem::canonical(root, error);
        return !error && isInside(complete, directory);
    });
}

} // namespace daphne::dist
