// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Library.h"

using namespace daphne;
using namespace daphne::test;

namespace {

TEST(Library, TellsItsVersion) {
    EXPECT_EQ(daphne_abi_version() >> 16, unsigned(DAPHNE_ABI_MAJOR));
    EXPECT_GE(daphne_abi_version() & 0xffff, unsigned(DAPHNE_ABI_MINOR));
    EXPECT_STRNE(daphne_version(), "");
}

TEST(Programs, PrintToTheSinksOfTheRun) {
    Engine engine;
    Printed printed;
    engine.compile("print(1 + 1); print(\"oops\", true, true);").run({}, printed.options());
    EXPECT_EQ(printed.out, "2\n");
    EXPECT_EQ(printed.err, "oops\n");
}

TEST(Programs, TakeInputsAndReturnOutputs) {
    Engine engine;
    Program p =
        engine.compile("Y = X * k; s = sum(Y); name = \"x\" + n;",
                       {Input::matrix("X"), Input::number("k"), Input::number("n", DAPHNE_SI64)}, {"Y", "s", "name"});
    Results r = p.run({Value::matrix<double>({1, 2, 3, 4, 5, 6}, 2, 3), Value::number(2.0), Value::number(int64_t(7))});
    EXPECT_EQ(r["s"].number<double>(), 42);
    EXPECT_EQ(r["name"].text(), "x7");
    EXPECT_EQ(r["Y"].cell<double>(1, 2), 12);
    EXPECT_EQ(r["Y"].describe().rows, 2);
    EXPECT_THROW(r["Z"], std::out_of_range);
    EXPECT_NE(r.profile().find("executionSeconds"), std::string::npos);
}

TEST(Programs, OfEqualTextAreSharedByAllWhoCompileThem) {
    Engine engine;
    // A program that is compiled again would need far longer than this many look-ups.
    for (int i = 0; i < 2000; ++i)
        engine.compile("x = 1;", {}, {"x"});
    EXPECT_EQ(engine.compile("x = 1;", {}, {"x"}).run()["x"].number<int>(), 1);
    EXPECT_EQ(engine.compile("x = 1;\n", {}, {"x"}).run()["x"].number<int>(), 1);
}

TEST(Programs, OutliveTheirEngineAndValuesOutliveBoth) {
    Value y;
    {
        std::optional<Program> p;
        {
            Engine engine;
            p = engine.compile("Y = X + 1.0;", {Input::matrix("X")}, {"Y"});
        }
        y = p->run({Value::matrix<double>({1, 2}, 1, 2)})["Y"];
    }
    EXPECT_EQ(y.cell<double>(0, 1), 3);
}

TEST(Programs, AreCompiledAnewWhenAFileTheyReliedOnHasChanged) {
    char name[] = "/tmp/daphne_library_XXXXXX.csv";
    int file = mkstemps(name, 4);
    ASSERT_GE(file, 0);
    auto write = [&](const std::string &text) {
        ASSERT_EQ(ftruncate(file, 0), 0);
        ASSERT_EQ(pwrite(file, text.data(), text.size(), 0), ssize_t(text.size()));
    };
    Engine engine;
    std::string text = "X = readMatrix(\"" + std::string(name) + "\"); print(ncol(X));";
    write("1,2\n3,4\n");
    EXPECT_EQ(run(engine, text), "2\n");
    write("1,2,3\n4,5,6\n");
    EXPECT_EQ(run(engine, text), "3\n");
    close(file);
    unlink(name);
    unlink((std::string(name) + ".meta").c_str());
}

TEST(Inputs, OfAnotherTypeOrShapeThanDeclaredAreRefused) {
    Engine engine;
    Program p = engine.compile("s = sum(X);", {Input::matrix("X", DAPHNE_F64, 2, -1)}, {"s"});
    Value good = Value::matrix<double>({1, 2}, 2, 1);
    EXPECT_EQ(p.run({good})["s"].number<double>(), 3);
    Error wrongRows = failureOf([&] { p.run({Value::matrix<double>({1, 2, 3}, 3, 1)}); });
    EXPECT_EQ(wrongRows.status(), DAPHNE_EXECUTION_ERROR);
    EXPECT_NE(wrongRows.message().find("'X'"), std::string::npos) << wrongRows.message();
    EXPECT_NE(wrongRows.message().find("3x1"), std::string::npos) << wrongRows.message();
    failureOf([&] { p.run({Value::matrix<float>({1, 2}, 2, 1)}); });
    failureOf([&] { p.run({Value::number(1.0)}); });
    failureOf([&] { p.run({}); });
    EXPECT_EQ(p.run({good})["s"].number<double>(), 3);
}

TEST(Inputs, OfUnknownTypeMayBeAnything) {
    Engine engine;
    Program p = engine.compile("s = sum(X);", {Input{"X", DAPHNE_NOTHING}}, {"s"});
    EXPECT_EQ(p.run({Value::matrix<double>({1.5, 2}, 2, 1)})["s"].number<double>(), 3.5);
    EXPECT_EQ(p.run({Value::matrix<int64_t>({1, 2}, 1, 2)})["s"].number<double>(), 3);
}

TEST(Interface, SaysWhatIsWrongWithACall) {
    daphne_error *error = nullptr;
    EXPECT_EQ(daphne_engine_new("{\"num-threads\": \"many\"}", nullptr, &error), DAPHNE_USAGE_ERROR);
    daphne_error_free(error);
    daphne_engine *engine = nullptr;
    EXPECT_EQ(daphne_engine_new("{\"no-such-key\": 1}", &engine, &error), DAPHNE_PARSE_ERROR);
    EXPECT_NE(std::string(daphne_error_message(error)).find("no-such-key"), std::string::npos);
    daphne_error_free(error);
    EXPECT_EQ(daphne_engine_new("not json", &engine, nullptr), DAPHNE_PARSE_ERROR);
    ASSERT_EQ(daphne_engine_new(nullptr, &engine, &error), DAPHNE_OK);
    daphne_program *program = nullptr;
    daphne_input unnamed{sizeof unnamed, DAPHNE_DENSE, DAPHNE_F64, "1x", -1, -1, nullptr, nullptr};
    EXPECT_EQ(daphne_compile(engine, "y = 1;", &unnamed, 1, nullptr, 0, &program, &error), DAPHNE_USAGE_ERROR);
    daphne_error_free(error);
    const char *missing[] = {"nothing"};
    EXPECT_EQ(daphne_compile(engine, "y = 1;", nullptr, 0, missing, 1, &program, &error), DAPHNE_COMPILE_ERROR);
    EXPECT_NE(std::string(daphne_error_message(error)).find("'nothing'"), std::string::npos);
    daphne_error_free(error);
    EXPECT_EQ(daphne_run(nullptr, nullptr, 0, nullptr, nullptr, &error), DAPHNE_USAGE_ERROR);
    daphne_error_free(error);
    daphne_engine_free(engine);
    daphne_engine_free(nullptr);
    daphne_value_free(nullptr);
    EXPECT_EQ(daphne_result_value(nullptr, "x"), nullptr);
}

TEST(Errors, HaveAPlaceLabelsAndAHint) {
    Engine engine;
    Error e = failureOf([&] { engine.compile("X = [1, 2, 3];\nprint(X @ X);"); });
    EXPECT_EQ(e.status(), DAPHNE_COMPILE_ERROR);
    EXPECT_NE(e.json().find("\"line\":2"), std::string::npos) << e.json();
    EXPECT_NE(e.rendered().find("program:2:"), std::string::npos) << e.rendered();
    Error typo = failureOf([&] { engine.compile("x = 1;\ny = 2;\nprint(sumn([1]));"); });
    EXPECT_EQ(typo.status(), DAPHNE_PARSE_ERROR);
    EXPECT_NE((typo.hint() + typo.rendered()).find("sum"), std::string::npos) << typo.rendered();
    Error several = failureOf([&] { engine.compile("a = ;\nb = ;\n"); });
    EXPECT_NE(several.json().find("further"), std::string::npos) << several.json();
}

TEST(Sessions, KeepVariablesFunctionsAndViewsAndAFailureChangesNothing) {
    Engine engine;
    Session session = engine.session();
    session.run("def twice(x: f64) -> f64 { return 2.0 * x; } a = 1.0;");
    session.run("a = twice(a) + 1.0; b = a;");
    failureOf([&] { session.run("a = 100.0; c = 5; stop(\"now\");"); });
    failureOf([&] { session.run("a = 100.0; b = ;"); });
    Printed printed;
    session.run("print(a); print(b);", printed.options());
    EXPECT_EQ(printed.out, "3\n3\n");
    EXPECT_FALSE(session.get("c"));
    EXPECT_EQ(session.get("a").number<double>(), 3);
    session.set("M", Value::matrix<double>({1, 2, 3}, 3, 1));
    session.run("s = sum(M);");
    EXPECT_EQ(session.get("s").number<double>(), 6);
}

TEST(Engines, WithDifferentOptionsWorkSideBySide) {
    Engine usual, interpreted("{\"no-jit\": true}"), one("{\"num-threads\": 1}"),
        guided("{\"taskPartitioningScheme\": \"GSS\"}");
    std::string text = "X = rand(2000, 50, 0.0, 1.0, 1.0, 7); print(sum(sqrt(X) * 2.0 + X)); print(sum(t(X) @ X));";
    std::string expected = run(usual, text);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (Engine *engine : {&usual, &interpreted, &one, &guided})
        threads.emplace_back([&, engine] {
            for (int i = 0; i < 5; ++i)
                wrong += run(*engine, text) != expected;
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Programs, AreRunByManyThreadsWithDifferentInputs) {
    Engine engine;
    Program p = engine.compile("Y = sqrt(abs(X)) * 3.0 - X / 7.0; c = aggMax(Y, 0); i = 0; acc = 0.0;"
                               "while (i < 20) { acc = acc + sum(Y * as.f64(i)); i = i + 1; }"
                               "if (nrow(X) > 50) { acc = acc + 1.0; } name = \"n\" + nrow(X);",
                               {Input::matrix("X")}, {"Y", "acc", "c", "name"});
    struct Case {
        Value x;
        std::vector<double> y;
        double acc;
    };
    auto inputOf = [](int k) {
        uint64_t rows = 5 + uint64_t(k) * 37 % 900, cols = 1 + uint64_t(k) % 9;
        std::vector<double> cells(rows * cols);
        for (size_t i = 0; i < cells.size(); ++i)
            cells[i] = double((i * 7919 + size_t(k) * 104729) % 1000) - 300;
        return Value::matrix<double>(std::move(cells), rows, cols);
    };
    auto cellsOf = [](const Value &v) {
        daphne_dense d = v.dense();
        auto *first = static_cast<const double *>(d.data);
        return std::vector<double>(first, first + d.rows * d.cols);
    };
    std::vector<Case> cases;
    for (int k = 0; k < 40; ++k) {
        Value x = inputOf(k);
        Results alone = p.run({x});
        cases.push_back({x, cellsOf(alone["Y"]), alone["acc"].number<double>()});
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const Case &c = cases[size_t(t * 13 + i) % cases.size()];
                Results r = p.run({c.x});
                wrong += cellsOf(r["Y"]) != c.y || r["acc"].number<double>() != c.acc ||
                         r["name"].text() != "n" + std::to_string(c.x.describe().rows);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Host, IsNotTouched) {
    // Nothing of this may write to the descriptors of the process, change its handlers or its environment.
    auto handlers = [] {
        std::vector<void *> all;
        for (int signal = 1; signal < 32; ++signal) {
            struct sigaction action{};
            sigaction(signal, nullptr, &action);
            all.push_back(reinterpret_cast<void *>(action.sa_handler));
        }
        return all;
    };
    auto environmentText = [] {
        std::string text;
        for (char **v = environ; *v; ++v)
            text += std::string(*v) + "\n";
        return text;
    };
    Engine engine("{\"statistics\": true}");
    auto before = handlers();
    std::string variables = environmentText();
    cpu_set_t cpus, cpusAfter;
    sched_getaffinity(0, sizeof cpus, &cpus);
    char capture[] = "/tmp/daphne_capture_XXXXXX";
    int file = mkstemp(capture);
    std::fflush(nullptr);
    int out = dup(1), err = dup(2);
    dup2(file, 1);
    dup2(file, 2);
    {
        run(engine, "print(1); X = rand(1000, 1000, 0.0, 1.0, 1.0, 1); print(sum(X @ X)); print(sum(X * 2.0));");
        failureOf([&] { run(engine, "print(sqrt(ln(-1.0 * [1.0])));  stop(\"x\");"); });
        failureOf([&] { engine.compile("x = ;"); });
        failureOf([&] { run(engine, "X = readMatrix(\"/nonexistent.csv\");"); });
    }
    std::fflush(nullptr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    EXPECT_EQ(lseek(file, 0, SEEK_END), 0) << "something was printed";
    close(file);
    unlink(capture);
    EXPECT_EQ(handlers(), before);
    EXPECT_EQ(environmentText(), variables);
    sched_getaffinity(0, sizeof cpusAfter, &cpusAfter);
    EXPECT_TRUE(CPU_EQUAL(&cpus, &cpusAfter));
}

TEST(Host, MayForkAndUseTheEngineInTheChild) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer allows no threads after fork";
#endif
    Engine engine;
    std::string text = "X = rand(3000, 300, 0.0, 1.0, 1.0, 3); print(sum(sqrt(X) + X * X));";
    std::string expected = run(engine, text);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        Engine another;
        bool same = run(engine, text) == expected && run(another, text) == expected;
        _exit(same ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(run(engine, text), expected);
}

} // namespace

// ---- since 1.1

namespace {

/// A program of the C interface, and the engine it belongs to.
struct Compiled {
    daphne_engine *engine = nullptr;
    daphne_program *program = nullptr;
    int status = 0;
    std::string message;
    Compiled(const char *text, const std::vector<daphne_input> &inputs, std::vector<const char *> outputs) {
        daphne_error *error = nullptr;
        daphne_engine_new(nullptr, &engine, nullptr);
        status = daphne_compile(engine, text, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &program,
                                &error);
        message = daphne_error_message(error);
        daphne_error_free(error);
    }
    ~Compiled() {
        daphne_program_free(program);
        daphne_engine_free(engine);
    }
    daphne_input output(size_t index) const {
        daphne_input what{};
        what.size = sizeof what;
        daphne_program_output(program, index, &what);
        return what;
    }
};

daphne_input table(const char *const *labels, const uint32_t *types) {
    return {sizeof(daphne_input), DAPHNE_FRAME, DAPHNE_ANY, "T", -1, 2, labels, types};
}

} // namespace

TEST(Programs, KnowTheColumnsOfFramesThatAreInputs) {
    const char *labels[] = {"k", "x"};
    const uint32_t types[] = {DAPHNE_SI64, DAPHNE_F64};
    const char *query = "registerView(\"t\", T); R = sql(\"SELECT t.k, t.x * 2 AS y FROM t\");";
    Compiled known(query, {table(labels, types)}, {"R"});
    ASSERT_EQ(known.status, DAPHNE_OK) << known.message;
    daphne_input what = known.output(0);
    EXPECT_EQ(what.kind, static_cast<uint32_t>(DAPHNE_FRAME));
    ASSERT_EQ(what.cols, 2);
    EXPECT_STREQ(what.name, "R");
    EXPECT_STREQ(what.labels[1], "y");
    EXPECT_EQ(what.types[1], static_cast<uint32_t>(DAPHNE_F64));
    Compiled wrong("registerView(\"t\", T); R = sql(\"SELECT t.z FROM t\");", {table(labels, types)}, {"R"});
    EXPECT_EQ(wrong.status, DAPHNE_COMPILE_ERROR);
    const uint32_t noTypes[] = {DAPHNE_SI64, 77};
    EXPECT_EQ(Compiled(query, {table(labels, noTypes)}, {"R"}).status, DAPHNE_USAGE_ERROR);
}

TEST(Programs, SayWhatTheyKnowOfTheirOutputs) {
    daphne_input x{sizeof x, DAPHNE_DENSE, DAPHNE_F32, "X", 3, 4, nullptr, nullptr};
    Compiled c("A = t(X); s = sum(X); n = \"a\";", {x}, {"A", "s", "n"});
    ASSERT_EQ(c.status, DAPHNE_OK) << c.message;
    EXPECT_EQ(c.output(0).rows, 4);
    EXPECT_EQ(c.output(0).cols, 3);
    EXPECT_EQ(c.output(0).type, static_cast<uint32_t>(DAPHNE_F32));
    EXPECT_EQ(c.output(1).kind, static_cast<uint32_t>(DAPHNE_NUMBER));
    EXPECT_EQ(c.output(2).kind, static_cast<uint32_t>(DAPHNE_TEXT));
    EXPECT_EQ(c.output(3).kind, static_cast<uint32_t>(DAPHNE_NOTHING));
}

TEST(Engines, TellTheirHostWhatTheyExplainAndWarnOf) {
    struct Heard {
        std::string steps, warnings;
    } heard;
    daphne_host host{};
    host.size = sizeof host;
    host.user = &heard;
    host.explain = [](void *user, const char *step, const char *text, size_t length) {
        static_cast<Heard *>(user)->steps += std::string(step) + ":" + (length > 0 && *text ? "text " : "nothing ");
    };
    host.warn = [](void *user, const char *text, size_t length) {
        static_cast<Heard *>(user)->warnings.append(text, length);
    };
    daphne_engine *engine = nullptr;
    ASSERT_EQ(daphne_engine_new_hosted("{\"explain\": [\"parsing\"]}", &host, &engine, nullptr), DAPHNE_OK);
    daphne_program *program = nullptr;
    ASSERT_EQ(daphne_compile(engine, "X = [1, 2, 3]; print(X[X > 1, ]);", nullptr, 0, nullptr, 0, &program, nullptr),
              DAPHNE_OK);
    EXPECT_EQ(heard.steps, "parsing:text ");
    EXPECT_NE(heard.warnings.find("[["), std::string::npos) << heard.warnings;
    daphne_program_free(program);
    daphne_engine_free(engine);
    EXPECT_EQ(daphne_engine_new_hosted("{\"explain\": [\"no step\"]}", &host, &engine, nullptr), DAPHNE_PARSE_ERROR);
}

TEST(Engines, SayHowManyThreadsTheyHave) {
    daphne_engine *engine = nullptr;
    ASSERT_EQ(daphne_engine_new("{\"num-threads\": 3}", &engine, nullptr), DAPHNE_OK);
    EXPECT_NE(std::string(daphne_engine_info(engine)).find("\"threads\":3"), std::string::npos)
        << daphne_engine_info(engine);
    EXPECT_STREQ(daphne_engine_info(nullptr), "{}");
    daphne_engine_free(engine);
}

TEST(Sessions, RunStatementsAndShowExpressions) {
    daphne_engine *engine = nullptr;
    daphne_session *session = nullptr;
    ASSERT_EQ(daphne_engine_new(nullptr, &engine, nullptr), DAPHNE_OK);
    ASSERT_EQ(daphne_session_new(engine, &session, nullptr), DAPHNE_OK);
    std::vector<daphne_value *> shown;
    daphne_options options{};
    options.size = sizeof options;
    options.user = &shown;
    auto show = [](void *user, daphne_value *value) {
        static_cast<std::vector<daphne_value *> *>(user)->push_back(daphne_value_retain(value));
    };
    ASSERT_EQ(daphne_session_run_statements(session, "x = 3; x * 2; x + 1", &options, show, nullptr), DAPHNE_OK);
    ASSERT_EQ(shown.size(), 1u); // what lacks its end
    EXPECT_EQ(Value(shown[0]).number<int>(), 4);
    // What came before a failure has happened.
    EXPECT_EQ(daphne_session_run_statements(session, "y = 1; stop(\"no\"); y = 2;", &options, show, nullptr),
              DAPHNE_EXECUTION_ERROR);
    EXPECT_EQ(Value(daphne_session_get(session, "y")).number<int>(), 1);
    EXPECT_EQ(daphne_session_run_statements(session, "z = 1; nobody;", &options, nullptr, nullptr), DAPHNE_PARSE_ERROR);
    EXPECT_EQ(daphne_session_get(session, "z"), nullptr);
    daphne_session_free(session);
    daphne_engine_free(engine);
}
