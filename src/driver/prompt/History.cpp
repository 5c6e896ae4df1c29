// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/History.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace daphne::driver {

namespace {

/// An entry as lines of the file.
std::string linesOf(const std::string &entry) {
    std::string lines;
    for (char c : entry) {
        lines += c;
        if (c == '\n')
            lines += '\t';
    }
    return lines + '\n';
}

} // namespace

std::string defaultHistoryPath() {
    const char *state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') // relative values are to be ignored
        return std::string(state) + "/daphne/history";
    const char *home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.local/state/daphne/history" : "";
}

History::History(std::string path) : path(std::move(path)) {
    std::ifstream file(this->path);
    for (std::string line; std::getline(file, line);)
        if (line.starts_with('\t') && !all.empty())
            all.back() += '\n' + line.substr(1);
        else if (!line.empty())
            all.push_back(std::move(line));
    if (all.size() > kMaxHistoryEntries) {
        all.erase(all.begin(), all.end() - kMaxHistoryEntries);
        rewrite();
    }
}

void History::add(std::string_view text) {
    size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos)
        return;
    std::string entry(text.substr(0, end + 1));
    entry.erase(0, entry.find_first_not_of(" \t\r\n"));
    if (!all.empty() && all.back() == entry)
        return;
    all.push_back(entry);
    if (all.size() > kMaxHistoryEntries)
        all.erase(all.begin());
    append(entry);
}

void History::append(const std::string &entry) const {
    if (path.empty())
        return;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    std::ofstream(path, std::ios::app) << linesOf(entry);
}

/// Through a second file, so that another prompt never sees half of it.
void History::rewrite() const {
    std::string shorter = path + ".new";
    {
        std::ofstream file(shorter, std::ios::trunc);
        for (const std::string &entry : all)
            file << linesOf(entry);
        if (!file.flush())
            return;
    }
    std::error_code ignored;
    std::filesystem::rename(shorter, path, ignored);
}

} // namespace daphne::driver
