// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/LineBuffer.h"

#include <algorithm>

namespace daphne::driver {

namespace {

constexpr char control(char letter) { return static_cast<char>(letter & 0x1f); }
constexpr char kEscape = 0x1b;
constexpr char kBackspace = 0x7f;
constexpr std::string_view kTabStop = "    ";

/// Second and further bytes of a UTF-8 character.
bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

} // namespace

LineBuffer::LineBuffer(const std::vector<std::string> &history) : history(history), shownEntry(history.size()) {}

size_t LineBuffer::countCharacters(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

LineBuffer::Event LineBuffer::feed(char byte) {
    switch (state) {
    case State::Plain: return plainKey(byte);
    case State::Escape:
        // "ESC [" and "ESC O" start the sequences of cursor keys; other Alt keys are ignored.
        state = byte == '[' || byte == 'O' ? State::Sequence : State::Plain;
        parameters.clear();
        return Event::None;
    default:
        if (byte >= '@' && byte <= '~') {
            state = State::Plain;
            return sequenceKey(byte);
        }
        parameters += byte;
        return Event::None;
    }
}

LineBuffer::Event LineBuffer::plainKey(char byte) {
    switch (byte) {
    case '\r':
    case '\n': return Event::Accepted;
    case kEscape: state = State::Escape; return Event::None;
    case control('C'): return Event::Interrupted;
    case control('D'): return line.empty() ? Event::EndOfInput : deleteForward();
    case control('L'): return Event::ClearScreen;
    case control('A'): return moveTo(0);
    case control('E'): return moveTo(line.size());
    case control('B'): return moveTo(previousCharacter(position));
    case control('F'): return moveTo(nextCharacter(position));
    case control('H'):
    case kBackspace: return erase(previousCharacter(position), position);
    case control('K'): return erase(position, line.size());
    case control('U'): return erase(0, position);
    case control('W'): return erase(startOfWord(), position);
    case control('P'): return showHistory(shownEntry == 0 ? 0 : shownEntry - 1);
    case control('N'): return showHistory(shownEntry + 1);
    case '\t':
        for (char blank : kTabStop)
            insert(blank);
        return Event::Changed;
    default: return static_cast<unsigned char>(byte) < 32 ? Event::None : insert(byte);
    }
}

LineBuffer::Event LineBuffer::sequenceKey(char final) {
    switch (final) {
    case 'A': return showHistory(shownEntry == 0 ? 0 : shownEntry - 1);
    case 'B': return showHistory(shownEntry + 1);
    case 'C': return moveTo(nextCharacter(position));
    case 'D': return moveTo(previousCharacter(position));
    case 'H': return moveTo(0);
    case 'F': return moveTo(line.size());
    case '~':
        if (parameters == "1" || parameters == "7")
            return moveTo(0);
        if (parameters == "4" || parameters == "8")
            return moveTo(line.size());
        return parameters == "3" ? deleteForward() : Event::None;
    default: return Event::None;
    }
}

LineBuffer::Event LineBuffer::insert(char byte) {
    line.insert(position++, 1, byte);
    return Event::Changed;
}

LineBuffer::Event LineBuffer::moveTo(size_t offset) {
    position = offset;
    return Event::Changed;
}

LineBuffer::Event LineBuffer::erase(size_t begin, size_t end) {
    line.erase(begin, end - begin);
    return moveTo(begin);
}

LineBuffer::Event LineBuffer::showHistory(size_t entry) {
    if (entry > history.size() || entry == shownEntry)
        return Event::None;
    if (shownEntry == history.size())
        unsent = line;
    shownEntry = entry;
    line = entry == history.size() ? unsent : history[entry];
    return moveTo(line.size());
}

size_t LineBuffer::previousCharacter(size_t offset) const {
    if (offset > 0)
        --offset;
    while (offset > 0 && isContinuation(line[offset]))
        --offset;
    return offset;
}

size_t LineBuffer::nextCharacter(size_t offset) const {
    if (offset < line.size())
        ++offset;
    while (offset < line.size() && isContinuation(line[offset]))
        ++offset;
    return offset;
}

size_t LineBuffer::startOfWord() const {
    size_t offset = position;
    while (offset > 0 && line[offset - 1] == ' ')
        --offset;
    while (offset > 0 && line[offset - 1] != ' ')
        --offset;
    return offset;
}

} // namespace daphne::driver
