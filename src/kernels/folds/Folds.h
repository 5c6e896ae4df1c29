// SPDX-License-Identifier: Apache-2.0
/// How aggregates fold cells into one: a functor per fold with
///
///     identity<T>()    the result of no cells
///     add(acc, x)      one more cell; integers wrap
///     block(x, n)      adjacent cells, at most a block of them (CellReader::kBlock)
///     merge(x, n)      the results of blocks, in order
///
/// Rows of the registry name a fold (FoldFacts::combine); kernels, the loop
/// interpreter, what puts blocks together and compiled loops read it here.
/// Results depend on nothing but the cells and their number.
#pragma once

#include <optional>

#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "ops/Registry.h"

namespace daphne {

struct SumFold {
    static constexpr std::string_view kName = "sum";
    template <class T> static constexpr T identity() { return T(0); }
    template <class T> static T add(T acc, T x) { return wrappingSum(acc, x); }
    template <class T> static T block(const T *x, size_t n) {
        return sumBlock(x, n, [](T y) { return y; });
    }
    template <class T> static T merge(const T *blocks, size_t n) {
        PairwiseSum<T> sum;
        for (size_t b = 0; b < n; ++b)
            sum.add(blocks[b]);
        return sum.total();
    }
};

/// The best cell; NaN is never better than another.
template <class Order> struct ExtremeFold {
    template <class T> static constexpr T identity() { return Order::template worst<T>(); }
    template <class T> static T add(T acc, T x) { return Order::better(x, acc) ? x : acc; }
    template <class T> static T block(const T *x, size_t n) { return extremeOf<Order>(x, n, identity<T>()); }
    template <class T> static T merge(const T *blocks, size_t n) {
        T best = identity<T>();
        for (size_t b = 0; b < n; ++b)
            best = add(best, blocks[b]);
        return withoutSignOfZero(best);
    }
};
struct MinFold : ExtremeFold<Smaller> {
    static constexpr std::string_view kName = "min";
};
struct MaxFold : ExtremeFold<Larger> {
    static constexpr std::string_view kName = "max";
};

/// Folds by what a compiled loop does to combine two numbers.
enum class Reduce : uint8_t { Sum, Min, Max, DotSparse };

/// f(functor); sums of sparse products are sums.
template <class F> decltype(auto) withFold(Reduce how, F &&f) {
    if (how == Reduce::Min)
        return f(MinFold{});
    if (how == Reduce::Max)
        return f(MaxFold{});
    return f(SumFold{});
}

/// out = the fold of a block. There are no sums of truth values.
template <class T> void foldBlock(Reduce how, const T *x, size_t n, T *out) {
    withFold(how, [&]<class F>(F) {
        if constexpr (!std::is_same_v<F, SumFold> || !std::is_same_v<T, bool>)
            *out = F::block(x, n);
    });
}

/// The fold of an aggregate; none if only its kernel knows what it does.
inline std::optional<Reduce> foldOf(const ops::OpInfo &op) {
    for (Reduce how : {Reduce::Sum, Reduce::Min, Reduce::Max})
        if (withFold(how, [&](auto fold) { return decltype(fold)::kName == op.fold.combine; }))
            return how;
    return std::nullopt;
}

/// The type that cells of type t are converted to before they are folded.
inline ValueType preparedType(const ops::OpInfo &op, ValueType t) {
    using Prepare = ops::FoldFacts::Prepare;
    switch (op.fold.prepare) {
    case Prepare::Count: return t == ValueType::Bool ? ValueType::SI64 : t;
    case Prepare::Float: return t == ValueType::F32 ? t : ValueType::F64;
    case Prepare::Truth: return ValueType::Bool;
    case Prepare::Nothing: break;
    }
    return t;
}

} // namespace daphne
