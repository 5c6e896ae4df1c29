// SPDX-License-Identifier: Apache-2.0
/// Which files an import statement means (language 11). Looks at the file
/// system, but reads no script.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::lang {

using ImportPaths = std::map<std::string, std::vector<std::string>>;

struct ImportFile {
    std::string path;     ///< to open and to show
    std::string identity; ///< equal for all spellings of the same file
    std::string stem;     ///< file name without directory and extension
};

struct ImportFiles {
    bool isLibrary = false;
    std::vector<ImportFile> files; ///< alphabetical for a library
};

/// Throws Error(Stage::Parse) without a position. `directory` is that of the importing script.
ImportFiles findImport(std::string_view path, const std::string &directory, const ImportPaths &importPaths);

/// Equal for all spellings of an existing file; "" if there is no such file.
std::string fileIdentity(const std::string &path);
std::string directoryOf(const std::string &path);
/// Name of the directory in an import path as written, or of the real one if none is written (or only dots).
std::string parentName(std::string_view importPath, const ImportFile &file);
/// The whole file. Throws Error(Stage::Parse) without a position.
std::string readScript(const std::string &path);

} // namespace daphne::lang
