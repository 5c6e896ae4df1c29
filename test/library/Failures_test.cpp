// SPDX-License-Identifier: Apache-2.0
/// Programs that fail, in one process, between good ones: each gives its error,
/// the next good one is right.
#include <thread>

#include <sys/resource.h>

#include "Library.h"

using namespace daphne;
using namespace daphne::test;

namespace {

struct Failing {
    const char *what;
    std::string (*text)(int k);
    int status;
    const char *expected; ///< a part of the message or the rendered error
};

std::string n(int k) { return std::to_string(k); }

const Failing kFailing[] = {
    {"syntax", [](int k) { return "x = " + n(k) + " +* 2;"; }, 1, "x = "},
    {"an unknown name", [](int k) { return "print(missing" + n(k) + ");"; }, 1, "missing"},
    {"an unknown function", [](int k) { return "print(noSuchFunction" + n(k) + "(1));"; }, 1, "noSuchFunction"},
    {"types", [](int k) { return "x = \"a\" @ [1, " + n(k) + "];"; }, 2, "str"},
    {"shapes at compile time", [](int k) { return "X = fill(1.0, " + n(k + 4) + ", 3); print(X @ X);"; }, 2, "x3"},
    {"shapes at run time",
     [](int k) {
         return "n = as.si64(sum([" + n(k) + ", 2])); X = fill(1.0, n + 2, 3); Y = fill(1.0, 3, n + 4); print(X + Y);";
     },
     3, "x3"},
    {"a domain", [](int k) { return "X = fill(" + n(-k - 1) + ".0, 50, 50); print(sum(ln(X)));"; }, 3, "ln"},
    {"integer division", [](int k) { return "a = [0, 1]; i = as.si64(as.scalar(a[0, 0])); print(" + n(k) + " / i);"; },
     3, "zero"},
    {"a missing file", [](int k) { return "X = readMatrix(\"/nonexistent/" + n(k) + ".csv\"); print(X);"; }, 3,
     "nonexistent"},
    {"refused memory", [](int k) { return "X = fill(1.0, 100000000, " + n(k + 100000) + "); print(sum(X * X));"; }, 3,
     "memory"},
    {"an exhausted stack",
     [](int k) { return "def f(n: si64) -> si64 { return f(n + " + n(k + 1) + ") + 1; } print(f(0));"; }, 3,
     "recursion"},
    {"an exhausted stack with matrices",
     [](int k) {
         return "def f(X: matrix<f64>) -> matrix<f64> { Y = X + 1.0; return f(Y) + X; } print(f(fill(" + n(k) +
                ".0, 3, 3)));";
     },
     3, "recursion"},
    {"stop", [](int k) { return "X = fill(1.0, 10, 10); stop(\"number " + n(k) + "\");"; }, 3, "number"},
    {"a failure inside of nested control flow",
     [](int k) {
         return "def g(X: matrix<f64>, i: si64) -> matrix<f64> { Y = X * 2.0; if (i > " + n(k % 7) +
                ") { Z = Y + fill(1.0, 2, i); return Z; } return Y; }"
                "A = fill(1.0, 3, 3); s = \"text\"; i = 0; while (i < 100) { B = A; A = g(A, i) + B; s = s + i; i = i "
                "+ 1; }";
     },
     3, ""},
    {"an index out of bounds",
     [](int k) { return "n = as.si64(sum([1, 2])); X = fill(1.0, 3, n); print(X[0, n + " + n(k) + "]);"; }, 3, ""},
    {"SQL",
     [](int k) {
         return "F = createFrame([1, 2], \"a\"); registerView(\"F\", F); G = sql(\"SELECT F.b" + n(k) +
                " FROM F;\"); print(G);";
     },
     2, "b"},
};

TEST(Failures, HaveTheirErrorAndLeaveTheEngineAsItWas) {
    Engine engine;
    Program good = engine.compile("X = fill(k, 100, 100); s = sum(sqrt(X) * 2.0);", {Input::number("k")}, {"s"});
    int failures = 0;
    for (int k = 0; k < 32; ++k)
        for (const Failing &f : kFailing) {
            Printed printed;
            Error e = failureOf([&] { engine.compile(f.text(k)).run({}, printed.options()); });
            EXPECT_EQ(e.status(), f.status) << f.what << "\n" << e.rendered();
            EXPECT_NE(e.rendered().find(f.expected), std::string::npos) << f.what << "\n" << e.rendered();
            EXPECT_EQ(printed.out, "") << f.what;
            EXPECT_EQ(printed.err, "") << f.what;
            EXPECT_EQ(good.run({Value::number(4.0)})["s"].number<double>(), 40000) << f.what;
            ++failures;
        }
    EXPECT_GE(failures, 500);
}

TEST(Failures, OnManyThreadsAtOnceAreTheirOwn) {
    Engine engine;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                const Failing &f = kFailing[size_t(t * 5 + i) % std::size(kFailing)];
                try {
                    engine.compile(f.text(t * 100 + i)).run();
                    ++wrong;
                } catch (const Error &e) {
                    wrong += e.status() != f.status;
                }
                wrong += run(engine, "print(" + n(t) + " + 1);") != n(t + 1) + "\n";
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Failures, OnASmallStackAreErrors) {
    Engine engine;
#if defined(__SANITIZE_THREAD__)
    constexpr int kDepth = 2000; // it keeps at most 64 K frames
#else
    constexpr int kDepth = 20000;
#endif
    std::string deep = "x = 1";
    for (int i = 0; i < kDepth; ++i)
        deep += " + (1";
    deep += std::string(kDepth, ')');
    struct Job {
        Engine &engine;
        std::string deep;
        bool ok = false;
    } job{engine, "print(1); " + deep + ";"};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 512 << 10);
    pthread_t thread;
    auto body = [](void *argument) -> void * {
        auto &job = *static_cast<Job *>(argument);
        bool deepIsFine = true;
        try {
            deepIsFine = run(job.engine, job.deep) == "1\n";
        } catch (const Error &) {
            // nested too deeply is an answer, too
        }
        int status = 0;
        try {
            run(job.engine, "def f(n: si64) -> si64 { return f(n + 1) + 1; } print(f(0));");
        } catch (const Error &e) {
            status = e.status();
        }
        job.ok = deepIsFine && status == 3 && run(job.engine, "print(2);") == "2\n";
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, &job), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_TRUE(job.ok);
}

} // namespace
