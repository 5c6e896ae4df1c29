// SPDX-License-Identifier: Apache-2.0
/// A federated matrix is the matrix that its parts are together, or an error that says which part is wrong.
#include "io/Federated.h"

#include <algorithm>
#include <csignal>
#include <random>

#include <sys/resource.h>

#include "io/FormatTable.h"
#include "io/TempDir.h"
#include "sched/Pool.h"

namespace daphne::test {
namespace {

namespace fs = std::filesystem;

class Federated : public InTempDir {
  protected:
    static Ref<Dense> numbered(size_t rows, size_t cols, double first = 0) {
        auto m = Dense::create(ValueType::F64, rows, cols);
        for (size_t i = 0; i < m->cells(); ++i)
            m->mutableView<double>().data[i] = first + static_cast<double>(i);
        return m;
    }
    /// Every third cell of a diagonal band is not zero.
    static Ref<Csr> sparse(size_t rows, size_t cols) {
        auto m = Dense::create(ValueType::F64, rows, cols, Buffer::Init::Zero);
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < cols; ++c)
                if ((r * 7 + c) % 11 == 3)
                    m->mutableView<double>()(r, c) = 1 + static_cast<double>(r * cols + c);
        return toCsr(*m);
    }
    std::string describe(const std::string &parts, const std::string &shape = R"("numRows":4,"numCols":3)") const {
        return put("x.fed", "{" + shape + R"(,"valueType":"f64","parts":[)" + parts + "]}");
    }
    std::vector<double> cells(const io::ReadRequest &request = {}) const {
        Value m = io::readMatrix(path("x.fed"), request);
        return cellsOf<double>(m.isCsr() ? *toDense(m.csr()) : m.dense());
    }
    std::string failure(const std::string &parts, const std::string &shape = R"("numRows":4,"numCols":3)") const {
        std::string file = describe(parts, shape);
        std::string message = failureOf([&] { io::readMatrix(file); });
        EXPECT_NE(message.find("x.fed"), std::string::npos) << message;
        return message;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (auto &entry : fs::recursive_directory_iterator(directory))
            found.push_back(fs::relative(entry.path(), directory).string());
        std::sort(found.begin(), found.end());
        return found;
    }
};

TEST_F(Federated, PartsOneBelowTheOtherAreOneMatrixWhateverTheirFormats) {
    io::write(numbered(2, 3), path("a.dbdf"));
    put("b.csv", "6,7,8\n");
    put("c.mtx", "%%MatrixMarket matrix array integer general\n1 3\n9\n10\n11\n");
    describe(
        R"({"file":"a.dbdf","numRows":2},{"file":"b.csv","numRows":1,"worker":"far:1"},{"file":"c.mtx","numRows":1})");
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(4, 3)));
    auto info = io::inspect(path("x.fed"), false);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->rows, 4);
    EXPECT_EQ(info->cols, 3);
    EXPECT_EQ(info->type, ValueType::F64);
    EXPECT_EQ(io::readFrame(path("x.fed")).frame().cols(), 3u);
}

TEST_F(Federated, PartsMayBeTilesOfAnyShapeInAnyOrder) {
    put("left.csv", "0,1\n3,4\n6,7\n");
    put("right.csv", "2\n5\n");
    put("low.csv", "8\n11\n");
    put("last.csv", "9,10\n");
    describe(R"({"file":"low.csv","row":2,"col":2,"numRows":2,"numCols":1},)"
             R"({"file":"left.csv","row":0,"numRows":3,"numCols":2},)"
             R"({"file":"last.csv","row":3,"numRows":1,"numCols":2},)"
             R"({"file":"right.csv","row":0,"col":2,"numRows":2,"numCols":1})");
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(4, 3)));
}

/// Cuts a tile again and again, along either side.
void cut(io::FederatedPart tile, std::mt19937_64 &random, std::vector<io::FederatedPart> &tiles) {
    bool byRows = random() % 2;
    size_t length = byRows ? tile.rows : tile.cols;
    if (random() % 5 == 0 || length < 2 || tiles.size() > 30)
        return tiles.push_back(tile);
    size_t at = 1 + random() % (length - 1);
    io::FederatedPart first = tile, second = tile;
    (byRows ? first.rows : first.cols) = at;
    (byRows ? second.row : second.col) += at;
    (byRows ? second.rows : second.cols) -= at;
    cut(first, random, tiles);
    cut(second, random, tiles);
}

TEST_F(Federated, RandomTilesArePutTogetherAsTheyWere) {
    sched::Pool pool(sched::Topology::detect(), 3);
    std::mt19937_64 random(7);
    for (int round = 0; round < 12; ++round) {
        auto whole = Dense::create(ValueType::F64, 1 + random() % 40, 1 + random() % 30);
        for (size_t i = 0; i < whole->cells(); ++i)
            whole->mutableView<double>().data[i] = random() % 3 ? 0 : static_cast<double>(random() % 1000);
        io::FederatedMatrix fed{whole->rows(), whole->cols(), ValueType::F64, {}};
        cut({0, 0, fed.rows, fed.cols, "", ""}, random, fed.parts);
        std::ranges::shuffle(fed.parts, random);
        for (io::FederatedPart &part : fed.parts) {
            constexpr const char *kFormats[] = {".dbdf", ".csv", ".npy", ".mtx", ".sparse.dbdf"};
            std::string ending = kFormats[random() % 5];
            part.file = std::to_string(&part - fed.parts.data()) + ending;
            auto tile = Dense::window(*whole, part.row, part.row + part.rows, part.col, part.col + part.cols);
            io::write(ending == ".sparse.dbdf" ? Value(toCsr(*tile)) : Value(tile), path(part.file));
        }
        put("x.fed", io::federatedText(fed));
        io::ReadRequest sparse{.pool = &pool};
        sparse.policy.largeBytes = 0;
        sparse.policy.threshold = 1;
        EXPECT_EQ(cells(), cellsOf<double>(*whole)) << content("x.fed");
        EXPECT_EQ(cells({.pool = &pool}), cellsOf<double>(*whole)) << content("x.fed");
        EXPECT_EQ(cells(sparse), cellsOf<double>(*whole)) << content("x.fed");
        io::readMatrix(path("x.fed"), sparse).csr().check();
        // Nothing may be left out, and nothing may be there twice.
        io::FederatedMatrix wrong = fed;
        wrong.parts.push_back(wrong.parts[random() % wrong.parts.size()]);
        put("x.fed", io::federatedText(wrong));
        EXPECT_NE(failureOf([&] { cells(); }).find("overlap"), std::string::npos) << content("x.fed");
        wrong.parts.resize(fed.parts.size() - 1);
        put("x.fed", io::federatedText(wrong));
        EXPECT_NE(failureOf([&] { cells(); }).find("cells, the matrix of"), std::string::npos) << content("x.fed");
    }
}

TEST_F(Federated, PartsHaveTheTypeOfTheWhole) {
    put("a.csv", "1.5,2.5,300\n");
    put("x.fed", R"({"numRows":1,"numCols":3,"valueType":"si32","parts":[{"file":"a.csv"}]})");
    EXPECT_EQ(cellsOf<int32_t>(io::readMatrix(path("x.fed")).dense()), (std::vector<int32_t>{1, 2, 300}));
    put("x.fed.meta", R"({"numRows":1,"numCols":3,"valueType":"f32"})");
    EXPECT_EQ(io::readMatrix(path("x.fed")).matrix().type(), ValueType::F32);
    EXPECT_EQ(io::inspect(path("x.fed"), false)->type, ValueType::F32);
}

TEST_F(Federated, SparsePartsMakeASparseMatrix) {
    auto whole = sparse(60, 40);
    io::WriteRequest tiles;
    tiles.blockRows = 25;
    tiles.blockCols = 17;
    io::write(whole, path("x.fed"), tiles);
    Value again = io::readMatrix(path("x.fed"), {.csr = true});
    ASSERT_TRUE(again.isCsr());
    again.csr().check();
    EXPECT_EQ(cellsOf<double>(*toDense(again.csr())), cellsOf<double>(*toDense(*whole)));
    EXPECT_FALSE(io::readMatrix(path("x.fed")).isCsr()) << "small ones are dense";
    io::ReadRequest large;
    large.policy.largeBytes = 1000;
    EXPECT_TRUE(io::readMatrix(path("x.fed"), large).isCsr()) << "what is large as a whole, not as a part";
}

TEST_F(Federated, AMatrixThatIsTooLargeToBeDenseIsCollected) {
    std::string head = "%%MatrixMarket matrix coordinate pattern general\n";
    put("a.mtx", head + "1000000 1000000 2\n1 1\n1000000 7\n");
    put("b.mtx", head + "1000000 1000000 1\n3 1000000\n");
    describe(R"({"file":"a.mtx","numRows":1000000},{"file":"b.mtx","numRows":1000000})",
             R"("numRows":2000000,"numCols":1000000)");
    Value m = io::readMatrix(path("x.fed"));
    ASSERT_TRUE(m.isCsr());
    m.csr().check();
    EXPECT_TRUE(m.csr().isPattern());
    EXPECT_EQ(m.csr().nonZeros(), 3u);
    EXPECT_EQ(m.csr().nonZeros(1000002), 1u);
}

TEST_F(Federated, ManyPartsAreReadInParallelAndTheFirstMistakeCounts) {
    sched::Pool pool(sched::Topology::detect(), 4);
    auto whole = numbered(500, 7);
    io::WriteRequest tiles;
    tiles.blockRows = 11;
    tiles.blockCols = 3;
    io::write(whole, path("x.fed"), tiles);
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(cells({.pool = &pool}), cellsOf<double>(*whole));
    put("x.fed.parts1/30-1.dbdf", "no matrix");
    put("x.fed.parts1/20-2.dbdf", "no matrix");
    for (int i = 0; i < 20; ++i) {
        std::string message = failureOf([&] { cells({.pool = &pool}); });
        EXPECT_NE(message.find("part 62: file"), std::string::npos) << message;
        EXPECT_NE(message.find("20-2.dbdf"), std::string::npos) << message;
    }
}

TEST_F(Federated, DescriptionsAreChecked) {
    put("a.csv", "0,1,2\n3,4,5\n");
    const char *half = R"({"file":"a.csv","numRows":2})";
    using Pair = std::pair<std::string, std::string>;
    for (auto &[parts, what] : std::vector<Pair>{
             {"", "0 cells, the matrix of 4x3 has 12"},
             {half, "6 cells, the matrix of 4x3 has 12"},
             {std::string(half) + R"(,{"file":"a.csv","row":1,"numRows":2})", "part 0 and part 1 overlap"},
             {std::string(half) + R"(,{"file":"a.csv","row":0,"col":2,"numRows":4,"numCols":1})", "part 0 and part 1"},
             {std::string(half) + R"(,{"file":"a.csv","numRows":3})", "part 1: 3x3 cells at row 2, column 0"},
             {R"({"file":"a.csv","row":5,"numRows":0})", "part 0: 0x3 cells at row 5"},
             {R"({"file":"a.csv","col":2,"numCols":2})", "part 0: 4x2 cells at row 0, column 2"},
             {R"({"file":"a.csv","row":9223372036854775807})", "part 0: 4x3 cells at row 9223372036854775807"},
             {R"({"numRows":4})", "part 0 needs a file"},
             {R"("a.csv")", "part 0 needs a file"},
             {R"({"file":7})", "part 0 needs a file"},
             {R"({"file":""})", "part 0: a part cannot be the file \"\""},
             {R"({"file":"x.fed"})", "part 0: a part cannot be the file \"x.fed\""},
             {R"({"file":"y.fed"})", "part 0: a part cannot be the file \"y.fed\""},
             {R"({"file":"a\u0000.csv"})", "part 0: a part cannot be the file"},
             {R"({"file":"a.csv","numRows":-1})", "part 0: numRows must be an integer >= 0, got -1"},
             {R"({"file":"a.csv","numRows":[[1]]})", "part 0: numRows must be an integer >= 0, got an array"},
             {R"({"file":"a.csv","worker":1})", "part 0: worker must be a string, got 1"}})
        EXPECT_NE(failure(parts).find(what), std::string::npos) << parts << ": " << failure(parts);
    EXPECT_NE(failure(half, R"("numCols":3)").find("numRows is missing"), std::string::npos);
    std::string all = "9223372036854775807";
    EXPECT_NE(failure(half, "\"numRows\":" + all + ",\"numCols\":" + all).find("too large"), std::string::npos);
    for (auto &[text, what] : std::vector<Pair>{{"", "not valid JSON"},
                                                {"[1]", "not a JSON object"},
                                                {R"({"numRows":1,"numCols":1,"parts":[]})", "valueType is missing"},
                                                {R"({"numRows":1,"numCols":1,"valueType":"f16","parts":[]})", "f16"},
                                                {R"({"numRows":1,"numCols":1,"valueType":"f64"})", "parts"}}) {
        put("x.fed", text);
        std::string message = failureOf([&] { io::readMatrix(path("x.fed")); });
        EXPECT_NE(message.find(what), std::string::npos) << message;
        EXPECT_FALSE(io::inspect(path("x.fed"), false));
    }
}

TEST_F(Federated, PartsAreChecked) {
    put("a.csv", "0,1,2\n3,4,5\n");
    put("s.csv", "a,b,c\nd,e,f\n");
    std::string first = R"({"file":"a.csv","numRows":2},)";
    EXPECT_NE(failure(first + R"({"file":"no.csv","numRows":2})").find("part 1: cannot read file"), std::string::npos);
    EXPECT_NE(failure(first + R"({"file":"a.xyz","numRows":2})").find("part 1: cannot read"), std::string::npos);
    EXPECT_NE(failure(first + R"({"file":"s.csv","numRows":2})").find("holds strings"), std::string::npos);
    put("b.csv", "0,1,2\n");
    EXPECT_NE(failure(first + R"({"file":"b.csv","numRows":2})").find("matrix of 1x3 instead of 2x3"),
              std::string::npos);
    describe(first + R"({"file":"no.csv","numRows":2,"worker":"far:50000"})");
    try {
        io::readMatrix(path("x.fed"));
        ADD_FAILURE();
    } catch (const Error &e) {
        EXPECT_NE(e.hint.find("far:50000"), std::string::npos) << e.hint;
    }
}

TEST_F(Federated, WhatIsPromisedTakesNoMemory) {
    put("a.csv", "1\n");
    // More than there can be: taking it would fail with another message.
    EXPECT_NE(failure(R"({"file":"a.csv"})", R"("numRows":4000000000,"numCols":2000000000)").find("1x1 instead of"),
              std::string::npos);
    std::string many;
    for (size_t i = 0; i < 20000; ++i)
        many += (i ? "," : "") + std::string(R"({"file":"no.csv","numRows":1})");
    EXPECT_NE(failure(many, R"("numRows":20000,"numCols":4000000000000)").find("part 0: cannot read"),
              std::string::npos);
    put("x.fed", std::string(1 << 20, '['));
    EXPECT_NE(failureOf([&] { io::readMatrix(path("x.fed")); }), "");
}

TEST_F(Federated, NamesOfPartsBeginAtTheDirectoryOfTheFileItself) {
    fs::create_directory(path("data"));
    put("data/a.csv", "1\n");
    put("data/x.fed", R"({"numRows":1,"numCols":1,"valueType":"f64","parts":[{"file":"a.csv"}]})");
    fs::create_symlink(path("data/x.fed"), path("x.fed"));
    EXPECT_EQ(cells(), std::vector<double>{1});
    put("y.fed", R"({"numRows":1,"numCols":1,"valueType":"f64","parts":[{"file":")" + path("data/a.csv") + R"("}]})");
    EXPECT_EQ(io::readMatrix(path("y.fed")).dense().view<double>()(0, 0), 1);
}

TEST_F(Federated, IsWrittenInPartsOfTheWantedShapeForTheWorkers) {
    io::WriteRequest request;
    request.blockRows = 4;
    request.workers = {"a:1", "b:2"};
    io::write(numbered(10, 2), path("x.fed"), request);
    EXPECT_EQ(names(), (std::vector<std::string>{"x.fed", "x.fed.meta", "x.fed.parts1", "x.fed.parts1/0-0.dbdf",
                                                 "x.fed.parts1/0-0.dbdf.meta", "x.fed.parts1/1-0.dbdf",
                                                 "x.fed.parts1/1-0.dbdf.meta", "x.fed.parts1/2-0.dbdf",
                                                 "x.fed.parts1/2-0.dbdf.meta"}));
    auto whole = io::parseFederated(content("x.fed"), path("x.fed"));
    ASSERT_EQ(whole.parts.size(), 3u);
    EXPECT_TRUE(whole.isCutByRows());
    EXPECT_EQ(whole.parts[2].row, 8u);
    EXPECT_EQ(whole.parts[2].rows, 2u);
    EXPECT_EQ(whole.parts[0].worker, "a:1");
    EXPECT_EQ(whole.parts[1].worker, "b:2");
    EXPECT_EQ(whole.parts[2].worker, "b:2");
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(10, 2)));
    request.blockRows = 0;
    io::write(numbered(10001, 2), path("x.fed"), request);
    whole = io::parseFederated(content("x.fed"), path("x.fed"));
    ASSERT_EQ(whole.parts.size(), 3u) << "one for each worker, and a rest behind the last block";
    EXPECT_EQ(whole.parts[0].rows, 4096u);
    EXPECT_EQ(whole.parts[0].worker, "a:1");
    EXPECT_EQ(whole.parts[1].worker, "b:2");
    EXPECT_EQ(whole.parts[2].worker, "b:2");
    request.blockRows = request.blockCols = 1;
    EXPECT_NE(failureOf([&] { io::write(numbered(300, 300), path("y.fed"), request); }).find("300 times 300 parts"),
              std::string::npos);
    EXPECT_FALSE(fs::exists(path("y.fed")));
}

TEST_F(Federated, PartsOfLargeMatricesAreCutWhereLoopsAre) {
    auto m = Dense::create(ValueType::F64, 100000, 200, Buffer::Init::Zero);
    io::write(m, path("x.fed"));
    auto whole = io::parseFederated(content("x.fed"), path("x.fed"));
    ASSERT_EQ(whole.parts.size(), 3u);
    EXPECT_EQ(whole.parts[0].rows % 4096, 0u);
    EXPECT_LE(whole.parts[0].rows * 200 * 8, size_t(64) << 20);
}

TEST_F(Federated, IsReplacedAsAWholeWithItsParts) {
    io::write(numbered(4, 2), path("x.fed"));
    put("x.fed.parts1/mine.txt", "not a part");
    io::write(numbered(4, 2, 100), path("x.fed"));
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(4, 2, 100)));
    EXPECT_EQ(names(),
              (std::vector<std::string>{"x.fed", "x.fed.meta", "x.fed.parts1", "x.fed.parts1/mine.txt", "x.fed.parts2",
                                        "x.fed.parts2/0-0.dbdf", "x.fed.parts2/0-0.dbdf.meta"}));
    fs::remove_all(path("x.fed.parts1"));
    io::write(numbered(4, 2, 200), path("x.fed"));
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(4, 2, 200)));
    EXPECT_FALSE(fs::exists(path("x.fed.parts2")));
}

TEST_F(Federated, ReplacingRemovesNothingButItsOwnParts) {
    fs::create_directory(path("x.fed.parts1"));
    fs::create_directory(path("x.fed.partsX"));
    for (const char *name : {"a.csv", "x.fed.partsX/b.csv", "x.fed.parts1/c.csv"})
        put(name, "1\n");
    describe(R"({"file":"a.csv","numRows":1},{"file":"x.fed.parts1/../a.csv","numRows":1},)"
             R"({"file":"x.fed.partsX/b.csv","numRows":1},{"file":"x.fed.parts1/c.csv","numRows":1})",
             R"("numRows":4,"numCols":1)");
    EXPECT_EQ(cells(), (std::vector<double>{1, 1, 1, 1}));
    io::write(numbered(1, 1), path("x.fed"));
    EXPECT_TRUE(fs::exists(path("a.csv")));
    EXPECT_TRUE(fs::exists(path("x.fed.partsX/b.csv")));
    EXPECT_FALSE(fs::exists(path("x.fed.parts1")));
}

TEST_F(Federated, AFullDiskLeavesTheOldMatrixAndNothingElse) {
    io::write(numbered(4, 2), path("x.fed"));
    auto before = names();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    rlimit small{500, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    io::WriteRequest request;
    request.blockRows = 3; // the parts fit, the list of them does not
    std::string message = failureOf([&] { io::write(numbered(100, 9), path("x.fed"), request); });
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_NE(message.find("cannot write file"), std::string::npos) << message;
    EXPECT_EQ(names(), before);
    EXPECT_EQ(cells(), cellsOf<double>(*numbered(4, 2)));
}

} // namespace
} // namespace daphne::test
