// SPDX-License-Identifier: Apache-2.0
/// How aggregates fold cells into one: a functor per fold with
///
///     kName            as in rows of the registry (FoldFacts::combine: "sum", or "sum of ewNanToZero" for the sum of a
///                      function of the cells)
///     kCells           the function of cells that combines two results
///     kRounds          results of floating-point cells depend on their order
///     kTakesTruth      truth values are folded as they are; else rows must convert them before
///     kSkipsZeros      zeros change nothing: cells that a sparse row does not store need not be looked at
///     kSignOfZero      a result may be -0
///     kOrders          the result of numbers is one of them, or the result of no cells, which is a number
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

#include "base/Cancellable.h"
#include "base/Error.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/cells/CellTable.h"
#include "kernels/folds/Reduce.h"
#include "ops/OpName.h"
#include "ops/Registry.h"
#include "ops/SumTypes.h"

namespace daphne {

/// Folds of numbers that are rounded: lanes, blocks and pairs of blocks as in Reduction.h.
template <class Combine> struct RoundedFold : Combine {
    static constexpr bool kRounds = true, kTakesTruth = false, kSignOfZero = true, kOrders = false;
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
    static constexpr bool kOrders = true;
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

/// The best number; NaN only if there is none.
template <class Order> struct ExtremeNumberFold : ExtremeFold<Order> {
    static constexpr bool kOrders = false;
    template <class T> static constexpr T identity() {
        return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN()
                                                     : ExtremeFold<Order>::template identity<T>();
    }
    template <class T> static T add(T acc, T x) {
        bool better = isNan(acc) || (!isNan(x) && Order::better(x, acc));
        return better ? x : acc;
    }
    template <class T> static T block(const T *x, size_t n) {
        constexpr size_t kLanes = 8;
        return vectorised([=] {
            T lane[kLanes];
            std::fill_n(lane, kLanes, identity<T>());
            size_t whole = n / kLanes * kLanes;
            for (size_t i = 0; i < whole; i += kLanes)
                for (size_t l = 0; l < kLanes; ++l)
                    lane[l] = add(lane[l], x[i + l]);
            for (size_t i = whole; i < n; ++i)
                lane[0] = add(lane[0], x[i]);
            return merge(lane, kLanes);
        });
    }
    template <class T> static T merge(const T *blocks, size_t n) {
        T best = identity<T>();
        for (size_t b = 0; b < n; ++b)
            best = add(best, blocks[b]);
        return ExtremeFold<Order>::finish(best);
    }
};
struct MinNumberFold : ExtremeNumberFold<Smaller> {
    static constexpr std::string_view kName = "minNumber";
    static constexpr ops::OpName kCells = "ewFmin";
};
struct MaxNumberFold : ExtremeNumberFold<Larger> {
    static constexpr std::string_view kName = "maxNumber";
    static constexpr ops::OpName kCells = "ewFmax";
};

/// In the order of Reduce; sums of sparse products are sums.
using Folds = std::tuple<SumFold, SumFold, MinFold, MaxFold, MinNumberFold, MaxNumberFold>;
static_assert(std::tuple_size_v<Folds> == static_cast<size_t>(kLastReduce) + 1);

/// f(functor)
template <size_t I = 0, class F> decltype(auto) withFold(Reduce how, F &&f) {
    if constexpr (I + 1 < std::tuple_size_v<Folds>)
        if (how != static_cast<Reduce>(I))
            return withFold<I + 1>(how, std::forward<F>(f));
    return f(std::tuple_element_t<I, Folds>{});
}

/// What is known of a fold without a type.
struct FoldProperties {
    std::string_view name;
    ops::OpName cells;
    bool rounds, takesTruth, skipsZeros, signOfZero, orders;
};
inline FoldProperties propertiesOf(Reduce how) {
    return withFold(how, []<class F>(F) {
        return FoldProperties{F::kName,       F::kCells,      F::kRounds, F::kTakesTruth,
                              F::kSkipsZeros, F::kSignOfZero, F::kOrders};
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
    CancelCountdown look;
    for (size_t done = 0; done < n; done += kBlock) {
        look.after(kBlock);
        blocks[count++] = F::block(x + done, std::min(kBlock, n - done));
    }
    return F::merge(blocks.get(), count);
}

/// The fold of an aggregate; none if only its kernel knows what it does.
inline std::optional<Reduce> foldOf(const ops::OpInfo &op) {
    if (op.fold.combine.empty())
        return std::nullopt;
    for (auto how = Reduce::Sum; how <= kLastReduce; how = static_cast<Reduce>(static_cast<int>(how) + 1))
        if (propertiesOf(how).name == op.fold.combine.substr(0, op.fold.combine.find(' ')))
            return how;
    throw internalError("no fold " + std::string(op.fold.combine));
}

/// The function that an aggregate applies to cells before they are prepared for its fold; null for most.
inline const CellFunction *appliedFirst(const ops::OpInfo &op) {
    constexpr std::string_view kOf = " of ";
    size_t at = op.fold.combine.find(kOf);
    if (at == op.fold.combine.npos)
        return nullptr;
    const CellFunction *f = CellTable::get().find(op.fold.combine.substr(at + kOf.size()));
    if (!f || !f->unary)
        throw internalError("no function of a cell: " + std::string(op.fold.combine));
    return f;
}

/// The type that cells of type t are converted to before they are folded.
inline ValueType preparedType(const ops::OpInfo &op, ValueType t) {
    using Prepare = ops::FoldFacts::Prepare;
    switch (op.fold.prepare) {
    case Prepare::Count: return ops::sumPrecision(t);
    case Prepare::Float: return ValueType::F64;
    case Prepare::Truth: return ValueType::Bool;
    case Prepare::Nothing: break;
    }
    return t;
}

} // namespace daphne
