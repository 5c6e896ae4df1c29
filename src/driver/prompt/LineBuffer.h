// SPDX-License-Identifier: Apache-2.0
/// The editing core of the interactive prompt: bytes from a terminal in, the
/// edited line and cursor out. Knows no terminal and no files, so every key can
/// be tested. The cursor stands between UTF-8 characters, never inside one.
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
        Changed,     ///< text or cursor changed
        Accepted,    ///< Enter
        Interrupted, ///< Ctrl-C
        EndOfInput,  ///< Ctrl-D on an empty line
        ClearScreen, ///< Ctrl-L
    };

    /// `history` is browsed by up and down, the newest last; it must outlive the buffer.
    explicit LineBuffer(const std::vector<std::string> &history);

    Event feed(char byte);

    const std::string &text() const { return line; }
    size_t cursor() const { return position; } ///< byte offset

    /// Number of characters (code points) of a UTF-8 text.
    static size_t countCharacters(std::string_view text);

  private:
    enum class State : uint8_t { Plain, Escape, Sequence };

    Event plainKey(char byte);
    Event sequenceKey(char final);
    Event insert(char byte);
    Event moveTo(size_t offset);
    Event erase(size_t begin, size_t end);
    Event deleteForward() { return erase(position, nextCharacter(position)); }
    Event showHistory(size_t entry);
    size_t previousCharacter(size_t offset) const;
    size_t nextCharacter(size_t offset) const;
    size_t startOfWord() const;

    const std::vector<std::string> &history;
    size_t shownEntry;  ///< history.size() is the line being written
    std::string unsent; ///< the line being written, while an entry is shown
    std::string line;
    size_t position = 0;
    State state = State::Plain;
    std::string parameters; ///< of an escape sequence
};

} // namespace daphne::driver
