// SPDX-License-Identifier: Apache-2.0
/// Large texts read in pieces on several threads give what one thread gives.
#include <bit>
#include <cmath>
#include <random>

#include "io/Format.h"
#include "io/TempDir.h"
#include "io/text/FixedDecimals.h"
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

TEST(Numbers, AreWrittenWithSixDecimalsAsTheCLibraryDoes) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 200000; ++i) {
        double x = std::bit_cast<double>(random());
        if (i % 4 == 1)
            x = static_cast<double>(static_cast<int64_t>(random())) / 1e12;
        if (i % 4 == 2)
            x = static_cast<double>(random() % 10000000) / 128e4;
        if (i % 4 == 3)
            x = static_cast<double>(random() % 100000000) / 8388608; // ties
        if (std::isnan(x))
            continue;
        char text[400];
        std::snprintf(text, sizeof text, "%f", x);
        std::string ours;
        io::appendSixDecimals(ours, x);
        ASSERT_EQ(ours, text);
    }
}

} // namespace
} // namespace daphne::test
