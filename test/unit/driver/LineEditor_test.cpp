// SPDX-License-Identifier: Apache-2.0
#include "driver/prompt/LineEditor.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "driver/prompt/LineBuffer.h"

namespace daphne::driver {
namespace {

using ::testing::HasSubstr;
using Event = LineBuffer::Event;
using Words = std::vector<std::string>;

constexpr const char *kUp = "\x1b[A", *kDown = "\x1b[B", *kRight = "\x1b[C", *kLeft = "\x1b[D";
constexpr const char *kHome = "\x1b[H", *kEnd = "\x1b[F", *kDelete = "\x1b[3~";

/// Text after typing keys, with '|' where the cursor stands.
std::string typed(const std::string &keys, const Words &history = {}) {
    LineBuffer buffer(history);
    for (char key : keys)
        buffer.feed(key);
    std::string text = buffer.text();
    return text.insert(buffer.cursor(), "|");
}

TEST(LineBuffer, TypedTextIsInsertedAtTheCursor) {
    EXPECT_EQ(typed("abc"), "abc|");
    EXPECT_EQ(typed("ac" + std::string(kLeft) + "b"), "ab|c");
    EXPECT_EQ(typed("\tb"), "    b|");
}

TEST(LineBuffer, CursorKeysStayWithinTheLine) {
    EXPECT_EQ(typed("ab" + std::string(kLeft) + kLeft + kLeft), "|ab");
    EXPECT_EQ(typed("ab" + std::string(kRight)), "ab|");
    EXPECT_EQ(typed("ab\x02\x02\x06"), "a|b");
}

TEST(LineBuffer, HomeAndEndHaveSeveralSpellings) {
    for (const char *home : {kHome, "\x1bOH", "\x1b[1~", "\x1b[7~", "\x01"})
        EXPECT_EQ(typed("ab" + std::string(home)), "|ab");
    for (const char *end : {kEnd, "\x1bOF", "\x1b[4~", "\x1b[8~", "\x05"})
        EXPECT_EQ(typed("ab" + std::string(kHome) + end), "ab|");
}

TEST(LineBuffer, BackspaceAndDeleteRemoveOneCharacter) {
    EXPECT_EQ(typed("abc\x7f"), "ab|");
    EXPECT_EQ(typed("abc\x08"), "ab|");
    EXPECT_EQ(typed("\x7f"), "|");
    EXPECT_EQ(typed("abc" + std::string(kHome) + kDelete), "|bc");
    EXPECT_EQ(typed("abc" + std::string(kDelete)), "abc|");
    EXPECT_EQ(typed("abc\x01\x04"), "|bc");
}

TEST(LineBuffer, ControlKeysRemoveParts) {
    EXPECT_EQ(typed("abc" + std::string(kLeft) + "\x0b"), "ab|");
    EXPECT_EQ(typed("abc" + std::string(kLeft) + "\x15"), "|c");
    EXPECT_EQ(typed("one two  \x17"), "one |");
}

TEST(LineBuffer, CharactersOfSeveralBytesAreMovedOverAndRemovedWhole) {
    EXPECT_EQ(typed("a\u00fc\u20ac" + std::string(kLeft)), "a\u00fc|\u20ac");
    EXPECT_EQ(typed("a\u00fc\u20ac\x7f"), "a\u00fc|");
    EXPECT_EQ(typed("\u20acx\x01" + std::string(kRight)), "\u20ac|x");
    EXPECT_EQ(typed("\u20acx\x01" + std::string(kDelete)), "|x");
    EXPECT_EQ(LineBuffer::countCharacters("a\u00fc\u20ac"), 3u);
}

TEST(LineBuffer, UpAndDownBrowseTheHistory) {
    Words history = {"first", "second"};
    EXPECT_EQ(typed(kUp, history), "second|");
    EXPECT_EQ(typed(std::string(kUp) + kUp, history), "first|");
    EXPECT_EQ(typed(std::string(kUp) + kUp + kUp, history), "first|");
    EXPECT_EQ(typed(std::string("new") + kUp + kDown, history), "new|");
    EXPECT_EQ(typed(std::string(kDown), history), "|");
    EXPECT_EQ(typed("\x10\x10\x0e", history), "second|");
}

TEST(LineBuffer, SomeKeysEndTheLine) {
    Words none;
    LineBuffer buffer(none);
    EXPECT_EQ(buffer.feed('\x04'), Event::EndOfInput);
    EXPECT_EQ(buffer.feed('a'), Event::Changed);
    EXPECT_EQ(buffer.feed('\r'), Event::Accepted);
    EXPECT_EQ(buffer.feed('\n'), Event::Accepted);
    EXPECT_EQ(buffer.feed('\x03'), Event::Interrupted);
    EXPECT_EQ(buffer.feed('\x0c'), Event::ClearScreen);
}

constexpr const char *kAltEnter = "\x1b\r", *kPaste = "\x1b[200~", *kPasted = "\x1b[201~";

TEST(LineBuffer, ATextMayHaveSeveralLines) {
    EXPECT_EQ(typed("ab" + std::string(kAltEnter) + "c"), "ab\nc|");
    std::string two = "ab" + std::string(kAltEnter) + "cde";
    EXPECT_EQ(typed(two + "\x01"), "ab\n|cde");
    EXPECT_EQ(typed(two + "\x15"), "ab\n|");
    EXPECT_EQ(typed(two + kLeft + "\x0b"), "ab\ncd|");
}

TEST(LineBuffer, UpAndDownMoveBetweenLinesBeforeTheyBrowse) {
    std::string two = "abc" + std::string(kAltEnter) + "de";
    EXPECT_EQ(typed(two + kUp, {"old"}), "ab|c\nde");
    EXPECT_EQ(typed(two + kUp + kDown, {"old"}), "abc\nde|");
    EXPECT_EQ(typed(two + kUp + kUp, {"old"}), "old|");
    EXPECT_EQ(typed(std::string(kUp) + kUp, {"old", "x\ny"}), "x|\ny");
}

TEST(LineBuffer, APasteIsTextWhateverIsInIt) {
    EXPECT_EQ(typed(std::string(kPaste) + "a;\r\n\tb;\rc\n\n" + kPasted + "d"), "a;\n    b;\ncd|");
    Words none;
    LineBuffer buffer(none);
    for (char key : std::string(kPaste) + "x = 1;\r\r" + kPasted)
        EXPECT_NE(buffer.feed(key), Event::Accepted);
}

TEST(LineBuffer, TabBehindSomethingAsksForCompletion) {
    Words none;
    LineBuffer buffer(none);
    EXPECT_EQ(buffer.feed('\t'), Event::Changed);
    buffer.feed('s');
    EXPECT_EQ(buffer.feed('\t'), Event::Completion);
    buffer.insert("um");
    EXPECT_EQ(buffer.text(), "    sum");
}

TEST(LineBuffer, AnEmptyLineBehindOthersIsTold) {
    Words none;
    LineBuffer buffer(none);
    EXPECT_FALSE(buffer.endsWithEmptyLine());
    buffer.insert("if (a) {\n");
    EXPECT_TRUE(buffer.endsWithEmptyLine());
    buffer.insert("  b");
    EXPECT_FALSE(buffer.endsWithEmptyLine());
}

TEST(LineBuffer, CtrlRFindsTheNewestEntryWithAText) {
    Words history = {"print(one);", "x = 2;", "print(two);"};
    EXPECT_EQ(typed("\x12pri", history), "|print(two);");
    EXPECT_EQ(typed("\x12pri\x12", history), "|print(one);");
    EXPECT_EQ(typed("\x12pri\x12\x12", history), "|print(one);"); // there is no older one
    EXPECT_EQ(typed("\x12pri\x7f\x7f\x7fx", history), "|x = 2;");
    EXPECT_EQ(typed("ab\x12pri\x07", history), "ab|"); // Ctrl-G
    EXPECT_EQ(typed("\x12 = " + std::string(kEnd) + "3", history), "x = 2;3|");
    LineBuffer buffer(history);
    for (char key : std::string("\x12one"))
        buffer.feed(key);
    EXPECT_TRUE(buffer.isSearching());
    EXPECT_EQ(buffer.searchText(), "one");
    EXPECT_EQ(buffer.feed('\r'), Event::Accepted);
    EXPECT_EQ(buffer.text(), "print(one);");
}

TEST(LineBuffer, UnknownSequencesAreSwallowed) {
    EXPECT_EQ(typed("a\x1b[15~b\x1b[1;5Qc\x1bxd\x01\x00"), "|abcd");
    EXPECT_EQ(typed(std::string("a\x1b[202~b")), "ab|");
}

/// A directory that goes away with the test.
class LineEditorTest : public ::testing::Test {
  protected:
    void SetUp() override {
        directory = testing::TempDir() + "daphne-editor-" + std::to_string(getpid());
        std::filesystem::remove_all(directory);
        setenv("TERM", "xterm", 1);
    }
    void TearDown() override { std::filesystem::remove_all(directory); }

    std::string historyPath() const { return directory + "/deep/history"; }
    Words historyFile() const {
        Words lines;
        std::ifstream file(historyPath());
        for (std::string line; std::getline(file, line);)
            lines.push_back(line);
        return lines;
    }

    std::string directory;
};

/// Both ends of a pseudo-terminal.
class PseudoTerminal {
  public:
    PseudoTerminal() {
        controller = posix_openpt(O_RDWR | O_NOCTTY);
        if (controller >= 0 && grantpt(controller) == 0 && unlockpt(controller) == 0)
            device = open(ptsname(controller), O_RDWR | O_NOCTTY);
        if (device < 0)
            return;
        // What the user types must wait unchanged until the editor reads it.
        termios mode{};
        tcgetattr(device, &mode);
        cfmakeraw(&mode);
        tcsetattr(device, TCSANOW, &mode);
    }
    ~PseudoTerminal() {
        close(device);
        close(controller);
    }
    void type(const std::string &keys) { ASSERT_EQ(write(controller, keys.data(), keys.size()), ssize_t(keys.size())); }
    /// All that was shown; the system hands it over in pieces, so wait until nothing more comes.
    std::string screen() {
        std::string text;
        pollfd end{controller, POLLIN, 0};
        while (poll(&end, 1, /*timeout in ms*/ 300) > 0) {
            char block[4096];
            ssize_t got = ::read(controller, block, sizeof block);
            if (got <= 0)
                break;
            text.append(block, static_cast<size_t>(got));
        }
        return text;
    }
    int controller = -1, device = -1;
};

TEST_F(LineEditorTest, PlainInputIsReadLineByLine) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::string input = "one\n\ntwo\r\nlast";
    ASSERT_EQ(write(ends[1], input.data(), input.size()), ssize_t(input.size()));
    close(ends[1]);
    LineEditor editor(historyPath(), {ends[0], ends[0]});
    EXPECT_EQ(editor.read("> "), "one");
    EXPECT_EQ(editor.read("> "), "");
    EXPECT_EQ(editor.read("> "), "two");
    EXPECT_EQ(editor.read("> "), "last");
    EXPECT_EQ(editor.read("> "), std::nullopt);
    editor.remember("one");
    EXPECT_FALSE(std::filesystem::exists(historyPath()));
    close(ends[0]);
}

TEST_F(LineEditorTest, ATerminalIsEditedAndShowsThePrompt) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    LineEditor editor(historyPath(), {terminal.device, terminal.device});
    terminal.type("prnt(1);\x01\x06\x06i\r");
    EXPECT_EQ(editor.read("daphne> "), "print(1);");
    EXPECT_FALSE(editor.interrupted());
    EXPECT_THAT(terminal.screen(), HasSubstr("daphne> print(1);"));
}

TEST_F(LineEditorTest, CtrlCGivesAnEmptyLineAndCtrlDTheEnd) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    LineEditor editor(historyPath(), {terminal.device, terminal.device});
    terminal.type("abc\x03");
    EXPECT_EQ(editor.read("> "), "");
    EXPECT_TRUE(editor.interrupted());
    terminal.type("\x04");
    EXPECT_EQ(editor.read("> "), std::nullopt);
    EXPECT_FALSE(editor.interrupted());
}

TEST_F(LineEditorTest, LinesLongerThanTheTerminalScroll) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    LineEditor editor(historyPath(), {terminal.device, terminal.device});
    std::string longLine(200, 'x');
    terminal.type(longLine + "\r");
    EXPECT_EQ(editor.read("> "), longLine);
}

TEST_F(LineEditorTest, EnterGoesOnWhileTheTextIsIncomplete) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    auto isOpen = [](const std::string &text) { return text.find(')') == text.npos; };
    LineEditor editor(historyPath(), {terminal.device, terminal.device}, {.isIncomplete = isOpen});
    terminal.type("f(\r1\r)\r");
    EXPECT_EQ(editor.read("daphne> "), "f(\n1\n)");
    EXPECT_THAT(terminal.screen(), HasSubstr("   ...> 1"));
    terminal.type("f(\r\r"); // an empty line ends it
    EXPECT_EQ(editor.read("daphne> "), "f(\n");
}

TEST_F(LineEditorTest, TabInsertsWhatCandidatesHaveInCommonOrListsThem) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    auto complete = [](const std::string &, size_t) { return Completions{0, {"readFrame", "readMatrix"}}; };
    LineEditor editor(historyPath(), {terminal.device, terminal.device}, {.complete = complete});
    terminal.type("r\t\tX\r");
    EXPECT_EQ(editor.read("> "), "readX");
    EXPECT_THAT(terminal.screen(), HasSubstr("readFrame   readMatrix"));
}

TEST_F(LineEditorTest, TheHistorySurvivesInAFile) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    {
        LineEditor editor(historyPath(), {terminal.device, terminal.device});
        editor.remember("a = 1;");
        editor.remember("a = 1;");
        editor.remember("  ");
        editor.remember("if (a) {\n  print(a);\n}");
    }
    EXPECT_EQ(historyFile(), (Words{"a = 1;", "if (a) {", "\t  print(a);", "\t}"}));
    LineEditor editor(historyPath(), {terminal.device, terminal.device});
    EXPECT_EQ(editor.history(), (Words{"a = 1;", "if (a) {\n  print(a);\n}"}));
    terminal.type(std::string(kUp) + "\r");
    EXPECT_EQ(editor.read("> "), "if (a) {\n  print(a);\n}");
}

TEST_F(LineEditorTest, TheHistoryIsBounded) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    std::filesystem::create_directories(directory + "/deep");
    {
        std::ofstream file(historyPath());
        for (size_t i = 0; i < kMaxHistoryEntries + 50; ++i)
            file << "line " << i << "\n";
    }
    LineEditor editor(historyPath(), {terminal.device, terminal.device});
    EXPECT_EQ(editor.history().size(), kMaxHistoryEntries);
    EXPECT_EQ(editor.history().front(), "line 50");
    EXPECT_EQ(historyFile().size(), kMaxHistoryEntries);
    editor.remember("more");
    EXPECT_EQ(editor.history().size(), kMaxHistoryEntries);
    EXPECT_EQ(editor.history().back(), "more");
}

TEST_F(LineEditorTest, AnUnwritableHistoryIsNoProblem) {
    PseudoTerminal terminal;
    if (terminal.device < 0)
        GTEST_SKIP() << "no pseudo-terminals here";
    LineEditor editor("/dev/null/history", {terminal.device, terminal.device});
    editor.remember("x");
    EXPECT_EQ(editor.history(), Words{"x"});
}

TEST(HistoryPath, FollowsTheStateDirectory) {
    setenv("XDG_STATE_HOME", "/s", 1);
    EXPECT_EQ(defaultHistoryPath(), "/s/daphne/history");
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "/h", 1);
    EXPECT_EQ(defaultHistoryPath(), "/h/.local/state/daphne/history");
    unsetenv("HOME");
    EXPECT_EQ(defaultHistoryPath(), "");
}

} // namespace
} // namespace daphne::driver
