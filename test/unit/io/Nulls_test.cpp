// SPDX-License-Identifier: Apache-2.0
/// Nulls of files and null indicators of frames.
#include <cmath>

#include "io/Format.h"
#include "io/FormatTable.h"
#include "io/TempDir.h"
#include "sched/Pool.h"

namespace daphne::test {
namespace {

using S = std::vector<std::string>;
using I = std::vector<int64_t>;
using D = std::vector<double>;
using B = std::vector<bool>;

constexpr const char *kSchema =
    R"("schema":[{"label":"a","valueType":"si64","nullable":true},{"label":"b","valueType":"f64"},)"
    R"({"label":"s","valueType":"str","nullable":true}])";

class Nulls : public InTempDir {
  protected:
    /// A file of three columns, of which a and s are nullable.
    std::string table(const std::string &name, const std::string &text, size_t rows, const std::string &more = "") {
        put(name + ".meta", "{\"numRows\":" + std::to_string(rows) + ",\"numCols\":3," + kSchema + more + "}");
        return put(name, text);
    }
    static const Dense &column(const Value &frame, const std::string &label) {
        size_t c = frame.frame().find(label);
        if (c == Frame::npos)
            throw std::runtime_error("no column " + label);
        return *frame.frame().columns[c];
    }
    std::string metaFailure(const std::string &meta, const std::string &name = "x.csv") {
        put(name + ".meta", meta);
        std::string path = put(name, "1,2\n");
        return failureOf([&] { io::readFrame(path); });
    }
    static void expectEqual(const Frame &a, const Frame &b) {
        ASSERT_EQ(a.labels, b.labels);
        for (size_t c = 0; c < a.cols(); ++c)
            withValueType(a.columns[c]->type(), [&]<class T>(TypeTag<T>) {
                EXPECT_EQ(cellsOf<T>(*a.columns[c]), cellsOf<T>(*b.columns[c])) << a.labels[c];
            });
    }
};

TEST_F(Nulls, OfCsvFilesAreEmptyFieldsWithoutQuotes) {
    auto f = io::readFrame(table("x.csv", "1,2.5,x\n,,\n0,4,\"\"\n  ,5,  \n", 4));
    EXPECT_EQ(f.frame().labels, (S{"a", "b", "s", "a IS NOT NULL", "s IS NOT NULL"}));
    EXPECT_EQ(cellsOf<int64_t>(column(f, "a")), (I{1, 0, 0, 0}));
    EXPECT_EQ(cellsOf<bool>(column(f, "a IS NOT NULL")), (B{1, 0, 1, 0}));
    EXPECT_EQ(cellsOf<std::string>(column(f, "s")), (S{"x", "", "", "  "}));
    EXPECT_EQ(cellsOf<bool>(column(f, "s IS NOT NULL")), (B{1, 0, 1, 1}));
    EXPECT_TRUE(std::isnan(cellsOf<double>(column(f, "b"))[1])); // not nullable: as ever
}

TEST_F(Nulls, OfCsvFilesAreTheTextsForNulls) {
    auto f = io::readFrame(table("x.csv", "NA,1,NA\n-,2,\"NA\"\n3,3,-\r\n", 3, R"(,"csv":{"nulls":["NA","-"]})"));
    EXPECT_EQ(cellsOf<bool>(column(f, "a IS NOT NULL")), (B{0, 0, 1}));
    EXPECT_EQ(cellsOf<bool>(column(f, "s IS NOT NULL")), (B{0, 1, 0}));
    EXPECT_EQ(cellsOf<std::string>(column(f, "s")), (S{"", "NA", ""}));
    EXPECT_EQ(cellsOf<int64_t>(column(f, "a")), (I{0, 0, 3}));
}

TEST_F(Nulls, OfJsonLinesAreNullsAndMissingValues) {
    auto f = io::readFrame(table("x.jsonl", "{\"a\":1,\"b\":2,\"s\":\"\"}\n{\"a\":null,\"s\":null}\n{\"b\":0}\n", 3));
    EXPECT_EQ(cellsOf<int64_t>(column(f, "a")), (I{1, 0, 0}));
    EXPECT_EQ(cellsOf<bool>(column(f, "a IS NOT NULL")), (B{1, 0, 0}));
    EXPECT_EQ(cellsOf<bool>(column(f, "s IS NOT NULL")), (B{1, 0, 0}));
}

TEST_F(Nulls, AreForgottenWithoutTheKey) {
    put("x.csv.meta", R"({"numRows":2,"numCols":2,"valueType":"f64"})");
    auto f = io::readFrame(put("x.csv", "1,\n,2\n"));
    EXPECT_EQ(f.frame().labels, (S{"col_0", "col_1"}));
    EXPECT_TRUE(std::isnan(cellsOf<double>(*f.frame().columns[0])[1]));
}

TEST_F(Nulls, OfIntegersNeedTheKey) {
    put("x.csv.meta", R"({"numRows":2,"numCols":2,"valueType":"si64"})");
    std::string name = put("x.csv", "1,\n,2\n");
    EXPECT_NE(failureOf([&] { io::readFrame(name); }).find("line 1, column 2: an empty field"), std::string::npos);
    auto f = io::readFrame(name, {.csv = {.lenient = true}});
    EXPECT_EQ(cellsOf<int64_t>(*f.frame().columns[0]), (I{1, 0}));
}

TEST_F(Nulls, OfTheOnlyColumnAreEmptyLines) {
    put("x.csv.meta", R"({"numRows":3,"schema":[{"label":"a","valueType":"str","nullable":true}]})");
    auto f = io::readFrame(put("x.csv", "u\n\n\"\"\n"));
    EXPECT_EQ(cellsOf<bool>(column(f, "a IS NOT NULL")), (B{1, 0, 1}));
    io::write(f, path("y.csv"));
    EXPECT_EQ(content("y.csv"), "u\n\n\"\"\n");
    expectEqual(io::readFrame(path("y.csv")).frame(), f.frame());
    io::write(f, path("y.csv"), {.csv = {.nulls = S{"-"}}});
    EXPECT_EQ(content("y.csv"), "u\n-\n\"\"\n");
    expectEqual(io::readFrame(path("y.csv")).frame(), f.frame());
}

TEST_F(Nulls, OfAllColumnsAreKeptWithOneKey) {
    put("x.csv.meta", R"({"numRows":2,"numCols":2,"valueType":"f32","nullable":true})");
    auto f = io::readFrame(put("x.csv", "1,\n,nan\n"));
    EXPECT_EQ(f.frame().labels, (S{"col_0", "col_1", "col_0 IS NOT NULL", "col_1 IS NOT NULL"}));
    EXPECT_EQ(cellsOf<bool>(*f.frame().columns[3]), (B{0, 1}));
    put("y.csv.meta", R"({"numRows":1,"numCols":2,"nullable":true,"schema":[{"label":"a","valueType":"si8"},)"
                      R"({"label":"b","valueType":"si8","nullable":false}]})");
    EXPECT_EQ(io::readFrame(put("y.csv", ",1\n")).frame().labels, (S{"a", "b", "a IS NOT NULL"}));
}

TEST_F(Nulls, AreKnownBeforeTheFileIsRead) {
    auto info = io::inspect(table("x.csv", ",,\n", 1), true);
    EXPECT_EQ(info->labels, (S{"a", "b", "s", "a IS NOT NULL", "s IS NOT NULL"}));
    EXPECT_EQ(info->types,
              (std::vector{ValueType::SI64, ValueType::F64, ValueType::Str, ValueType::Bool, ValueType::Bool}));
    EXPECT_EQ(info->cols, 5);
    EXPECT_EQ(io::inspect(path("x.csv"), false)->cols, 3); // a matrix has no indicators
}

TEST_F(Nulls, AreReadWithoutTheColumnWhereOnlyTheIndicatorIsWanted) {
    for (std::string name : {"x.csv", "x.jsonl"}) {
        std::string text = name == "x.csv" ? "1,2,x\n,3,\n" : "{\"a\":1,\"s\":\"x\"}\n{}\n";
        auto f = io::readFrame(table(name, text, 2), {.columns = {"b", "s IS NOT NULL"}});
        EXPECT_EQ(f.frame().labels, (S{"b", "s IS NOT NULL"}));
        EXPECT_EQ(cellsOf<bool>(column(f, "s IS NOT NULL")), (B{1, 0}));
        EXPECT_EQ(io::readFrame(path(name), {.columns = {"a"}}).frame().labels, S{"a"});
    }
}

TEST_F(Nulls, OfAMatrixAreForgotten) {
    put("x.csv.meta", R"({"numRows":1,"numCols":2,"valueType":"si64","nullable":true})");
    EXPECT_EQ(cellsOf<int64_t>(io::readMatrix(put("x.csv", ",7\n")).dense()), (I{0, 7}));
}

TEST_F(Nulls, AreWrittenWhereTheFormatHasThem) {
    auto f = io::readFrame(table("x.csv", "1,2,x\n,3,\n0,4,\"\"\n1152921504606846977,5,\"a,\"\"b\"\n", 4));
    std::vector<std::string> names{"y.csv", "y.csv.gz", "y.jsonl"};
    for (const char *extension : {"parquet", "arrow"})
        if (io::FormatTable::get().find(extension)->missingLibrary.empty())
            names.push_back(std::string("y.") + extension);
    for (const std::string &name : names) {
        io::write(f, path(name));
        SCOPED_TRACE(name);
        EXPECT_NE(content(name + ".meta").find(R"({"label":"a","nullable":true,"valueType":"si64"})"),
                  std::string::npos);
        EXPECT_NE(content(name + ".meta").find(R"({"label":"b","valueType":"f64"})"), std::string::npos);
        expectEqual(io::readFrame(path(name)).frame(), f.frame());
    }
    EXPECT_EQ(content("y.csv"), "1,2.0,x\n,3.0,\n0,4.0,\"\"\n1152921504606846977,5.0,\"a,\"\"b\"\n");
    EXPECT_NE(content("y.jsonl").find("null"), std::string::npos);
}

TEST_F(Nulls, AreColumnsWhereTheFormatHasNone) {
    auto f = io::readFrame(table("x.csv", "1,2,x\n,3,\n", 2));
    io::write(f, path("y.dbdf"));
    expectEqual(io::readFrame(path("y.dbdf")).frame(), f.frame());
}

TEST_F(Nulls, OfAnIndicatorOfIntegersAreWrittenToo) {
    auto frame = Ref<Frame>::make(2);
    for (const char *label : {"t.x", "t.xISNOTNULL"}) {
        auto cells = Dense::create(ValueType::SI64, 2, 1);
        cells->mutableView<int64_t>().data[0] = 7;
        cells->mutableView<int64_t>().data[1] = 0;
        frame->addColumn(label, cells);
    }
    io::write(Value(frame), path("y.csv"));
    EXPECT_EQ(content("y.csv"), "7\n\n");
    EXPECT_EQ(cellsOf<bool>(*io::readFrame(path("y.csv")).frame().columns[1]), (B{1, 0}));
}

TEST_F(Nulls, AreKeptOnRequestInFilesWithoutMetadata) {
    put("x.csv", "1,2,x,5\n,3,NA,6\n7,4,y,\n");
    auto f = io::readFrame(path("x.csv"), {.csv = {.nulls = S{"NA"}}, .keepNulls = true});
    EXPECT_EQ(f.frame().labels, (S{"col_0", "col_1", "col_2", "col_3", "col_0 IS NOT NULL", "col_2 IS NOT NULL",
                                   "col_3 IS NOT NULL"}));         // none for the column without nulls
    EXPECT_EQ(cellsOf<int64_t>(column(f, "col_0")), (I{1, 0, 7})); // no reason for f64
    EXPECT_EQ(cellsOf<bool>(column(f, "col_2 IS NOT NULL")), (B{1, 0, 1}));
    put("x.jsonl", "{\"a\":1,\"b\":true}\n{\"a\":null,\"b\":false}\n");
    f = io::readFrame(path("x.jsonl"), {.keepNulls = true});
    EXPECT_EQ(f.frame().labels, (S{"a", "b", "a IS NOT NULL"}));
    EXPECT_EQ(cellsOf<int64_t>(column(f, "a")), (I{1, 0}));
}

TEST_F(Nulls, AreReadByAllWorkersInLargeFiles) {
    std::string text;
    constexpr size_t kRows = 100000;
    for (size_t r = 0; r < kRows; ++r)
        text += (r % 3 ? std::to_string(r) : "") + "," + std::to_string(r) + "," + (r % 5 ? "w" : "") + "\n";
    sched::Pool pool{sched::Topology::detect(), 3};
    auto f = io::readFrame(table("x.csv", text, kRows), {.pool = &pool});
    auto a = cellsOf<bool>(column(f, "a IS NOT NULL")), s = cellsOf<bool>(column(f, "s IS NOT NULL"));
    for (size_t r = 0; r < kRows; ++r)
        ASSERT_TRUE(a[r] == (r % 3 != 0) && s[r] == (r % 5 != 0)) << r;
}

TEST_F(Nulls, InMetadataHaveToMakeSense) {
    EXPECT_NE(metaFailure(R"({"numRows":1,"numCols":2,"valueType":"f64","nullable":1})")
                  .find("nullable must be true or false, got 1"),
              std::string::npos);
    EXPECT_NE(metaFailure(R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"f64","nullable":"yes"},)"
                          R"({"label":"b","valueType":"f64"}]})")
                  .find("schema entry 0: nullable must be true or false"),
              std::string::npos);
    EXPECT_NE(metaFailure(R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"f64","nullable":true},)"
                          R"({"label":"a is not null","valueType":"bool"}]})")
                  .find("is called like the null indicator of the column \"a\""),
              std::string::npos);
    EXPECT_NE(metaFailure(R"({"numRows":1,"numCols":2,"valueType":"f64","nullable":true})", "x.npy")
                  .find(".npy files have no nulls"),
              std::string::npos);
    for (const char *name : {"x.parquet", "x.arrow"}) // also where there is no library to read it
        EXPECT_EQ(metaFailure(R"({"numRows":1,"numCols":2,"valueType":"f64","nullable":true})", name).find("no nulls"),
                  std::string::npos);
    // Without nullable columns it is a label like any other.
    EXPECT_EQ(metaFailure(R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"f64"},)"
                          R"({"label":"a IS NOT NULL","valueType":"ui8"}]})"),
              "");
}

} // namespace
} // namespace daphne::test
