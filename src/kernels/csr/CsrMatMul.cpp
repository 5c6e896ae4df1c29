// SPDX-License-Identifier: Apache-2.0
/// matMul, syrk and gemv with a Csr among the operands: brings them to the type
/// of the computation and chooses the product.
#include "data/CopyCells.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/csr/CsrProducts.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/products/MatMul.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

/// Integers of 64 bits need no conversion: products modulo 2^64 do not depend on the sign.
bool isComputable(ValueType from, ValueType g) {
    return from == computeType(g) || (isIntegerLike(g) && cellSize(from) == 8);
}

/// The operand with cells of the type g is computed in, transposed if asked for, contiguous.
Ref<Dense> prepared(RunContext &context, const Dense &d, ValueType g, bool transposeD) {
    auto m = isComputable(d.type(), g) ? Ref<Dense>::share(const_cast<Dense *>(&d)) : converted(d, computeType(g));
    if (transposeD)
        m = transposed(context, *m);
    return m->contiguous() ? m : m->copy();
}

Ref<Csr> prepared(const Csr &s, ValueType g) {
    if (s.type() == ValueType::Bool) // all stored cells are true
        return Csr::withStructureOf(s, computeType(g), BufferRef());
    return isComputable(s.type(), g) ? Ref<Csr>::share(const_cast<Csr *>(&s)) : converted(s, computeType(g));
}

/// From the type of the computation to that of the result.
Value finished(Ref<Dense> m, ValueType g) {
    if (cellSize(m->type()) == cellSize(g)) {
        m->retag(g);
        return m;
    }
    return converted(*m, g);
}
Value finished(Ref<Csr> m, ValueType g) {
    if (cellSize(m->type()) == cellSize(g)) {
        m->retag(g);
        return m;
    }
    return converted(*m, g);
}

Value product(KernelCall &call, const Matrix &lhs, const Matrix &rhs, TransposeFlags transpose) {
    ValueType g = productType(lhs, rhs, transpose);
    if (!lhs.isCsr()) {
        auto d = prepared(call.context, static_cast<const Dense &>(lhs), g, transpose.lhs);
        return finished(
            denseTimesSparse(call.context, g, *d, *prepared(static_cast<const Csr &>(rhs), g), transpose.rhs), g);
    }
    auto left = prepared(static_cast<const Csr &>(lhs), g);
    if (!rhs.isCsr()) {
        auto d = prepared(call.context, static_cast<const Dense &>(rhs), g, transpose.rhs);
        return finished(sparseTimesDense(call.context, g, *left, transpose.lhs, *d), g);
    }
    auto right = &lhs == &rhs ? left : prepared(static_cast<const Csr &>(rhs), g);
    Ref<Matrix> result = sparseTimesSparse(call, g, *left, transpose.lhs, *right, transpose.rhs);
    if (result->isCsr())
        return finished(Ref<Csr>::share(static_cast<Csr *>(result.get())), g);
    return finished(Ref<Dense>::share(static_cast<Dense *>(result.get())), g);
}

Value matMul(KernelCall &call, const Matrix &lhs, const Matrix &rhs, bool transposeLhs, bool transposeRhs) {
    needNumericMatrices(call, 2);
    return product(call, lhs, rhs, {transposeLhs, transposeRhs});
}

Value syrk(KernelCall &call, const Csr &x) { return product(call, x, x, {true, false}); }

Value gemv(KernelCall &call, const Matrix &a, const Matrix &x) {
    needNumericMatrices(call, 2);
    needOneColumn(x);
    return product(call, a, x, {true, false});
}

} // namespace

void addCsrMatMul(KernelTable &t) {
    t.addSparse<&matMul>("matMul");
    t.addSparse<&syrk>("syrk");
    t.addSparse<&gemv>("gemv");
}

} // namespace daphne
