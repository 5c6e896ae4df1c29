// SPDX-License-Identifier: Apache-2.0
#include "kernels/csr/StoredValues.h"

#include <algorithm>

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

Value settled(const KernelCall &call, Ref<Csr> m) {
    if (call.wantsCsr & 1)
        return m;
    double cells = static_cast<double>(m->cells()), stored = static_cast<double>(m->nonZeros());
    double cellBytes = static_cast<double>(cellSize(m->type())), indexBytes = m->hasWideIndex() ? 8 : 4;
    double csrBytes = static_cast<double>(m->rows() + 1) * 8 + stored * (indexBytes + (m->isPattern() ? 0 : cellBytes));
    if (stored >= call.context.representation.threshold * cells || csrBytes >= cells * cellBytes)
        return toDense(*m);
    return m;
}

} // namespace daphne
