// SPDX-License-Identifier: Apache-2.0
/// Cumulative operations down each column: result(0, c) = arg(0, c),
/// result(r, c) = result(r - 1, c) op arg(r, c).
#include <memory>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

struct Sum {
    template <class T> static T apply(T a, T b) { return wrappingSum(a, b); }
};
struct Product {
    template <class T> static T apply(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
        else
            return a * b;
    }
};
struct Min {
    template <class T> static T apply(T a, T b) { return Smaller::better(b, a) ? b : a; }
};
struct Max {
    template <class T> static T apply(T a, T b) { return Larger::better(b, a) ? b : a; }
};

/// In: type of the cells; T: what is carried from row to row; R: type of the result.
template <class Op, class In, class T, class R> void accumulateDown(DenseView<const In> in, DenseView<R> out) {
    if (in.cols == 1) { // it stays in a register
        T running = in.rows ? static_cast<T>(in(0, 0)) : T();
        for (size_t r : cancellable(in.rows)) {
            if (r > 0)
                running = Op::apply(running, static_cast<T>(in(r, 0)));
            out(r, 0) = static_cast<R>(running);
        }
        return;
    }
    auto carried = std::make_unique_for_overwrite<T[]>(in.cols);
    vectorised([=, n = in.cols, running = carried.get()] {
        for (size_t r : cancellableRows(in)) {
            const In *x = in.row(r);
            R *here = out.row(r);
            // Cells of the result may be stored where those of the argument are.
#pragma GCC ivdep
            for (size_t c = 0; c < n; ++c) {
                auto cell = static_cast<T>(x[c]);
                running[c] = r == 0 ? cell : Op::apply(running[c], cell);
                here[c] = static_cast<R>(running[c]);
            }
        }
    });
}

template <class Op> Value cumulative(KernelCall &call, const Dense &m) {
    constexpr bool kSums = std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>;
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    auto result = call.reuseOrCreate(0, kSums ? ops::sumType(m.type()) : m.type(), m.rows(), m.cols());
    withNumericType(m.type(), [&]<class In>(TypeTag<In>) {
        using T = std::conditional_t<kSums, SumPrecision<In>, In>;
        using R = std::conditional_t<kSums, SumResult<In>, In>;
        accumulateDown<Op, In, T, R>(m.view<In>(), result->template mutableView<R>());
    });
    return result;
}

} // namespace

void addCumulative(KernelTable &t) {
    t.add<&cumulative<Sum>>("sumCum");
    t.add<&cumulative<Product>>("prodCum");
    t.add<&cumulative<Min>>("minCum");
    t.add<&cumulative<Max>>("maxCum");
}

} // namespace daphne
