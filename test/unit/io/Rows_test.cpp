// SPDX-License-Identifier: Apache-2.0
/// Parts of files are the rows of the whole.
#include "io/Rows.h"

#include <cmath>

#include "io/TempDir.h"

namespace daphne::test {
namespace {

class Rows : public InTempDir {
  protected:
    static Ref<Dense> numbered(size_t rows, size_t cols) {
        auto m = Dense::create(ValueType::F64, rows, cols);
        for (size_t i = 0; i < rows * cols; ++i)
            m->mutableView<double>().data[i] = std::sqrt(static_cast<double>(i));
        return m;
    }
    void expectRows(const std::string &file, const Dense &whole, size_t first, size_t count) const {
        Ref<Dense> part = io::readRows(file, first, count, nullptr);
        ASSERT_EQ(part->rows(), count);
        ASSERT_EQ(part->cols(), whole.cols());
        ASSERT_EQ(part->type(), whole.type());
        for (size_t r = 0; r < count; ++r)
            for (size_t c = 0; c < whole.cols(); ++c)
                ASSERT_EQ(part->view<double>()(r, c), whole.view<double>()(first + r, c)) << r << ", " << c;
    }
    std::string errorOf(const std::string &file, size_t first, size_t count) const {
        try {
            io::readRows(file, first, count, nullptr);
        } catch (const Error &e) {
            return e.message;
        }
        return "";
    }
};

TEST_F(Rows, OfTextAndBinaryFilesAreThoseOfTheWhole) {
    for (const char *name : {"x.csv", "x.dbdf"}) {
        Ref<Dense> whole = numbered(30000, 3);
        io::write(Value(whole), path(name));
        auto info = io::inspectRows(path(name));
        ASSERT_TRUE(info) << name;
        EXPECT_EQ(info->rows, 30000);
        EXPECT_EQ(info->cols, 3);
        EXPECT_EQ(info->type, ValueType::F64);
        Value read = io::readMatrix(path(name));
        for (auto [first, count] : {std::pair<size_t, size_t>{0, 30000}, {0, 1}, {29999, 1}, {12345, 9876}, {7, 0}})
            expectRows(path(name), read.dense(), first, count);
    }
}

TEST_F(Rows, HaveTheTypeThatTheMetadataTell) {
    io::write(Value(numbered(10, 2)), path("x.dbdf"));
    put("x.dbdf.meta", R"({"numRows": 10, "numCols": 2, "valueType": "f32"})");
    EXPECT_EQ(io::inspectRows(path("x.dbdf"))->type, ValueType::F32);
    EXPECT_EQ(io::readRows(path("x.dbdf"), 2, 3, nullptr)->type(), ValueType::F32);
}

TEST_F(Rows, OfQuotedFieldsAreFound) {
    put("x.csv", "\"1\n1\",2\n3,\"\"\n5,6\n");
    put("x.csv.meta", R"({"numRows": 3, "numCols": 2, "valueType": "f64"})");
    Ref<Dense> part = io::readRows(path("x.csv"), 1, 2, nullptr);
    EXPECT_EQ(part->view<double>()(0, 0), 3);
    EXPECT_EQ(part->view<double>()(1, 0), 5);
}

TEST_F(Rows, OfOtherFilesCannotBeReadOneByOne) {
    put("guessed.csv", "1,2\n3,4\n");
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n");
    auto sparse = Dense::create(ValueType::F64, 100, 100, Buffer::Init::Zero);
    sparse->mutableView<double>().data[7] = 1;
    io::write(Value(toCsr(*sparse)), path("sparse.dbdf"));
    put("text.csv", "a\n");
    put("text.csv.meta", R"({"numRows": 1, "numCols": 1, "valueType": "str"})");
    put("short.dbdf", "\x01");
    for (const char *name : {"guessed.csv", "m.mtx", "sparse.dbdf", "text.csv", "short.dbdf", "none.csv"})
        EXPECT_FALSE(io::inspectRows(path(name))) << name;
    EXPECT_NE(errorOf(path("m.mtx"), 0, 1).find("cannot be read one by one"), std::string::npos);
}

TEST_F(Rows, MistakesNameFileLineAndColumn) {
    put("x.csv", "1,2\n3,4\n5\n");
    put("x.csv.meta", R"({"numRows": 3, "numCols": 2, "valueType": "f64"})");
    EXPECT_EQ(errorOf(path("x.csv"), 0, 2), "");
    EXPECT_NE(errorOf(path("x.csv"), 1, 2).find("x.csv"), std::string::npos);
    EXPECT_NE(errorOf(path("x.csv"), 1, 2).find("3"), std::string::npos);
    EXPECT_NE(errorOf(path("x.csv"), 2, 2).find("does not have the rows"), std::string::npos);
    put("x.csv.meta", R"({"numRows": 4, "numCols": 2, "valueType": "f64"})");
    EXPECT_NE(errorOf(path("x.csv"), 0, 1), "");
}

} // namespace
} // namespace daphne::test
