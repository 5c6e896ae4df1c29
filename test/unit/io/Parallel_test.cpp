// SPDX-License-Identifier: Apache-2.0
/// Large texts read in pieces on several threads give what one thread gives.
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "io/Format.h"
#include "io/TempDir.h"
#include "sched/Pool.h"

namespace daphne::test {
namespace {

class InPieces : public InTempDir {
  protected:
    sched::Pool pool{sched::Topology::detect(), 3};
    std::mt19937_64 random{7};

    Value readCsr(const std::string &name, sched::Pool *workers) {
        return io::readMatrix(path(name), {.csr = true, .pool = workers});
    }
    /// Entries of a 5000 x 4000 matrix, several MiB of text; the last of equal places counts.
    std::string coordinates(size_t n, bool ordered, bool lower = false) {
        std::string text;
        for (size_t k = 0; k < n; ++k) {
            size_t i = ordered ? k * 4000 / n : random() % 4000, j = ordered ? k % 128 * 31 : random() % 4000;
            if (lower && i < j)
                std::swap(i, j);
            text += std::to_string(i + 1) + " " + std::to_string(j + 1) + " " +
                    std::to_string(static_cast<double>(random() % 1000) / 8) + "\n";
        }
        return text;
    }
    void expectSame(const Value &a, const Value &b) {
        a.csr().check();
        auto x = toDense(a.csr()), y = toDense(b.csr());
        EXPECT_EQ(cellsOf<double>(*x), cellsOf<double>(*y));
    }
};

TEST_F(InPieces, CoordinatesInAnyOrderGiveTheSameMatrix) {
    for (auto [kind, ordered, lower] : {std::tuple{"general", true, false},
                                        {"general", false, false},
                                        {"symmetric", false, true},
                                        {"skew-symmetric", false, true}}) {
        size_t n = 400000;
        put("m.mtx", std::string("%%MatrixMarket matrix coordinate real ") + kind + "\n4000 4000 " + std::to_string(n) +
                         "\n" + coordinates(n, ordered, lower));
        Value parallel = readCsr("m.mtx", &pool), serial = readCsr("m.mtx", nullptr);
        expectSame(parallel, serial);
        // The dense reader places entry by entry.
        auto dense = io::readMatrix(path("m.mtx"), {.policy = {.threshold = 0}, .pool = &pool});
        EXPECT_EQ(cellsOf<double>(dense.dense()), cellsOf<double>(*toDense(parallel.csr()))) << kind;
    }
}

TEST_F(InPieces, EmptyLinesAndCommentsBetweenEntriesAreSkipped) {
    std::string text = coordinates(200000, true);
    for (size_t i = 0; i < 10; ++i)
        text.insert(text.find('\n', random() % text.size()) + 1, "\n  \n% a comment 1 2 3\n");
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n4000 4000 200000\n" + text);
    expectSame(readCsr("m.mtx", &pool), readCsr("m.mtx", nullptr));
}

TEST_F(InPieces, TheFirstMistakeOfAFileIsReported) {
    std::string text = coordinates(400000, false);
    size_t first = text.find('\n', 3000000) + 1;
    text.replace(text.find(' ', text.find('\n', 6000000)), 1, "x");
    text.insert(first, "0 1 1\n");
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n4000 4000 400001\n" + text);
    std::string serial = failureOf([&] { readCsr("m.mtx", nullptr); });
    EXPECT_NE(serial.find("column 1: row 0 is outside 1..4000"), std::string::npos) << serial;
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(failureOf([&] { readCsr("m.mtx", &pool); }), serial);
}

TEST_F(InPieces, CsvRowsGoToTheirPlaces) {
    std::string text;
    size_t n = 150000;
    for (size_t r = 0; r < n; ++r)
        text += std::to_string(r) + ",\"text " + std::string(r % 7, '\n') + "\"\"" + std::to_string(r) + "\"," +
                std::to_string(r % 1000) + (r % 3 ? ".5" : "") + "\r\n" + (r % 100 ? "" : "\n");
    put("f.csv", text);
    for (sched::Pool *workers : {&pool, static_cast<sched::Pool *>(nullptr)}) {
        Value value = io::readFrame(path("f.csv"), {.pool = workers});
        const Frame &f = value.frame();
        ASSERT_EQ(f.shapeText(), std::to_string(n) + "x3");
        EXPECT_EQ(f.columns[2]->type(), ValueType::F64);
        for (size_t r = 0; r < n; r += 997) {
            EXPECT_EQ(f.columns[0]->view<int64_t>().data[r], static_cast<int64_t>(r));
            EXPECT_EQ(f.columns[1]->view<std::string>().data[r],
                      "text " + std::string(r % 7, '\n') + "\"" + std::to_string(r));
        }
    }
}

TEST_F(InPieces, QuotesInsideOfUnquotedFieldsAreNotMistakenForQuotes) {
    std::string text;
    size_t n = 120000;
    for (size_t r = 0; r < n; ++r)
        text += (r % 5000 == 1 ? "3\" disk," : r % 5000 == 2 ? "\"a\nb\"," : "plain words,") + std::to_string(r) + "\n";
    put("f.csv", text);
    Value value = io::readFrame(path("f.csv"), {.pool = &pool});
    ASSERT_EQ(value.frame().rows(), n);
    EXPECT_EQ(value.frame().columns[0]->view<std::string>().data[5001], "3\" disk");
    EXPECT_EQ(value.frame().columns[0]->view<std::string>().data[5002], "a\nb");
    EXPECT_EQ(value.frame().columns[1]->view<int64_t>().data[n - 1], static_cast<int64_t>(n - 1));
}

TEST_F(InPieces, TypesFollowFromAllRowsNotOnlyFromTheSample) {
    std::string text;
    for (size_t r = 0; r < 300000; ++r)
        text += r == 123456 ? "1.5,x\n" : "12345,67\n";
    put("f.csv", text);
    Value value = io::readFrame(path("f.csv"), {.pool = &pool});
    EXPECT_EQ(value.frame().columns[0]->type(), ValueType::F64);
    EXPECT_EQ(value.frame().columns[0]->view<double>().data[123456], 1.5);
    EXPECT_EQ(value.frame().columns[0]->view<double>().data[299999], 12345);
    EXPECT_EQ(value.frame().columns[1]->view<std::string>().data[123456], "x");
    EXPECT_EQ(io::readMatrix(path("f.csv"), {.pool = &pool}).dense().type(), ValueType::Str);
}

TEST_F(InPieces, WritingInParallelKeepsTheOrder) {
    auto m = Dense::create(ValueType::F64, 50000, 7);
    for (size_t i = 0; i < m->cells(); ++i)
        m->mutableView<double>().data[i] = static_cast<double>(random()) / 1e12;
    io::write(m, path("a.csv"), {.pool = &pool});
    io::write(m, path("b.csv"));
    EXPECT_EQ(content("a.csv"), content("b.csv"));
}

TEST_F(InPieces, TheFirstMistakeOfACsvFileIsReported) {
    std::string text;
    size_t n = 400000;
    for (size_t r = 0; r < n; ++r)
        text += r == 123456 ? "1,x\n" : r == 123460 ? "1\n" : r == 350000 ? "1,2,3\n" : "12345,67.5\n";
    put("f.csv.meta", R"({"numRows":399999,"numCols":2,"valueType":"f64"})");
    put("f.csv", text);
    for (int i = 0; i < 5; ++i)
        for (sched::Pool *workers : {&pool, static_cast<sched::Pool *>(nullptr)})
            EXPECT_NE(failureOf([&] {
                          io::readMatrix(path("f.csv"), {.pool = workers});
                      }).find("line 123457, column 2: \"x\""),
                      std::string::npos);
    auto lenient = io::readMatrix(path("f.csv"), {.pool = &pool, .csv = {.lenient = true}});
    EXPECT_EQ(lenient.dense().rows(), n - 1);
    EXPECT_EQ(lenient.dense().view<double>()(350000, 1), 2);
}

/// Any bits: very large and small numbers, subnormal ones, integers, few digits.
template <class T> T anyFloat(std::mt19937_64 &random) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    switch (random() % 5) {
    case 0: return static_cast<T>(static_cast<int64_t>(random()) / 1000);
    case 1: return static_cast<T>(static_cast<double>(random() % 100000) / 100);
    case 2: return std::bit_cast<T>(static_cast<Bits>(random() % 1000)); // subnormal
    case 3: return std::nextafter(std::numeric_limits<T>::max(), T(random() % 2));
    default: return std::bit_cast<T>(static_cast<Bits>(random()));
    }
}

TEST_F(InPieces, FloatsOfEveryKindReadBackEqual) {
    auto check = [&]<class T>(TypeTag<T>) {
        auto m = Dense::create(valueTypeOf<T>(), 30000, 4);
        T *cells = m->template mutableView<T>().data;
        for (size_t i = 0; i < m->cells(); ++i)
            cells[i] = anyFloat<T>(random);
        io::write(m, path("a.csv"), {.pool = &pool});
        auto again = io::readMatrix(path("a.csv"), {.pool = &pool});
        const T *read = again.dense().view<T>().data;
        for (size_t i = 0; i < m->cells(); ++i) {
            bool same = std::isnan(cells[i]) ? std::isnan(read[i]) : std::memcmp(&cells[i], &read[i], sizeof(T)) == 0;
            ASSERT_TRUE(same) << cells[i] << " " << read[i];
        }
        // Without metadata they are floats again.
        std::filesystem::remove(path("a.csv.meta"));
        EXPECT_EQ(io::readMatrix(path("a.csv")).dense().type(), ValueType::F64);
    };
    check(TypeTag<double>());
    check(TypeTag<float>());
}

TEST_F(InPieces, TextsOfEveryKindReadBackEqual) {
    constexpr std::string_view kParts[] = {"a", ",", "\"", "\n", "\r", " ", "NA", "1", "\xEF\xBB\xBF", "\xC3\xB6", ";"};
    for (size_t cols : {1, 3})
        for (auto [delimiter, header] : {std::pair{',', false}, {',', true}, {';', true}, {' ', false}}) {
            auto frame = Ref<Frame>::make(2000);
            for (size_t c = 0; c < cols; ++c) {
                auto column = Dense::create(ValueType::Str, 2000, 1);
                for (size_t r = 0; r < 2000; ++r)
                    for (size_t n = random() % 4; n > 0; --n)
                        column->mutableView<std::string>().data[r] += kParts[random() % std::size(kParts)];
                frame->addColumn("l" + std::to_string(c), column);
            }
            io::write(frame, path("t.csv"), {.csv = {.delimiter = delimiter, .header = header}});
            Value again = io::readFrame(path("t.csv"), {.pool = &pool});
            for (size_t c = 0; c < cols; ++c)
                EXPECT_EQ(cellsOf<std::string>(*again.frame().columns[c]), cellsOf<std::string>(*frame->columns[c]));
        }
}

TEST_F(InPieces, AFirstRowLikeTheLabelsIsNoHeader) {
    auto frame = Ref<Frame>::make(1);
    auto column = Dense::create(ValueType::Str, 1, 1);
    column->mutableView<std::string>().data[0] = "a";
    frame->addColumn("a", column);
    io::write(frame, path("t.csv"));
    EXPECT_EQ(cellsOf<std::string>(*io::readFrame(path("t.csv")).frame().columns[0]), std::vector<std::string>{"a"});
}

} // namespace
} // namespace daphne::test
