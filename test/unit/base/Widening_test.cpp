// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/Widening.h"

namespace daphne {
namespace {

using enum ValueType;

constexpr ValueType kAll[] = {Bool, SI8, UI8, SI32, UI32, Size, SI64, UI64, F32, F64, Str, Unknown};

TEST(Widening, FollowsTheChainsOfTheLanguage) {
    for (ValueType t : {SI8, UI8, SI32, UI32, Size, SI64, UI64, F32, F64})
        EXPECT_TRUE(widens(Bool, t)) << dslName(t);
    for (ValueType t : {SI8, UI8, SI32, UI32, Size, SI64, UI64, F32})
        EXPECT_TRUE(widens(t, F64)) << dslName(t);
    EXPECT_TRUE(widens(SI8, SI64));
    EXPECT_TRUE(widens(UI8, UI64));
    EXPECT_TRUE(widens(UI8, SI32));
    EXPECT_TRUE(widens(UI32, SI64));
    EXPECT_TRUE(widens(Size, SI64));
    EXPECT_TRUE(widens(Size, UI64));
    EXPECT_TRUE(widens(SI8, F32));
    EXPECT_TRUE(widens(UI8, F32));
    EXPECT_FALSE(widens(SI32, F32));
    EXPECT_FALSE(widens(UI64, SI64));
    EXPECT_FALSE(widens(SI64, UI64));
    EXPECT_FALSE(widens(SI64, Size));
    EXPECT_FALSE(widens(SI8, UI8));
    EXPECT_FALSE(widens(F64, F32));
    EXPECT_FALSE(widens(SI8, Bool));
    EXPECT_FALSE(widens(SI8, Str));
    EXPECT_FALSE(widens(Str, F64));
    EXPECT_FALSE(widens(Unknown, F64));
}

TEST(Widening, IsAnOrder) {
    for (ValueType a : kAll) {
        EXPECT_TRUE(widens(a, a));
        for (ValueType b : kAll) {
            if (a != b && widens(a, b))
                EXPECT_FALSE(widens(b, a));
            for (ValueType c : kAll)
                if (widens(a, b) && widens(b, c))
                    EXPECT_TRUE(widens(a, c)) << dslName(a) << dslName(b) << dslName(c);
        }
    }
}

TEST(Widening, TheLeastCommonTypeIsAnIntegerForIntegers) {
    EXPECT_EQ(leastCommonType(SI8, UI8), SI32);
    EXPECT_EQ(leastCommonType(SI32, UI32), SI64);
    EXPECT_EQ(leastCommonType(Bool, Size), Size);
    EXPECT_EQ(leastCommonType(Size, SI64), SI64);
    EXPECT_EQ(leastCommonType(SI64, F64), F64);
    EXPECT_EQ(leastCommonType(SI32, F32), F64);
    EXPECT_EQ(leastCommonType(UI8, F32), F32);
    EXPECT_EQ(leastCommonType(UI64, F32), F64);
    EXPECT_EQ(leastCommonType(UI64, SI64), std::nullopt);
    EXPECT_EQ(leastCommonType(UI64, SI8), std::nullopt);
    EXPECT_EQ(leastCommonType(Str, F64), std::nullopt);
    EXPECT_EQ(leastCommonType(Str, Str), Str);
    for (ValueType a : kAll)
        for (ValueType b : kAll)
            EXPECT_EQ(leastCommonType(a, b), leastCommonType(b, a));
}

} // namespace
} // namespace daphne
