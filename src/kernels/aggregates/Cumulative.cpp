// SPDX-License-Identifier: Apache-2.0
/// Cumulative operations down each column: result(0, c) = arg(0, c),
/// result(r, c) = result(r - 1, c) op arg(r, c).
#include <algorithm>

#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"

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

/// The running value of a single column stays in a register.
template <class Op, class T> void accumulateRun(const T *x, T *out, size_t n) {
    T running = out[0] = x[0];
    for (size_t i = 1; i < n; ++i)
        out[i] = running = Op::apply(running, x[i]);
}

template <class Op, class T> void accumulateDown(const Dense &m, Dense &result) {
    CellReader<T> reader(m);
    auto out = result.mutableView<T>();
    if (out.rows == 0)
        return;
    if (const T *x = reader.allInPlace(); x && out.cols == 1 && out.contiguous())
        return accumulateRun<Op>(x, out.data, out.rows);
    std::copy_n(reader.wholeRow(0), out.cols, out.row(0));
    vectorised([&, n = out.cols] {
        for (size_t r = 1; r < out.rows; ++r) {
            const T *x = reader.wholeRow(r), *above = out.row(r - 1);
            T *here = out.row(r);
#pragma GCC ivdep
            for (size_t c = 0; c < n; ++c)
                here[c] = Op::apply(above[c], x[c]);
        }
    });
}

enum class Truth { Kept, Counted }; ///< what becomes of bool cells

template <class Op, Truth Bools> Value cumulative(KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    bool counts = Bools == Truth::Counted && m.type() == ValueType::Bool;
    auto result = call.reuseOrCreate(0, counts ? ValueType::SI64 : m.type(), m.rows(), m.cols());
    withNumericType(result->type(), [&]<class T>(TypeTag<T>) {
        if constexpr (!(Bools == Truth::Counted && std::is_same_v<T, bool>))
            accumulateDown<Op, T>(m, *result);
    });
    return result;
}

} // namespace

void addCumulative(KernelTable &t) {
    t.add<&cumulative<Sum, Truth::Counted>>("sumCum");
    t.add<&cumulative<Product, Truth::Counted>>("prodCum");
    t.add<&cumulative<Min, Truth::Kept>>("minCum");
    t.add<&cumulative<Max, Truth::Kept>>("maxCum");
}

} // namespace daphne
