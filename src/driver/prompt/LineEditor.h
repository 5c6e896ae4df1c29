// SPDX-License-Identifier: Apache-2.0
/// Reads lines for the interactive prompt. On a terminal: cursor keys, Home,
/// End, Backspace, Delete, Ctrl-A E B F K U W L C D, and a history kept in a
/// file; elsewhere plain lines. Prompt and echo go to standard error: standard
/// output belongs to the script. The history is a convenience: if its file
/// cannot be read or written, it lives in memory only. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::driver {

constexpr size_t kMaxHistoryLines = 1000;

/// $XDG_STATE_HOME/daphne/history, or below ~/.local/state; "" if there is no home directory.
std::string defaultHistoryPath();

class LineEditor {
  public:
    /// File descriptors; tests pass those of a pseudo-terminal.
    struct Channel {
        int input = 0;
        int output = 2;
    };

    LineEditor() : LineEditor(defaultHistoryPath(), Channel{}) {}
    LineEditor(std::string historyPath, Channel channel);

    /// The next line without its end; std::nullopt at the end of the input. Ctrl-C gives "" and interrupted().
    std::optional<std::string> read(const std::string &prompt);
    /// Adds to the history, line by line. Blank lines and repetitions of the last entry are left out.
    void remember(std::string_view text);

    bool interrupted() const { return wasInterrupted; }
    const std::vector<std::string> &history() const { return lines; }

  private:
    std::optional<std::string> edit(const std::string &prompt);
    std::optional<std::string> readPlainLine();
    void show(const std::string &prompt, const std::string &text, size_t cursor) const;
    void loadHistory();
    void appendToFile(const std::string &line) const;
    void rewriteFile() const;

    Channel channel;
    bool onTerminal; ///< both ends, so that lines can be edited
    bool wasInterrupted = false;
    std::string historyPath;
    std::vector<std::string> lines; ///< oldest first
};

} // namespace daphne::driver
