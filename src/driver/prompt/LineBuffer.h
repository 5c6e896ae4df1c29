// SPDX-License-Identifier: Apache-2.0
/// The editing core of the interactive prompt: bytes from a terminal in, the
/// edited text and cursor out. Knows no terminal and no files, so every key can
/// be tested. The text may have several lines; the cursor stands between UTF-8
/// characters, never inside one.
///
/// Besides single keys it knows bracketed paste, which goes into the text as it
/// is, and the search for an entry of the history that contains what is typed
/// (Ctrl-R).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::driver {

class LineBuffer {
  public:
    enum class Event : uint8_t {
        None,        ///< more bytes are needed
        Changed,     ///< text, cursor or search changed
        Accepted,    ///< Enter
        Interrupted, ///< Ctrl-C
        EndOfInput,  ///< Ctrl-D without text
        ClearScreen, ///< Ctrl-L
        Completion,  ///< Tab behind something
    };

    /// `history` is browsed and searched, the newest entry last; it must outlive the buffer.
    explicit LineBuffer(const std::vector<std::string> &history);

    Event feed(char byte);

    const std::string &text() const { return line; }
    size_t cursor() const { return position; } ///< byte offset
    /// At the cursor, which moves behind it.
    void insert(std::string_view text);
    void moveToEnd() { position = line.size(); }
    /// Whether Enter was pressed on an empty line behind all others.
    bool endsWithEmptyLine() const;

    bool isSearching() const { return searching; }
    const std::string &searchText() const { return wanted; }

    /// Number of characters (code points) of a UTF-8 text.
    static size_t countCharacters(std::string_view text);

  private:
    enum class State : uint8_t { Plain, Escape, Sequence, Paste };

    Event plainKey(char byte);
    Event sequenceKey(char final);
    Event searchKey(char byte);
    Event pasteKey(char byte);
    Event type(char byte);
    Event tab();
    Event moveTo(size_t offset);
    Event moveUp();
    Event moveDown();
    Event erase(size_t begin, size_t end);
    Event deleteForward() { return erase(position, nextCharacter(position)); }
    Event showHistory(size_t entry);
    Event startSearch();
    Event searchFrom(size_t entry);
    Event leaveSearch(bool keepsFound);
    size_t lineBegin(size_t offset) const;
    size_t lineEnd(size_t offset) const;
    size_t offsetInLine(size_t begin, size_t characters) const;
    size_t previousCharacter(size_t offset) const;
    size_t nextCharacter(size_t offset) const;
    size_t startOfWord() const;

    const std::vector<std::string> &history;
    size_t shownEntry;  ///< history.size() is the text being written
    std::string unsent; ///< the text being written, while an entry is shown
    std::string line;
    size_t position = 0;
    State state = State::Plain;
    std::string parameters; ///< of an escape sequence
    std::string pasted;

    bool searching = false;
    std::string wanted;
    size_t found = 0;   ///< entry; history.size(): none yet
    std::string before; ///< text and cursor when the search began
    size_t beforeCursor = 0;
};

} // namespace daphne::driver
