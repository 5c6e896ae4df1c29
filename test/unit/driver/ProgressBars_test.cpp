// SPDX-License-Identifier: Apache-2.0
#include "driver/ProgressBars.h"

#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/Progress.h"

namespace daphne::test {
namespace {

using namespace std::chrono_literals;
using driver::ShowProgress;

/// What is written to a pipe.
class Bars : public testing::Test {
  protected:
    Bars() {
        EXPECT_EQ(pipe(ends), 0);
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    ~Bars() override {
        close(ends[0]);
        close(ends[1]);
    }
    std::string written() {
        std::string text(1 << 16, '\0');
        ssize_t n = read(ends[0], text.data(), text.size());
        text.resize(n < 0 ? 0 : static_cast<size_t>(n));
        return text;
    }
    int ends[2];
};

TEST_F(Bars, ShowTheShareThatIsDoneAndVanish) {
    ShowProgress bars(ends[1], 0ms);
    {
        Progress bar("reading x.csv", 200);
        advanceProgress(50);
        bar.advance(50);
        std::string text;
        for (int i = 0; i < 100 && text.find(" 50 %") == text.npos; ++i) {
            std::this_thread::sleep_for(20ms);
            text += written();
        }
        EXPECT_NE(text.find(" 50 % reading x.csv"), text.npos) << text;
    }
    EXPECT_TRUE(written().ends_with("\r\x1b[K"));
}

TEST_F(Bars, OfInnerWorkStayInvisible) {
    ShowProgress bars(ends[1], 0ms);
    Progress outer("outer", 10);
    std::string text;
    {
        Progress inner("inner", 10);
        inner.advance(10);
        std::this_thread::sleep_for(300ms);
        text = written();
    }
    EXPECT_NE(text.find("outer"), text.npos);
    EXPECT_EQ(text.find("inner"), text.npos);
    EXPECT_EQ(text.find("100 %"), text.npos) << text;
}

TEST_F(Bars, AreNotShownForShortWork) {
    ShowProgress bars(ends[1]);
    {
        Progress bar("short", 10);
        std::this_thread::sleep_for(300ms);
    }
    EXPECT_EQ(written(), "");
}

TEST_F(Bars, AreNotShownIfNobodyWantsThem) {
    Progress bar("nobody", 10);
    advanceProgress(3);
    setProgress(1, 2);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(written(), "");
}

TEST_F(Bars, FitIntoALine) {
    ShowProgress bars(ends[1], 0ms);
    Progress bar("reading " + std::string(500, 'x'), 0);
    std::this_thread::sleep_for(300ms);
    std::string text = written();
    ASSERT_NE(text, "");
    EXPECT_LE(text.substr(0, text.find("\x1b[K")).size(), 80u);
}

TEST_F(Bars, BelongToTheRunOfTheThread) {
    ActiveRun run;
    ActiveRun::Scope scope(&run);
    {
        ShowProgress bars(ends[1], 0ms);
        EXPECT_EQ(ActiveRun::current(), &run);
        EXPECT_NE(run.progress, nullptr);
    }
    EXPECT_EQ(run.progress, nullptr);
}

} // namespace
} // namespace daphne::test
