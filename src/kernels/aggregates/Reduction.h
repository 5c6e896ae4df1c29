// SPDX-License-Identifier: Apache-2.0
/// Building blocks of aggregates: cells delivered in blocks of the type of
/// computation, and sums whose order depends on nothing but the number of cells
/// (not on strides, threads or vector width).
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/Cancellable.h"
#include "base/WideVectors.h"
#include "kernels/RawCells.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

/// Reads runs of cells of a numeric matrix as cells of type T, converting where needed.
template <class T> class CellReader {
  public:
    static constexpr size_t kBlock = 4096;

    explicit CellReader(const Dense &m)
        : raw(rawCells(m)), convert(converter(m.type(), valueTypeOf<T>())),
          direct(sameCells(m.type(), valueTypeOf<T>())), adjacent(m.contiguous()) {}

    /// Calls f(cells, n) for the cells of row r from left to right, in blocks.
    template <class F> void row(size_t r, F &&f) { run(raw.row(r), raw.cols, f); }

    /// All cells row by row; block borders do not depend on where rows end.
    template <class F> void all(F &&f) {
        if (adjacent)
            return run(raw.data, raw.rows * raw.cols, f);
        stage.resize(kBlock);
        size_t filled = 0;
        for (size_t r = 0; r < raw.rows; ++r)
            for (size_t c = 0; c < raw.cols;) {
                size_t n = std::min(kBlock - filled, raw.cols - c);
                convert(raw.cell(r, c), stage.data() + filled, n);
                filled += n;
                c += n;
                if (filled == kBlock) {
                    look.after(kBlock);
                    f(reinterpret_cast<const T *>(stage.data()), filled);
                    filled = 0;
                }
            }
        if (filled)
            f(reinterpret_cast<const T *>(stage.data()), filled);
    }

    static constexpr size_t kSlots = 4;
    /// Row r as a whole, valid until the next call with the same slot < kSlots.
    const T *wholeRow(size_t r, size_t slot = 0) {
        if (direct)
            return reinterpret_cast<const T *>(raw.row(r));
        stage.resize(kSlots * raw.cols);
        convert(raw.row(r), stage.data() + slot * raw.cols, raw.cols);
        return reinterpret_cast<const T *>(stage.data() + slot * raw.cols);
    }

    /// Where the cells are in memory if they need no conversion, else null.
    const T *rowInPlace(size_t r) const { return direct ? reinterpret_cast<const T *>(raw.row(r)) : nullptr; }
    const T *allInPlace() const { return direct && adjacent ? reinterpret_cast<const T *>(raw.data) : nullptr; }

  private:
    /// Cells of a type that, unlike bool, a vector can store.
    struct Cell {
        T value;
    };

    template <class F> void run(const std::byte *from, size_t n, F &f) {
        for (size_t done = 0; done < n; done += kBlock) {
            size_t part = std::min(kBlock, n - done);
            look.after(part);
            const std::byte *at = from + done * raw.cellBytes;
            if (direct) {
                f(reinterpret_cast<const T *>(at), part);
            } else {
                stage.resize(kBlock);
                convert(at, stage.data(), part);
                f(reinterpret_cast<const T *>(stage.data()), part);
            }
        }
    }

    RawView<const std::byte> raw;
    ConvertFn convert;
    bool direct, adjacent;
    std::vector<Cell> stage;
    CancelCountdown look;
};

/// Integers wrap.
template <class T> T wrappingSum(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
        return a + b;
}

/// What cells of a type are added up in, and what their sum is stored as: see ops/SumTypes.h.
template <class T>
using SumPrecision =
    std::conditional_t<std::is_floating_point_v<T>, double, std::conditional_t<sizeof(T) < 8, int64_t, T>>;
template <class T> using SumResult = std::conditional_t<std::is_floating_point_v<T>, T, SumPrecision<T>>;

/// How two numbers are combined.
struct Plus {
    template <class T> static constexpr T identity() { return T(0); }
    template <class T> static T add(T acc, T x) { return wrappingSum(acc, x); }
};

/// The results of eight lanes, halves onto halves.
template <class Combine, class T> T mergeLanes(T (&lane)[8]) {
    for (size_t width = 4; width; width /= 2)
        for (size_t l = 0; l < width; ++l)
            lane[l] = Combine::add(lane[l], lane[l + width]);
    return lane[0];
}

/// at(i) for all i of a block of n cells combined: eight interleaved lanes, short blocks from left to right.
template <class Combine, class T, class At> T foldCells(size_t n, At at) {
    constexpr size_t kLanes = 8;
    if (n < 2 * kLanes || std::is_integral_v<T>) { // the order of integers does not matter
        T total = Combine::template identity<T>();
        for (size_t i = 0; i < n; ++i)
            total = Combine::add(total, at(i));
        return total;
    }
    T lane[kLanes];
    for (T &l : lane)
        l = Combine::template identity<T>();
    size_t whole = n / kLanes * kLanes;
    for (size_t i = 0; i < whole; i += kLanes)
        for (size_t l = 0; l < kLanes; ++l)
            lane[l] = Combine::add(lane[l], at(i + l));
    for (size_t l = 0; l < n - whole; ++l)
        lane[l] = Combine::add(lane[l], at(whole + l));
    return mergeLanes<Combine>(lane);
}

template <class Combine, class T> [[gnu::noinline]] T foldBlockOf(const T *x, size_t n) {
    return vectorised([=] { return foldCells<Combine, T>(n, [=](size_t i) { return x[i]; }); });
}

template <class T, class At> T sumCells(size_t n, At at) { return foldCells<Plus, T>(n, at); }

/// The cell itself.
struct Unchanged {
    template <class T> T operator()(T x) const { return x; }
};
/// What a block of integers is summed in: that of a block of bytes fits into 32 bits, which are twice as many lanes.
template <class T, class In, class Map>
using BlockSum =
    std::conditional_t<std::is_integral_v<T> && sizeof(In) == 1 && std::is_same_v<Map, Unchanged>, int32_t, T>;

/// Sum of map(x) over the cells of a block, which become numbers of type T before.
template <class T, class In, class Map> T sumLanes(const In *x, size_t n, Map map) {
    using Sum = BlockSum<T, In, Map>;
    return sumCells<Sum>(n, [=](size_t i) { return map(static_cast<Sum>(x[i])); });
}

template <class T, class In, class Map> [[gnu::noinline]] T sumBlock(const In *x, size_t n, Map map) {
    return vectorised([=] { return sumLanes<T>(x, n, map); });
}

/// sumLanes of two blocks of n cells. A processor reads two places of memory at a time much faster than one.
template <class T, class In, class Map> std::pair<T, T> sumTwoBlocks(const In *x, const In *y, size_t n, Map map) {
    constexpr size_t kLanes = 8;
    if constexpr (std::is_integral_v<T>) {
        using Sum = BlockSum<T, In, Map>;
        Sum first = 0, second = 0;
        for (size_t i = 0; i < n; ++i) {
            first = wrappingSum(first, map(static_cast<Sum>(x[i])));
            second = wrappingSum(second, map(static_cast<Sum>(y[i])));
        }
        return {first, second};
    }
    if (n < 2 * kLanes)
        return {sumLanes<T>(x, n, map), sumLanes<T>(y, n, map)};
    T left[kLanes] = {}, right[kLanes] = {};
    size_t whole = n / kLanes * kLanes;
    for (size_t i = 0; i < whole; i += kLanes) {
        for (size_t l = 0; l < kLanes; ++l)
            left[l] = wrappingSum(left[l], map(static_cast<T>(x[i + l])));
        for (size_t l = 0; l < kLanes; ++l)
            right[l] = wrappingSum(right[l], map(static_cast<T>(y[i + l])));
    }
    for (size_t l = 0; l < n - whole; ++l) {
        left[l] = wrappingSum(left[l], map(static_cast<T>(x[whole + l])));
        right[l] = wrappingSum(right[l], map(static_cast<T>(y[whole + l])));
    }
    return {mergeLanes<Plus>(left), mergeLanes<Plus>(right)};
}

/// Combines the results of blocks pairwise, so that rounding errors grow with the logarithm of their number.
template <class Combine, class T> class PairwiseFold {
  public:
    void add(T block) {
        size_t level = 0;
        for (size_t n = count++; n & 1; n >>= 1)
            block = Combine::add(partial[level++], block);
        partial[level] = block;
    }
    T total() const {
        T all = Combine::template identity<T>();
        size_t level = 0;
        for (size_t n = count; n; n >>= 1, ++level)
            if (n & 1)
                all = Combine::add(partial[level], all);
        return all;
    }

  private:
    size_t count = 0;
    T partial[64]; ///< [k] is set where bit k of count is
};
template <class T> using PairwiseSum = PairwiseFold<Plus, T>;

/// Sum of map(x) over adjacent cells: what PairwiseSum gives for the sums of their blocks in order.
template <class T, class In, class Map> T sumRun(const In *x, size_t n, Map map) {
    constexpr size_t kBlock = CellReader<T>::kBlock;
    PairwiseSum<T> sum;
    CancelCountdown look;
    size_t whole = n / kBlock, half = whole / 2;
    if (half > 0) {
        std::vector<T> sums(2 * half);
        vectorised([&] {
            for (size_t b = 0; b < half; ++b) {
                look.after(2 * kBlock);
                std::tie(sums[b], sums[half + b]) =
                    sumTwoBlocks<T>(x + b * kBlock, x + (half + b) * kBlock, kBlock, map);
            }
        });
        for (T block : sums)
            sum.add(block);
    }
    for (size_t done = 2 * half * kBlock; done < n; done += kBlock)
        sum.add(sumBlock<T>(x + done, std::min(kBlock, n - done), map));
    return sum.total();
}

} // namespace daphne
