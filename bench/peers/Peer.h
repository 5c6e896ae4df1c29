// SPDX-License-Identifier: Apache-2.0
/// What the C++ peers of the benchmark share: the command line, inputs equal to those of the scripts, a clock, and the
/// form of the answer. A peer is called as `peer <case> <name>=<value>...`, prints one JSON line
/// {"seconds": computing part, "result": [numbers]} and runs on OMP_NUM_THREADS threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace peer {

/// Memory without values, on huge pages where the system has them: what a careful programmer would take.
template <typename T> class Buffer {
    struct Release {
        size_t bytes;
        void operator()(T *memory) const { munmap(memory, bytes); }
    };
    std::unique_ptr<T[], Release> memory{nullptr, Release{0}};
    size_t count = 0;

  public:
    Buffer() = default;
    explicit Buffer(size_t count) : count(count) {
        constexpr size_t kHugePage = size_t{2} << 20;
        size_t bytes = (count * sizeof(T) + kHugePage) / kHugePage * kHugePage;
        void *block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            throw std::runtime_error("no memory for " + std::to_string(bytes) + " bytes");
        madvise(block, bytes, MADV_HUGEPAGE);
        memory = std::unique_ptr<T[], Release>(static_cast<T *>(block), Release{bytes});
    }
    size_t size() const { return count; }
    T *data() const { return memory.get(); }
    T *begin() const { return memory.get(); }
    T *end() const { return memory.get() + count; }
    T &operator[](size_t i) const { return memory.get()[i]; }
};

/// The adjacency matrix of a graph: pattern only, 32-bit columns.
struct Graph {
    size_t numRows = 0;
    Buffer<uint64_t> offsets;
    Buffer<uint32_t> columns;
};

/// Reads what graphs/PowerLaw.cpp writes: two numbers (rows, entries), offsets, columns.
inline Graph readGraph(const std::string &path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    uint64_t header[2];
    if (!file || std::fread(header, sizeof header, 1, file.get()) != 1)
        throw std::runtime_error("cannot read graph " + path);
    Graph g{header[0], Buffer<uint64_t>(header[0] + 1), Buffer<uint32_t>(header[1])};
    if (std::fread(g.offsets.data(), sizeof(uint64_t), g.offsets.size(), file.get()) != g.offsets.size() ||
        std::fread(g.columns.data(), sizeof(uint32_t), g.columns.size(), file.get()) != g.columns.size())
        throw std::runtime_error("graph " + path + " is incomplete");
    return g;
}

/// The same numbers as rand(rows, cols, low, high, 1.0, seed) of the language.
inline Buffer<double> uniform(size_t count, double low, double high, uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> distribution(low, high);
    Buffer<double> cells(count);
    for (double &cell : cells)
        cell = distribution(generator);
    return cells;
}

class Arguments {
    std::map<std::string, std::string> values;

  public:
    Arguments(int argc, char **argv) {
        for (int i = 2; i < argc; ++i) {
            std::string word = argv[i];
            size_t equals = word.find('=');
            if (equals == std::string::npos)
                throw std::runtime_error("'" + word + "' is not of the form name=value");
            values[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    const std::string &text(const std::string &name) const {
        auto found = values.find(name);
        if (found == values.end())
            throw std::runtime_error("argument " + name + " is missing");
        return found->second;
    }
    size_t number(const std::string &name) const { return std::stoull(text(name)); }
};

class Stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
};

/// Seconds of the fastest of several runs: the first one also pays for memory that was never touched.
template <typename Run> double steadySeconds(Run run) {
    double best = 1e300;
    for (int i = 0; i < 4; ++i) {
        Stopwatch watch;
        run();
        best = std::min(best, watch.seconds());
    }
    return best;
}

struct Answer {
    double seconds;
    std::vector<double> result;
};

using Case = Answer (*)(const Arguments &);

/// Runs the case named on the command line.
inline int runCase(int argc, char **argv, const std::map<std::string, Case> &cases) try {
    auto found = argc > 1 ? cases.find(argv[1]) : cases.end();
    if (found == cases.end()) {
        std::fprintf(stderr, "usage: %s case name=value...\ncases:", argv[0]);
        for (const auto &entry : cases)
            std::fprintf(stderr, " %s", entry.first.c_str());
        std::fprintf(stderr, "\n");
        return 1;
    }
    Answer answer = found->second(Arguments(argc, argv));
    std::printf("{\"seconds\": %.9f, \"result\": [", answer.seconds);
    for (size_t i = 0; i < answer.result.size(); ++i)
        std::printf("%s%.17g", i ? ", " : "", answer.result[i]);
    std::printf("]}\n");
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
}

/// Solves the small symmetric system a x = b in place by Gaussian elimination with pivoting; b becomes x.
inline void solveSmall(std::vector<double> &a, std::vector<double> &b) {
    size_t n = b.size();
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k]))
                pivot = i;
        std::swap_ranges(a.begin() + k * n, a.begin() + (k + 1) * n, a.begin() + pivot * n);
        std::swap(b[k], b[pivot]);
        for (size_t i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

} // namespace peer
