// SPDX-License-Identifier: Apache-2.0
#include "kernels/reorganise/TransposeCells.h"

#include <algorithm>
#include <cstdint>

#include "kernels/RowBlocks.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace daphne {

namespace {

constexpr size_t kVectorBytes = 16;
constexpr size_t kLineBytes = 64;

template <class Bits> struct Vectors {
    using Aligned [[gnu::vector_size(kVectorBytes)]] = Bits;
    using Anywhere [[gnu::vector_size(kVectorBytes), gnu::aligned(sizeof(Bits))]] = Bits;
    static constexpr size_t kLanes = kVectorBytes / sizeof(Bits);
};

/// Around the caches: a line that is written completely need not be read first. Needs an aligned address.
struct Streaming {
    template <class Bits, class V> static void store(Bits *to, V v) {
#if defined(__SSE2__)
        _mm_stream_si128(reinterpret_cast<__m128i *>(to), reinterpret_cast<__m128i>(v));
#else
        *reinterpret_cast<typename Vectors<Bits>::Anywhere *>(to) = v;
#endif
    }
    static void finish() {
#if defined(__SSE2__)
        _mm_sfence();
#endif
    }
};
struct Cached {
    template <class Bits, class V> static void store(Bits *to, V v) {
        *reinterpret_cast<typename Vectors<Bits>::Anywhere *>(to) = v;
    }
    static void finish() {}
};

/// A square of vectors: kLanes x kLanes cells.
template <class Store> void transposeSquare(const uint64_t *in, size_t inSkip, uint64_t *out, size_t outSkip) {
    using V = Vectors<uint64_t>;
    V::Aligned a = *reinterpret_cast<const V::Anywhere *>(in), b = *reinterpret_cast<const V::Anywhere *>(in + inSkip);
    Store::store(out, __builtin_shufflevector(a, b, 0, 2));
    Store::store(out + outSkip, __builtin_shufflevector(a, b, 1, 3));
}
template <class Store> void transposeSquare(const uint32_t *in, size_t inSkip, uint32_t *out, size_t outSkip) {
    using V = Vectors<uint32_t>;
    auto load = [&](size_t r) -> V::Aligned { return *reinterpret_cast<const V::Anywhere *>(in + r * inSkip); };
    V::Aligned a = load(0), b = load(1), c = load(2), d = load(3);
    V::Aligned abLow = __builtin_shufflevector(a, b, 0, 4, 1, 5), abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    V::Aligned cdLow = __builtin_shufflevector(c, d, 0, 4, 1, 5), cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    Store::store(out, __builtin_shufflevector(abLow, cdLow, 0, 1, 4, 5));
    Store::store(out + outSkip, __builtin_shufflevector(abLow, cdLow, 2, 3, 6, 7));
    Store::store(out + 2 * outSkip, __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5));
    Store::store(out + 3 * outSkip, __builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7));
}

template <class Bits> struct Area {
    const Bits *in;
    size_t inSkip;
    Bits *out;
    size_t outSkip;
};
struct Range {
    size_t begin, end;
};

template <class Bits> void transposeOneByOne(const Area<Bits> &a, Range rows, Range cols) {
    for (size_t c = cols.begin; c < cols.end; ++c)
        for (size_t r = rows.begin; r < rows.end; ++r)
            a.out[c * a.outSkip + r] = a.in[r * a.inSkip + c];
}

template <class Store, class Bits> void transposeTile(const Area<Bits> &a, Range rows, Range cols) {
    constexpr size_t kLanes = sizeof(Bits) == 1 ? 1 : Vectors<Bits>::kLanes;
    if constexpr (kLanes == 1) {
        transposeOneByOne(a, rows, cols);
    } else {
        size_t rowsWhole = rows.begin + (rows.end - rows.begin) / kLanes * kLanes;
        size_t colsWhole = cols.begin + (cols.end - cols.begin) / kLanes * kLanes;
        for (size_t c = cols.begin; c < colsWhole; c += kLanes)
            for (size_t r = rows.begin; r < rowsWhole; r += kLanes)
                transposeSquare<Store>(a.in + r * a.inSkip + c, a.inSkip, a.out + c * a.outSkip + r, a.outSkip);
        transposeOneByOne(a, {rowsWhole, rows.end}, {cols.begin, colsWhole});
        transposeOneByOne(a, rows, {colsWhole, cols.end});
    }
}

struct Size {
    size_t rows, cols;
};

/// Workers share the longer side.
template <class Store, class Bits> void transposeTiles(RunContext &context, const Area<Bits> &a, Size all, Size tile) {
    constexpr size_t kBlock = 512; // a multiple of all sides of tiles
    bool byRows = all.rows >= all.cols;
    double serialNs = static_cast<double>(all.rows) * static_cast<double>(all.cols);
    forRowBlocks(context, "transpose", byRows ? all.rows : all.cols, kBlock, serialNs, [&](size_t begin, size_t end) {
        Range rows = byRows ? Range{begin, end} : Range{0, all.rows};
        Range cols = byRows ? Range{0, all.cols} : Range{begin, end};
        for (size_t r = rows.begin; r < rows.end; r += tile.rows)
            for (size_t c = cols.begin; c < cols.end; c += tile.cols)
                transposeTile<Store>(a, {r, std::min(r + tile.rows, rows.end)}, {c, std::min(c + tile.cols, cols.end)});
        Store::finish();
    });
}

template <class Bits>
void transposeAs(RunContext &context, const RawView<const std::byte> &in, const RawView<std::byte> &out) {
    Area<Bits> area{reinterpret_cast<const Bits *>(in.data), in.rowBytes / sizeof(Bits),
                    reinterpret_cast<Bits *>(out.data), out.rowBytes / sizeof(Bits)};
    Size size{in.rows, in.cols};
    // A result that leaves the caches anyway, whose lines are complete after a few rows.
    constexpr size_t kLarge = size_t(4) << 20;
    bool wholeLines = reinterpret_cast<uintptr_t>(out.data) % kLineBytes == 0 && out.rowBytes % kLineBytes == 0;
    if (sizeof(Bits) > 1 && wholeLines && in.rows * in.cols * sizeof(Bits) >= kLarge)
        transposeTiles<Streaming>(context, area, size, {2 * kLineBytes / sizeof(Bits), 128});
    else
        transposeTiles<Cached>(context, area, size, {64, 64});
}

} // namespace

void transposeCells(RunContext &context, const RawView<const std::byte> &in, const RawView<std::byte> &out) {
    switch (in.cellBytes) {
    case 1: return transposeAs<uint8_t>(context, in, out);
    case 4: return transposeAs<uint32_t>(context, in, out);
    default: return transposeAs<uint64_t>(context, in, out);
    }
}

} // namespace daphne
