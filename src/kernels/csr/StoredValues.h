// SPDX-License-Identifier: Apache-2.0
/// Building blocks of kernels on Csr matrices.
#pragma once

#include <vector>

#include "base/Cancellable.h"
#include "data/Csr.h"
#include "kernels/KernelTable.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

/// The stored values of a matrix as cells of a computation type, without a copy where they already are that.
class StoredValues {
  public:
    StoredValues(const Csr &m, ValueType compute);
    /// Cells at positions [begin, begin + n); valid until the next call.
    const std::byte *at(uint64_t begin, size_t n);

  private:
    const std::byte *values = nullptr; ///< null: all ones
    size_t cellBytes, computeBytes;
    ValueType compute;
    ConvertFn convert = nullptr; ///< null: nothing to do
    std::vector<std::byte> stage;
    size_t numOnes = 0; ///< ones in the stage
};

/// Calls f with an unsigned type of the size of a cell: moving cells needs no more.
template <class F> decltype(auto) withCellSize(size_t cellBytes, F &&f) {
    switch (cellBytes) {
    case 1: return f(TypeTag<uint8_t>{});
    case 4: return f(TypeTag<uint32_t>{});
    default: return f(TypeTag<uint64_t>{});
    }
}

/// Rows [begin, end) at a time with about `target` stored cells in `count(r)` each, at least one row.
template <class Count, class F> void forEachRowBlock(size_t rows, size_t target, Count &&count, F &&f) {
    CancelCountdown look;
    for (size_t begin = 0; begin < rows;) {
        size_t end = begin, n = 0;
        do
            n += count(end++);
        while (end < rows && n < target);
        f(begin, end, n);
        look.after(n + (end - begin));
        begin = end;
    }
}
constexpr size_t kRowBlockCells = 2048;

/// Row of the stored cell at a position.
size_t rowOfPosition(const Csr &m, uint64_t position);
/// Column of the stored cell at a position.
size_t columnOfPosition(const Csr &m, uint64_t position);

/// The matrix as the result of a kernel: dense if so many of its cells are stored that Csr does not pay or takes more
/// memory, unless the plan wants Csr.
Value settled(const KernelCall &call, Ref<Csr> m);

/// Runs the first implementation of the called op, which takes no Csr: all Csr arguments are converted. For calls
/// whose result is dense or whose work is not worth more.
Value runDense(KernelCall &call);

} // namespace daphne
