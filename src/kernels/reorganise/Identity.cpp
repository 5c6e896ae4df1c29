// SPDX-License-Identifier: Apache-2.0
/// Matrices of zeros, of ones, and with ones on the diagonal.
#include <algorithm>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/csr/StoredValues.h"

namespace daphne {

namespace {

Value zeros(KernelCall &, size_t rows, size_t cols) {
    return Dense::create(ValueType::F64, rows, cols, Buffer::Init::Zero);
}

Value ones(KernelCall &, size_t rows, size_t cols) {
    auto result = Dense::create(ValueType::F64, rows, cols);
    double *out = result->mutableView<double>().data;
    for (auto [begin, end] : cancellablePieces(result->cells()))
        std::fill(out + begin, out + end, 1.0);
    return result;
}

/// eye(numRows[, numCols])
Value eye(KernelCall &call, size_t rows, std::span<const Value> rest) {
    size_t cols = rest.empty() ? rows : detail::FromValue<size_t>::get(call, 1), n = std::min(rows, cols);
    bool preferred = call.context.representation.prefersCsr(ValueType::F64, rows, cols, static_cast<double>(n));
    if ((call.wantsCsr & 1) || preferred) {
        auto result = Csr::create(ValueType::F64, rows, cols, n);
        withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
            for (size_t i = 0; i < n; ++i)
                result->mutableColumns<I>()[i] = static_cast<I>(i);
        });
        std::fill_n(result->mutableValues<double>(), n, 1.0);
        for (size_t r = 0; r < rows; ++r)
            result->mutableOffsets()[r + 1] = std::min(r + 1, n);
        return settled(call, result);
    }
    auto result = Dense::create(ValueType::F64, rows, cols, Buffer::Init::Zero);
    for (size_t i = 0; i < n; ++i)
        result->mutableView<double>()(i, i) = 1;
    return result;
}

} // namespace

void addIdentity(KernelTable &t) {
    t.add<&zeros>("zeros");
    t.add<&ones>("ones");
    t.add<&eye>("eye");
}

} // namespace daphne
