// SPDX-License-Identifier: Apache-2.0
#include "io/Format.h"
#include "io/TempDir.h"

namespace daphne::test {
namespace {

using I = std::vector<int64_t>;
using D = std::vector<double>;

class MatrixMarket : public InTempDir {
  protected:
    Value read(const std::string &kind, const std::string &rest) {
        return io::readMatrix(put("m.mtx", "%%MatrixMarket matrix " + kind + "\n" + rest));
    }
    std::string readFailure(const std::string &kind, const std::string &rest) {
        return failureOf([&] { read(kind, rest); });
    }
    std::string rawFailure(const std::string &text) {
        return failureOf([&] { io::readMatrix(put("m.mtx", text)); });
    }
};

TEST_F(MatrixMarket, ReadsCoordinates) {
    EXPECT_EQ(cellsOf<double>(read("coordinate real general", "% a comment\n\n2 3 2\n1 1 1.5\n2 3 -2e1\n").dense()),
              (D{1.5, 0, 0, 0, 0, -20}));
    EXPECT_EQ(cellsOf<int64_t>(read("coordinate integer general", "1 2 1\r\n1 2 7\r\n").dense()), (I{0, 7}));
    EXPECT_EQ(cellsOf<int64_t>(read("coordinate pattern general", "2 1 1\n2 1").dense()), (I{0, 1}));
    EXPECT_EQ(read("coordinate real general", "0 0 0\n").dense().shapeText(), "0x0");
}

TEST_F(MatrixMarket, MirrorsSymmetricFiles) {
    EXPECT_EQ(cellsOf<int64_t>(read("coordinate integer symmetric", "2 2 2\n1 1 5\n2 1 3\n").dense()), (I{5, 3, 3, 0}));
    EXPECT_EQ(cellsOf<double>(read("coordinate real skew-symmetric", "2 2 2\n2 1 3\n2 2 9\n").dense()),
              (D{0, -3, 3, 0}));
    EXPECT_EQ(cellsOf<int64_t>(read("coordinate pattern symmetric", "2 2 1\n2 1\n").dense()), (I{0, 1, 1, 0}));
}

TEST_F(MatrixMarket, ReadsArraysColumnByColumn) {
    EXPECT_EQ(cellsOf<double>(read("array real general", "2 2\n1\n2\n3\n4\n").dense()), (D{1, 3, 2, 4}));
    EXPECT_EQ(cellsOf<int64_t>(read("array integer symmetric", "2 2\n1\n2\n3\n").dense()), (I{1, 2, 2, 3}));
    EXPECT_EQ(cellsOf<double>(read("array real skew-symmetric", "3 3\n1\n2\n3\n").dense()),
              (D{0, -1, -2, 1, 0, -3, 2, 3, 0}));
}

TEST_F(MatrixMarket, IgnoresTheCaseOfTheBanner) {
    EXPECT_EQ(rawFailure("%%matrixmarket MATRIX Array Real General\n1 1\n1\n"), "");
}

TEST_F(MatrixMarket, TakesTheValueTypeFromMetadataAndTheShapeFromTheFile) {
    put("m.mtx.meta", R"({"numRows":9,"numCols":9,"valueType":"ui8"})");
    EXPECT_EQ(cellsOf<uint8_t>(read("array real general", "1 2\n1.5\n2\n").dense()), (std::vector<uint8_t>{1, 2}));
    put("m.mtx.meta", R"({"numRows":1,"numCols":1,"valueType":"str"})");
    EXPECT_NE(readFailure("array real general", "1 1\n1\n"), "");
}

TEST_F(MatrixMarket, RejectsUnsupportedBanners) {
    EXPECT_NE(readFailure("coordinate complex general", "1 1 1\n1 1 1 1\n"), "");
    EXPECT_NE(readFailure("coordinate real hermitian", "1 1 1\n1 1 1\n"), "");
    EXPECT_NE(readFailure("array pattern general", "1 1\n"), "");
    EXPECT_NE(readFailure("vector real general", "1 1\n"), "");
    EXPECT_NE(readFailure("coordinate real", "1 1 1\n1 1 1\n"), "");
    EXPECT_NE(rawFailure(""), "");
    EXPECT_NE(rawFailure("1 1 1\n"), "");
}

TEST_F(MatrixMarket, RejectsBrokenContentWithFileAndLine) {
    std::string message = readFailure("coordinate real general", "2 2 1\n3 1 5.0\n");
    EXPECT_NE(message.find("m.mtx\", line 3"), std::string::npos) << message;
    EXPECT_NE(readFailure("coordinate real general", "2 2 1\n0 1 5.0\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "2 2 2\n1 1 5.0\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "2 2 1\n1 1 abc\n"), "");
    EXPECT_NE(readFailure("coordinate integer general", "2 2 1\n1 1 1.5\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "2 2 1\n-1 1 5\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "2 2\n"), "");
    EXPECT_NE(readFailure("array real general", "2 2\n1\n2\n3\n"), "");
    EXPECT_NE(readFailure("array real symmetric", "2 2\n1\n2\n"), "");
    EXPECT_NE(readFailure("array real symmetric", "2 3\n1\n2\n3\n"), "");
}

TEST_F(MatrixMarket, RejectsHeadersThatPromiseMoreThanTheFileHolds) {
    EXPECT_NE(readFailure("coordinate real general", "2 2 1000000000000\n1 1 1\n"), "");
    EXPECT_NE(readFailure("array real general", "1000000 1000000\n1\n"), "");
    EXPECT_NE(readFailure("array real symmetric", "4000000000 4000000000\n1\n"), "");
    EXPECT_NE(readFailure("array real general", "4294967296 4294967296\n1\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "99999999999999999999 1 1\n1 1 1\n"), "");
    EXPECT_NE(readFailure("coordinate real general", "4611686018427387904 8 1\n1 1 1\n"), "");
}

} // namespace
} // namespace daphne::test
