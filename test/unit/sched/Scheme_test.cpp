// SPDX-License-Identifier: Apache-2.0
#include "sched/Scheme.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace daphne::sched {
namespace {

using Json = nlohmann::json;

const Json &golden() {
    static const Json data = Json::parse(std::ifstream(DAPHNE_TEST_GOLDEN "/chunks.json"));
    return data;
}

struct Run {
    uint64_t size, count;
    bool operator==(const Run &) const = default;
};

/// All sizes, equal neighbours counted.
std::vector<Run> runsOf(const Scheme &scheme, const Loop &loop) {
    std::vector<Run> runs;
    ChunkSequence chunks(scheme, loop);
    while (uint64_t size = chunks.next()) {
        if (!runs.empty() && runs.back().size == size)
            ++runs.back().count;
        else
            runs.push_back({size, 1});
    }
    return runs;
}

std::vector<Run> expectedRuns(const Json &c) {
    std::vector<Run> runs;
    for (const Json &run : c["rle"])
        runs.push_back({run[0], run[1]});
    return runs;
}

void check(const Json &c) {
    const Scheme *scheme = findScheme(c["scheme"].get<std::string>());
    ASSERT_NE(scheme, nullptr) << c["scheme"];
    Loop loop{.total = c["N"], .workers = c["P"], .grain = c["grain"]};
    if (c.contains("params")) {
        loop.params.fissStages = c["params"].value("B", uint64_t(0));
        loop.params.vissX = c["params"].value("X", uint64_t(4));
        loop.params.plsSwr = c["params"].value("SWR", 0.5);
    }
    EXPECT_EQ(runsOf(*scheme, loop), expectedRuns(c))
        << scheme->name << " N=" << loop.total << " P=" << loop.workers << " g=" << loop.grain;
}

TEST(Scheme, SequencesAreThePublishedOnes) {
    ASSERT_EQ(golden()["cases"].size(), 286u);
    for (const Json &c : golden()["cases"])
        check(c);
}

TEST(Scheme, ParametersChangeThem) {
    ASSERT_EQ(golden()["parameter_cases"].size(), 7u);
    for (const Json &c : golden()["parameter_cases"])
        check(c);
}

class EveryScheme : public testing::TestWithParam<const Scheme *> {};

TEST_P(EveryScheme, HandsOutEveryUnitOnceAndNeverAnEmptyTask) {
    for (uint32_t p : {1u, 2u, 3u, 7u, 64u, 1024u})
        for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(p - 1), uint64_t(p), uint64_t(p + 1), uint64_t(12345)})
            for (uint64_t g : {0, 1, 5, 100000}) {
                ChunkSequence chunks(*GetParam(), {.total = n, .workers = p, .grain = g});
                uint64_t sum = 0, least = std::min<uint64_t>(std::max<uint64_t>(g, 1), n);
                while (uint64_t size = chunks.next()) {
                    sum += size;
                    EXPECT_TRUE(size >= least || sum == n) << "only the last task may be smaller than the grain";
                }
                EXPECT_EQ(sum, n);
            }
}

TEST_P(EveryScheme, TakesLoopsOfMoreThan32BitsAndOfAllBits) {
    for (uint64_t n : {uint64_t(1) << 33, ~uint64_t(0)}) {
        uint64_t sum = 0, grain = n / 1000;
        ChunkSequence chunks(*GetParam(), {.total = n, .workers = 8, .grain = grain});
        while (uint64_t size = chunks.next())
            sum += size;
        EXPECT_EQ(sum, n);
    }
}

TEST_P(EveryScheme, SizesFallOrGrowAsDocumented) {
    bool grows = GetParam()->name == "FISS" || GetParam()->name == "VISS";
    if (GetParam()->name == "PLS")
        return; // two parts
    ChunkSequence chunks(*GetParam(), {.total = 100003, .workers = 6});
    uint64_t previous = chunks.next();
    while (uint64_t size = chunks.next()) {
        bool last = chunks.remaining() == 0;
        EXPECT_TRUE(last || (grows ? size >= previous : size <= previous)) << previous << " then " << size;
        previous = size;
    }
}

TEST_P(EveryScheme, ClosedFormsCoverTheLoopInAboutAsManySteps) {
    if (!GetParam()->closedForm)
        return;
    for (Loop loop : {Loop{.total = 1000, .workers = 4}, Loop{.total = 1000000, .workers = 20}}) {
        uint64_t covered = 0, steps = 0, recurrence = 0;
        for (; covered < loop.total; ++steps)
            covered += std::max<uint64_t>(1, GetParam()->closedForm(loop, steps));
        ChunkSequence chunks(*GetParam(), loop);
        while (chunks.next())
            ++recurrence;
        EXPECT_LE(steps, 2 * recurrence);
        EXPECT_GE(2 * steps, recurrence);
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryScheme, testing::ValuesIn([] {
                             std::vector<const Scheme *> all;
                             for (const Scheme &s : schemes())
                                 all.push_back(&s);
                             return all;
                         }()),
                         [](const auto &info) { return std::string(info.param->name); });

TEST(Scheme, ClosedFormOfGuidedStartsAsPublished) {
    const Scheme &gss = *findScheme("GSS");
    std::vector<uint64_t> sizes;
    for (uint64_t i = 0; i < 8; ++i)
        sizes.push_back(gss.closedForm({.total = 1000, .workers = 4}, i));
    EXPECT_EQ(sizes, (std::vector<uint64_t>{250, 188, 141, 106, 80, 60, 45, 34}));
}

TEST(Scheme, ThereAreThirteenAndNamesAreFoundInEitherCase) {
    EXPECT_EQ(schemes().size(), 13u);
    EXPECT_EQ(findScheme("fac2"), findScheme("FAC2"));
    EXPECT_EQ(findScheme("FAC3"), nullptr);
}

TEST(Scheme, AutomaticGrain) {
    EXPECT_EQ(automaticGrain(1000, 4), 7u);
    EXPECT_EQ(automaticGrain(3, 8), 1u);
    EXPECT_EQ(automaticGrain(0, 1), 1u);
}

} // namespace
} // namespace daphne::sched
