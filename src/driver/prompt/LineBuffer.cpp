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

bool isBlank(char byte) { return byte == ' ' || byte == '\n'; }

} // namespace

LineBuffer::LineBuffer(const std::vector<std::string> &history) : history(history), shownEntry(history.size()) {}

size_t LineBuffer::countCharacters(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

bool LineBuffer::endsWithEmptyLine() const {
    return position == line.size() && line.find_first_not_of(" \t", lineBegin(position)) == line.npos &&
           lineBegin(position) > 0;
}

LineBuffer::Event LineBuffer::feed(char byte) {
    switch (state) {
    case State::Plain: return searching ? searchKey(byte) : plainKey(byte);
    case State::Paste: return pasteKey(byte);
    case State::Escape:
        state = State::Plain;
        if (byte == '\r' || byte == '\n') { // Alt-Enter
            insert("\n");
            return Event::Changed;
        }
        // "ESC [" and "ESC O" start the sequences of cursor keys; other Alt keys are ignored.
        if (byte == '[' || byte == 'O')
            state = State::Sequence;
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
    case control('R'): return startSearch();
    case control('A'): return moveTo(lineBegin(position));
    case control('E'): return moveTo(lineEnd(position));
    case control('B'): return moveTo(previousCharacter(position));
    case control('F'): return moveTo(nextCharacter(position));
    case control('H'):
    case kBackspace: return erase(previousCharacter(position), position);
    case control('K'): return erase(position, lineEnd(position));
    case control('U'): return erase(lineBegin(position), position);
    case control('W'): return erase(startOfWord(), position);
    case control('P'): return moveUp();
    case control('N'): return moveDown();
    case '\t': return tab();
    default: return static_cast<unsigned char>(byte) < 32 ? Event::None : type(byte);
    }
}

LineBuffer::Event LineBuffer::sequenceKey(char final) {
    switch (final) {
    case 'A': return moveUp();
    case 'B': return moveDown();
    case 'C': return moveTo(nextCharacter(position));
    case 'D': return moveTo(previousCharacter(position));
    case 'H': return moveTo(lineBegin(position));
    case 'F': return moveTo(lineEnd(position));
    case '~':
        if (parameters == "1" || parameters == "7")
            return moveTo(lineBegin(position));
        if (parameters == "4" || parameters == "8")
            return moveTo(lineEnd(position));
        if (parameters == "200") {
            state = State::Paste;
            pasted.clear();
            return Event::None;
        }
        return parameters == "3" ? deleteForward() : Event::None;
    default: return Event::None;
    }
}

/// Until the terminal says that the paste has ended. Line ends at its end are left out, so that Enter decides.
LineBuffer::Event LineBuffer::pasteKey(char byte) {
    constexpr std::string_view kEnd = "\x1b[201~";
    pasted += byte;
    if (!pasted.ends_with(kEnd))
        return Event::None;
    pasted.resize(pasted.size() - kEnd.size());
    state = State::Plain;
    std::string text;
    for (size_t i = 0; i < pasted.size(); ++i) {
        char c = pasted[i];
        if (c == '\r') {
            if (i + 1 == pasted.size() || pasted[i + 1] != '\n')
                text += '\n';
        } else if (c == '\t') {
            text += kTabStop;
        } else if (c == '\n' || static_cast<unsigned char>(c) >= 32) {
            text += c;
        }
    }
    text.resize(text.find_last_not_of('\n') + 1);
    if (searching)
        leaveSearch(true);
    insert(text);
    return Event::Changed;
}

LineBuffer::Event LineBuffer::type(char byte) {
    line.insert(position++, 1, byte);
    return Event::Changed;
}

void LineBuffer::insert(std::string_view text) {
    line.insert(position, text);
    position += text.size();
}

/// Indents at the beginning of a line.
LineBuffer::Event LineBuffer::tab() {
    size_t begin = lineBegin(position);
    if (line.substr(begin, position - begin).find_first_not_of(' ') != line.npos)
        return Event::Completion;
    insert(kTabStop);
    return Event::Changed;
}

// --------------------------------------------------------------------- search

LineBuffer::Event LineBuffer::startSearch() {
    searching = true;
    wanted.clear();
    found = history.size();
    before = line;
    beforeCursor = position;
    return Event::Changed;
}

/// The newest entry up to this one that contains what is wanted. If there is none, the one that is shown stays.
LineBuffer::Event LineBuffer::searchFrom(size_t entry) {
    if (wanted.empty())
        return Event::Changed;
    for (size_t i = std::min(entry + 1, history.size()); i-- > 0;)
        if (size_t at = history[i].find(wanted); at != std::string::npos) {
            found = i;
            line = history[i];
            position = at;
            break;
        }
    return Event::Changed;
}

LineBuffer::Event LineBuffer::leaveSearch(bool keepsFound) {
    searching = false;
    if (!keepsFound) {
        line = before;
        position = beforeCursor;
    }
    return Event::Changed;
}

LineBuffer::Event LineBuffer::searchKey(char byte) {
    switch (byte) {
    case '\r':
    case '\n':
        leaveSearch(true);
        moveToEnd();
        return Event::Accepted;
    case control('R'): return found > 0 ? searchFrom(found - 1) : Event::None;
    case control('C'):
    case control('G'): return leaveSearch(false);
    case control('H'):
    case kBackspace:
        while (!wanted.empty() && isContinuation(wanted.back()))
            wanted.pop_back();
        if (!wanted.empty())
            wanted.pop_back();
        return searchFrom(history.size());
    default: break;
    }
    if (static_cast<unsigned char>(byte) < 32) { // any other key works on what was found
        leaveSearch(true);
        Event event = plainKey(byte);
        return event == Event::None ? Event::Changed : event;
    }
    wanted += byte;
    return searchFrom(found);
}

// --------------------------------------------------------------------- moving

LineBuffer::Event LineBuffer::moveTo(size_t offset) {
    position = offset;
    return Event::Changed;
}

/// To the line above, or to an older entry.
LineBuffer::Event LineBuffer::moveUp() {
    size_t begin = lineBegin(position);
    if (begin == 0)
        return showHistory(shownEntry == 0 ? 0 : shownEntry - 1);
    size_t column = countCharacters(std::string_view(line).substr(begin, position - begin));
    return moveTo(offsetInLine(lineBegin(begin - 1), column));
}

LineBuffer::Event LineBuffer::moveDown() {
    size_t end = lineEnd(position);
    if (end == line.size())
        return showHistory(shownEntry + 1);
    size_t begin = lineBegin(position);
    size_t column = countCharacters(std::string_view(line).substr(begin, position - begin));
    return moveTo(offsetInLine(end + 1, column));
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

size_t LineBuffer::lineBegin(size_t offset) const {
    size_t lineBreak = offset == 0 ? line.npos : line.rfind('\n', offset - 1);
    return lineBreak == line.npos ? 0 : lineBreak + 1;
}

size_t LineBuffer::lineEnd(size_t offset) const { return std::min(line.find('\n', offset), line.size()); }

/// So many characters behind the beginning of a line, or its end.
size_t LineBuffer::offsetInLine(size_t begin, size_t characters) const {
    size_t offset = begin, end = lineEnd(begin);
    while (characters-- > 0 && offset < end)
        offset = nextCharacter(offset);
    return offset;
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
    while (offset > 0 && isBlank(line[offset - 1]))
        --offset;
    while (offset > 0 && !isBlank(line[offset - 1]))
        --offset;
    return offset;
}

} // namespace daphne::driver
