// SPDX-License-Identifier: Apache-2.0
/// Template of the loop of a function of one number. A functor is a struct with
/// `T apply(T)`, or with a loop of its own, `cells(in, out, n)`; if it has a
/// domain, with `bool outside(T)`, which says the same as the domain of its row.
#pragma once

#include "base/WideVectors.h"
#include "kernels/cells/BinaryLoop.h"

namespace daphne {

template <class Op, class T>
concept HasUnaryDomain = requires(T x) { Op::outside(x); };

/// A functor with a loop of its own.
template <class Op, class T>
concept HasCells = requires(const T *in, T *out, size_t n) { Op::cells(in, out, n); };

template <class Op, class T> void applyToCells(const T *in, T *out, size_t n) {
    if constexpr (HasCells<Op, T>) {
        Op::cells(in, out, n);
    } else {
        DAPHNE_INDEPENDENT_CELLS
        for (size_t i = 0; i < n; ++i)
            out[i] = static_cast<T>(Op::apply(in[i]));
    }
}

/// Two passes over a block in cache: the test alone is cheap and has no early exit to hinder it.
template <class Op, class T> size_t cellsWithinDomain(const T *in, T *out, size_t n) {
    constexpr size_t kBlock = 1024;
    for (size_t begin = 0; begin < n; begin += kBlock) {
        size_t stop = n - begin < kBlock ? n : begin + kBlock;
        bool anyOutside = false;
        for (size_t i = begin; i < stop; ++i)
            anyOutside |= Op::outside(in[i]);
        if (anyOutside)
            for (stop = begin; !Op::outside(in[stop]);)
                ++stop;
        applyToCells<Op>(in + begin, out + begin, stop - begin);
        if (anyOutside)
            return stop;
    }
    return n;
}

template <class Op, class T> size_t unaryCells(const void *arg, void *result, size_t n) {
    const T *in = static_cast<const T *>(arg);
    T *out = static_cast<T *>(result);
    return vectorised([=] {
        if constexpr (HasUnaryDomain<Op, T>) {
            return cellsWithinDomain<Op>(in, out, n);
        } else {
            applyToCells<Op>(in, out, n);
            return n;
        }
    });
}

/// Domains to derive a functor from: the numbers from Low on, and those from Low to High.
template <int Low> struct From {
    template <class T> static bool outside(T x) { return x < Low; }
};
template <int Low, int High> struct Within {
    template <class T> static bool outside(T x) { return x < Low || x > High; }
};

/// Functions whose result has the type of the argument.
template <class Op> void addSameType(CellTable &t, ops::OpName name) {
    t.add(name, {.unary = [](ValueType type) {
              return withNumericType(type, [&]<class T>(TypeTag<T>) -> UnaryLoop {
                  return {unaryCells<Op, T>, type, HasUnaryDomain<Op, T>};
              });
          }});
}
/// Functions whose result has the type of the operand, si64 for truth values.
template <class Op> void addOfNumbers(CellTable &t, ops::OpName name) {
    t.add(name, {.unary = [](ValueType type) {
              return withNumericType(type, [&]<class T>(TypeTag<T>) -> UnaryLoop {
                  using N = std::conditional_t<std::is_same_v<T, bool>, int64_t, T>;
                  ValueType result = type == ValueType::Bool ? ValueType::SI64 : type;
                  return {unaryCells<Op, N>, result, HasUnaryDomain<Op, N>};
              });
          }});
}
/// Functions of floating-point numbers: f32 of f32, f64 of everything else.
template <class Op> void addFloating(CellTable &t, ops::OpName name) {
    t.add(name, {.unary = [](ValueType type) -> UnaryLoop {
              if (type == ValueType::F32)
                  return {unaryCells<Op, float>, ValueType::F32, HasUnaryDomain<Op, float>};
              return {unaryCells<Op, double>, ValueType::F64, HasUnaryDomain<Op, double>};
          }});
}

} // namespace daphne
