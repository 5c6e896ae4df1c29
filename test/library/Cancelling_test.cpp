// SPDX-License-Identifier: Apache-2.0
/// A request to cancel ends a program of seconds within milliseconds, whatever it is doing, and the engine goes on. One
/// program for each family of kernels. How long it takes depends on how busy the machine is, so only the order of
/// magnitude is tested; the time is a property of the test case (--gtest_output=xml).
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "Library.h"

using namespace daphne;
using namespace daphne::test;

namespace {

struct Family {
    const char *name;
    const char *inputs; ///< names of those the text uses: see inputNamed()
    const char *text;
    const char *options = "{}";
};

/// Names the test; without it the whole text would.
void PrintTo(const Family &family, std::ostream *out) { *out << family.name; }

const Engine &engineOf(const char *options) {
    static Engine usual, columnar("{\"columnar\": true}");
    return std::string(options) == "{}" ? usual : columnar;
}

/// Made when a test first needs it.
const Value &inputNamed(char name) {
    static std::map<char, Value> made;
    Value &value = made[name];
    if (value)
        return value;
    std::map<char, const char *> texts = {
        {'C', "V = rand(20000000, 1, 0.0, 1.0, 1.0, 1);"},                   // a column
        {'K', "V = sample(3000000, 6000000, true, 1);"},                     // keys
        {'M', "V = rand(4000, 4096, 0.0, 1.0, 1.0, 1);"},                    // a matrix, or images
        {'F', "V = createFrame(sample(3000000, 6000000, true, 2), \"k\");"}, // a frame
        {'G', "V = createFrame(sample(3000000, 6000000, true, 3), \"l\");"}, // another one
        {'T', "V = as.matrix<str>(rand(1500000, 1, 0.0, 1.0, 1.0, 1));"},    // texts
        {'S', "V = rand(300000, 30000, 0.0, 1.0, 0.001, 1);"},               // sparse
    };
    return value = engineOf("{}").compile(texts.at(name), {}, {"V"}).run({})["V"];
}

class Cancelling : public testing::TestWithParam<Family> {
  protected:
    /// Families that write or read files do so in a directory of their own.
    static void SetUpTestSuite() {
        before = std::filesystem::current_path();
        std::string name = (std::filesystem::temp_directory_path() / "cancelling-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        std::filesystem::current_path(directory = name);
        run(engineOf("{}"), "write(rand(500000, 4, 0.0, 1.0, 1.0, 1), \"matrix.csv\");"
                            "write(createFrame(sample(1000000, 1000000, true, 1), rand(1000000, 1, 0.0, 1.0, 1.0, 1)),"
                            "      \"frame.dbdf\");");
    }
    static void TearDownTestSuite() {
        std::filesystem::current_path(before);
        std::filesystem::remove_all(directory);
    }

  private:
    inline static std::filesystem::path before, directory;
};

TEST_P(Cancelling, StopsSoonAndTheEngineGoesOn) {
    using Clock = std::chrono::steady_clock;
    const Engine &engine = engineOf(GetParam().options);
    std::vector<Input> names;
    std::vector<Value> inputs;
    for (const char *name = GetParam().inputs; *name; ++name) {
        inputs.push_back(inputNamed(*name));
        names.push_back(Input::like(std::string(1, *name), inputs.back()));
    }
    Program p = engine.compile(GetParam().text, names);
    Cancel cancel;
    Clock::time_point requested;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        requested = Clock::now();
        cancel.request();
    });
    RunOptions options;
    options.cancel = &cancel;
    Error e = failureOf([&] { p.run(inputs, options); });
    auto end = Clock::now();
    stopper.join();
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - requested).count();
    RecordProperty("milliseconds", static_cast<int>(ms));
    EXPECT_EQ(e.status(), DAPHNE_CANCELLED);
    // On an idle machine it takes some milliseconds; to the end it would take seconds.
    EXPECT_LT(ms, 1500);
    // A flag that was set before stops the run at once; cleared, it does not.
    EXPECT_EQ(failureOf([&] { p.run(inputs, options); }).status(), DAPHNE_CANCELLED);
    EXPECT_EQ(run(engine, "print(sum([1, 2, 3]));"), "6\n");
}

const Family kFamilies[] = {
    {"scalars", "", "i = 0; while (i >= 0) { i = (i + 1) % 1000; }"},
    {"for_loop", "", "x = 0; for (i in 1:1000000000000) { x = x + i; } print(x);"},
    {"recursion", "",
     "def f(n: si64) -> si64 { r = 0; i = 0; while (i < 10) { if (n > 0) { r = r + f(n - 1); } i = i + 1; } return r + "
     "1; }"
     "print(f(40));"},
    {"fused_loops", "", "X = rand(500, 500, 0.0, 1.0, 1.0, 1); i = 0; while (i >= 0) { X = sqrt(X * X) + 0.0; }"},
    {"product", "", "X = rand(3000, 3000, 0.0, 1.0, 1.0, 1); i = 0; while (i >= 0) { Y = X @ X; }"},
    // Serial for the sake of a seed; each would take a minute.
    {"rand", "", "X = rand(46000, 46000, 0.0, 1.0, 0.0001, 1); print(sum(X));"},
    {"sample", "", "X = sample(4000000000, 1000, false, 1); print(sum(X));"},
    {"order", "C", "X = order(C, 0, true, true); print(X[0, 0]);"},
    {"order_of_texts", "T", "X = order(T, 0, true, true); print(X[0, 0]);"},
    {"quantiles", "C", "print(quantile(C, [0.1, 0.2, 0.3, 0.4, 0.5]));"},
    {"aggregates_and_cumulative", "C", "i = 0; while (i >= 0) { X = cumSum(C); i = i + sum(idxMax(t(X), 0)); }"},
    {"elementwise_and_moving", "M", "i = 0; while (i >= 0) { X = cbind(t(reverse(M)), t(M)); i = i + nrow(X); }"},
    {"texts", "T", "X = T; i = 0; while (i >= 0) { X = T + T; i = i + nrow(X); }"},
    {"recode", "K", "X, D = recode(K, true); print(nrow(D));"},
    {"join", "FG", "X = innerJoin(F, G, \"k\", \"l\"); print(nrow(X));"},
    {"groups", "F",
     "registerView(\"f\", F); X = sql(\"SELECT f.k, sum(f.k) AS s FROM f GROUP BY f.k\"); print(nrow(X));"},
    {"distinct", "F", "registerView(\"f\", F); X = sql(\"SELECT DISTINCT f.k FROM f\"); print(nrow(X));"},
    {"query", "FG",
     "registerView(\"f\", F); registerView(\"g\", G); X = sql(\"SELECT f.k, g.l FROM f, g WHERE f.k = g.l\"); "
     "print(nrow(X));"},
    {"columns", "FG",
     "registerView(\"f\", F); registerView(\"g\", G); X = sql(\"SELECT f.k, g.l FROM f, g WHERE f.k = g.l\"); "
     "print(nrow(X));",
     "columnar"},
    {"sparse_product", "S", "i = 0; while (i >= 0) { X = S @ t(S); i = i + nrow(X); }"},
    {"sparse_cells", "S", "i = 0; while (i >= 0) { X = cbind(S, S) * 2.0; Y = t(X); i = i + nrow(Y); }"},
    {"kronecker", "M", "i = 0; while (i >= 0) { X = kron(M[0:40, 0:40], M[0:200, 0:200]); i = i + nrow(X); }"},
    {"pooling", "M",
     "i = 0; while (i >= 0) { X, h, w = max_pool2d(M, 4000, 1, 64, 64, 3, 3, 1, 1, 0, 0); i = i + nrow(X); }"},
    {"median", "M", "i = 0; while (i >= 0) { X = median(M, 1); Y = median(M, 0); i = i + ncol(X); }"},
    {"one_median", "C", "i = 0; while (i >= 0) { x = median(C); i = i + 1; }"},
    {"moments", "C", "i = 0; while (i >= 0) { x = var(C) + stddev(C) + prod(C) + aggMax(C); i = i + 1; }"},
    {"numbers_among_nan", "C",
     "i = 0; while (i >= 0) { x = nanVar(C) + nanMedian(C) + nanMax(C) + as.f64(nanIdxMax(C)); i = i + 1; }"},
    {"folds", "M", "i = 0; while (i >= 0) { X = any(M, 0); Y = all(M, 1); z = nanCount(M); i = i + nrow(X); }"},
    {"covariances", "M", "X = cov(M); print(sum(X));"},
    {"histograms", "C", "i = 0; while (i >= 0) { n, e = histogram(C, 100); d = describe(C); i = i + nrow(n); }"},
    {"sorting", "C", "i = 0; while (i >= 0) { X = sort(C); Y = unique(C); i = i + nrow(Y); }"},
    {"sorting_texts", "T", "X = sort(T); print(X[1499999, 0]);"},
    {"positions", "C", "i = 0; while (i >= 0) { X = where(C > 0.5); Y = where(C > 0.5, C, 1.0); i = i + nrow(X); }"},
    {"marked_cells", "C", "i = 0; while (i >= 0) { X = C; X[[C > 0.5]] = 0.0; Y = C[[C > 0.5]]; i = i + nrow(Y); }"},
    {"distributions", "", "X = randGamma(40000000, 1, 2.0, 3.0, 1); print(sum(X));"},
    {"constants", "", "i = 0; while (i >= 0) { X = ones(20000, 5000); Y = zeros(20000, 5000); i = i + nrow(X); }"},
    {"integer_product", "M", "A = as.matrix<si64>(M[0:3000, 0:3000] * 9.0); B = A @ A; print(aggMax(B));"},
    {"outer_product", "C", "i = 0; while (i >= 0) { X = C[0:30000, ] @ t(C[0:3000, ]); i = i + nrow(X); }"},
    {"fourier", "C",
     "i = 0; while (i >= 0) { a, b = fft(C[0:4194304, ]); c, d = fft(C[0:1000003, ]); i = i + nrow(a); }"},
    {"solver", "S",
     "A = S[0:30000, ]; A = A + t(A) + eye(30000) * 100.0; b = rand(30000, 1, 0.0, 1.0, 1.0, 1); "
     "x, i, r = cg(A, b, 1e-300, 1000000, \"ilu0\"); print(i);"},
    {"functions_of_texts", "T",
     "i = 0; while (i >= 0) { X = upper(T); Y = find(T, \"9\"); Z = parseNum(T); i = i + nrow(X); }"},
    {"patterns", "T", "i = 0; while (i >= 0) { X = regexReplace(T, \"[0-9]\", \"x\"); i = i + nrow(X); }"},
    {"parts_of_texts", "T", "s = join(T, \",\"); i = 0; while (i >= 0) { X = split(s, \",\"); i = i + nrow(X); }"},
    {"writing", "C", "i = 0; while (i >= 0) { write(C, \"cancelled.csv\"); i = i + 1; }"},
    {"writing_compressed", "C", "write(C, \"cancelled.csv.gz\");"},
    {"writing_texts", "T", "i = 0; while (i >= 0) { write(T, \"cancelled.npy\"); i = i + 1; }"},
    {"reading", "", "i = 0; while (i >= 0) { X = readMatrix(\"matrix.csv\"); i = i + nrow(X); }"},
    {"reading_rows", "", "i = 0; while (i >= 0) { X = readFrame(\"frame.dbdf\"); i = i + nrow(X); }"},
    {"writing_rows", "F", "i = 0; while (i >= 0) { write(F, \"cancelled.dbdf\"); i = i + 1; }"},
    {"printing", "C", "print(C);"},
};

INSTANTIATE_TEST_SUITE_P(Families, Cancelling, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
