// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/Format.h"
#include "io/TempDir.h"

namespace daphne::test {
namespace {

using S = std::vector<std::string>;
using I = std::vector<int64_t>;
using D = std::vector<double>;

class Csv : public InTempDir {
  protected:
    /// A file of one value type with its metadata.
    std::string table(const std::string &text, size_t rows, size_t cols, const std::string &type) const {
        put("x.csv.meta", "{\"numRows\":" + std::to_string(rows) + ",\"numCols\":" + std::to_string(cols) +
                              ",\"valueType\":\"" + type + "\"}");
        return put("x.csv", text);
    }
    template <class T>
    std::vector<T> readCells(const std::string &text, size_t rows, size_t cols, const std::string &type) {
        return cellsOf<T>(io::readMatrix(table(text, rows, cols, type)).dense());
    }
    std::string readFailure(const std::string &text, size_t rows, size_t cols, const std::string &type = "f64") {
        std::string name = table(text, rows, cols, type);
        return failureOf([&] { io::readMatrix(name); });
    }
};

TEST_F(Csv, ReadsNumbersOfEveryType) {
    EXPECT_EQ(readCells<double>("1,2.5\n-3e2,.5\n", 2, 2, "f64"), (D{1, 2.5, -300, .5}));
    EXPECT_EQ(readCells<float>("0.1\n", 1, 1, "f32"), (std::vector<float>{0.1f}));
    EXPECT_EQ(readCells<int64_t>("9223372036854775807,-9223372036854775808\n", 1, 2, "si64"),
              (I{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}));
    EXPECT_EQ(readCells<uint64_t>("18446744073709551615\n", 1, 1, "ui64"), (std::vector<uint64_t>{~uint64_t(0)}));
    EXPECT_EQ(readCells<int8_t>("-7,127\n", 1, 2, "si8"), (std::vector<int8_t>{-7, 127}));
    EXPECT_EQ(readCells<uint8_t>("200\n", 1, 1, "ui8"), (std::vector<uint8_t>{200}));
    EXPECT_EQ(readCells<int32_t>("5\n", 1, 1, "si32"), (std::vector<int32_t>{5}));
    EXPECT_EQ(readCells<uint32_t>("5\n", 1, 1, "ui32"), (std::vector<uint32_t>{5}));
    EXPECT_EQ(readCells<bool>("1,0,7\n", 1, 3, "bool"), (std::vector<bool>{true, false, true}));
}

TEST_F(Csv, ReadsFloatsLikeStrtod) {
    auto v = readCells<double>("  1.5,+2,inf,-inf,nan,abc,,3xyz,1e400,0x10\n", 1, 10, "f64");
    EXPECT_EQ(v[0], 1.5);
    EXPECT_EQ(v[1], 2);
    EXPECT_EQ(v[2], INFINITY);
    EXPECT_EQ(v[3], -INFINITY);
    for (size_t i : {4, 5, 6})
        EXPECT_TRUE(std::isnan(v[i])) << i;
    EXPECT_EQ(v[7], 3);
    EXPECT_EQ(v[8], INFINITY);
    EXPECT_EQ(v[9], 16);
}

TEST_F(Csv, ReadsTheLeadingIntegerOfAField) {
    EXPECT_EQ(readCells<int64_t>(" 12,+3,4.9,5x,abc,,99999999999999999999\n", 1, 7, "si64"),
              (I{12, 3, 4, 5, 0, 0, std::numeric_limits<int64_t>::max()}));
}

TEST_F(Csv, ReadsStringsQuotedAndUnquoted) {
    EXPECT_EQ(readCells<std::string>("ab, c ,\"d,e\"\n\"f\"\"g\",\"h\ni\",\n", 2, 3, "str"),
              (S{"ab", " c ", "d,e", "f\"g", "h\ni", ""}));
    EXPECT_EQ(readCells<std::string>("a\"b\n", 1, 1, "str"), (S{"a\"b"}));
}

TEST_F(Csv, AcceptsBothLineEndsAndAMissingLastOne) {
    EXPECT_EQ(readCells<int64_t>("1,2\r\n3,4\r\n", 2, 2, "si64"), (I{1, 2, 3, 4}));
    EXPECT_EQ(readCells<std::string>("a,\"b\"\r\nc,d", 2, 2, "str"), (S{"a", "b", "c", "d"}));
    EXPECT_EQ(readCells<double>("1\n2", 2, 1, "f64"), (D{1, 2}));
    EXPECT_EQ(readCells<std::string>("\n\nx\n", 3, 1, "str"), (S{"", "", "x"}));
}

TEST_F(Csv, IgnoresFurtherLinesAndRejectsMissingOnes) {
    EXPECT_EQ(readCells<int64_t>("1\n2\n3\n", 2, 1, "si64"), (I{1, 2}));
    EXPECT_NE(readFailure("1\n2\n", 3, 1).find("line 3"), std::string::npos);
}

TEST_F(Csv, RejectsLinesOfAnotherLengthWithFileAndLine) {
    std::string message = readFailure("1,2\n3\n", 2, 2);
    EXPECT_NE(message.find("x.csv"), std::string::npos);
    EXPECT_NE(message.find("line 2"), std::string::npos);
    EXPECT_NE(readFailure("1,2\n3,4,5\n", 2, 2).find("line 2"), std::string::npos);
}

TEST_F(Csv, RejectsBrokenQuotes) {
    EXPECT_NE(readFailure("\"abc\n", 1, 1, "str"), "");
    EXPECT_NE(readFailure("\"abc\"x\n", 1, 1, "str"), "");
}

TEST_F(Csv, RejectsMetadataThatPromiseMoreThanTheFileHolds) {
    EXPECT_NE(readFailure("1\n", 1000000000000, 1000), "");
    EXPECT_NE(readFailure("1\n", 4611686018427387904, 8), "");
    EXPECT_NE(readFailure("", 1, 1), "");
}

TEST_F(Csv, ReadsZeroRowsAndColumns) {
    EXPECT_EQ(io::readMatrix(table("", 0, 3, "f64")).dense().shapeText(), "0x3");
    EXPECT_EQ(io::readMatrix(table("\n\n", 2, 0, "f64")).dense().shapeText(), "2x0");
}

TEST_F(Csv, ReadsFramesWithASchemaOrOneType) {
    put("f.csv.meta", R"({"numRows":2,"numCols":3,"valueType":"f32","schema":[{"label":"a","valueType":"si64"},)"
                      R"({"label":"b","valueType":"str"},{"label":"c","valueType":""}]})");
    put("f.csv", "1,\"x,y\",.5\n2,z,1\n");
    Value f = io::readFrame(path("f.csv"));
    EXPECT_EQ(f.frame().labels, (S{"a", "b", "c"}));
    EXPECT_EQ(cellsOf<int64_t>(*f.frame().columns[0]), (I{1, 2}));
    EXPECT_EQ(cellsOf<std::string>(*f.frame().columns[1]), (S{"x,y", "z"}));
    EXPECT_EQ(cellsOf<float>(*f.frame().columns[2]), (std::vector<float>{.5, 1}));
    // A matrix takes the type of the first column.
    EXPECT_EQ(io::readMatrix(path("f.csv")).dense().type(), ValueType::SI64);
    Value g = io::readFrame(table("1,2\n", 1, 2, "si64"));
    EXPECT_EQ(g.frame().labels, (S{"col_0", "col_1"}));
}

TEST_F(Csv, RejectsFramesWithDuplicateLabels) {
    put("f.csv.meta",
        R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"si64"},{"label":"a","valueType":"si64"}]})");
    put("f.csv", "1,2\n");
    EXPECT_NE(failureOf([&] { io::readFrame(path("f.csv")); }), "");
}

TEST_F(Csv, InfersShapeAndTypesWithoutMetadata) {
    put("i.csv", "1,2.5,x,,99999999999999999999\n\n-2,nan,3,inf,1\n");
    const Value value = io::readFrame(path("i.csv"));
    const Frame &f = value.frame();
    EXPECT_EQ(f.shapeText(), "2x5");
    EXPECT_EQ(f.labels[4], "col_4");
    std::vector<ValueType> types;
    for (auto &c : f.columns)
        types.push_back(c->type());
    EXPECT_EQ(types, (std::vector<ValueType>{ValueType::SI64, ValueType::F64, ValueType::Str, ValueType::F64,
                                             ValueType::F64}));
    EXPECT_EQ(cellsOf<int64_t>(*f.columns[0]), (I{1, -2}));
    EXPECT_EQ(cellsOf<std::string>(*f.columns[2]), (S{"x", "3"}));
}

TEST_F(Csv, InfersTheMostGeneralTypeForAMatrix) {
    EXPECT_EQ(cellsOf<int64_t>(io::readMatrix(put("a.csv", "1,2\n3,4\n")).dense()), (I{1, 2, 3, 4}));
    EXPECT_EQ(cellsOf<double>(io::readMatrix(put("b.csv", "1,2.5\n3,4")).dense()), (D{1, 2.5, 3, 4}));
    EXPECT_EQ(cellsOf<std::string>(io::readMatrix(put("c.csv", "1,\"2\"\r\n")).dense()), (S{"1", "2"}));
    EXPECT_EQ(io::readMatrix(put("d.csv", "")).dense().shapeText(), "0x0");
    EXPECT_NE(failureOf([&] { io::readMatrix(put("e.csv", "1,2\n3\n")); }).find("line 2"), std::string::npos);
    EXPECT_NE(failureOf([&] { io::readMatrix(put("g.csv", "1,2\n3,4,5\n")); }).find("line 2"), std::string::npos);
}

Ref<Dense> doubles(size_t rows, size_t cols, std::initializer_list<double> cells) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    std::copy(cells.begin(), cells.end(), m->mutableView<double>().data);
    return m;
}

TEST_F(Csv, WritesFloatsWithSixDecimalsAndMetadata) {
    io::write(doubles(2, 2, {1, -0.1234567, NAN, -INFINITY}), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "1.000000,-0.123457\nnan,-inf\n");
    EXPECT_EQ(content("w.csv.meta"), R"({"numCols":2,"numRows":2,"valueType":"f64"})");
    io::write(doubles(1, 1, {-std::nan("")}), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "nan\n");
    io::write(doubles(1, 1, {1e300}), path("w.csv"));
    EXPECT_EQ(content("w.csv").size(), 301u + 8);
}

TEST_F(Csv, WritesPartsOfMatrices) {
    auto m = doubles(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    io::write(Dense::window(*m, 1, 3, 1, 2), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "5.000000\n8.000000\n");
}

TEST_F(Csv, WritesFramesAndQuotesStringsWhereNeeded) {
    auto f = Ref<Frame>::make(4);
    auto s = Dense::create(ValueType::Str, 4, 1);
    std::string *text = s->mutableView<std::string>().data;
    text[0] = "plain text", text[1] = "a,b", text[2] = "say \"x\"", text[3] = "two\nlines";
    auto n = Dense::create(ValueType::SI8, 4, 1, Buffer::Init::Zero);
    n->mutableView<int8_t>().data[0] = -128;
    f->addColumn("b", s);
    f->addColumn("a\"", n);
    io::write(f, path("w.csv"));
    EXPECT_EQ(content("w.csv"), "plain text,-128\n\"a,b\",0\n\"say \"\"x\"\"\",0\n\"two\nlines\",0\n");
    EXPECT_EQ(content("w.csv.meta"), R"({"numCols":2,"numRows":4,"schema":[{"label":"b","valueType":"str"},)"
                                     R"({"label":"a\"","valueType":"si8"}]})");
    Value again = io::readFrame(path("w.csv"));
    EXPECT_EQ(cellsOf<std::string>(*again.frame().columns[0]), (S{"plain text", "a,b", "say \"x\"", "two\nlines"}));
}

TEST_F(Csv, WritesSizesAsUi64AndEmptyShapes) {
    auto sizes = Dense::create(ValueType::Size, 1, 1, Buffer::Init::Zero);
    io::write(sizes, path("s.csv"));
    EXPECT_EQ(content("s.csv.meta"), R"({"numCols":1,"numRows":1,"valueType":"ui64"})");
    for (auto [rows, cols] : {std::pair<size_t, size_t>{0, 2}, {2, 0}, {0, 0}}) {
        io::write(Dense::create(ValueType::F64, rows, cols), path("e.csv"));
        Value again = io::readMatrix(path("e.csv"));
        EXPECT_EQ(again.dense().rows(), rows);
        EXPECT_EQ(again.dense().cols(), cols);
    }
}

TEST_F(Csv, OverwritesAndLeavesNoTemporaryFiles) {
    put("w.csv", "a much longer text than the new one");
    io::write(doubles(1, 1, {1}), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "1.000000\n");
    EXPECT_EQ(numFiles(), 2u);
}

TEST_F(Csv, CannotBeWrittenToAMissingDirectory) {
    EXPECT_NE(failureOf([&] { io::write(doubles(1, 1, {1}), path("none/w.csv")); }), "");
    EXPECT_EQ(numFiles(), 0u);
}

TEST_F(Csv, ReadsOnlyTheColumnsThatAreWanted) {
    std::string name = put("x.csv", "1,a,2.5\n3,\"b,\nc\",4.5\n");
    for (bool withMeta : {true, false}) {
        std::string labels[] = {withMeta ? "i" : "col_0", withMeta ? "f" : "col_2"};
        if (withMeta)
            put("x.csv.meta", R"({"numRows":2,"numCols":3,"schema":[{"label":"i","valueType":"si64"},)"
                              R"({"label":"s","valueType":"str"},{"label":"f","valueType":"f64"}]})");
        else
            std::filesystem::remove(name + ".meta");
        Value v = io::readFrame(name, {.columns = {labels[1], labels[0], "elsewhere"}});
        EXPECT_EQ(v.frame().labels, (S{labels[0], labels[1]})) << "in the order of the file";
        EXPECT_EQ(v.frame().rows(), 2u);
        EXPECT_EQ(cellsOf<int64_t>(*v.frame().columns[0]), (I{1, 3}));
        EXPECT_EQ(cellsOf<double>(*v.frame().columns[1]), (D{2.5, 4.5}));
        EXPECT_EQ(io::readFrame(name).frame().cols(), 3u);
    }
}

TEST_F(Csv, FindsMistakesInColumnsThatAreNotWanted) {
    put("x.csv.meta", R"({"numRows":2,"numCols":3,"schema":[{"label":"i","valueType":"si64"},)"
                      R"({"label":"s","valueType":"str"},{"label":"f","valueType":"f64"}]})");
    for (std::string text :
         {std::string("1,a,2\n3,\"b,4\n"), std::string("1,a,2\n3,\"b\"c,4\n"), std::string("1,a,2\n3,b\n"),
          std::string("1,a,2\n3,b,4,5\n"), std::string("1,a,2\n3,\xff,4\n"), std::string("1,a,2\n3,b,4\0\n", 13),
          std::string("1,a,2\n")}) {
        std::string name = put("x.csv", text);
        std::string whole = failureOf([&] { io::readFrame(name); });
        EXPECT_NE(whole, "") << text;
        EXPECT_EQ(failureOf([&] { io::readFrame(name, {.columns = {"i"}}); }), whole) << text;
    }
}

} // namespace
} // namespace daphne::test
