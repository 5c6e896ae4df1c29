// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/LineEditor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "driver/prompt/LineBuffer.h"

namespace daphne::driver {

namespace {

void writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

/// Switches a terminal to single keys without echo and to bracketed paste, and back again.
class RawMode {
  public:
    RawMode(int input, int output) : input(input), output(output) {
        if (tcgetattr(input, &saved) != 0)
            return;
        termios raw = saved;
        raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
        raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        active = tcsetattr(input, TCSADRAIN, &raw) == 0;
        writeAll(output, "\x1b[?2004h");
    }
    ~RawMode() {
        writeAll(output, "\x1b[?2004l");
        if (active)
            tcsetattr(input, TCSADRAIN, &saved);
    }
    RawMode(const RawMode &) = delete;
    RawMode &operator=(const RawMode &) = delete;

  private:
    int input, output;
    bool active = false;
    termios saved{};
};

bool readByte(int fd, char &byte) {
    ssize_t got;
    do
        got = ::read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

bool hasMore(int fd) {
    pollfd input{fd, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

winsize terminalSize(int fd) {
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size = {};
    if (size.ws_col == 0)
        size.ws_col = 80;
    if (size.ws_row == 0)
        size.ws_row = 24;
    return size;
}

bool canEdit(LineEditor::Channel channel) {
    const char *terminal = std::getenv("TERM");
    return isatty(channel.input) && isatty(channel.output) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

/// Where the first `count` characters end.
size_t offsetOf(std::string_view text, size_t count) {
    size_t offset = 0;
    for (; offset < text.size(); ++offset)
        if ((static_cast<unsigned char>(text[offset]) & 0xc0) != 0x80 && count-- == 0)
            break;
    return offset;
}

/// What continued lines begin with: "   ...> " under "daphne> ".
std::string continuationOf(const std::string &prompt) {
    constexpr std::string_view kDots = "...> ";
    size_t width = LineBuffer::countCharacters(prompt);
    return std::string(width - std::min(width, kDots.size()), ' ') + std::string(kDots);
}

} // namespace

/// The part of the terminal in which the input is edited.
class LineEditor::Screen {
  public:
    Screen(int fd, const std::string &prompt) : fd(fd), prompt(prompt), continuation(continuationOf(prompt)) {}

    /// Writes the text over what was shown before. Lines wrap at the edge; of more than fit, those around the cursor.
    void show(const LineBuffer &buffer) {
        layOut(buffer);
        size_t most = std::max<size_t>(1, terminalSize(fd).ws_row);
        size_t first = cursorRow < most ? 0 : cursorRow - most + 1, last = std::min(rows.size(), first + most);
        std::string out = toFirstRow();
        for (size_t r = first; r < last; ++r)
            out += (r > first ? "\r\n" : "") + rows[r];
        if (size_t below = last - 1 - cursorRow; below > 0)
            out += "\x1b[" + std::to_string(below) + "A";
        out += "\r";
        if (cursorColumn > 0)
            out += "\x1b[" + std::to_string(cursorColumn) + "C";
        shownRow = cursorRow - first;
        writeAll(fd, out);
    }
    /// Leaves the text as it is; what follows is written below it.
    void finish(LineBuffer &buffer, std::string_view mark = "") {
        buffer.moveToEnd();
        show(buffer);
        // Behind a line that ends at the edge the cursor is in a new one already.
        bool isInNewLine = cursorColumn == 0 && mark.empty();
        writeAll(fd, std::string(mark) + (isInNewLine ? "" : "\r\n"));
        shownRow = 0;
    }
    void clear() {
        writeAll(fd, "\x1b[H\x1b[2J");
        shownRow = 0;
    }
    /// Writes the candidates below the text.
    void list(const LineBuffer &buffer, const std::vector<std::string> &names) {
        constexpr size_t kMost = 100;
        size_t width = 0, columns = terminalSize(fd).ws_col;
        for (const std::string &name : names)
            width = std::max(width, LineBuffer::countCharacters(name) + 2);
        size_t perLine = std::max<size_t>(1, columns / width), shown = std::min(names.size(), kMost);
        std::string out = "\r\n";
        for (size_t i = 0; i < shown; ++i) {
            out += names[i];
            bool ends = i % perLine == perLine - 1 || i + 1 == shown;
            out += ends ? "\r\n" : std::string(width - LineBuffer::countCharacters(names[i]), ' ');
        }
        if (names.size() > shown)
            out += "... and " + std::to_string(names.size() - shown) + " more\r\n";
        LineBuffer copy = buffer;
        copy.moveToEnd();
        show(copy);
        writeAll(fd, out);
        shownRow = 0;
    }

  private:
    std::string toFirstRow() const {
        return (shownRow > 0 ? "\x1b[" + std::to_string(shownRow) + "A" : "") + "\r\x1b[J";
    }

    void layOut(const LineBuffer &buffer) {
        rows.clear();
        size_t columns = std::max<size_t>(2, terminalSize(fd).ws_col);
        std::string_view text = buffer.text();
        std::string first = buffer.isSearching() ? "(search \"" + buffer.searchText() + "\") " : prompt;
        for (size_t begin = 0;; ++begin) {
            size_t end = std::min(text.find('\n', begin), text.size());
            std::string line = begin == 0 ? first : continuation;
            if (begin <= buffer.cursor() && buffer.cursor() <= end) {
                size_t before = LineBuffer::countCharacters(line) +
                                LineBuffer::countCharacters(text.substr(begin, buffer.cursor() - begin));
                cursorRow = rows.size() + before / columns;
                cursorColumn = before % columns;
            }
            line += text.substr(begin, end - begin);
            // One row more where the line ends at the edge: the cursor may stand behind it.
            for (size_t wraps = LineBuffer::countCharacters(line) / columns; wraps > 0; --wraps) {
                size_t cut = offsetOf(line, columns);
                rows.push_back(line.substr(0, cut));
                line.erase(0, cut);
            }
            rows.push_back(line);
            if (end == text.size())
                break;
            begin = end;
        }
    }

    int fd;
    std::string prompt, continuation;
    std::vector<std::string> rows;
    size_t cursorRow = 0, cursorColumn = 0;
    size_t shownRow = 0; ///< of the cursor, below the first row that is shown
};

LineEditor::LineEditor(const std::string &historyPath, Channel channel, LineLanguage language)
    : channel(channel), language(std::move(language)), onTerminal(canEdit(channel)),
      past(onTerminal ? historyPath : "") {}

size_t LineEditor::columns() const { return terminalSize(channel.output).ws_col; }

std::optional<std::string> LineEditor::read(const std::string &prompt) {
    wasInterrupted = false;
    return onTerminal ? edit(prompt) : readPlainLines(prompt);
}

std::optional<std::string> LineEditor::readPlainLines(const std::string &prompt) {
    bool shows = isatty(channel.input);
    std::string text;
    for (bool isFirst = true;; isFirst = false) {
        if (shows)
            writeAll(channel.output, isFirst ? prompt : continuationOf(prompt));
        auto line = readPlainLine();
        if (!line)
            return isFirst ? std::nullopt : std::optional(text);
        bool isBlank = line->find_first_not_of(" \t") == line->npos;
        text += (isFirst ? "" : "\n") + *line;
        if (isBlank || !isIncomplete(text))
            return text;
    }
}

std::optional<std::string> LineEditor::readPlainLine() {
    std::string line;
    char byte;
    bool any = false;
    while (readByte(channel.input, byte)) {
        any = true;
        if (byte == '\n')
            break;
        line += byte;
    }
    if (!any)
        return std::nullopt;
    if (line.ends_with('\r'))
        line.pop_back();
    return line;
}

std::optional<std::string> LineEditor::edit(const std::string &prompt) {
    RawMode raw(channel.input, channel.output);
    LineBuffer buffer(past.entries());
    Screen screen(channel.output, prompt);
    screen.show(buffer);
    char byte;
    while (readByte(channel.input, byte)) {
        switch (buffer.feed(byte)) {
        case LineBuffer::Event::None: break;
        case LineBuffer::Event::Changed:
            if (!hasMore(channel.input)) // who types ahead need not see every key
                screen.show(buffer);
            break;
        case LineBuffer::Event::ClearScreen:
            screen.clear();
            screen.show(buffer);
            break;
        case LineBuffer::Event::Completion: complete(buffer, screen); break;
        case LineBuffer::Event::Accepted:
            if (!buffer.endsWithEmptyLine() && isIncomplete(buffer.text())) {
                buffer.insert("\n");
                screen.show(buffer);
                break;
            }
            screen.finish(buffer);
            return buffer.text();
        case LineBuffer::Event::Interrupted:
            screen.finish(buffer, "^C");
            wasInterrupted = true;
            return "";
        case LineBuffer::Event::EndOfInput: screen.finish(buffer); return std::nullopt;
        }
    }
    if (buffer.text().empty())
        return std::nullopt;
    return buffer.text();
}

/// Inserts what all candidates have in common; if that is nothing new, shows them.
void LineEditor::complete(LineBuffer &buffer, Screen &screen) {
    if (!language.complete)
        return;
    Completions found = language.complete(buffer.text(), buffer.cursor());
    if (found.candidates.empty())
        return;
    std::string common = found.candidates[0];
    for (const std::string &candidate : found.candidates)
        common.resize(static_cast<size_t>(std::ranges::mismatch(common, candidate).in1 - common.begin()));
    size_t known = buffer.cursor() - found.begin;
    if (common.size() > known)
        buffer.insert(std::string_view(common).substr(known));
    else if (found.candidates.size() > 1)
        screen.list(buffer, found.candidates);
    screen.show(buffer);
}

} // namespace daphne::driver
