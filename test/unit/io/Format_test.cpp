// SPDX-License-Identifier: Apache-2.0
#include "io/Format.h"
#include "io/Metadata.h"
#include "io/TempDir.h"

namespace daphne::test {
namespace {

class FormatOf : public InTempDir {
  protected:
    std::string metaFailure(const std::string &json) {
        put("x.csv", "1\n");
        put("x.csv.meta", json);
        std::string compile = failureOf([&] { io::inspect(path("x.csv"), false); });
        EXPECT_EQ(failureOf([&] { io::readMatrix(path("x.csv")); }).empty(), compile.empty()) << json;
        return compile;
    }
};

TEST_F(FormatOf, FilesIsTheirExtension) {
    for (const char *name : {"x", "x.txt", "x.CSV", "x.csv.hdfs", "x.csv/y", "csv", "x."}) {
        EXPECT_NE(failureOf([&] { io::readMatrix(path(name)); }), "") << name;
        EXPECT_NE(failureOf([&] { io::readFrame(path(name)); }), "") << name;
        EXPECT_NE(failureOf([&] { io::write(Dense::create(ValueType::F64, 0, 0), path(name)); }), "") << name;
    }
    EXPECT_EQ(numFiles(), 0u) << "nothing is created";
}

TEST_F(FormatOf, MatrixMarketIsNotForFrames) {
    put("x.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
    EXPECT_NE(failureOf([&] { io::readFrame(path("x.mtx")); }), "");
}

TEST_F(FormatOf, MissingDataFilesAndDirectoriesAreNamed) {
    EXPECT_NE(failureOf([&] { io::readMatrix(path("none.csv")); }).find("none.csv"), std::string::npos);
    put("none.csv.meta", R"({"numRows":1,"numCols":1,"valueType":"f64"})");
    EXPECT_NE(failureOf([&] { io::readMatrix(path("none.csv")); }), "");
    std::filesystem::create_directory(path("d.csv"));
    EXPECT_NE(failureOf([&] { io::readMatrix(path("d.csv")); }), "");
    EXPECT_NE(failureOf([&] { io::write(Dense::create(ValueType::F64, 1, 1, Buffer::Init::Zero), path("d.csv")); }),
              "");
}

TEST_F(FormatOf, OnlyMatricesAndFramesAreWritten) {
    EXPECT_NE(failureOf([&] { io::write(Value::scalar(1.0), path("x.csv")); }), "");
}

TEST_F(FormatOf, InspectKnowsWhatMetadataSay) {
    put("x.csv.meta", R"({"numRows":2,"numCols":5,"valueType":"f32","numNonZeros":3,"other":[]})");
    auto info = io::inspect(path("x.csv"), false);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->type, ValueType::F32);
    EXPECT_EQ(info->rows, 2);
    EXPECT_EQ(info->cols, 5);
    EXPECT_EQ(info->sparsity, .3);
    auto frame = io::inspect(path("x.csv"), true);
    EXPECT_EQ(frame->labels.back(), "col_4");
    EXPECT_EQ(frame->types, std::vector<ValueType>(5, ValueType::F32));
    EXPECT_TRUE(frame->frame);
}

TEST_F(FormatOf, InspectTakesTheFirstColumnTypeForMatrices) {
    put("x.csv.meta",
        R"({"numRows":2,"numCols":2,"schema":[{"label":"a","valueType":"si32"},{"label":"b","valueType":"str"}]})");
    EXPECT_EQ(io::inspect(path("x.csv"), false)->type, ValueType::SI32);
    EXPECT_EQ(io::inspect(path("x.csv"), true)->types, (std::vector<ValueType>{ValueType::SI32, ValueType::Str}));
    EXPECT_EQ(io::inspect(path("x.csv"), false)->sparsity, -1);
}

TEST_F(FormatOf, InspectReadsMatrixMarketHeaders) {
    put("x.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n7 7 0\n");
    auto info = io::inspect(path("x.mtx"), false);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->type, ValueType::SI64);
    EXPECT_EQ(info->rows, 7);
    put("x.mtx.meta", R"({"numRows":1,"numCols":1,"valueType":"f64"})");
    EXPECT_EQ(io::inspect(path("x.mtx"), false)->type, ValueType::F64);
    EXPECT_EQ(io::inspect(path("x.mtx"), false)->rows, 7);
}

TEST_F(FormatOf, InspectLeavesWhatFailsAnyhowToTheReader) {
    EXPECT_FALSE(io::inspect(path("none.csv"), false));
    EXPECT_FALSE(io::inspect(path("none.mtx"), false));
    EXPECT_FALSE(io::inspect(path("x.txt"), false));
    EXPECT_FALSE(io::inspect(put("x.mtx", "garbage"), false));
    EXPECT_FALSE(io::inspect(path("x.mtx"), true));
    EXPECT_FALSE(io::inspect(put("x.csv", "1,2\n"), false)) << "no metadata";
}

TEST_F(FormatOf, InvalidMetadataAreRejected) {
    EXPECT_EQ(metaFailure(R"({"numRows":1,"numCols":1,"valueType":"f64"})"), "");
    for (const char *json :
         {"", "{", "1,1,0,f64", "[]", "null", R"({"numRows":-1,"numCols":1,"valueType":"f64"})",
          R"({"numRows":"1","numCols":1,"valueType":"f64"})", R"({"numRows":1.5,"numCols":1,"valueType":"f64"})",
          R"({"numRows":1,"numCols":1,"valueType":"f65"})", R"({"numRows":1,"numCols":1,"valueType":7})",
          R"({"numRows":1,"numCols":1,"schema":{}})", R"({"numRows":1,"numCols":1,"schema":[]})",
          R"({"numRows":1,"numCols":1,"schema":[{"label":"a","valueType":""}]})",
          R"({"numRows":1,"numCols":1,"schema":[{"label":"a","valueType":"x"}]})",
          R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"f64"}]})",
          R"({"numRows":99999999999999999999,"numCols":1,"valueType":"f64"})"})
        EXPECT_NE(metaFailure(json), "") << json;
}

TEST_F(FormatOf, IncompleteMetadataAreEnoughForCsvFilesOnly) {
    io::write(Dense::create(ValueType::F64, 1, 1, Buffer::Init::Zero), path("x.npy"));
    for (const char *json : {R"({"numCols":1,"valueType":"f64"})", R"({"numRows":1,"valueType":"f64"})",
                             R"({"numRows":1,"numCols":1})", R"({"numRows":1,"numCols":1,"schema":[{"label":"a"}]})",
                             R"({"numRows":1,"numCols":1,"schema":[{"valueType":"f64"}]})", "{}"}) {
        EXPECT_EQ(metaFailure(json), "") << json;
        put("x.npy.meta", json);
        EXPECT_NE(failureOf([&] { io::readMatrix(path("x.npy")); }).find("invalid meta data"), std::string::npos);
    }
    for (const char *csv : {R"({"delimiter":";;"})", R"({"delimiter":"\n"})", R"({"quote":"ab"})", R"({"header":1})",
                            R"({"nulls":"NA"})", R"({"nulls":[1]})", R"({"lenient":"yes"})", R"({"digits":18})",
                            R"({"digits":1.5})", R"({"delimiter":"\""})", "[]"})
        EXPECT_NE(metaFailure(std::string(R"({"csv":)") + csv + "}"), "") << csv;
}

TEST_F(FormatOf, MetadataTextIsOneLineInAlphabeticalOrder) {
    io::Metadata meta;
    meta.rows = 3;
    meta.cols = 2;
    meta.valueType = ValueType::F64;
    EXPECT_EQ(io::metadataText(meta), R"({"numCols":2,"numRows":3,"valueType":"f64"})");
    meta.valueType = ValueType::Unknown;
    meta.labels = {"a", "\xff"};
    meta.types = {ValueType::SI64, ValueType::Str};
    EXPECT_NE(io::metadataText(meta).find(R"("schema":[{"label":"a","valueType":"si64"})"), std::string::npos);
}

} // namespace
} // namespace daphne::test
