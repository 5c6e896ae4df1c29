// SPDX-License-Identifier: Apache-2.0
#include "base/ForeignCode.h"

#include <vector>

#include <gtest/gtest.h>

namespace daphne::test {
namespace {

std::vector<uint64_t> expected; ///< bytes the guard was told, in order
int numWatches = 0;

struct Watch : ForeignCodeWatch {
    explicit Watch(uint64_t bytes) {
        ++numWatches;
        expected.push_back(bytes);
    }
    ~Watch() override { --numWatches; }
    void expect(uint64_t bytes) override { expected.push_back(bytes); }
};

TEST(ForeignCode, IsKnownToTheThreadThatRunsIt) {
    EXPECT_EQ(InForeignCode::now(), nullptr);
    {
        InForeignCode stay("file \"x.h5\": HDF5", 10);
        EXPECT_STREQ(InForeignCode::now(), "file \"x.h5\": HDF5");
        InForeignCode::expect(5);
    }
    EXPECT_EQ(InForeignCode::now(), nullptr);
}

TEST(ForeignCode, IsWatchedByTheGuardOfTheProcess) {
    InForeignCode::setGuard(
        [](uint64_t bytes) -> std::unique_ptr<ForeignCodeWatch> { return std::make_unique<Watch>(bytes); });
    {
        InForeignCode stay("known size", 10);
        EXPECT_EQ(numWatches, 1);
        InForeignCode::expect(5);
    }
    EXPECT_EQ(numWatches, 0);
    EXPECT_EQ(expected, (std::vector<uint64_t>{10, 15}));
    {
        InForeignCode stay("takes any time", std::nullopt);
        InForeignCode::expect(5);
    }
    InForeignCode::setGuard(nullptr);
    {
        InForeignCode stay("nobody watches", 10);
        InForeignCode::expect(5);
    }
    EXPECT_EQ(expected.size(), 2u);
}

} // namespace
} // namespace daphne::test
