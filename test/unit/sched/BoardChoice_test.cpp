// SPDX-License-Identifier: Apache-2.0
/// Which loop a thread helps with: no threads needed.
#include "sched/Board.h"

#include <vector>

#include <gtest/gtest.h>

namespace daphne::sched {
namespace {

constexpr uint32_t kNone = Board::kNone;

/// Loops that are open, with as many helpers as a test says.
struct Loops {
    Board board;

    uint32_t root(const void *run, uint64_t helpers) {
        uint32_t slot = board.take(Board::Kind::Root);
        board[slot].owner = run;
        board[slot].state = helpers * Board::kOneHelper + helpers;
        board.open().fetch_or(Board::bit(slot));
        return slot;
    }
    uint32_t inner(uint32_t root, std::vector<uint32_t> around) {
        uint32_t slot = board.take(Board::Kind::Inner);
        uint64_t ancestors = Board::bit(root);
        for (uint32_t a : around)
            ancestors |= Board::bit(a);
        board[slot].ancestors = ancestors;
        board[slot].root = root;
        board[slot].depth = static_cast<uint32_t>(around.size()) + 1;
        board.open().fetch_or(Board::bit(slot));
        return slot;
    }
    uint64_t helpers(uint32_t slot) { return Board::helpersIn(board[slot].state); }
};

const int kRuns[3] = {};
const void *const kA = &kRuns[0], *const kB = &kRuns[1], *const kC = &kRuns[2];

TEST(BoardChoice, IsTheRunWithTheFewestHelpers) {
    Loops loops;
    EXPECT_EQ(loops.board.choose(8), kNone);
    uint32_t a = loops.root(kA, 2), b = loops.root(kB, 1), c = loops.root(kC, 2);
    EXPECT_EQ(loops.board.choose(16), b);
    loops.board.close(b);
    EXPECT_EQ(loops.board.choose(16), a);
    loops.board.close(a);
    EXPECT_EQ(loops.board.choose(16), c);
    loops.board.close(c);
    EXPECT_EQ(loops.board.choose(16), kNone);
}

TEST(BoardChoice, CountsHelpersOfAllLoopsOfARun) {
    Loops loops;
    loops.root(kA, 2);
    loops.root(kA, 2);
    uint32_t b = loops.root(kB, 3);
    EXPECT_EQ(loops.board.choose(64), b) << "A has four";
}

TEST(BoardChoice, IsTheShallowestLoopOfTheRun) {
    Loops loops;
    uint32_t a = loops.root(kA, 3);
    uint32_t deep = loops.inner(a, {40}), deeper = loops.inner(a, {40, 41}), shallow = loops.inner(a, {});
    EXPECT_EQ(loops.board.choose(8), a);
    loops.board.close(a);
    EXPECT_EQ(loops.board.choose(8), shallow);
    loops.board.close(shallow);
    EXPECT_EQ(loops.board.choose(8), deep);
    loops.board.close(deep);
    EXPECT_EQ(loops.board.choose(8), deeper);
}

TEST(BoardChoice, HelpersAndCallersAreNoMoreThanTheWorkers) {
    Loops loops;
    uint32_t a = loops.root(kA, 3);
    EXPECT_EQ(loops.board.choose(4), a) << "one caller: there are never more than three helpers";
    loops.root(kB, 0);
    EXPECT_EQ(loops.board.choose(5), kNone) << "two callers and three helpers";
    EXPECT_NE(loops.board.choose(6), kNone);
    EXPECT_TRUE(loops.board.givesUp(a, 4));
    EXPECT_EQ(loops.helpers(a), 2u);
}

TEST(BoardChoice, AHelperGivesUpIfAnotherRunHasTwoLess) {
    Loops loops;
    uint32_t a = loops.root(kA, 3), b = loops.root(kB, 1);
    EXPECT_FALSE(loops.board.givesUp(b, 64));
    EXPECT_TRUE(loops.board.givesUp(a, 64));
    EXPECT_FALSE(loops.board.givesUp(a, 64)) << "two and one";
    EXPECT_EQ(loops.helpers(a), 2u);
    loops.board[b].state = 0;
    loops.board.close(b);
    EXPECT_FALSE(loops.board.givesUp(a, 64)) << "there is nothing to do in B";
    loops.inner(b, {});
    EXPECT_TRUE(loops.board.givesUp(a, 64)) << "now there is";
}

TEST(BoardChoice, LoopsOfTheSameRunDoNotTakeHelpersFromEachOther) {
    Loops loops;
    uint32_t a = loops.root(kA, 5);
    loops.root(kA, 0);
    EXPECT_FALSE(loops.board.givesUp(a, 64));
}

TEST(BoardChoice, WhoWaitsSeesLoopsInsideOfItsOwnOnly) {
    Loops loops;
    uint32_t a = loops.root(kA, 0), b = loops.root(kB, 0);
    uint32_t first = loops.inner(a, {}), inside = loops.inner(a, {first}), ofB = loops.inner(b, {});
    EXPECT_EQ(loops.board.openInside(first), inside);
    EXPECT_EQ(loops.board.openInside(inside), kNone);
    EXPECT_EQ(loops.board.openInside(a), first);
    EXPECT_EQ(loops.board.openInside(b), ofB);
    loops.board.close(first);
    EXPECT_EQ(loops.board.openInside(a), inside);
}

TEST(BoardChoice, SlotsAreTakenUntilNoneIsFree) {
    Board board;
    for (uint32_t i = 0; i < Board::kRoots; ++i)
        EXPECT_EQ(board.take(Board::Kind::Root), i);
    EXPECT_EQ(board.take(Board::Kind::Root), kNone);
    EXPECT_EQ(board.take(Board::Kind::Inner), Board::kRoots);
    board.giveBack(7);
    EXPECT_EQ(board.take(Board::Kind::Root), 7u);
}

} // namespace
} // namespace daphne::sched
