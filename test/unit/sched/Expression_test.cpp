// SPDX-License-Identifier: Apache-2.0
#include "sched/Expression.h"

#include <gtest/gtest.h>

#include "base/Error.h"

namespace daphne::sched {
namespace {

double valueOf(std::string_view text) {
    return Expression(text).evaluate({.total = 1000, .workers = 4, .grain = 3}, {.index = 9, .remaining = 600});
}

std::vector<uint64_t> sizes(const Scheme &scheme, const Loop &loop) {
    std::vector<uint64_t> all;
    ChunkSequence chunks(scheme, loop);
    while (uint64_t size = chunks.next())
        all.push_back(size);
    return all;
}

TEST(Expression, VariablesOperatorsAndFunctions) {
    EXPECT_EQ(valueOf("N"), 1000);
    EXPECT_EQ(valueOf("P + R * i"), 5404);
    EXPECT_EQ(valueOf("b"), 2);
    EXPECT_EQ(valueOf("g"), 3);
    EXPECT_EQ(valueOf("2 ^ 3 ^ 2"), 512);
    EXPECT_EQ(valueOf("-2 ^ 2"), -4);
    EXPECT_EQ(valueOf("10 - 4 - 3"), 3);
    EXPECT_EQ(valueOf("17 % 5 / 2"), 1);
    EXPECT_EQ(valueOf("(1 + 2) * 3"), 9);
    EXPECT_EQ(valueOf("ceil(R / (3 * P))"), 50);
    EXPECT_EQ(valueOf("min(3, max(1, 2)) + pow(2, 3) + log2(8) + sqrt(16) + floor(2.5)"), 19);
    EXPECT_EQ(valueOf(" .5*4 "), 2);
}

TEST(Expression, MistakesAreNamed) {
    for (const char *bad :
         {"", "1 +", "(1", "x", "ceil", "ceil(1", "min(1)", "1 2", "N N", "2 ** 3", "max(1,2,3)", "1e", ")"})
        EXPECT_THROW(Expression{bad}, Error) << bad;
    EXPECT_THROW(Expression{std::string(100000, '(')}, Error);
    EXPECT_THROW(Expression{std::string(100000, '-')}, Error);
    try {
        Expression("R / Q");
        FAIL();
    } catch (const Error &e) {
        EXPECT_EQ(e.message,
                  "partition expression: expected a number, one of N P R i b g, or one of ceil floor log2 sqrt min "
                  "max pow at character 5\n  R / Q\n      ^");
    }
}

TEST(Expression, AsASchemeItCanRepeatABuiltInOne) {
    Expression guided("ceil(R / P)");
    Loop loop{.total = 12345, .workers = 6, .grain = 2};
    EXPECT_EQ(sizes(schemeOf(guided), loop), sizes(*findScheme("GSS"), loop));
}

TEST(Expression, WhateverItYieldsNothingIsLost) {
    for (const char *text : {"0", "-5", "0 / 0", "1 / 0", "N * N", "R - N", "sqrt(-1)", "0.5"}) {
        Expression expression(text);
        for (uint64_t n : {0, 1, 7, 1000}) {
            uint64_t sum = 0;
            for (uint64_t size : sizes(schemeOf(expression), {.total = n, .workers = 3}))
                sum += size;
            EXPECT_EQ(sum, n) << text;
        }
    }
}

} // namespace
} // namespace daphne::sched
