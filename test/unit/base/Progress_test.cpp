// SPDX-License-Identifier: Apache-2.0
#include "base/Progress.h"

#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/ActiveRun.h"

namespace daphne::test {
namespace {

struct Listener : ProgressListener {
    void begins(const ProgressWork &work) override { note("begins", work); }
    void advances(const ProgressWork &work) override { note("advances", work); }
    void ends(const ProgressWork &work) override { note("ends", work); }
    void note(const char *event, const ProgressWork &work) {
        std::lock_guard lock(mutex);
        heard.push_back(std::string(event) + " " + work.what + " " + std::to_string(work.done) + "/" +
                        std::to_string(work.total));
    }
    std::mutex mutex;
    std::vector<std::string> heard;
};

using Heard = std::vector<std::string>;

TEST(Progress, IsToldToTheListenerOfTheRun) {
    Listener listener;
    ActiveRun run;
    run.progress = &listener;
    {
        ActiveRun::Scope scope(&run);
        Progress bar("reading", 0);
        setProgress(0, 8);
        advanceProgress(3);
        bar.advance(2);
    }
    EXPECT_EQ(listener.heard, (Heard{"begins reading 0/0", "advances reading 0/8", "advances reading 3/8",
                                     "advances reading 5/8", "ends reading 5/8"}));
}

TEST(Progress, OfInnerWorkIsNotTold) {
    Listener listener;
    ActiveRun run;
    run.progress = &listener;
    ActiveRun::Scope scope(&run);
    {
        Progress outer("outer", 10);
        Progress inner("inner", 10);
        inner.advance(10);
    }
    Progress next("next", 1);
    EXPECT_EQ(listener.heard, (Heard{"begins outer 0/10", "ends outer 0/10", "begins next 0/1"}));
}

TEST(Progress, OfEachRunGoesToItsListener) {
    Listener first, second;
    ActiveRun one, other;
    one.progress = &first;
    other.progress = &second;
    ActiveRun::Scope scope(&one);
    Progress bar("one", 2);
    std::thread([&] {
        advanceProgress(1); // of no run
        ActiveRun::Scope theirs(&other);
        Progress bar("other", 3);
        advanceProgress(2);
    }).join();
    std::thread([&] {
        ActiveRun::Scope helps(&one);
        advanceProgress(1);
    }).join();
    EXPECT_EQ(first.heard, (Heard{"begins one 0/2", "advances one 1/2"}));
    EXPECT_EQ(second.heard, (Heard{"begins other 0/3", "advances other 2/3", "ends other 2/3"}));
}

TEST(Progress, WithoutAListenerNobodyIsTold) {
    Progress bar("nobody", 10);
    advanceProgress(3);
    setProgress(1, 2);
    ActiveRun run;
    ActiveRun::Scope scope(&run);
    Progress silent("silent", 10);
    silent.advance(1);
    advanceProgress(3);
}

/// Tasks beside each other: who advances the bar of another must not meet its end.
TEST(Progress, MayBeAdvancedWhileItEnds) {
    Listener listener;
    ActiveRun run;
    run.progress = &listener;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            ActiveRun::Scope scope(&run);
            for (int i = 0; i < 2000; ++i) {
                Progress bar("task", 1);
                advanceProgress(1);
            }
        });
    for (std::thread &t : threads)
        t.join();
    int open = 0;
    for (const std::string &line : listener.heard) {
        open += line.starts_with("begins") ? 1 : line.starts_with("ends") ? -1 : 0;
        ASSERT_TRUE(open == 0 || open == 1);
        ASSERT_TRUE(open == 1 || line.starts_with("ends"));
    }
    EXPECT_EQ(open, 0);
}

} // namespace
} // namespace daphne::test
