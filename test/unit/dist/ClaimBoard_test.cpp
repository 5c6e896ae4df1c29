// SPDX-License-Identifier: Apache-2.0
/// Of all who claim what is on offer one gets it, also from another process.
#include "dist/samehost/ClaimBoard.h"

#include <cstdio>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace daphne::dist {

namespace {

uint64_t thisProcess() { return static_cast<uint64_t>(getpid()); }

TEST(ClaimBoard, WhatIsOnOfferIsClaimedOnce) {
    auto board = ClaimBoard::make();
    ASSERT_TRUE(board);
    EXPECT_FALSE(board->claim(7));
    board->offer(7);
    EXPECT_FALSE(board->claim(8));
    EXPECT_FALSE(board->claim(7 + ClaimBoard::kSlots));
    EXPECT_TRUE(board->claim(7));
    EXPECT_FALSE(board->claim(7));
}

TEST(ClaimBoard, WhatIsTooOldCountsAsClaimed) {
    auto board = ClaimBoard::make();
    ASSERT_TRUE(board);
    board->offer(7);
    board->offer(7 + ClaimBoard::kSlots);
    EXPECT_FALSE(board->claim(7));
    EXPECT_TRUE(board->claim(7 + ClaimBoard::kSlots));
}

TEST(ClaimBoard, ThreadsShareWhatThereIs) {
    auto board = ClaimBoard::make();
    ASSERT_TRUE(board);
    auto other = ClaimBoard::open(thisProcess(), board->file());
    ASSERT_TRUE(other);
    for (uint64_t round = 0; round < 50; ++round) {
        uint64_t first = 1 + round * 400, counts[2] = {0, 0};
        for (uint64_t i = 0; i < 400; ++i)
            board->offer(first + i);
        auto takeAll = [&](ClaimBoard &mine, uint64_t &count) {
            for (uint64_t i = 0; i < 400; ++i)
                count += mine.claim(first + i);
        };
        std::thread thread([&] { takeAll(*other, counts[1]); });
        takeAll(*board, counts[0]);
        thread.join();
        ASSERT_EQ(counts[0] + counts[1], 400u);
    }
}

TEST(ClaimBoard, AnotherProcessSeesIt) {
    auto board = ClaimBoard::make();
    ASSERT_TRUE(board);
    for (uint64_t i = 1; i <= 10; ++i)
        board->offer(i);
    uint64_t process = thisProcess();
    MemoryFile place = board->file();
    pid_t child = fork();
    if (child == 0) {
        auto mine = ClaimBoard::open(process, place);
        _exit(mine && mine->claim(3) && mine->claim(5) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    for (uint64_t i = 1; i <= 10; ++i)
        EXPECT_EQ(board->claim(i), i != 3 && i != 5) << i;
}

TEST(ClaimBoard, OtherFilesAreNone) {
    auto board = ClaimBoard::make();
    ASSERT_TRUE(board);
    MemoryFile wrong = board->file();
    ++wrong.inode;
    EXPECT_FALSE(ClaimBoard::open(thisProcess(), wrong));
    EXPECT_FALSE(ClaimBoard::open(thisProcess(), {}));
    EXPECT_FALSE(ClaimBoard::open(0x7fffffff, board->file()));
    // A file of the right size that could become shorter.
    FILE *file = std::tmpfile();
    ASSERT_TRUE(file);
    ASSERT_EQ(ftruncate(fileno(file), ClaimBoard::kSlots * sizeof(uint64_t)), 0);
    struct stat info{};
    ASSERT_EQ(fstat(fileno(file), &info), 0);
    EXPECT_FALSE(ClaimBoard::open(thisProcess(), {fileno(file), info.st_ino}));
    std::fclose(file);
}

} // namespace

} // namespace daphne::dist
