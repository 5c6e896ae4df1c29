// SPDX-License-Identifier: Apache-2.0
/// What was typed at earlier prompts, in a file. It is a convenience: if the file cannot be read or written, it lives
/// in memory only. An entry may have several lines; in the file those after the first begin with a tab. Not
/// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daphne::driver {

constexpr size_t kMaxHistoryEntries = 1000;

/// $XDG_STATE_HOME/daphne/history, or below ~/.local/state; "" if there is no home directory.
std::string defaultHistoryPath();

class History {
  public:
    /// Reads the file; "": none.
    explicit History(std::string path);

    /// Blank texts and repetitions of the last entry are left out.
    void add(std::string_view text);
    const std::vector<std::string> &entries() const { return all; } ///< oldest first

  private:
    void append(const std::string &entry) const;
    void rewrite() const;

    std::string path;
    std::vector<std::string> all;
};

} // namespace daphne::driver
