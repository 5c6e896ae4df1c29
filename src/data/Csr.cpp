// SPDX-License-Identifier: Apache-2.0
#include "data/Csr.h"

#include <algorithm>
#include <limits>
#include <new>

#include "base/Cancellable.h"
#include "base/Error.h"
#include "data/BufferPool.h"

namespace daphne {

namespace {

BufferRef makeBuffer(ValueType type, size_t n) {
    if (SharedAllocations::areWanted())
        if (std::byte *block = allocateShared(n * cellSize(type)))
            return BufferRef(Buffer::adopt(type, block, n * cellSize(type)));
    return BufferRef(Buffer::create(type, n, Buffer::Init::None));
}

ValueType indexType(size_t cols) { return needsWideIndex(cols) ? ValueType::UI64 : ValueType::UI32; }

} // namespace

Ref<Csr> Csr::withCells(ValueType type, size_t rows, size_t cols, size_t capacity, BufferRef columns,
                        BufferRef values) {
    constexpr size_t kMost = std::numeric_limits<int64_t>::max();
    if ((cols != 0 && rows > kMost / cols) || rows >= kMost / 8)
        throwOutOfMemory(type, rows, cols);
    auto m = Ref<Csr>::make(type, rows, cols);
    try {
        m->offsetBuffer = BufferRef(Buffer::create(ValueType::UI64, rows + 1, Buffer::Init::Zero));
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(type, rows, cols);
    }
    m->columnBuffer = std::move(columns);
    m->valueBuffer = std::move(values);
    m->numSlots = capacity;
    return m;
}

Ref<Csr> Csr::create(ValueType type, size_t rows, size_t cols, size_t capacity, Values values) {
    constexpr size_t kMost = std::numeric_limits<int64_t>::max();
    if (capacity >= kMost / 8)
        throwOutOfMemory(type, rows, cols);
    try {
        BufferRef columns = makeBuffer(indexType(cols), capacity);
        BufferRef stored = values == Values::Stored ? makeBuffer(type, capacity) : BufferRef();
        return withCells(type, rows, cols, capacity, std::move(columns), std::move(stored));
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(type, rows, cols);
    }
}

Ref<Csr> Csr::over(ValueType type, size_t rows, size_t cols, BufferRef offsets, BufferRef columns, BufferRef values) {
    auto m = Ref<Csr>::make(type, rows, cols);
    m->offsetBuffer = std::move(offsets);
    m->columnBuffer = std::move(columns);
    m->valueBuffer = std::move(values);
    m->numSlots = m->offsets()[rows];
    return m;
}

Ref<Csr> Csr::sameShape(const Csr &m, ValueType type, size_t r0, size_t r1) {
    auto result = Ref<Csr>::make(type, r1 - r0, m.cols());
    result->offsetBuffer = m.offsetBuffer;
    result->columnBuffer = m.columnBuffer;
    result->firstRow = m.firstRow + r0;
    result->numSlots = m.numSlots;
    return result;
}

Ref<Csr> Csr::rowWindow(const Csr &m, size_t r0, size_t r1) {
    auto result = sameShape(m, m.type(), r0, r1);
    result->valueBuffer = m.valueBuffer;
    return result;
}

Ref<Csr> Csr::withStructureOf(const Csr &m, ValueType type, BufferRef values) {
    auto result = sameShape(m, type, 0, m.rows());
    result->valueBuffer = std::move(values);
    return result;
}

Ref<Csr> Csr::shown(const Csr &m, bool asCsr) {
    auto result = rowWindow(m, 0, m.rows());
    result->showsAsCsr = asCsr;
    return result;
}

void Csr::check() const {
    auto broken = [&](const std::string &what) { throw internalError("CSR matrix " + shapeText() + ": " + what); };
    const uint64_t *o = offsets();
    for (size_t r = 0; r < rows(); ++r)
        if (o[r] > o[r + 1])
            broken("offsets of row " + std::to_string(r) + " descend");
    if (o[rows()] > numSlots)
        broken("more cells than room");
    withIndexType(hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *c = columns<I>();
        for (size_t r = 0; r < rows(); ++r)
            for (uint64_t k = o[r]; k < o[r + 1]; ++k)
                if (c[k] >= cols() || (k > o[r] && c[k] <= c[k - 1]))
                    broken("columns of row " + std::to_string(r) + " do not ascend inside the matrix");
    });
    if (isPattern())
        return;
    withNumericType(type(), [&]<class T>(TypeTag<T>) {
        const T *v = values<T>();
        for (uint64_t k = o[0]; k < o[rows()]; ++k)
            if (v[k] == T(0))
                broken("a stored zero at position " + std::to_string(k));
    });
}

Ref<Dense> toDense(const Csr &m) {
    auto result = Dense::create(m.type(), m.rows(), m.cols(), Buffer::Init::Zero);
    withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            auto in = m.view<T, I>();
            auto out = result->mutableView<T>();
            for (size_t r : cancellableRows(in)) {
                T *row = out.row(r);
                for (uint64_t k = in.offsets[r]; k < in.offsets[r + 1]; ++k)
                    row[in.columns[k]] = in.value(k);
            }
        });
    });
    return result;
}

size_t countNonZeros(const Dense &m) {
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto view = m.view<T>();
        size_t n = 0;
        for (size_t r : cancellableRows(view)) {
            const T *row = view.row(r);
            for (size_t c = 0; c < view.cols; ++c)
                n += row[c] != T();
        }
        return n;
    });
}

Ref<Csr> toCsr(const Dense &m) {
    auto result = Csr::create(m.type(), m.rows(), m.cols(), countNonZeros(m));
    uint64_t *offsets = result->mutableOffsets();
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            auto in = m.view<T>();
            I *columns = result->mutableColumns<I>();
            T *values = result->mutableValues<T>();
            uint64_t k = 0;
            for (size_t r : cancellableRows(in)) {
                const T *row = in.row(r);
                for (size_t c = 0; c < in.cols; ++c)
                    if (row[c] != T(0)) {
                        columns[k] = static_cast<I>(c);
                        values[k++] = row[c];
                    }
                offsets[r + 1] = k;
            }
        });
    });
    return result;
}

Ref<Csr> withValues(const Csr &m) {
    if (!m.isPattern())
        return Ref<Csr>::share(const_cast<Csr *>(&m));
    BufferRef values = makeBuffer(m.type(), m.capacity());
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) { std::fill_n(values.as<T>(), m.capacity(), T(1)); });
    return Csr::withStructureOf(m, m.type(), std::move(values));
}

Ref<Csr> withoutZeros(Ref<Csr> m) {
    if (m->isPattern())
        return m;
    const uint64_t *offsets = m->offsets();
    size_t stored = m->nonZeros();
    size_t kept = withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
        const T *v = m->values<T>() + offsets[0];
        return stored - static_cast<size_t>(std::count(v, v + stored, T(0)));
    });
    if (kept == stored)
        return m;
    auto result = Csr::create(m->type(), m->rows(), m->cols(), kept);
    uint64_t *newOffsets = result->mutableOffsets();
    withIndexType(m->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
            auto in = m->view<T, I>();
            I *columns = result->mutableColumns<I>();
            T *values = result->mutableValues<T>();
            uint64_t at = 0;
            for (size_t r : cancellableRows(in)) {
                for (uint64_t k = in.offsets[r]; k < in.offsets[r + 1]; ++k)
                    if (in.values[k] != T(0)) {
                        columns[at] = in.columns[k];
                        values[at++] = in.values[k];
                    }
                newOffsets[r + 1] = at;
            }
        });
    });
    return result;
}

} // namespace daphne
