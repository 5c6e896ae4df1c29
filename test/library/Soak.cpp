// SPDX-License-Identifier: Apache-2.0
/// Many cycles in one process; resident memory must not grow after the first part
/// of them, and what things cost is printed:
///
///     soak COMPILATIONS RUNS
///
/// Closes with 'N passed, N failed'; times are for people, not checked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <malloc.h>
#include <unistd.h>

#include "daphne/daphne.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double microsecondsSince(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// Resident memory in KiB.
long residentKiB() {
    long all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int failures = 0, passes = 0;

void check(bool ok, const char *what) {
    (ok ? passes : failures)++;
    if (!ok)
        std::printf("FAILED: %s\n", what);
}

/// Calls the body; memory after the first hundredth (at least `warm` turns) is the measure for the rest. What an
/// allocator gives and takes in between may differ by a little.
template <class Body> void soak(const char *what, int turns, int warm, Body &&body) {
    constexpr long kSlackKiB = 8 << 10;
    std::vector<double> times;
    long first = 0, most = 0;
    int settled = std::min(std::max(turns / 100, warm), turns / 2);
    for (int i = 0; i < turns; ++i) {
        auto begin = Clock::now();
        body(i);
        times.push_back(microsecondsSince(begin));
        if (i == settled)
            first = residentKiB();
        if (i > settled && i % 100 == 0)
            most = std::max(most, residentKiB());
    }
    most = std::max(most, residentKiB());
    std::nth_element(times.begin(), times.begin() + turns / 2, times.end());
    std::printf("%s: %d times, median %.1f us, resident %.1f MiB after %d, at most %.1f MiB later\n", what, turns,
                times[static_cast<size_t>(turns) / 2], double(first) / 1024, settled, double(most) / 1024);
    check(most - first <= kSlackKiB, what);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        return 1;
    int compilations = std::atoi(argv[1]), runs = std::atoi(argv[2]);

    auto begin = Clock::now();
    daphne::Engine engine;
    engine.compile("").run();
    std::printf("first engine, program and run: %.1f ms\n", microsecondsSince(begin) / 1000);

    daphne::Program empty = engine.compile("");
    soak("empty runs", runs, 100, [&](int) { empty.run(); });
    soak("empty texts, compiled and run", runs / 10, 100, [&](int) { engine.compile("").run(); });

    daphne::Program program =
        engine.compile("Y = sqrt(X) + 1.0; s = sum(Y); t = \"n\" + nrow(X);", {daphne::Input::matrix("X")}, {"s", "t"});
    std::vector<double> cells(10000, 4.0);
    soak("runs of one program", runs, 200, [&](int i) {
        auto rows = static_cast<uint64_t>(100 - i % 10);
        daphne::Results r = program.run({daphne::Value::borrow(cells.data(), rows, 100)});
        if (r["s"].number<double>() != double(rows) * 300)
            check(false, "a sum");
    });
    soak("different programs, compiled and run", compilations, 200, [&](int i) {
        std::string n = std::to_string(i);
        daphne::Program p = engine.compile("def f(x: f64) -> f64 { return x * " + n +
                                               ".0; } X = fill(1.0, 20, 20); s = sum(X + 1.0)"
                                               " + f(2.0) - " +
                                               n + ".0 * 2.0; if (s > 0.0) { s = s + 0.0; }",
                                           {}, {"s"});
        if (p.run()["s"].number<double>() != 800)
            check(false, "a program");
    });
    soak("engines with a program each", std::max(compilations / 20, 20), 10, [&](int) {
        daphne::Engine own;
        own.compile("x = 1;").run();
    });
    soak("failing programs", compilations / 10, 100, [&](int i) {
        try {
            engine.compile("X = fill(-1.0, 30, 30); y = \"a\" + " + std::to_string(i) + "; print(sum(ln(X)));").run();
            check(false, "no error");
        } catch (const daphne::Error &) {
        }
    });

    constexpr uint64_t kRows = 1 << 14, kCols = 1 << 13; // 1 GiB of f64
    auto *large = static_cast<double *>(std::calloc(kRows * kCols, sizeof(double)));
    daphne::Program same = engine.compile("Y = X;", {daphne::Input::matrix("X")}, {"Y"});
    std::vector<double> binding, returning;
    for (int i = 0; i < 51; ++i) {
        auto start = Clock::now();
        daphne::Value x = daphne::Value::borrow(large, kRows, kCols);
        binding.push_back(microsecondsSince(start));
        daphne::Results r = same.run({x});
        start = Clock::now();
        daphne::Value y = r["Y"];
        const void *address = y.dense().data;
        returning.push_back(microsecondsSince(start));
        check(address == large, "1 GiB is returned without a copy");
    }
    std::free(large);
    std::nth_element(binding.begin(), binding.begin() + 25, binding.end());
    std::nth_element(returning.begin(), returning.begin() + 25, returning.end());
    std::printf("1 GiB: bound in %.2f us, returned in %.2f us (medians)\n", binding[25], returning[25]);
    std::printf("%d passed, %d failed\n", passes, failures);
    return failures ? 1 : 0;
}
