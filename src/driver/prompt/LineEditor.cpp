// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/LineEditor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "driver/prompt/LineBuffer.h"

namespace daphne::driver {

namespace {

/// Switches a terminal to single keys without echo and back again.
class RawMode {
  public:
    explicit RawMode(int fd) : fd(fd) {
        if (tcgetattr(fd, &saved) != 0)
            return;
        termios raw = saved;
        raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
        raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        active = tcsetattr(fd, TCSADRAIN, &raw) == 0;
    }
    ~RawMode() {
        if (active)
            tcsetattr(fd, TCSADRAIN, &saved);
    }
    RawMode(const RawMode &) = delete;
    RawMode &operator=(const RawMode &) = delete;

  private:
    int fd;
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

size_t terminalColumns(int fd) {
    winsize size{};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool canEdit(LineEditor::Channel channel) {
    const char *terminal = std::getenv("TERM");
    return isatty(channel.input) && isatty(channel.output) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

/// The part of a text from character `first` on, at most `count` characters.
std::string_view characters(std::string_view text, size_t first, size_t count) {
    auto offsetOf = [&](size_t character) {
        size_t offset = 0;
        for (; offset < text.size(); ++offset)
            if ((static_cast<unsigned char>(text[offset]) & 0xc0) != 0x80 && character-- == 0)
                break;
        return offset;
    };
    size_t begin = offsetOf(first);
    return text.substr(begin, offsetOf(first + count) - begin);
}

} // namespace

std::string defaultHistoryPath() {
    const char *state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') // relative values are to be ignored
        return std::string(state) + "/daphne/history";
    const char *home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.local/state/daphne/history" : "";
}

LineEditor::LineEditor(std::string historyPath, Channel channel)
    : channel(channel), onTerminal(canEdit(channel)), historyPath(std::move(historyPath)) {
    if (onTerminal)
        loadHistory();
}

std::optional<std::string> LineEditor::read(const std::string &prompt) {
    wasInterrupted = false;
    if (onTerminal)
        return edit(prompt);
    if (isatty(channel.input))
        writeAll(channel.output, prompt);
    return readPlainLine();
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
    RawMode raw(channel.input);
    LineBuffer buffer(lines);
    show(prompt, "", 0);
    char byte;
    while (readByte(channel.input, byte)) {
        switch (buffer.feed(byte)) {
        case LineBuffer::Event::None: break;
        case LineBuffer::Event::Changed: show(prompt, buffer.text(), buffer.cursor()); break;
        case LineBuffer::Event::ClearScreen:
            writeAll(channel.output, "\x1b[H\x1b[2J");
            show(prompt, buffer.text(), buffer.cursor());
            break;
        case LineBuffer::Event::Accepted: writeAll(channel.output, "\r\n"); return buffer.text();
        case LineBuffer::Event::Interrupted:
            writeAll(channel.output, "^C\r\n");
            wasInterrupted = true;
            return "";
        case LineBuffer::Event::EndOfInput: writeAll(channel.output, "\r\n"); return std::nullopt;
        }
    }
    if (buffer.text().empty())
        return std::nullopt;
    return buffer.text();
}

/// Redraws the line; a line longer than the terminal is wide scrolls sideways.
void LineEditor::show(const std::string &prompt, const std::string &text, size_t cursor) const {
    size_t promptWidth = LineBuffer::countCharacters(prompt);
    size_t columns = terminalColumns(channel.output);
    size_t room = columns > promptWidth + 1 ? columns - promptWidth - 1 : 1;
    size_t cursorCharacter = LineBuffer::countCharacters(std::string_view(text).substr(0, cursor));
    size_t first = cursorCharacter > room ? cursorCharacter - room : 0;

    std::string out = "\r" + prompt + std::string(characters(text, first, room)) + "\x1b[K\r";
    if (size_t column = promptWidth + cursorCharacter - first; column > 0)
        out += "\x1b[" + std::to_string(column) + "C";
    writeAll(channel.output, out);
}

void LineEditor::remember(std::string_view text) {
    while (!text.empty()) {
        std::string line(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        bool isBlank = line.find_first_not_of(" \t\r") == line.npos;
        if (isBlank || (!lines.empty() && lines.back() == line))
            continue;
        lines.push_back(line);
        if (lines.size() > kMaxHistoryLines)
            lines.erase(lines.begin());
        if (onTerminal)
            appendToFile(line);
    }
}

void LineEditor::loadHistory() {
    std::ifstream file(historyPath);
    for (std::string line; std::getline(file, line);)
        if (!line.empty())
            lines.push_back(std::move(line));
    if (lines.size() > kMaxHistoryLines) {
        lines.erase(lines.begin(), lines.end() - kMaxHistoryLines);
        rewriteFile();
    }
}

void LineEditor::appendToFile(const std::string &line) const {
    if (historyPath.empty())
        return;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(historyPath).parent_path(), ignored);
    std::ofstream(historyPath, std::ios::app) << line << '\n';
}

/// Through a second file, so that another prompt never sees half of it.
void LineEditor::rewriteFile() const {
    std::string shorter = historyPath + ".new";
    {
        std::ofstream file(shorter, std::ios::trunc);
        for (const std::string &line : lines)
            file << line << '\n';
        if (!file.flush())
            return;
    }
    std::error_code ignored;
    std::filesystem::rename(shorter, historyPath, ignored);
}

} // namespace daphne::driver
