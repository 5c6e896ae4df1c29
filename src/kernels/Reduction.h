// SPDX-License-Identifier: Apache-2.0
/// Building blocks of aggregates: cells delivered in blocks of the type of
/// computation, and sums whose order depends on nothing but the number of cells
/// (not on strides, threads or vector width).
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kernels/Convert.h"
#include "kernels/RawCells.h"

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
                    f(reinterpret_cast<const T *>(stage.data()), filled);
                    filled = 0;
                }
            }
        if (filled)
            f(reinterpret_cast<const T *>(stage.data()), filled);
    }

    /// Row r as a whole.
    const T *wholeRow(size_t r) {
        if (direct)
            return reinterpret_cast<const T *>(raw.row(r));
        stage.resize(raw.cols);
        convert(raw.row(r), stage.data(), raw.cols);
        return reinterpret_cast<const T *>(stage.data());
    }

  private:
    /// Cells of a type that, unlike bool, a vector can store.
    struct Cell {
        T value;
    };

    template <class F> void run(const std::byte *from, size_t n, F &f) {
        for (size_t done = 0; done < n; done += kBlock) {
            size_t part = std::min(kBlock, n - done);
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
};

/// Integers wrap.
template <class T> T wrappingSum(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
        return a + b;
}

/// Sum of map(x) over a block: eight interleaved partial sums, short blocks from left to right.
template <class T, class Map> [[gnu::noinline]] T sumBlock(const T *x, size_t n, Map map) {
    constexpr size_t kLanes = 8;
    T total = 0;
    if (n < 2 * kLanes) {
        for (size_t i = 0; i < n; ++i)
            total = wrappingSum(total, map(x[i]));
        return total;
    }
    T lane[kLanes] = {};
    size_t whole = n / kLanes * kLanes;
    for (size_t i = 0; i < whole; i += kLanes)
        for (size_t l = 0; l < kLanes; ++l)
            lane[l] = wrappingSum(lane[l], map(x[i + l]));
    for (size_t l = 0; l < n - whole; ++l)
        lane[l] = wrappingSum(lane[l], map(x[whole + l]));
    for (size_t width = kLanes / 2; width; width /= 2)
        for (size_t l = 0; l < width; ++l)
            lane[l] = wrappingSum(lane[l], lane[l + width]);
    return lane[0];
}

/// Adds the sums of blocks pairwise, so that rounding errors grow with the logarithm of their number.
template <class T> class PairwiseSum {
  public:
    void add(T block) {
        size_t level = 0;
        for (size_t n = count++; n & 1; n >>= 1)
            block = wrappingSum(partial[level++], block);
        partial[level] = block;
    }
    T total() const {
        T sum = 0;
        size_t level = 0;
        for (size_t n = count; n; n >>= 1, ++level)
            if (n & 1)
                sum = wrappingSum(partial[level], sum);
        return sum;
    }

  private:
    size_t count = 0;
    T partial[64]; ///< [k] is set where bit k of count is
};

} // namespace daphne
