// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Imports.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/Error.h"

namespace daphne::lang {

namespace fs = std::filesystem;

namespace {

constexpr const char *kDefaultDirs = "default_dirs";

bool isFile(const fs::path &path) {
    std::error_code failed;
    return fs::exists(path, failed) && !fs::is_directory(path, failed);
}

ImportFile describeFile(const fs::path &path) {
    return {path.lexically_normal().string(), fileIdentity(path.string()), path.stem().string()};
}

ImportFiles findLibrary(const std::string &name, const std::vector<std::string> &directories) {
    if (directories.empty())
        throw parseError({}, "no directory is configured for the library '" + name + "'");
    ImportFiles found{.isLibrary = true, .files = {}};
    std::error_code failed;
    for (const auto &entry : fs::directory_iterator(directories[0], failed))
        if (isFile(entry.path()))
            found.files.push_back(describeFile(entry.path()));
    if (failed)
        throw parseError({}, "cannot read the directory of the library '" + name + "': " + directories[0] + ": " +
                                 failed.message());
    std::sort(found.files.begin(), found.files.end(), [](auto &a, auto &b) { return a.path < b.path; });
    return found;
}

ImportFile findFile(const fs::path &path, const std::string &directory, const ImportPaths &importPaths) {
    std::vector<fs::path> candidates{path.is_absolute() ? path : fs::path(directory) / path};
    auto defaults = importPaths.find(kDefaultDirs);
    if (path.is_relative() && path.has_extension() && defaults != importPaths.end())
        for (const std::string &dir : defaults->second)
            candidates.push_back(fs::path(dir) / path);

    std::vector<ImportFile> hits;
    for (const fs::path &candidate : candidates) {
        if (!isFile(candidate))
            continue;
        ImportFile file = describeFile(candidate);
        auto same = [&](const ImportFile &other) { return other.identity == file.identity; };
        if (std::none_of(hits.begin(), hits.end(), same))
            hits.push_back(std::move(file));
    }
    if (hits.size() > 1)
        throw parseError({}, "the import is ambiguous: both " + hits[0].path + " and " + hits[1].path + " exist")
            .withHint("import the file by its absolute path");
    if (hits.empty()) {
        Error e = parseError({}, "cannot find the script to import: " + candidates[0].lexically_normal().string());
        std::error_code failed;
        if (fs::is_directory(candidates[0], failed))
            e.withHint("this is a directory; a library is imported by its name in daphnedsl_import_paths");
        else if (candidates.size() > 1)
            e.withNote("nor is it in one of the configured default_dirs");
        else if (path.is_relative())
            e.withHint("relative paths start at the directory of the importing script");
        throw e;
    }
    return hits[0];
}

} // namespace

ImportFiles findImport(std::string_view path, const std::string &directory, const ImportPaths &importPaths) {
    if (path.empty() || path.find('\0') != path.npos)
        throw parseError({}, "this is not the path of a script");
    fs::path written(path);
    auto library = importPaths.find(std::string(path));
    if (!written.has_extension() && library != importPaths.end() && library->first != kDefaultDirs)
        return findLibrary(library->first, library->second);
    return {.isLibrary = false, .files = {findFile(written, directory, importPaths)}};
}

std::string fileIdentity(const std::string &path) {
    std::error_code failed;
    fs::path canonical = fs::canonical(path, failed);
    return failed ? std::string() : canonical.string();
}

std::string directoryOf(const std::string &path) {
    std::string directory = fs::path(path).parent_path().string();
    return directory.empty() ? "." : directory;
}

std::string parentName(std::string_view importPath, const ImportFile &file) {
    std::string written = fs::path(importPath).parent_path().filename().string();
    if (!written.empty() && written != "." && written != "..")
        return written;
    return fs::path(file.identity).parent_path().filename().string();
}

std::string readScript(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in && in.peek() != std::ifstream::traits_type::eof())
        text << in.rdbuf();
    else if (in.eof())
        return {};
    if (!in || !text)
        throw parseError({}, "cannot read the script to import: " + path);
    if (text.view().size() > kMaxSourceBytes)
        throw parseError({}, "the script to import is too large: " + path);
    return std::move(text).str();
}

} // namespace daphne::lang
