// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/TempDir.h"
#include "io/files/OpenFiles.h"

namespace daphne::test {
namespace {

using io::OpenFile, io::OpenFiles, io::readDelimited;

class OpenFileTest : public InTempDir {};

TEST_F(OpenFileTest, YieldsLinesOfAllLengthsAndEnds) {
    std::string longLine(300'000, 'x');
    OpenFile file(put("x.txt", "a\n\nbc\r\n" + longLine + "\nlast"));
    for (const std::string &line : {std::string("a"), std::string(), std::string("bc"), longLine, std::string("last")})
        EXPECT_EQ(file.nextLine(), line);
    EXPECT_EQ(file.nextLine(), std::nullopt);
    EXPECT_EQ(file.nextLine(), std::nullopt);
    EXPECT_NE(file.error("x").message.find("line 5"), std::string::npos);
}

TEST_F(OpenFileTest, RejectsWhatCannotBeRead) {
    EXPECT_NE(failureOf([&] { OpenFile file(path("nosuch")); }).find("nosuch"), std::string::npos);
    EXPECT_NE(failureOf([&] { OpenFile file("/"); }).find("directory"), std::string::npos);
    std::string plain = put("x.txt", "a");
    EXPECT_NE(failureOf([&] { OpenFile file(plain, OpenFile::Kind::Device); }).find("no device"), std::string::npos);
    OpenFile device("/dev/null", OpenFile::Kind::Device);
    EXPECT_EQ(device.nextLine(), std::nullopt);
}

TEST_F(OpenFileTest, GivesEveryFileItsOwnNumber) {
    OpenFiles files;
    int64_t a = files.add(std::make_unique<OpenFile>("/dev/null"));
    int64_t b = files.add(std::make_unique<OpenFile>("/dev/null"));
    EXPECT_NE(a, b);
    files.close(a);
    EXPECT_NE(files.add(std::make_unique<OpenFile>("/dev/null")), a);
    EXPECT_NE(failureOf([&] { files.get(a); }).find("closed"), std::string::npos);
    EXPECT_NE(failureOf([&] { files.close(a); }), "");
    EXPECT_NE(failureOf([&] { files.get(0); }), "");
    EXPECT_NE(failureOf([&] { files.get(-1); }), "");
    EXPECT_NE(failureOf([&] { files.get(INT64_MAX); }), "");
    files.get(b);
}

TEST_F(OpenFileTest, ContinuesWhereTheLastReadEnded) {
    OpenFile file(put("x.csv", "1;2\n3;\n5;x\n7\n8;9;10\n"));
    auto first = readDelimited(file, 1, 2, ';');
    EXPECT_EQ(first->view<double>()(0, 1), 2);
    auto next = readDelimited(file, 2, 2, ';');
    EXPECT_EQ(next->view<double>()(0, 0), 3);
    EXPECT_TRUE(next->view<double>()(0, 1) != next->view<double>()(0, 1));
    EXPECT_EQ(next->view<double>()(1, 0), 5);
    EXPECT_NE(failureOf([&] { readDelimited(file, 1, 2, ';'); }).find("got 1"), std::string::npos);
    EXPECT_NE(failureOf([&] { readDelimited(file, 1, 2, ';'); }).find("got more"), std::string::npos);
    EXPECT_NE(failureOf([&] { readDelimited(file, 1, 2, ';'); }).find("0 of 1 rows"), std::string::npos);
}

} // namespace
} // namespace daphne::test
