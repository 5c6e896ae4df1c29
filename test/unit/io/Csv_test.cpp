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
    bool lenient = false;
    /// A file of one value type with its metadata.
    std::string table(const std::string &text, size_t rows, size_t cols, const std::string &type) const {
        put("x.csv.meta", "{\"numRows\":" + std::to_string(rows) + ",\"numCols\":" + std::to_string(cols) +
                              ",\"valueType\":\"" + type + "\"}");
        return put("x.csv", text);
    }
    template <class T>
    std::vector<T> readCells(const std::string &text, size_t rows, size_t cols, const std::string &type) {
        return cellsOf<T>(io::readMatrix(table(text, rows, cols, type), {.csv = {.lenient = lenient}}).dense());
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
    EXPECT_EQ(readCells<bool>("1,0,1\n", 1, 3, "bool"), (std::vector<bool>{true, false, true}));
}

TEST_F(Csv, ReadsFloatsOfEveryForm) {
    auto v = readCells<double>("  1.5 ,+2,inf,-inf,nan, ,,0x10,1e-400,.5\n", 1, 10, "f64");
    EXPECT_EQ(v[0], 1.5);
    EXPECT_EQ(v[1], 2);
    EXPECT_EQ(v[2], INFINITY);
    EXPECT_EQ(v[3], -INFINITY);
    for (size_t i : {4, 5, 6})
        EXPECT_TRUE(std::isnan(v[i])) << i;
    EXPECT_EQ(v[7], 16);
    EXPECT_EQ(v[8], 0);
    EXPECT_EQ(v[9], .5);
}

TEST_F(Csv, ReadsIntegersOfEveryForm) {
    EXPECT_EQ(readCells<int64_t>(" 12 ,+3,4.0,-5.,1e3,9223372036854775807.000\n", 1, 6, "si64"),
              (I{12, 3, 4, -5, 1000, std::numeric_limits<int64_t>::max()}));
}

TEST_F(Csv, ReadsLenientlyWhatStandsAtTheStartOfAField) {
    lenient = true;
    auto v = readCells<double>("abc,3xyz,1e400,\"7\"\n", 1, 4, "f64");
    EXPECT_TRUE(std::isnan(v[0]));
    EXPECT_EQ(v[1], 3);
    EXPECT_EQ(v[2], INFINITY);
    EXPECT_TRUE(std::isnan(v[3]));
    EXPECT_EQ(readCells<int64_t>("4.9,5x,abc,,99999999999999999999\n", 1, 5, "si64"),
              (I{4, 5, 0, 0, std::numeric_limits<int64_t>::max()}));
    EXPECT_EQ(readCells<uint8_t>("300,-1,7\n", 1, 3, "ui8"), (std::vector<uint8_t>{255, 0, 7}));
    EXPECT_EQ(readCells<int8_t>("-300,300\n", 1, 2, "si8"), (std::vector<int8_t>{-128, 127}));
    EXPECT_EQ(readCells<uint64_t>("-1,99999999999999999999\n", 1, 2, "ui64"), (std::vector<uint64_t>{0, ~uint64_t(0)}));
    EXPECT_EQ(readCells<bool>("7,0\n", 1, 2, "bool"), (std::vector<bool>{true, false}));
}

TEST_F(Csv, ReadsLenientlyWhatIsTooMuchOrTooLittle) {
    lenient = true;
    EXPECT_EQ(readCells<int64_t>("1\n2\n3\n", 2, 1, "si64"), (I{1, 2}));
    EXPECT_EQ(readCells<int64_t>("1,2,3\n4\n", 2, 2, "si64"), (I{1, 2, 4, 0}));
    EXPECT_EQ(readCells<std::string>("a\nb,c,\"d,\ne\"\n", 2, 2, "str"), (S{"a", "", "b", "c"}));
    EXPECT_EQ(readCells<std::string>("\"abc\nd,\"e\"f\n", 2, 1, "str"), (S{"\"abc", "d"})) << "as it is";
}

/// What is wrong, where, and with which words of the message.
struct Mistake {
    const char *text;
    size_t rows, cols;
    const char *type, *place, *what;
};

TEST_F(Csv, RejectsWhatIsNotAsItShouldBeWithItsPlace) {
    const Mistake kMistakes[] = {
        {"1\n2\n3\n", 2, 1, "si64", "line 3, column 1", "behind the 2"},
        {"1\n2\n\n", 3, 1, "si64", "line 4, column 1", "ends after 2 of 3 rows"},
        {"1,2\n3\n", 2, 2, "f64", "line 2, column 2", "expected 2 fields, got 1"},
        {"1,2\n\n3,4,5\n", 2, 2, "f64", "line 3, column 3", "expected 2 fields, got more"},
        {"1,2\n3,4x\n", 2, 2, "f64", "line 2, column 2", "\"4x\" in a column of f64 is not a number"},
        {"1,2\nabc,4\n", 2, 2, "f32", "line 2, column 1", "\"abc\" in a column of f32"},
        {"1,2\n3,abc\n", 2, 2, "si8", "line 2, column 2", "is not a number"},
        {"1,nan\n", 1, 2, "si64", "line 1, column 2", "is not a number"},
        {"1,inf\n", 1, 2, "si64", "line 1, column 2", "is not a number"},
        {"1,\"2\"\n", 1, 2, "si64", "line 1, column 2", "is not a number"},
        {"1,2\n,4\n", 2, 2, "ui32", "line 2, column 1", "an empty field in a column of ui32"},
        {"1\n300\n", 2, 1, "ui8", "line 2, column 1", "\"300\" is out of range for ui8"},
        {"1\n-1\n", 2, 1, "ui64", "line 2, column 1", "out of range for ui64"},
        {"18446744073709551616\n", 1, 1, "ui64", "line 1, column 1", "out of range"},
        {"9223372036854775808\n", 1, 1, "si64", "line 1, column 1", "out of range"},
        {"1e30\n", 1, 1, "si64", "line 1, column 1", "out of range"},
        {"7\n", 1, 1, "bool", "line 1, column 1", "out of range for bool"},
        {"1\n-1e400\n", 2, 1, "f64", "line 2, column 1", "out of range for f64"},
        {"1\n1e39\n", 2, 1, "f32", "line 2, column 1", "out of range for f32"},
        {"1\n4.5\n", 2, 1, "si32", "line 2, column 1", "\"4.5\" in a column of si32 has a fraction"},
        {"x,y\n\"two\nlines\",\"abc\n", 2, 2, "str", "line 3, column 2", "not closed"},
        {"x,\"a\"b\n", 1, 2, "str", "line 1, column 2", "text after the closing quote"},
        {"x,\xff\n", 1, 2, "str", "line 1, column 2", "not UTF-8"},
    };
    for (const Mistake &m : kMistakes) {
        std::string message = readFailure(m.text, m.rows, m.cols, m.type);
        EXPECT_NE(message.find("x.csv"), std::string::npos) << m.text;
        EXPECT_NE(message.find(std::string(m.place) + ":"), std::string::npos) << m.text << message;
        bool isThere = message.find(m.what) != std::string::npos;
        EXPECT_TRUE(isThere) << m.text << message;
    }
}

TEST_F(Csv, RejectsHeadersThatWereNotDeclaredOrAreOthers) {
    auto schema = [&](const char *more, const std::string &text) {
        put("h.csv.meta", std::string(R"({"numRows":1,"numCols":2,"schema":[{"label":"a","valueType":"si64"},)"
                                      R"({"label":"b","valueType":"str"}])") +
                              more + "}");
        return put("h.csv", text);
    };
    auto failure = [&](const char *more, const std::string &text) {
        std::string name = schema(more, text);
        return failureOf([&] { io::readFrame(name); });
    };
    EXPECT_NE(failure("", "a,b\n1,x\n").find("line 1, column 1: the labels of the schema"), std::string::npos);
    EXPECT_NE(failure("", "u,v\n1,x\n").find("line 1, column 1: \"u\""), std::string::npos);
    const char *declared = R"(,"csv":{"header":true})";
    EXPECT_EQ(failure(declared, "a,b\n1,x\n"), "");
    EXPECT_NE(failure(declared, "b,a\n1,x\n").find("line 1, column 1: the label \"b\" should be \"a\""),
              std::string::npos);
    EXPECT_NE(failure(declared, "a,c\n1,x\n").find("line 1, column 2"), std::string::npos);
    EXPECT_NE(failure(declared, "a\n1,x\n").find("line 1, column 2: the header has 1 labels"), std::string::npos);
    EXPECT_NE(failure(declared, "a,a\n1,x\n").find("line 1, column 2: the label \"a\" is also"), std::string::npos);
    Value f = io::readFrame(schema(declared, "b,a\n1,x\n"), {.csv = {.lenient = true}});
    EXPECT_EQ(f.frame().labels, (S{"a", "b"})) << "by position";
    EXPECT_NE(failureOf([&] { io::readFrame(schema(declared, "a,a\n1,x\n"), {.csv = {.lenient = true}}); }), "");
}

TEST_F(Csv, DetectsAHeaderWhereNobodySaysIt) {
    struct Case {
        const char *text;
        bool header;
    };
    const Case kCases[] = {
        {"id,x\n1,2\n", true},
        {"id,name\n1,ann\n2,bob\n", true},
        {"\xEF\xBB\xBF\n\nid,x\n1,2\n", true},
        {"\"id\",\"a b\"\r\n1,2\r\n", true},
        {"name,when\nann,2024-02-29\n", true},
        {"name,when\nann,2024-02-29T12:00\n", true},
        {"id,x\n,\n", true},             // a column of empty fields is one of numbers
        {"id,x\n", false},               // no second record
        {"id,\n1,2\n", false},           // an empty field
        {"id,7\n1,2\n", false},          // a number
        {"id,\"7\"\n1,2\n", false},      // in quotes it is one, too
        {"id,inf\n1,2\n", false},        // also a number
        {"id,2024-01-01\n1,2\n", false}, // a date
        {"id,NA\n1,2\n", false},
        {"id,N/A\n1,2\n", false},
        {"id,null\n1,2\n", false},
        {"id,nan\n1,2\n", false},
        {"id,id\n1,2\n", false},          // not distinct
        {"name,city\nann,rome\n", false}, // all text
        {"1,2\n3,4\n", false},
    };
    for (const Case &c : kCases) {
        io::CsvFindings found;
        Value value = io::readFrame(put("d.csv", c.text), {.found = &found});
        EXPECT_EQ(found.header, c.header) << c.text;
        EXPECT_EQ(value.frame().labels[0] == "col_0", !c.header) << c.text;
        io::readMatrix(path("d.csv"), {.found = &found});
        EXPECT_EQ(found.header, c.header) << c.text;
    }
    EXPECT_EQ(io::readFrame(put("d.csv", "id,x\n1,2\n"), {.csv = {.header = false}}).frame().rows(), 2u);
    EXPECT_EQ(io::readFrame(put("d.csv", "1,2\n3,4\n"), {.csv = {.header = true}}).frame().labels, (S{"1", "2"}));
}

TEST_F(Csv, TakesBackAHeaderIfTheRestIsTextAfterAll) {
    std::string text = "id,x\n";
    for (int i = 0; i < 5000; ++i)
        text += i == 4321 ? "u,v\n" : "1,2.5\n";
    for (bool frame : {true, false}) {
        io::CsvFindings found;
        std::string name = put("d.csv", text);
        Value value = frame ? io::readFrame(name, {.found = &found}) : io::readMatrix(name, {.found = &found});
        EXPECT_FALSE(found.header);
        EXPECT_EQ(frame ? value.frame().rows() : value.dense().rows(), 5001u);
    }
    // One column of numbers is enough.
    text.replace(text.find("u,v"), 3, "u,7");
    EXPECT_EQ(io::readFrame(put("d.csv", text)).frame().rows(), 5000u);
    EXPECT_EQ(io::readMatrix(path("d.csv")).dense().rows(), 5000u);
    EXPECT_EQ(io::readMatrix(path("d.csv")).dense().type(), ValueType::Str);
    EXPECT_EQ(io::readFrame(path("d.csv"), {.columns = {"id"}}).frame().labels, S{"id"});
}

TEST_F(Csv, CompletesPartialMetadata) {
    auto read = [&](const char *meta, const char *text) {
        put("p.csv.meta", meta);
        return io::readFrame(put("p.csv", text));
    };
    Value f = read(R"({"csv":{"header":true}})", "a,b\n1,x\n2,y\n");
    EXPECT_EQ(f.frame().labels, (S{"a", "b"}));
    EXPECT_EQ(f.frame().columns[0]->type(), ValueType::SI64);
    f = read(R"({"valueType":"f32"})", "1,2\n3,4\n");
    EXPECT_EQ(f.frame().shapeText(), "2x2");
    EXPECT_EQ(f.frame().columns[1]->type(), ValueType::F32);
    f = read(R"({"schema":[{"label":"a"},{"valueType":"f64"}]})", "1,2\n3,4\n");
    EXPECT_EQ(f.frame().labels, (S{"a", "col_1"}));
    EXPECT_EQ(f.frame().columns[0]->type(), ValueType::SI64);
    EXPECT_EQ(f.frame().columns[1]->type(), ValueType::F64);
    f = read(R"({"schema":[{"valueType":"si8"},{"valueType":"f64"}],"csv":{"header":true}})", "u,v\n1,2\n");
    EXPECT_EQ(f.frame().labels, (S{"u", "v"}));
    EXPECT_EQ(f.frame().columns[0]->type(), ValueType::SI8);
    f = read(R"({})", "u,v\n1,2\n");
    EXPECT_EQ(f.frame().labels, (S{"u", "v"}));
    f = read(R"({"numRows":1,"numCols":2,"valueType":"f64","csv":{"header":true}})", "u,v\n1,2\n");
    EXPECT_EQ(f.frame().labels, (S{"u", "v"}));
    EXPECT_NE(failureOf([&] { read(R"({"numRows":3})", "1\n2\n"); }).find("2 of 3 rows"), std::string::npos);
    EXPECT_NE(failureOf([&] { read(R"({"numCols":3})", "1,2\n"); }).find("line 1, column 3"), std::string::npos);
    put("p.csv.meta", R"({"numCols":2})");
    EXPECT_FALSE(io::inspect(put("p.csv", "1,2\n"), true)) << "the compiler knows complete metadata only";
    EXPECT_EQ(cellsOf<int64_t>(io::readMatrix(path("p.csv")).dense()), (I{1, 2}));
}

TEST_F(Csv, SaysThatGuessedNumbersAreTooLarge) {
    std::string message = failureOf([&] { io::readMatrix(put("g.csv", "1\n2.5\n1e400\n")); });
    EXPECT_NE(message.find("line 3, column 1: \"1e400\" is out of range for f64"), std::string::npos) << message;
    EXPECT_EQ(cellsOf<std::string>(io::readMatrix(put("g.csv", "1\n1e400\nx\n")).dense()), (S{"1", "1e400", "x"}));
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
    EXPECT_EQ(readCells<std::string>("\n\r\nx\n\n\"\"\n", 2, 1, "str"), (S{"x", ""})) << "empty lines are skipped";
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
    EXPECT_EQ(io::readMatrix(path("f.csv"), {.csv = {.lenient = true}}).dense().type(), ValueType::SI64);
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

TEST_F(Csv, WritesFloatsThatReadBackEqualAndMetadata) {
    io::write(doubles(2, 2, {1, -0.1234567, NAN, -INFINITY}), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "1.0,-0.1234567\nnan,-inf\n");
    EXPECT_EQ(content("w.csv.meta"), R"({"numCols":2,"numRows":2,"valueType":"f64"})");
    io::write(doubles(1, 6, {-std::nan(""), -0.0, 1e300, 1e16, 1e15, 0.00001}), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "nan,-0.0,1e+300,1e+16,1000000000000000.0,0.00001\n");
    io::write(doubles(1, 3, {1 / 3.0, 2e-7, 123456}), path("w.csv"), {.csv = {.digits = 3}});
    EXPECT_EQ(content("w.csv"), "0.333,2e-07,123000.0\n");
}

TEST_F(Csv, WritesAsTheOptionsSayAndRecordsThem) {
    auto f = Ref<Frame>::make(3);
    auto s = Dense::create(ValueType::Str, 3, 1);
    std::string *text = s->mutableView<std::string>().data;
    text[0] = "a;b", text[1] = "it's", text[2] = "NA";
    f->addColumn("n;", doubles(3, 1, {1, 2.5, NAN}));
    f->addColumn("s", s);
    io::CsvOptions options{.delimiter = ';', .quote = '\'', .header = true, .nulls = S{"NA"}};
    io::write(f, path("o.csv"), {.csv = options});
    EXPECT_EQ(content("o.csv"), "'n;';s\n1.0;'a;b'\n2.5;'it''s'\nnan;'NA'\n");
    EXPECT_EQ(content("o.csv.meta"),
              R"({"csv":{"delimiter":";","header":true,"nulls":["NA"],"quote":"'"},"numCols":2,"numRows":3,)"
              R"("schema":[{"label":"n;","valueType":"f64"},{"label":"s","valueType":"str"}]})");
    Value again = io::readFrame(path("o.csv"));
    EXPECT_EQ(cellsOf<std::string>(*again.frame().columns[1]), (S{"a;b", "it's", "NA"}));
    std::filesystem::remove(path("o.csv.meta"));
    Value guessed = io::readFrame(path("o.csv"), {.csv = options});
    EXPECT_EQ(guessed.frame().labels, (S{"n;", "s"}));
    EXPECT_EQ(guessed.frame().columns[0]->type(), ValueType::F64);
}

TEST_F(Csv, RefusesOptionsThatCannotBeReadAgain) {
    auto failure = [&](const Value &value, const io::CsvOptions &options) {
        return failureOf([&] { io::write(value, path("r.csv"), {.csv = options}); });
    };
    auto s = Dense::create(ValueType::Str, 2, 1);
    s->mutableView<std::string>().data[0] = "a,b";
    EXPECT_NE(failure(s, {.quote = '\0'}).find("cannot be written without quotes"), std::string::npos);
    EXPECT_NE(failure(doubles(1, 1, {1}), {.delimiter = '.'}).find("stands in numbers"), std::string::npos);
    EXPECT_EQ(failure(s, {.delimiter = '.'}), "");
    EXPECT_NE(failure(s, {.nulls = S{"a,b"}}), "");
    EXPECT_NE(failureOf([&] { io::write(s, path("r.npy"), {.csv = {.header = true}}); }).find("options of .csv files"),
              std::string::npos);
    EXPECT_NE(failureOf([&] { io::readMatrix(path("r.npy"), {.csv = {.lenient = true}}); }), "");
}

TEST_F(Csv, WritesPartsOfMatrices) {
    auto m = doubles(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    io::write(Dense::window(*m, 1, 3, 1, 2), path("w.csv"));
    EXPECT_EQ(content("w.csv"), "5.0\n8.0\n");
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
    EXPECT_EQ(content("w.csv"), "1.0\n");
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
          std::string("1,a,2\n"), std::string("1,a,2\n3,b,x\n"), std::string("1,a,2\n3,b,4\n5,c,6\n")}) {
        std::string name = put("x.csv", text);
        std::string whole = failureOf([&] { io::readFrame(name); });
        EXPECT_NE(whole, "") << text;
        EXPECT_EQ(failureOf([&] { io::readFrame(name, {.columns = {"i"}}); }), whole) << text;
    }
}

} // namespace
} // namespace daphne::test
