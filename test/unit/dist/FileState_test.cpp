// SPDX-License-Identifier: Apache-2.0
/// Which files a worker reads for a coordinator.
#include "dist/protocol/FileState.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include <unistd.h>

namespace daphne::dist {

namespace {

namespace fs = std::filesystem;

class SharedFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        top = fs::temp_directory_path() / ("daphne-shared-" + std::to_string(::getpid()));
        fs::create_directories(top / "root" / "deep");
        fs::create_directories(top / "rootless");
        for (const char *name : {"root/a.csv", "root/deep/b.csv", "rootless/c.csv"})
            std::ofstream(top / name) << "1\n";
    }
    void TearDown() override { fs::remove_all(top); }
    bool allows(const std::string &name) const { return isAllowed((top / name).string(), {(top / "root").string()}); }
    fs::path top;
};

TEST_F(SharedFiles, FilesBelowTheRootAreAllowed) {
    EXPECT_TRUE(allows("root/a.csv"));
    EXPECT_TRUE(allows("root/deep/b.csv"));
    EXPECT_TRUE(isAllowed((top / "root/a.csv").string(), {"/no/such/directory", (top / "root/").string()}));
}

TEST_F(SharedFiles, NothingElseIsAllowed) {
    EXPECT_FALSE(allows("rootless/c.csv"));
    EXPECT_FALSE(allows("root/no.csv"));
    EXPECT_FALSE(allows("root/deep"));
    EXPECT_FALSE(allows("root"));
    EXPECT_FALSE(isAllowed((top / "root/a.csv").string(), {}));
    EXPECT_FALSE(isAllowed("root/a.csv", {"."}));
    EXPECT_FALSE(isAllowed("", {"/"}));
}

TEST_F(SharedFiles, ThereIsNoWayOutOfTheRoot) {
    EXPECT_FALSE(allows("root/../rootless/c.csv"));
    EXPECT_FALSE(allows("root/deep/../a.csv"));
    fs::create_symlink(top / "rootless/c.csv", top / "root/link.csv");
    fs::create_directory_symlink(top / "rootless", top / "root/door");
    EXPECT_FALSE(allows("root/link.csv"));
    EXPECT_FALSE(allows("root/door/c.csv"));
    fs::create_symlink(top / "root/a.csv", top / "root/inner.csv");
    EXPECT_TRUE(allows("root/inner.csv"));
}

TEST_F(SharedFiles, AChangeIsSeen) {
    auto before = stateOf((top / "root/a.csv").string());
    ASSERT_TRUE(before);
    EXPECT_EQ(stateOf((top / "root/a.csv").string()), before);
    std::ofstream(top / "root/a.csv") << "1\n2\n";
    EXPECT_NE(stateOf((top / "root/a.csv").string()), before);
    EXPECT_FALSE(stateOf((top / "root").string()));
}

} // namespace

} // namespace daphne::dist
