// SPDX-License-Identifier: Apache-2.0
/// Products of all cells, of rows and of columns. Integers are multiplied in 64 bits and wrap; f32 is
/// multiplied as f64 and rounded once.
#include <algorithm>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Reduction.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

enum class Over { All, Row, Col };

template <class T> T times(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
        return a * b;
}

template <class T> T productOf(const T *x, size_t n, T product) {
    for (size_t i = 0; i < n; ++i)
        product = times(product, x[i]);
    return product;
}

template <Over O, class T> Value productAs(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    if constexpr (O == Over::All) {
        T product = 1;
        reader.all([&](const T *x, size_t n) { product = productOf(x, n, product); });
        return convertScalar(Value::scalar(product), type);
    }
    size_t rows = O == Over::Row ? m.rows() : 1, cols = O == Over::Row ? 1 : m.cols();
    auto result = Dense::create(valueTypeOf<T>(), rows, cols);
    T *out = result->template mutableView<T>().data;
    std::fill_n(out, result->cells(), T(1));
    for (size_t r : cancellableRows(m)) {
        if (O == Over::Row) {
            reader.row(r, [&](const T *x, size_t n) { out[r] = productOf(x, n, out[r]); });
            continue;
        }
        const T *x = reader.wholeRow(r);
        for (size_t c = 0; c < m.cols(); ++c)
            out[c] = times(out[c], x[c]);
    }
    return convertMatrix(*result, type);
}

template <Over O> Value product(KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (isFloat(m.type()))
        return productAs<O, double>(m, m.type());
    return productAs<O, int64_t>(m, ops::sumType(m.type()));
}

} // namespace

void addProduct(KernelTable &t) {
    t.add<&product<Over::All>>("prodAll");
    t.add<&product<Over::Row>>("prodRow");
    t.add<&product<Over::Col>>("prodCol");
}

} // namespace daphne
