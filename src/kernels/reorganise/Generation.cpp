// SPDX-License-Identifier: Apache-2.0
/// fill, randMatrix, sample, seq, matrixConstant. The random ones reproduce the
/// values of libstdc++'s generators and distributions bit by bit: scripts
/// depend on what a seed yields.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <unordered_set>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/KernelTable.h"
#include "kernels/csr/CsrRandom.h"
#include "kernels/csr/StoredValues.h"

namespace daphne {

namespace {

Value fill(KernelCall &call, const Value &value, size_t rows, size_t cols) {
    if (!value.isScalar())
        wrongArgument(call, 0, "a scalar");
    auto result = Dense::create(value.scalarType(), rows, cols);
    withValueType(value.scalarType(), [&]<class T>(TypeTag<T>) {
        auto out = result->mutableView<T>();
        const T cell = cellOf<T>(value);
        for (auto [begin, end] : cancellablePieces(result->cells()))
            std::fill(out.data + begin, out.data + end, cell);
    });
    return result;
}

/// std::uniform_*_distribution for a cell type; libstdc++ has none for bool.
template <class T>
using Uniform = std::conditional_t<
    std::is_floating_point_v<T>, std::uniform_real_distribution<std::conditional_t<std::is_integral_v<T>, double, T>>,
    std::uniform_int_distribution<std::conditional_t<std::is_same_v<T, bool> || std::is_floating_point_v<T>, int, T>>>;

constexpr int64_t kNoSeed = -1;

/// The 32 bits a generator starts from.
uint32_t startValue(int64_t seed) {
    return seed == kNoSeed ? std::random_device{}() : static_cast<uint32_t>(static_cast<uint64_t>(seed));
}

std::string numberText(const Value &v) {
    return withNumericType(v.scalarType(), [&]<class T>(TypeTag<T>) { return std::to_string(v.as<T>()); });
}

/// std::generate_n for a run that may be cancelled.
template <class T, class Draw> void drawCells(T *cells, size_t n, Draw &&draw) {
    for (size_t at = 0; at < n; at += kDrawsPerCancelTest) {
        throwIfCancelled();
        std::generate_n(cells + at, std::min(n - at, kDrawsPerCancelTest), std::ref(draw));
    }
}

/// A generator of numbers for std::shuffle of a run that may be cancelled.
struct CancellableDraws {
    std::mt19937 &gen;
    CancelCountdown look = {};
    using result_type = std::mt19937::result_type;
    static constexpr result_type min() { return std::mt19937::min(); }
    static constexpr result_type max() { return std::mt19937::max(); }
    result_type operator()() {
        look.after(1);
        return gen();
    }
};

/// Calls take(i) for `limit` of the cells 0..n-1, chosen by Knuth's selection.
template <class Take> void selectCells(std::mt19937 &gen, size_t n, size_t limit, Take &&take) {
    std::uniform_int_distribution<int> position(0, static_cast<int>(n - 1));
    size_t chosen = 0;
    for (size_t i = 0; i < n && chosen < limit; ++i) {
        if (i % kDrawsPerCancelTest == 0)
            throwIfCancelled();
        if (std::fmod(double(position(gen)), double(n - i)) < double(limit - chosen)) {
            take(i);
            ++chosen;
        }
    }
}

/// What `rand` was asked for.
struct RandomMatrix {
    size_t rows, cols;
    double sparsity;
    int64_t seed;
    size_t cells() const { return rows * cols; }
    /// Number of cells that make up a share of the matrix.
    size_t count(double share) const {
        return static_cast<size_t>(std::round(share * static_cast<double>(cols) * static_cast<double>(rows)));
    }
    std::mt19937 valueGenerator() const { return std::mt19937(startValue(seed)); }
    std::mt19937 indexGenerator() const {
        return std::mt19937(seed == kNoSeed ? startValue(seed)
                                            : static_cast<uint32_t>(3 * static_cast<uint64_t>(seed)));
    }
};

/// Draws of cells. Below sparsity 1 they are meant to be non-zero; integers of a full matrix are drawn as they come.
template <class T> class RandomCells {
  public:
    RandomCells(const RandomMatrix &m, T min, T max)
        : gen(m.valueGenerator()), values(min, max), drawsZeros(std::is_integral_v<T> && m.sparsity == 1) {}
    T operator()() {
        T v;
        do
            v = static_cast<T>(values(gen));
        while (v == T(0) && !drawsZeros);
        return v;
    }

  private:
    std::mt19937 gen;
    Uniform<T> values;
    bool drawsZeros;
};

template <class T> Ref<Dense> randomDense(const RandomMatrix &m, ValueType type, T min, T max) {
    auto result = Dense::create(type, m.rows, m.cols);
    T *cells = result->mutableView<T>().data;
    RandomCells<T> draw(m, min, max);
    std::mt19937 genIndex = m.indexGenerator();
    if (m.sparsity >= 0.5) {
        drawCells(cells, m.cells(), draw);
        selectCells(genIndex, m.cells(), m.count(1 - m.sparsity), [&](size_t i) { cells[i] = T(0); });
    } else {
        for (auto [begin, end] : cancellablePieces(m.cells()))
            std::fill(cells + begin, cells + end, T(0));
        selectCells(genIndex, m.cells(), m.count(m.sparsity), [&](size_t i) { cells[i] = draw(); });
    }
    return result;
}

/// The same cells as randomDense, for a sparsity below 0.5, without room for the others.
template <class T> Ref<Csr> randomDenseAsCsr(const RandomMatrix &m, ValueType type, T min, T max) {
    auto result = Csr::create(type, m.rows, m.cols, m.count(m.sparsity));
    uint64_t *offsets = result->mutableOffsets();
    RandomCells<T> draw(m, min, max);
    std::mt19937 genIndex = m.indexGenerator();
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        uint64_t at = 0;
        selectCells(genIndex, m.cells(), m.count(m.sparsity), [&](size_t i) {
            result->mutableColumns<I>()[at] = static_cast<I>(i % m.cols);
            result->template mutableValues<T>()[at++] = draw();
            offsets[i / m.cols + 1] = at;
        });
    });
    for (size_t r : cancellableRows(m))
        offsets[r + 1] = std::max(offsets[r + 1], offsets[r]);
    return result;
}

void checkBounds(const Value &min, const Value &max) {
    withNumericType(min.scalarType(), [&]<class T>(TypeTag<T>) {
        T lo = min.as<T>(), hi = max.as<T>();
        if (!(lo <= hi))
            throw executionError("min must not be greater than max, got " + numberText(min) + " and " +
                                 numberText(max));
        if (lo == T(0) && hi == T(0))
            throw executionError("min and max must not both be zero");
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(hi - lo))
                throw executionError("the range from min to max must be finite, got " + numberText(min) + " and " +
                                     numberText(max));
    });
}

Value randMatrix(KernelCall &call, int64_t rows, int64_t cols, const Value &min, const Value &max, double sparsity,
                 Seed start) {
    int64_t seed = start.value;
    for (size_t k : {2, 3})
        if (!call.args[k].isScalar() || call.args[k].isString())
            wrongArgument(call, k, "a number");
    if (min.scalarType() != max.scalarType())
        throw executionError("min and max must have the same type, got " + describe(min) + " and " + describe(max));
    if (rows <= 0 || cols <= 0)
        throw executionError("the numbers of rows and columns must be positive, got " + std::to_string(rows) + " and " +
                             std::to_string(cols));
    checkBounds(min, max);
    if (!(sparsity >= 0 && sparsity <= 1))
        throw executionError("sparsity must be between 0 and 1, got " + std::to_string(sparsity));
    ValueType type = min.scalarType();
    RandomMatrix wanted{static_cast<size_t>(rows), static_cast<size_t>(cols), sparsity, seed};
    double cells = static_cast<double>(rows) * static_cast<double>(cols);
    constexpr double kMostCells = 2147483648.0; // beyond, the algorithm for dense matrices is not defined
    bool preferred = call.context.representation.prefersCsr(type, wanted.rows, wanted.cols, sparsity * cells);
    if ((call.wantsCsr & 1) || cells > kMostCells || (preferred && seed == kNoSeed))
        return settled(call, randomCsr(min, max, wanted.rows, wanted.cols, sparsity,
                                       seed == kNoSeed ? startValue(seed) : static_cast<uint64_t>(seed)));
    return withNumericType(type, [&]<class T>(TypeTag<T>) -> Value {
        if (preferred && sparsity < 0.5)
            return randomDenseAsCsr<T>(wanted, type, min.as<T>(), max.as<T>());
        return randomDense<T>(wanted, type, min.as<T>(), max.as<T>());
    });
}

/// Floats without replacement: values drawn before are skipped.
template <class T> void drawDistinct(std::mt19937 &gen, Uniform<T> &values, T *cells, size_t n) {
    constexpr size_t kMostRepeats = 1000000; // a range of few floats has not enough values; do not search for ever
    std::unordered_set<T> seen;
    for (size_t i = 0, repeats = 0; i < n;) {
        T v = static_cast<T>(values(gen));
        if (i % kDrawsPerCancelTest == 0)
            throwIfCancelled();
        if (seen.insert(v).second)
            cells[i++] = v, repeats = 0;
        else if (++repeats > kMostRepeats)
            throw executionError("the range has fewer than " + std::to_string(n) + " different values");
    }
}

template <class T> void fillSample(T *cells, T range, size_t n, bool withReplacement, int64_t seed) {
    std::mt19937 gen(startValue(seed));
    T last;
    if constexpr (std::is_floating_point_v<T>)
        last = std::nextafter(range, T(0));
    else
        last = static_cast<T>(range - 1);
    Uniform<T> values(T(0), last);
    if (withReplacement) {
        drawCells(cells, n, [&] { return static_cast<T>(values(gen)); });
    } else if constexpr (std::is_floating_point_v<T>) {
        drawDistinct(gen, values, cells, n);
    } else {
        size_t chosen = 0;
        for (uint64_t i = 0; chosen < n; ++i) {
            if (i % kDrawsPerCancelTest == 0)
                throwIfCancelled();
            if (std::fmod(double(values(gen)), double(static_cast<uint64_t>(range) - i)) < double(n - chosen))
                cells[chosen++] = static_cast<T>(i);
        }
        std::shuffle(cells, cells + n, CancellableDraws{gen});
    }
}

Value sample(KernelCall &call, const Value &range, int64_t size, bool withReplacement, Seed seed) {
    if (!range.isScalar() || range.isString())
        wrongArgument(call, 0, "a number");
    if (size <= 0)
        throw executionError("size must be positive, got " + std::to_string(size));
    return withNumericType(range.scalarType(), [&]<class T>(TypeTag<T>) -> Value {
        T r = range.as<T>();
        if (!(r > T(0)))
            throw executionError("range must be positive, got " + numberText(range));
        if constexpr (std::is_floating_point_v<T>) {
            if (!std::isfinite(r))
                throw executionError("range must be finite, got " + numberText(range));
        } else if (!withReplacement && static_cast<uint64_t>(r) < static_cast<uint64_t>(size)) {
            throw executionError("cannot draw " + std::to_string(size) + " different values from a range of " +
                                 numberText(range));
        }
        auto result = Dense::create(range.scalarType(), static_cast<size_t>(size), 1);
        fillSample(result->mutableView<T>().data, r, static_cast<size_t>(size), withReplacement, seed.value);
        return result;
    });
}

constexpr double kMostValues = 1e15; // far beyond any memory; keeps the conversion to size_t defined

/// Number of values of an integer sequence. inc is not zero.
template <class T> size_t sequenceLength(T from, T to, T inc) {
    bool up = inc > T(0);
    if (up ? to < from : to > from)
        return 0;
    // Unsigned differences are exact also where the signed ones would overflow.
    auto u = [](T x) { return static_cast<uint64_t>(x); };
    uint64_t distance = up ? u(to) - u(from) : u(from) - u(to);
    uint64_t step = up ? u(inc) : uint64_t(0) - u(inc);
    return distance / step + 1;
}

/// Number of values of a floating-point sequence before the last is checked. inc is not zero, nothing is NaN.
template <class T> size_t sequenceCapacity(T from, T to, T inc) {
    if (inc > T(0) ? to < from : to > from)
        return 0;
    double count = from == to ? 1 : std::ceil(std::abs(to - from) / std::abs(inc)) + 1;
    if (!(count <= kMostValues))
        throw executionError("a sequence from " + std::to_string(from) + " to " + std::to_string(to) + " by " +
                             std::to_string(inc) + " has too many values");
    return static_cast<size_t>(count);
}

template <class T> Ref<Dense> sequence(ValueType type, T from, T to, T inc) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(from) || std::isnan(to) || std::isnan(inc))
            throw executionError("the arguments must not be NaN");
    if (inc == T(0))
        throw executionError("the increment must not be zero");
    size_t n;
    if constexpr (std::is_floating_point_v<T>)
        n = sequenceCapacity(from, to, inc);
    else
        n = sequenceLength(from, to, inc);
    auto result = Dense::create(type, n, 1);
    T *cells = result->mutableView<T>().data;
    T value = from;
    for (size_t i : cancellable(n)) {
        cells[i] = value;
        if (i + 1 < n)
            value = static_cast<T>(value + inc);
    }
    if constexpr (std::is_floating_point_v<T>) {
        constexpr double kTolerance = 1e-13;
        double beyond = inc > 0 ? double(value) - double(to) : double(to) - double(value);
        if (n > 1 && beyond > kTolerance)
            return Dense::window(*result, 0, n - 1, 0, 1);
    }
    return result;
}

Value seq(KernelCall &call, const Value &from, const Value &to, std::span<const Value> rest) {
    for (size_t i = 0; i < call.args.size(); ++i)
        if (!call.args[i].isScalar() || call.args[i].isString())
            wrongArgument(call, i, "a number");
    Value inc = rest.empty() ? Value::scalar(int8_t(1)) : rest[0];
    ValueType g = mostGeneral(mostGeneral(from.scalarType(), to.scalarType()), inc.scalarType());
    g = mostGeneral(g, ValueType::SI8);
    return withNumericType(g, [&]<class T>(TypeTag<T>) -> Value {
        if constexpr (std::is_same_v<T, bool>)
            throw internalError("seq of bool"); // excluded by the line above
        else
            return sequence<T>(g, from.as<T>(), to.as<T>(), inc.as<T>());
    });
}

Value matrixConstant(KernelCall &call, std::span<const Value> cells) {
    ValueType g = ValueType::Bool;
    bool strings = false, numbers = false;
    for (size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i].isScalar())
            wrongArgument(call, i, "a scalar");
        (cells[i].isString() ? strings : numbers) = true;
        g = mostGeneral(g, cells[i].scalarType());
    }
    if (strings && numbers)
        throw executionError("a matrix literal cannot mix strings and numbers");
    if (g == ValueType::Size)
        g = ValueType::UI64;
    auto result = Dense::create(g, cells.size(), 1);
    withValueType(g, [&]<class T>(TypeTag<T>) {
        T *out = result->mutableView<T>().data;
        for (size_t i = 0; i < cells.size(); ++i)
            out[i] = cellOf<T>(cells[i]);
    });
    return result;
}

} // namespace

void addGeneration(KernelTable &t) {
    t.add<&fill>("fill");
    t.add<&randMatrix>("randMatrix");
    t.add<&sample>("sample");
    t.add<&seq>("seq");
    t.add<&matrixConstant>("matrixConstant");
}

} // namespace daphne
