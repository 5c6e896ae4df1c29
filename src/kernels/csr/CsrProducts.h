// SPDX-License-Identifier: Apache-2.0
/// Products with compressed sparse rows. They are computed in one of three
/// types: double, float, or uint64_t for all integers (sums of products modulo
/// 2^64, of which every integer type is a part).
#pragma once

#include "data/Csr.h"
#include "kernels/KernelTable.h"

namespace daphne {

/// Calls f with the type a product of value type g is computed in.
template <class F> decltype(auto) withProductType(ValueType g, F &&f) {
    if (g == ValueType::F64)
        return f(TypeTag<double>{});
    if (g == ValueType::F32)
        return f(TypeTag<float>{});
    return f(TypeTag<uint64_t>{});
}
/// The value type whose cells hold it.
constexpr ValueType computeType(ValueType g) { return isFloat(g) ? g : ValueType::SI64; }

/// op(s) @ d. Both have cells of the type g is computed in (s may be a pattern), d is contiguous. An absent cell times
/// NaN or an infinity is NaN, as for dense operands.
Ref<Dense> sparseTimesDense(RunContext &context, ValueType g, const Csr &s, bool transposeS, const Dense &d);
/// Rows [begin, end) of s @ d for finite d with `width` > 1 columns and no gaps, as sparseTimesDense computes them.
/// T: double, float.
template <class T, class I>
void multiplySparseRows(const CsrView<T, I> &s, const T *d, size_t width, size_t begin, size_t end, T *c);
/// What a stored cell takes in a product with so many columns, on one thread.
constexpr double sparseProductNs(size_t width) { return 1.5 * static_cast<double>(width); }
/// d @ op(s), under the same conditions.
Ref<Dense> denseTimesSparse(RunContext &context, ValueType g, const Dense &d, const Csr &s, bool transposeS);
/// op(a) @ op(b): a Csr without stored zeros, or a Dense if that is the better form and no Csr is wanted.
/// A matrix times its own transpose is exactly symmetric.
Ref<Matrix> sparseTimesSparse(const KernelCall &call, ValueType g, const Csr &a, bool transposeA, const Csr &b,
                              bool transposeB);

/// Whether a cell is NaN or infinite; always false for integers.
bool hasNonFinite(const Dense &m);
bool hasNonFinite(const Csr &m);

} // namespace daphne
