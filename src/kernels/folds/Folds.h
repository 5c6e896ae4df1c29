// SPDX-License-Identifier: Apache-2.0
/// How aggregates fold cells into one: a functor per fold with
///
///     kName            as in rows of the registry (FoldFacts::combine)
///     kCells           the function of cells that combines two results
///     kRounds          results of floating-point cells depend on their order
///     kTakesTruth      truth values are folded as they are; else rows must convert them before
///     kSkipsZeros      zeros change nothing: cells that a sparse row does not store need not be looked at
///     kSignOfZero      a result may be -0
///     identity<T>()    the result of no cells
///     add(acc, x)      one more cell; integers wrap
///     block(x, n)      adjacent cells, at most a block of them (CellReader::kBlock)
///     merge(x, n)      the results of blocks, in order
///     finish(x)        of a result that was put together by add() alone
///
/// A fold is this functor, its name in Reduce and in Folds. Kernels, the loop interpreter, what puts blocks together,
/// compiled loops, the parser of loop programs and the messages between machines read it here.
/// Results depend on nothing but the cells and their number.
#pragma once

#include <memory>
#include <optional>
#include <tuple>

#include "base/Error.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/folds/Reduce.h"
#include "ops/OpName.h"
#include "ops/Registry.h"

namespace daphne {

/// Folds of numbers that are rounded: lanes, blocks and pairs of blocks as in Reduction.h.
template <class Combine> struct RoundedFold : Combine {
    static constexpr bool kRounds = true, kTakesTruth = false, kSignOfZero = true;
    template <class T> static T block(const T *x, size_t n) { return foldBlockOf<Combine>(x, n); }
    template <class T> static T merge(const T *blocks, size_t n) {
        PairwiseFold<Combine, T> all;
        for (size_t b = 0; b < n; ++b)
            all.add(blocks[b]);
        return all.total();
    }
    template <class T> static T finish(T x) { return x; }
};
struct SumFold : RoundedFold<Plus> {
    static constexpr std::string_view kName = "sum";
    static constexpr ops::OpName kCells = "ewAdd";
    static constexpr bool kSkipsZeros = true;
};

/// The best cell; NaN is better than every number.
template <class Order> struct ExtremeFold {
    static constexpr bool kRounds = false, kTakesTruth = true, kSkipsZeros = false, kSignOfZero = false;
    template <class T> static constexpr T identity() { return Order::template worst<T>(); }
    template <class T> static T add(T acc, T x) { return Order::better(x, acc) ? x : acc; }
    template <class T> static T block(const T *x, size_t n) { return extremeOf<Order>(x, n, identity<T>()); }
    template <class T> static T merge(const T *blocks, size_t n) {
        T best = identity<T>();
        for (size_t b = 0; b < n; ++b)
            best = add(best, blocks[b]);
        return finish(best);
    }
    template <class T> static T finish(T x) { return canonical(x); }
};
struct MinFold : ExtremeFold<Smaller> {
    static constexpr std::string_view kName = "min";
    static constexpr ops::OpName kCells = "ewMin";
};
struct MaxFold : ExtremeFold<Larger> {
    static constexpr std::string_view kName = "max";
    static constexpr ops::OpName kCells = "ewMax";
};

/// In the order of Reduce.
using Folds = std::tuple<SumFold, MinFold, MaxFold>;
static_assert(std::tuple_size_v<Folds> == static_cast<size_t>(Reduce::DotSparse));

/// f(functor); sums of sparse products are sums.
template <size_t I = 0, class F> decltype(auto) withFold(Reduce how, F &&f) {
    if constexpr (I + 1 < std::tuple_size_v<Folds>)
        if (how != static_cast<Reduce>(I) && how != Reduce::DotSparse)
            return withFold<I + 1>(how, std::forward<F>(f));
    return f(std::tuple_element_t<I, Folds>{});
}

/// What is known of a fold without a type.
struct FoldProperties {
    std::string_view name;
    ops::OpName cells;
    bool rounds, takesTruth, skipsZeros, signOfZero;
};
inline FoldProperties propertiesOf(Reduce how) {
    return withFold(how, []<class F>(F) {
        return FoldProperties{F::kName, F::kCells, F::kRounds, F::kTakesTruth, F::kSkipsZeros, F::kSignOfZero};
    });
}

/// f(functor, type tag) for cells of a type that the fold takes.
template <class F> decltype(auto) withFoldAndType(Reduce how, ValueType type, F &&f) {
    return withNumericType(type, [&]<class T>(TypeTag<T> tag) -> decltype(auto) {
        return withFold(how, [&]<class Fold>(Fold fold) -> decltype(f(SumFold{}, TypeTag<double>{})) {
            if constexpr (std::is_same_v<T, bool> && !Fold::kTakesTruth)
                throw internalError("a fold of truth values that it does not take");
            else
                return f(fold, tag);
        });
    });
}

/// out = the fold of a block of cells of a type that the fold takes.
inline void foldBlock(Reduce how, ValueType type, const void *x, size_t n, void *out) {
    withFoldAndType(how, type, [&]<class F, class T>(F, TypeTag<T>) {
        *static_cast<T *>(out) = F::block(static_cast<const T *>(x), n);
    });
}

/// The fold of adjacent cells, block by block.
template <class F, class T> T foldRun(const T *x, size_t n) {
    constexpr size_t kBlock = CellReader<T>::kBlock;
    if (n <= kBlock) {
        T only = F::block(x, n);
        return F::merge(&only, n > 0 ? 1 : 0);
    }
    auto blocks = std::make_unique_for_overwrite<T[]>(n / kBlock + 1);
    size_t count = 0;
    for (size_t done = 0; done < n; done += kBlock)
        blocks[count++] = F::block(x + done, std::min(kBlock, n - done));
    return F::merge(blocks.get(), count);
}

/// The fold of an aggregate; none if only its kernel knows what it does.
inline std::optional<Reduce> foldOf(const ops::OpInfo &op) {
    for (size_t i = 0; i < std::tuple_size_v<Folds>; ++i)
        if (propertiesOf(static_cast<Reduce>(i)).name == op.fold.combine)
            return static_cast<Reduce>(i);
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
