// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "data/NullIndicator.h"

namespace daphne::test {
namespace {

using Labels = std::vector<std::string>;
using Types = std::vector<ValueType>;
using Positions = std::vector<size_t>;

TEST(NullIndicator, IsNamedAfterItsColumn) {
    EXPECT_EQ(indicatorLabel("t.x"), "t.x IS NOT NULL");
    EXPECT_EQ(columnOfIndicator(indicatorLabel("t.x")), "t.x");
}

TEST(NullIndicator, BlanksAndCaseOfTheWordsDoNotCount) {
    EXPECT_EQ(columnOfIndicator("t.xISNOTNULL"), "t.x");
    EXPECT_EQ(columnOfIndicator("x is  not null"), "x");
    for (const char *other : {"x", "", "IS NOT NULL", "x IS NULL", "x IS NOT", "NULL"})
        EXPECT_EQ(columnOfIndicator(other), "") << other;
}

TEST(NullIndicator, IsFoundForEveryColumnThatHasOne) {
    EXPECT_EQ(findIndicators({"a", "b", "b IS NOT NULL", "c IS NOT NULL"},
                             {ValueType::SI64, ValueType::Str, ValueType::Bool, ValueType::Bool}),
              (Positions{kNoIndicator, 2, kNoIndicator, kNoIndicator}));
    EXPECT_EQ(findIndicators({}, {}), Positions{});
}

TEST(NullIndicator, IsOfIntegersOrOfATypeNotKnownYet) {
    auto isFound = [](ValueType type) {
        return findIndicators({"a", "a IS NOT NULL"}, {ValueType::F64, type})[0] == 1;
    };
    for (ValueType type : {ValueType::Bool, ValueType::SI64, ValueType::UI8, ValueType::Unknown})
        EXPECT_TRUE(isFound(type)) << dslName(type);
    for (ValueType type : {ValueType::F64, ValueType::Str})
        EXPECT_FALSE(isFound(type)) << dslName(type);
}

TEST(NullIndicator, HasNoneItself) {
    Labels labels{"a", "a IS NOT NULL", "a IS NOT NULL IS NOT NULL"};
    EXPECT_EQ(findIndicators(labels, Types(3, ValueType::Bool)), (Positions{1, kNoIndicator, kNoIndicator}));
}

TEST(NullIndicator, OfTwoTheFirstOneCounts) {
    Labels labels{"a ISNOTNULL", "a", "a IS NOT NULL"};
    EXPECT_EQ(findIndicators(labels, Types(3, ValueType::Bool)), (Positions{kNoIndicator, 0, kNoIndicator}));
}

} // namespace
} // namespace daphne::test
