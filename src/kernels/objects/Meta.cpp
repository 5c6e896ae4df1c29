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

Value numRows(KernelCall &call, AnyValue x) { return Value::size(sizeOf(call, x.value).rows); }
Value numCols(KernelCall &call, AnyValue x) { return Value::size(sizeOf(call, x.value).cols); }
Value numCells(KernelCall &call, AnyValue x) {
    Size s = sizeOf(call, x.value);
    return Value::size(s.rows * s.cols);
}

/// decides(x, truth): x is a number with this truth value.
Value decides(KernelCall &, AnyValue x, bool truth) {
    return Value::scalar(x.value.isScalar() && !x.value.isString() && x.value.as<bool>() == truth);
}

/// Fraction of cells that are not 0 (not "" for strings); 0 for a matrix without cells.
Value sparsity(KernelCall &, const Matrix &m) {
    if (m.cells() == 0)
        return Value::scalar(0.0);
    size_t count = m.isCsr() ? static_cast<const Csr &>(m).nonZeros() : countNonZeros(static_cast<const Dense &>(m));
    return Value::scalar(static_cast<double>(count) / static_cast<double>(m.cells()));
}

} // namespace

void addMeta(KernelTable &t) {
    t.add<&numRows>("numRows");
    t.add<&numCols>("numCols");
    t.add<&numCells>("numCells");
    t.add<&sparsity>("sparsity");
    t.add<&decides>("decides");
}

} // namespace daphne
