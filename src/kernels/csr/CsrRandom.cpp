// SPDX-License-Identifier: Apache-2.0
#include "kernels/csr/CsrRandom.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/ActiveRun.h"

namespace daphne {

namespace {

using Generator = std::minstd_rand0;

/// Uniform cells; libstdc++ has no distribution for bool.
template <class T> struct Cells {
    using Distribution =
        std::conditional_t<std::is_floating_point_v<T>,
                           std::uniform_real_distribution<std::conditional_t<std::is_integral_v<T>, double, T>>,
                           std::uniform_int_distribution<
                               std::conditional_t<std::is_same_v<T, bool> || std::is_floating_point_v<T>, int, T>>>;
};

size_t drawBelow(Generator &gen, size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(gen); }

/// How many cells each row gets.
std::vector<size_t> drawRowCounts(Generator &gen, size_t rows, size_t cols, size_t nonZeros, bool sparse) {
    std::vector<size_t> counts(rows, sparse ? 0 : cols);
    size_t steps = sparse ? nonZeros : rows * cols - nonZeros;
    for (size_t done = 0; done < steps;) {
        if (done % kDrawsPerCancelTest == 0)
            throwIfCancelled();
        size_t r = drawBelow(gen, rows);
        if (counts[r] == (sparse ? cols : 0))
            continue;
        counts[r] += sparse ? size_t(1) : ~size_t(0);
        ++done;
    }
    return counts;
}

/// Distinct positions below a bound.
class DistinctPositions {
  public:
    explicit DistinctPositions(size_t bound) : taken(bound) {}
    void draw(Generator &gen, size_t n) {
        clear();
        while (positions.size() < n)
            if (size_t c = drawBelow(gen, taken.size()); !taken[c]) {
                taken[c] = true;
                positions.push_back(c);
            }
        std::sort(positions.begin(), positions.end());
    }
    bool contains(size_t c) const { return taken[c]; }
    const std::vector<size_t> &sorted() const { return positions; }

  private:
    void clear() {
        for (size_t c : positions)
            taken[c] = false;
        positions.clear();
    }
    std::vector<bool> taken;
    std::vector<size_t> positions;
};

template <class I> void drawColumns(Generator &gen, Csr &m, const std::vector<size_t> &counts, bool sparse) {
    I *out = m.mutableColumns<I>();
    uint64_t at = 0;
    DistinctPositions positions(m.cols());
    for (size_t r = 0, tested = 0; r < m.rows(); ++r) {
        if (at - tested >= kDrawsPerCancelTest) {
            throwIfCancelled();
            tested = at;
        }
        positions.draw(gen, sparse ? counts[r] : m.cols() - counts[r]);
        if (sparse)
            for (size_t c : positions.sorted())
                out[at++] = static_cast<I>(c);
        else
            for (size_t c = 0; c < m.cols(); ++c)
                if (!positions.contains(c))
                    out[at++] = static_cast<I>(c);
        m.mutableOffsets()[r + 1] = at;
    }
}

} // namespace

Ref<Csr> randomCsr(const Value &min, const Value &max, size_t rows, size_t cols, double sparsity, uint64_t seed) {
    double cells = static_cast<double>(rows) * static_cast<double>(cols);
    auto nonZeros = static_cast<size_t>(std::round(cells * sparsity));
    auto result = Csr::create(min.scalarType(), rows, cols, nonZeros);
    Generator gen(seed);
    withNumericType(min.scalarType(), [&]<class T>(TypeTag<T>) {
        typename Cells<T>::Distribution values(min.as<T>(), max.as<T>());
        T *cells = result->mutableValues<T>();
        for (size_t at = 0; at < nonZeros; at += kDrawsPerCancelTest) {
            throwIfCancelled();
            std::generate_n(cells + at, std::min(nonZeros - at, kDrawsPerCancelTest),
                            [&] { return static_cast<T>(values(gen)); });
        }
    });
    bool sparse = sparsity <= 0.5;
    std::vector<size_t> counts = drawRowCounts(gen, rows, cols, nonZeros, sparse);
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) { drawColumns<I>(gen, *result, counts, sparse); });
    return withoutZeros(std::move(result)); // drawn zeros are zeros
}

} // namespace daphne
