// SPDX-License-Identifier: Apache-2.0
/// Shape and sparsity of a value.
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

struct Size {
    size_t rows, cols;
};

Size sizeOf(const KernelCall &call, const Value &x) {
    if (x.isMatrix())
        return {x.matrix().rows(), x.matrix().cols()};
    if (x.isFrame())
        return {x.frame().rows(), x.frame().cols()};
    wrongArgument(call, 0, "a matrix or frame");
}

Value numRows(KernelCall &call, const Value &x) { return Value::size(sizeOf(call, x).rows); }
Value numCols(KernelCall &call, const Value &x) { return Value::size(sizeOf(call, x).cols); }
Value numCells(KernelCall &call, const Value &x) {
    Size s = sizeOf(call, x);
    return Value::size(s.rows * s.cols);
}

/// Fraction of cells that are not 0 (not "" for strings); 0 for a matrix without cells.
Value sparsity(KernelCall &, const Dense &m) {
    if (m.cells() == 0)
        return Value::scalar(0.0);
    size_t count = withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto view = m.view<T>();
        size_t n = 0;
        for (size_t r = 0; r < view.rows; ++r)
            for (size_t c = 0; c < view.cols; ++c)
                n += view(r, c) != T();
        return n;
    });
    return Value::scalar(static_cast<double>(count) / static_cast<double>(m.cells()));
}

} // namespace

void addMeta(KernelTable &t) {
    t.add<&numRows>("numRows");
    t.add<&numCols>("numCols");
    t.add<&numCells>("numCells");
    t.add<&sparsity>("sparsity");
}

} // namespace daphne
