// SPDX-License-Identifier: Apache-2.0
/// Elementwise binary operations with at least one Csr operand.
///
///     C(i,j) = A(i,j) op B(i,j), absent cells being 0
///
/// The result is a Csr where no absent cell can become non-zero: both operands
/// Csr of one shape and 0 op 0 = 0 (cells of either are visited), or one Csr and
/// 0 op b = 0 for every cell b of the other operand, which is looked through
/// first (cells of the Csr are visited). So 0 * NaN stays NaN. In all other
/// cases the result is dense and the Csr is read without being converted.
///
/// Works on blocks of rows that stay in cache: collect the cells of both
/// operands in the computation type, run the loop of the dense kernel, drop
/// zeros. Nothing here is compiled once per value type and operation.
#include <algorithm>
#include <cstring>

#include "kernels/RawCells.h"
#include "kernels/csr/StoredValues.h"
#include "kernels/elementwise/ElementwiseBinary.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

/// mask[i] = values[i] is not zero; returns their number.
size_t markNonZeros(ValueType type, const std::byte *values, size_t n, uint8_t *mask) {
    return withNumericType(type, [&]<class T>(TypeTag<T>) {
        const T *x = reinterpret_cast<const T *>(values);
        size_t count = 0;
        for (size_t i = 0; i < n; ++i) {
            mask[i] = x[i] != T(0);
            count += mask[i];
        }
        return count;
    });
}

/// One block of result cells, with zeros.
template <class I> struct Block {
    std::vector<I> columns;
    std::vector<uint64_t> rowEnds; ///< in the block
    std::vector<std::byte> values;
};

/// Appends blocks to a Csr, dropping zeros.
template <class I> class Writer {
  public:
    Writer(ValueType type, MatrixShape shape, size_t capacity, Csr::Values values)
        : result(Csr::create(type, shape.rows, shape.cols, capacity, values)), cellBytes(cellSize(type)) {}

    void append(size_t firstRow, const Block<I> &block, size_t n) {
        if (n == 0) { // no memory to point to
            std::fill_n(result->mutableOffsets() + firstRow + 1, block.rowEnds.size(), at);
            return;
        }
        mask.resize(n);
        size_t kept = markNonZeros(result->type(), block.values.data(), n, mask.data());
        uint64_t *offsets = result->mutableOffsets() + firstRow + 1;
        if (kept == n) {
            copy(block, n);
            for (size_t r = 0; r < block.rowEnds.size(); ++r)
                offsets[r] = at + block.rowEnds[r];
        } else {
            withCellSize(cellBytes, [&]<class Bits>(TypeTag<Bits>) { compress<Bits>(block, offsets); });
        }
        at += kept;
    }
    Ref<Csr> finish() { return std::move(result); }

  private:
    void copy(const Block<I> &block, size_t n) {
        std::copy_n(block.columns.data(), n, result->mutableColumns<I>() + at);
        if (!result->isPattern())
            std::memcpy(result->mutableValues<std::byte>() + at * cellBytes, block.values.data(), n * cellBytes);
    }
    template <class Bits> void compress(const Block<I> &block, uint64_t *offsets) {
        I *columns = result->mutableColumns<I>();
        Bits *to = result->mutableValues<Bits>();
        const Bits *from = reinterpret_cast<const Bits *>(block.values.data());
        uint64_t k = at;
        size_t i = 0;
        for (size_t r = 0; r < block.rowEnds.size(); ++r) {
            for (; i < block.rowEnds[r]; ++i)
                if (mask[i]) {
                    columns[k] = block.columns[i];
                    if (to)
                        to[k] = from[i];
                    ++k;
                }
            offsets[r] = k;
        }
    }

    Ref<Csr> result;
    size_t cellBytes;
    uint64_t at = 0;
    std::vector<uint8_t> mask;
};

struct Operation {
    const CellFunction &f;
    BinaryLoops loops;
    /// Comparisons and logical operations yield ones only.
    Csr::Values values() const { return loops.yieldsTruth ? Csr::Values::AllOnes : Csr::Values::Stored; }

    template <class I>
    [[noreturn]] void fail(const Block<I> &block, size_t firstRow, size_t at, const std::byte *a,
                           const std::byte *b) const {
        size_t row = 0;
        while (block.rowEnds[row] <= at)
            ++row;
        domainError(f, loops, a, b,
                    " at row " + std::to_string(firstRow + row) + ", column " + std::to_string(block.columns[at]));
    }
};

// -------------------------------------------------------------- both are Csr

template <class I, class Bits> struct UnionBlock {
    std::vector<Bits> lhs, rhs;

    /// Cells of either matrix in rows [begin, end), 0 where one has none.
    void collect(const Csr &a, const Csr &b, const std::byte *aValues, const std::byte *bValues, size_t begin,
                 size_t end, Block<I> &out) {
        const I *aColumns = a.columns<I>(), *bColumns = b.columns<I>();
        uint64_t aFirst = a.offsets()[begin], bFirst = b.offsets()[begin];
        aColumns += aFirst;
        bColumns += bFirst;
        const Bits *x = reinterpret_cast<const Bits *>(aValues), *y = reinterpret_cast<const Bits *>(bValues);
        size_t n = 0;
        for (size_t r = begin; r < end; ++r) {
            uint64_t i = a.offsets()[r] - aFirst, iEnd = a.offsets()[r + 1] - aFirst;
            uint64_t j = b.offsets()[r] - bFirst, jEnd = b.offsets()[r + 1] - bFirst;
            while (i < iEnd && j < jEnd) {
                I ca = aColumns[i], cb = bColumns[j];
                bool left = ca <= cb, right = cb <= ca;
                out.columns[n] = left ? ca : cb;
                lhs[n] = left ? x[i] : Bits(0);
                rhs[n] = right ? y[j] : Bits(0);
                i += left;
                j += right;
                ++n;
            }
            for (; i < iEnd; ++i, ++n) {
                out.columns[n] = aColumns[i];
                lhs[n] = x[i];
                rhs[n] = Bits(0);
            }
            for (; j < jEnd; ++j, ++n) {
                out.columns[n] = bColumns[j];
                lhs[n] = Bits(0);
                rhs[n] = y[j];
            }
            out.rowEnds[r - begin] = n;
        }
    }
};

template <class I, class Bits> Ref<Csr> combineUnion(const Operation &f, const Csr &a, const Csr &b) {
    Writer<I> writer(f.loops.result, {a.rows(), a.cols()}, a.nonZeros() + b.nonZeros(), f.values());
    StoredValues aValues(a, f.loops.compute), bValues(b, f.loops.compute);
    Block<I> block;
    UnionBlock<I, Bits> cells;
    auto count = [&](size_t r) { return a.nonZeros(r) + b.nonZeros(r); };
    forEachRowBlock(a.rows(), kRowBlockCells, count, [&](size_t begin, size_t end, size_t most) {
        if (block.columns.size() < most) {
            block.columns.resize(most);
            cells.lhs.resize(most);
            cells.rhs.resize(most);
            block.values.resize(most * 8);
        }
        block.rowEnds.resize(end - begin);
        uint64_t i = a.offsets()[begin], j = b.offsets()[begin];
        cells.collect(a, b, aValues.at(i, a.offsets()[end] - i), bValues.at(j, b.offsets()[end] - j), begin, end,
                      block);
        size_t n = block.rowEnds.back();
        size_t done = f.loops.cells(cells.lhs.data(), cells.rhs.data(), block.values.data(), n);
        if (done != n)
            f.fail(block, begin, done, reinterpret_cast<const std::byte *>(&cells.lhs[done]),
                   reinterpret_cast<const std::byte *>(&cells.rhs[done]));
        writer.append(begin, block, n);
    });
    return writer.finish();
}

// ------------------------------------------------------- Csr and something else

/// The cells of the other operand at the stored cells of a Csr.
template <class I, class Bits> class OtherCells {
  public:
    OtherCells(const Value &v, ValueType compute, MatrixShape result) {
        if (v.isScalar() || v.dense().cells() == 1) {
            form = Form::Single;
            Operand one(v, compute, {1, 1});
            std::memcpy(single, one.at({0, 1, 0, 1}).data, sizeof(single));
            return;
        }
        const Dense &m = v.dense();
        if (m.rows() == result.rows && m.cols() == result.cols) {
            form = Form::Full;
            raw = rawCells(m);
            convert = converter(m.type(), compute);
            return;
        }
        form = m.rows() == 1 ? Form::Row : Form::Column;
        vector = convertMatrix(m.contiguous() ? m : *m.copy(), compute);
        cells = reinterpret_cast<const Bits *>(rawCells(*vector).data);
    }
    bool isSingle() const { return form == Form::Single; }

    const std::byte *collect(const Block<I> &block, size_t begin, size_t n) {
        if (form == Form::Single)
            return single;
        if (out.size() < n)
            out.resize(n);
        if (form == Form::Row)
            for (size_t i = 0; i < n; ++i)
                out[i] = cells[block.columns[i]];
        else if (form == Form::Column)
            for (size_t i = 0, r = 0; r < block.rowEnds.size(); ++r)
                for (; i < block.rowEnds[r]; ++i)
                    out[i] = cells[begin + r];
        else
            withCellSize(raw.cellBytes, [&]<class Own>(TypeTag<Own>) { gather<Own>(block, begin, n); });
        return reinterpret_cast<const std::byte *>(out.data());
    }

  private:
    enum class Form { Single, Row, Column, Full };

    template <class Own> void gather(const Block<I> &block, size_t begin, size_t n) {
        own.resize(n * sizeof(Own));
        Own *to = reinterpret_cast<Own *>(own.data());
        for (size_t i = 0, r = 0; r < block.rowEnds.size(); ++r) {
            const Own *row = reinterpret_cast<const Own *>(raw.row(begin + r));
            for (; i < block.rowEnds[r]; ++i)
                to[i] = row[block.columns[i]];
        }
        convert(own.data(), out.data(), n);
    }

    Form form = Form::Single;
    alignas(8) std::byte single[8] = {};
    Ref<Dense> vector;
    const Bits *cells = nullptr;
    RawView<const std::byte> raw{};
    ConvertFn convert = nullptr;
    std::vector<std::byte> own;
    std::vector<Bits> out;
};

enum class Side { Left, Right };

template <class I, class Bits> Ref<Csr> combineStored(const Operation &f, const Csr &m, Side side, const Value &other) {
    MatrixShape shape{m.rows(), m.cols()};
    Writer<I> writer(f.loops.result, shape, m.nonZeros(), f.values());
    StoredValues values(m, f.loops.compute);
    OtherCells<I, Bits> others(other, f.loops.compute, shape);
    auto loop = !others.isSingle() ? f.loops.cells : side == Side::Left ? f.loops.rightSingle : f.loops.leftSingle;
    Block<I> block;
    auto count = [&](size_t r) { return m.nonZeros(r); };
    forEachRowBlock(m.rows(), kRowBlockCells, count, [&](size_t begin, size_t end, size_t n) {
        uint64_t first = m.offsets()[begin];
        block.columns.assign(m.columns<I>() + first, m.columns<I>() + first + n);
        block.rowEnds.resize(end - begin);
        for (size_t r = begin; r < end; ++r)
            block.rowEnds[r - begin] = m.offsets()[r + 1] - first;
        if (block.values.size() < n * 8)
            block.values.resize(n * 8);
        const std::byte *own = values.at(first, n), *with = others.collect(block, begin, n);
        const std::byte *a = side == Side::Left ? own : with, *b = side == Side::Left ? with : own;
        size_t done = loop(a, b, block.values.data(), n);
        if (done != n) {
            size_t skip = done * sizeof(Bits), skipOther = others.isSingle() ? 0 : skip;
            f.fail(block, begin, done, a + (side == Side::Left ? skip : skipOther),
                   b + (side == Side::Left ? skipOther : skip));
        }
        writer.append(begin, block, n);
    });
    return writer.finish();
}

// ------------------------------------------------------------------- choosing

constexpr size_t kProbe = 1024;
alignas(8) constexpr std::byte kZero[8] = {};

bool allZero(ValueType type, const std::byte *values, size_t n) {
    return withNumericType(type, [&]<class T>(TypeTag<T>) {
        const T *x = reinterpret_cast<const T *>(values);
        bool any = false;
        for (size_t i = 0; i < n; ++i)
            any |= x[i] != T(0);
        return !any;
    });
}

/// 0 op 0 = 0
bool keepsZero(const BinaryLoops &loops) {
    alignas(8) std::byte out[8];
    return loops.cells(kZero, kZero, out, 1) == 1 && allZero(loops.result, out, 1);
}

/// 0 op b = 0 (the Csr is on the left; else b op 0 = 0) for every cell b.
bool keepsZeros(const BinaryLoops &loops, Side csr, const Value &other) {
    MatrixShape shape = shapeOf(other);
    if (Operand::isFlat(other, shape))
        shape = {1, shape.cells()};
    Operand cells(other, loops.compute, shape);
    alignas(8) std::byte out[kProbe * 8];
    bool kept = true;
    forEachChunk(shape, true, [&](const Chunk &chunk) {
        if (!kept)
            return;
        const void *x = cells.at(chunk).data;
        size_t done = csr == Side::Left ? loops.leftSingle(kZero, x, out, chunk.numCells)
                                        : loops.rightSingle(x, kZero, out, chunk.numCells);
        kept = done == chunk.numCells && allZero(loops.result, out, done);
    });
    return kept;
}
static_assert(kProbe >= kChunkCells);

template <class F> Ref<Csr> withCells(const Csr &m, ValueType compute, F &&f) {
    return withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I> index) {
        return withCellSize(cellSize(compute), [&]<class Bits>(TypeTag<Bits> bits) { return f(index, bits); });
    });
}

/// A Csr vector that is spread over the result is small: better dense.
Value fullOrDense(const Value &v, MatrixShape result) {
    return v.isCsr() && (shapeOf(v) != result || result.cells() == 1) ? Value(toDense(v.csr())) : v;
}

Value combine(KernelCall &call, AnyValue lhs, AnyValue rhs) {
    bool numbers = (lhs.value.isScalar() || lhs.value.isMatrix()) && (rhs.value.isScalar() || rhs.value.isMatrix()) &&
                   isNumeric(lhs.value.valueType()) && isNumeric(rhs.value.valueType());
    if (!numbers)
        return runDense(call);
    MatrixShape shape = broadcastShape(ops::userName(call.mnemonic()), shapeOf(lhs.value), shapeOf(rhs.value));
    Value a = fullOrDense(lhs.value, shape), b = fullOrDense(rhs.value, shape);
    const CellFunction &cells = *call.kernel.cells;
    Operation f{cells, cells.binary(mostGeneral(a.valueType(), b.valueType()))};
    ValueType compute = f.loops.compute;
    if (a.isCsr() && b.isCsr() && keepsZero(f.loops))
        return settled(call, withCells(a.csr(), compute, [&]<class I, class Bits>(TypeTag<I>, TypeTag<Bits>) {
                           return combineUnion<I, Bits>(f, a.csr(), b.csr());
                       }));
    if (a.isCsr() != b.isCsr()) {
        Side side = a.isCsr() ? Side::Left : Side::Right;
        const Value &other = a.isCsr() ? b : a;
        const Csr &m = (a.isCsr() ? a : b).csr();
        if (keepsZeros(f.loops, side, other))
            return settled(call, withCells(m, compute, [&]<class I, class Bits>(TypeTag<I>, TypeTag<Bits>) {
                               return combineStored<I, Bits>(f, m, side, other);
                           }));
    }
    auto result = Dense::create(f.loops.result, shape.rows, shape.cols);
    if (shape.cells() > 0)
        combineCells(cells, f.loops, a, b, shape, *result);
    return result;
}

} // namespace

void addCsrBinary(KernelTable &t) {
    for (const CellFunction &f : CellTable::get().functions())
        if (f.binary && f.op->family == ops::Family::EwBinary)
            t.addSparse<&combine>(f.op->mnemonic);
}

} // namespace daphne
