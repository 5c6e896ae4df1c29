// SPDX-License-Identifier: Apache-2.0
/// kron: for an m x n lhs and a p x q rhs the mp x nq matrix whose block (i, j)
/// is lhs(i, j) * rhs, in the most general type of both. Integers wrap.
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

template <class T> T times(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
        return a * b;
}

template <class T> void fillBlocks(DenseView<const T> a, DenseView<const T> b, DenseView<T> out) {
    CancelCountdown look;
    for (size_t i = 0; i < a.rows; ++i)
        for (size_t k = 0; k < b.rows; ++k) {
            look.after(out.cols);
            T *to = out.row(i * b.rows + k);
            const T *row = b.row(k);
            for (size_t j = 0; j < a.cols; ++j, to += b.cols)
                for (size_t l = 0; l < b.cols; ++l)
                    to[l] = times(a(i, j), row[l]);
        }
}

Value kron(KernelCall &call, const Dense &lhs, const Dense &rhs) {
    for (size_t i : {0, 1})
        if (call.args[i].valueType() == ValueType::Str)
            wrongArgument(call, i, "a numeric matrix");
    ValueType type = mostGeneral(lhs.type(), rhs.type());
    if (type == ValueType::Bool)
        type = ValueType::SI64;
    size_t rows, cols;
    if (__builtin_mul_overflow(lhs.rows(), rhs.rows(), &rows) || __builtin_mul_overflow(lhs.cols(), rhs.cols(), &cols))
        throw executionError("the product of a " + lhs.shapeText() + " and a " + rhs.shapeText() +
                             " matrix is too large");
    auto result = Dense::create(type, rows, cols);
    Ref<Dense> a = convertMatrix(lhs, type), b = convertMatrix(rhs, type);
    withNumericType(type,
                    [&]<class T>(TypeTag<T>) { fillBlocks<T>(a->view<T>(), b->view<T>(), result->mutableView<T>()); });
    return result;
}

} // namespace

void addKronecker(KernelTable &t) { t.add<&kron>("kron"); }

} // namespace daphne
