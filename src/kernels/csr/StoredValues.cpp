// SPDX-License-Identifier: Apache-2.0
#include "kernels/csr/StoredValues.h"

#include <algorithm>
#include <new>

namespace daphne {

namespace {

void fillOnes(ValueType type, void *cells, size_t n) {
    withNumericType(type, [&]<class T>(TypeTag<T>) { std::fill_n(static_cast<T *>(cells), n, T(1)); });
}

} // namespace

StoredValues::StoredValues(const Csr &m, ValueType compute)
    : values(m.values<std::byte>()), cellBytes(cellSize(m.type())), computeBytes(cellSize(compute)), compute(compute) {
    if (values && !sameCells(m.type(), compute))
        convert = converter(m.type(), compute);
}

const std::byte *StoredValues::at(uint64_t begin, size_t n) {
    if (values && !convert)
        return values + begin * cellBytes;
    if (stage.size() < n * computeBytes)
        stage.resize(n * computeBytes);
    if (values) {
        convert(values + begin * cellBytes, stage.data(), n);
    } else if (numOnes < n) {
        fillOnes(compute, stage.data(), n);
        numOnes = n;
    }
    return stage.data();
}

size_t rowOfPosition(const Csr &m, uint64_t position) {
    const uint64_t *first = m.offsets();
    return static_cast<size_t>(std::upper_bound(first, first + m.rows() + 1, position) - first) - 1;
}

size_t columnOfPosition(const Csr &m, uint64_t position) {
    return withIndexType(m.hasWideIndex(),
                         [&]<class I>(TypeTag<I>) { return static_cast<size_t>(m.columns<I>()[position]); });
}

Ref<Csr> convertCsr(const Csr &m, ValueType type) {
    if (sameCells(m.type(), type) && m.type() == type)
        return Ref<Csr>::share(const_cast<Csr *>(&m));
    if (m.isPattern())
        return Csr::withStructureOf(m, type, {});
    BufferRef values;
    try {
        values = BufferRef(Buffer::create(type, m.capacity(), Buffer::Init::None));
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(type, m.rows(), m.cols());
    }
    uint64_t first = m.offsets()[0];
    converter(m.type(), type)(m.values<std::byte>() + first * cellSize(m.type()),
                              values.as<std::byte>() + first * cellSize(type), m.nonZeros());
    // Fractions may have become zero.
    return withoutZeros(Csr::withStructureOf(m, type, std::move(values)));
}

Value settled(const KernelCall &call, Ref<Csr> m) {
    bool crowded = static_cast<double>(m->nonZeros()) >=
                   call.context.representation.threshold * static_cast<double>(m->cells());
    if (crowded && !(call.wantsCsr & 1))
        return toDense(*m);
    return m;
}

} // namespace daphne
