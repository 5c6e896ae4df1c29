// SPDX-License-Identifier: Apache-2.0
/// Writes a random undirected graph whose row lengths have a given number of rows, sum, standard deviation and maximum.
///
///   powerlaw_graph ROWS NONZEROS DEVIATION LONGEST shuffled|sorted OUTPUT
///
/// Row lengths follow P(k) ~ (k + q)^-g, k = 1..LONGEST; g and q are found by bisection so that mean and deviation fit,
/// and the lengths are the quantiles of that distribution, so that the moments do not depend on luck. Ends of edges are
/// paired at random; self loops and double edges are drawn again. `sorted` numbers the vertices by falling degree: the
/// worst case for equal shares of rows. The same arguments give the same graph on every machine.
/// OUTPUT.mtx: MatrixMarket, pattern, symmetric. OUTPUT.csr: both triangles, binary (rows and entries, offsets in 64
/// bits, columns in 32 bits, little endian).

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Edge = uint64_t; // the larger vertex in the high half, the smaller in the low half
using Random = std::mt19937_64;

Edge makeEdge(uint32_t a, uint32_t b) { return uint64_t{std::max(a, b)} << 32 | std::min(a, b); }
uint32_t larger(Edge e) { return static_cast<uint32_t>(e >> 32); }
uint32_t smaller(Edge e) { return static_cast<uint32_t>(e); }

/// A number in [0, bound): by multiplication, since the standard distributions differ between libraries.
uint32_t below(Random &random, uint64_t bound) {
    return static_cast<uint32_t>((static_cast<unsigned __int128>(random()) * bound) >> 64);
}

struct Distribution {
    std::vector<double> weights; // of lengths 1, 2, ...
    double mean = 0, deviation = 0;

    Distribution(size_t longest, double exponent, double shift) : weights(longest) {
        double total = 0, first = 0, second = 0;
        for (size_t i = 0; i < longest; ++i) {
            double k = static_cast<double>(i + 1);
            weights[i] = std::pow(k + shift, -exponent);
            total += weights[i];
            first += weights[i] * k;
            second += weights[i] * k * k;
        }
        for (double &w : weights)
            w /= total;
        mean = first / total;
        deviation = std::sqrt(second / total - mean * mean);
    }
};

/// The root of a falling or rising function by bisection.
template <typename F> double bisect(double low, double high, F f) {
    bool risesAtLow = f(low) > 0;
    for (int i = 0; i < 60; ++i) {
        double middle = (low + high) / 2;
        (f(middle) > 0) == risesAtLow ? low = middle : high = middle;
    }
    return (low + high) / 2;
}

Distribution fit(size_t longest, double mean, double deviation) {
    auto shiftFor = [&](double exponent) {
        return std::exp(bisect(
            -3, 12, [&](double logShift) { return Distribution(longest, exponent, std::exp(logShift)).mean - mean; }));
    };
    double exponent = bisect(2.1, 6, [&](double candidate) {
        return Distribution(longest, candidate, shiftFor(candidate)).deviation - deviation;
    });
    Distribution d(longest, exponent, shiftFor(exponent));
    if (std::abs(d.mean / mean - 1) > 1e-3 || std::abs(d.deviation / deviation - 1) > 1e-2)
        throw std::runtime_error("no power law has these moments");
    return d;
}

/// Row lengths in rising order: quantiles of the distribution, the last ones adjusted so that the sum is exact.
std::vector<uint32_t> rowLengths(const Distribution &d, size_t numRows, uint64_t sum) {
    std::vector<uint32_t> lengths(numRows);
    double reached = 0;
    size_t row = 0;
    for (size_t i = 0; i < d.weights.size(); ++i) {
        reached += d.weights[i];
        for (; row < numRows && (static_cast<double>(row) + 0.5) / static_cast<double>(numRows) <= reached; ++row)
            lengths[row] = static_cast<uint32_t>(i + 1);
    }
    std::fill(lengths.begin() + static_cast<ptrdiff_t>(row), lengths.end(), static_cast<uint32_t>(d.weights.size()));
    uint64_t now = std::accumulate(lengths.begin(), lengths.end(), uint64_t{0});
    for (size_t r = 0; now != sum; r = (r + 1) % numRows) {
        if (now < sum)
            ++lengths[r], ++now;
        else if (lengths[r] > 1)
            --lengths[r], --now;
    }
    return lengths;
}

/// Adds the edges of `drawn` that are new to the sorted list `edges`; the ends of the others are returned.
std::vector<uint32_t> addNew(std::vector<Edge> &edges, std::vector<Edge> drawn) {
    std::vector<uint32_t> left;
    std::sort(drawn.begin(), drawn.end());
    std::vector<Edge> fresh;
    for (size_t i = 0; i < drawn.size(); ++i) {
        Edge e = drawn[i];
        bool known = larger(e) == smaller(e) || (i > 0 && drawn[i - 1] == e) ||
                     std::binary_search(edges.begin(), edges.end(), e);
        if (known)
            left.insert(left.end(), {larger(e), smaller(e)});
        else
            fresh.push_back(e);
    }
    size_t middle = edges.size();
    edges.insert(edges.end(), fresh.begin(), fresh.end());
    std::inplace_merge(edges.begin(), edges.begin() + static_cast<ptrdiff_t>(middle), edges.end());
    return left;
}

std::vector<Edge> pairUp(std::vector<uint32_t> &ends, Random &random) {
    for (size_t i = ends.size(); i > 1; --i)
        std::swap(ends[i - 1], ends[below(random, i)]);
    std::vector<Edge> drawn(ends.size() / 2);
    for (size_t i = 0; i < drawn.size(); ++i)
        drawn[i] = makeEdge(ends[2 * i], ends[2 * i + 1]);
    return drawn;
}

std::vector<Edge> connect(const std::vector<uint32_t> &degrees, Random &random) {
    constexpr int kRoundsAmongThemselves = 8;
    std::vector<uint32_t> ends;
    for (size_t v = 0; v < degrees.size(); ++v)
        ends.insert(ends.end(), degrees[v], static_cast<uint32_t>(v));
    std::vector<Edge> edges;
    edges.reserve(ends.size() / 2);
    for (int round = 0; !ends.empty(); ++round) {
        if (round >= kRoundsAmongThemselves) // the rest are a few hubs: one end of each pair goes elsewhere
            for (size_t i = 0; i < ends.size(); i += 2)
                ends[i] = below(random, degrees.size());
        ends = addNew(edges, pairUp(ends, random));
    }
    return edges;
}

class Output {
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> file;
    std::string path;

  public:
    explicit Output(const std::string &path) : file(std::fopen(path.c_str(), "wb"), std::fclose), path(path) {
        if (!file)
            throw std::runtime_error("cannot write " + path);
    }
    void write(const void *data, size_t bytes) {
        if (std::fwrite(data, 1, bytes, file.get()) != bytes)
            throw std::runtime_error("cannot write " + path);
    }
    void finish() {
        if (std::fclose(file.release()) != 0)
            throw std::runtime_error("cannot write " + path);
    }
};

void writeMatrixMarket(const std::string &path, size_t numRows, const std::vector<Edge> &edges) {
    Output output(path);
    std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n" + std::to_string(numRows) + " " +
                       std::to_string(numRows) + " " + std::to_string(edges.size()) + "\n";
    constexpr size_t kFlushAt = size_t{1} << 20;
    constexpr size_t kDigits = 10; // of a 32-bit number
    char line[2 * kDigits + 2];
    for (Edge e : edges) {
        char *p = std::to_chars(line, line + kDigits, larger(e) + 1).ptr;
        *p++ = ' ';
        p = std::to_chars(p, p + kDigits, smaller(e) + 1).ptr;
        *p++ = '\n';
        text.append(line, p);
        if (text.size() > kFlushAt) {
            output.write(text.data(), text.size());
            text.clear();
        }
    }
    output.write(text.data(), text.size());
    output.finish();
}

void writeCsr(const std::string &path, size_t numRows, const std::vector<Edge> &edges) {
    std::vector<uint64_t> offsets(numRows + 1);
    for (Edge e : edges)
        ++offsets[larger(e) + 1], ++offsets[smaller(e) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<uint32_t> columns(2 * edges.size());
    std::vector<uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (Edge e : edges) // sorted by the larger vertex, so the smaller neighbours of a vertex come first, ascending
        columns[next[larger(e)]++] = smaller(e);
    for (Edge e : edges)
        columns[next[smaller(e)]++] = larger(e);
    uint64_t header[] = {numRows, columns.size()};
    Output output(path);
    output.write(header, sizeof header);
    output.write(offsets.data(), offsets.size() * sizeof offsets[0]);
    output.write(columns.data(), columns.size() * sizeof columns[0]);
    output.finish();
}

void describe(const std::vector<Edge> &edges, size_t numRows) {
    std::vector<uint32_t> degrees(numRows);
    for (Edge e : edges)
        ++degrees[larger(e)], ++degrees[smaller(e)];
    double mean = 2.0 * static_cast<double>(edges.size()) / static_cast<double>(numRows), squares = 0;
    for (uint32_t d : degrees)
        squares += (d - mean) * (d - mean);
    std::printf("%zu rows, %zu entries, mean row %.2f, deviation %.1f, longest %u\n", numRows, 2 * edges.size(), mean,
                std::sqrt(squares / static_cast<double>(numRows)), *std::max_element(degrees.begin(), degrees.end()));
}

} // namespace

int main(int argc, char **argv) try {
    if (argc != 7)
        throw std::runtime_error("usage: powerlaw_graph ROWS NONZEROS DEVIATION LONGEST shuffled|sorted OUTPUT");
    size_t numRows = std::stoull(argv[1]), numEntries = std::stoull(argv[2]) / 2 * 2;
    double mean = static_cast<double>(numEntries) / static_cast<double>(numRows);
    std::string order = argv[5], output = argv[6];
    if (order != "shuffled" && order != "sorted")
        throw std::runtime_error("the order is 'shuffled' or 'sorted', not '" + order + "'");
    constexpr uint64_t kSeed = 20051105;
    Random random(kSeed);
    auto degrees = rowLengths(fit(std::stoull(argv[4]), mean, std::stod(argv[3])), numRows, numEntries);
    if (order == "sorted")
        std::reverse(degrees.begin(), degrees.end());
    else
        for (size_t i = numRows; i > 1; --i)
            std::swap(degrees[i - 1], degrees[below(random, i)]);
    auto edges = connect(degrees, random);
    describe(edges, numRows);
    writeMatrixMarket(output + ".mtx", numRows, edges);
    writeCsr(output + ".csr", numRows, edges);
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "powerlaw_graph: %s\n", e.what());
    return 1;
}
