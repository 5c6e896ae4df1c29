// SPDX-License-Identifier: Apache-2.0
/// Reads inputs for the interactive prompt. On a terminal: several lines at a
/// time, cursor keys, Home, End, Backspace, Delete, Ctrl-A E B F K U W L C D,
/// Alt-Enter, Tab, Ctrl-R, bracketed paste, and a history kept in a file;
/// elsewhere plain lines. Prompt and echo go to standard error: standard
/// output belongs to the script. Not thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/prompt/History.h"

namespace daphne::driver {

class LineBuffer;

/// What may stand at the cursor instead of the word that ends there.
struct Completions {
    size_t begin = 0; ///< of that word, a byte offset
    std::vector<std::string> candidates;
};

/// What the editor asks who knows the language.
struct LineLanguage {
    /// More lines may complete the text: Enter begins a new one.
    std::function<bool(const std::string &text)> isIncomplete = {};
    std::function<Completions(const std::string &text, size_t cursor)> complete = {};
};

class LineEditor {
  public:
    /// File descriptors; tests pass those of a pseudo-terminal.
    struct Channel {
        int input = 0;
        int output = 2;
    };
    explicit LineEditor(LineLanguage language) : LineEditor(defaultHistoryPath(), Channel{}, std::move(language)) {}
    LineEditor(const std::string &historyPath, Channel channel, LineLanguage language = {});

    /// The next input without its last line end; std::nullopt at the end of all. An empty line ends an incomplete one.
    /// Ctrl-C gives "" and interrupted().
    std::optional<std::string> read(const std::string &prompt);
    void remember(std::string_view text) { past.add(text); }

    bool isOnTerminal() const { return onTerminal; }
    bool interrupted() const { return wasInterrupted; }
    const std::vector<std::string> &history() const { return past.entries(); }
    /// Characters in a line of the terminal; 80 if there is none.
    size_t columns() const;

  private:
    class Screen;
    std::optional<std::string> edit(const std::string &prompt);
    std::optional<std::string> readPlainLines(const std::string &prompt);
    std::optional<std::string> readPlainLine();
    void complete(LineBuffer &buffer, Screen &screen);
    bool isIncomplete(const std::string &text) const { return language.isIncomplete && language.isIncomplete(text); }

    Channel channel;
    LineLanguage language;
    bool onTerminal; ///< both ends, so that lines can be edited
    bool wasInterrupted = false;
    History past;
};

} // namespace daphne::driver
