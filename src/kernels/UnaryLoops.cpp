// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/Error.h"
#include "kernels/BinaryLoop.h"
#include "kernels/Exponential.h"

namespace daphne {

namespace {

template <class Op, class T>
concept HasUnaryDomain = requires(T x) { Op::outside(x); };

/// An operation with a loop of its own.
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

struct Minus {
    template <class T> static T apply(T x) {
        if constexpr (std::is_same_v<T, bool>)
            return x; // -1 as a truth value
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x));
        else
            return -x;
    }
};
struct Abs {
    template <class T> static T apply(T x) {
        if constexpr (std::is_floating_point_v<T>)
            return std::abs(x);
        else if constexpr (std::is_signed_v<T>)
            return x < 0 ? Minus::apply(x) : x;
        else
            return x;
    }
};
struct Sign {
    template <class T> static T apply(T x) {
        if constexpr (std::is_floating_point_v<T>)
            return x != x ? x : static_cast<T>((x > 0) - (x < 0));
        else
            return static_cast<T>((x > T(0)) - (x < T(0)));
    }
};
struct Isnan {
    template <class T> static T apply(T x) { return static_cast<T>(x != x); }
};
struct Not {
    template <class T> static T apply(T x) { return static_cast<T>(x == T(0)); }
};

struct NonNegative {
    template <class T> static bool outside(T x) { return x < 0; }
};
struct WithinUnit {
    template <class T> static bool outside(T x) { return x < -1 || x > 1; }
};
struct Everywhere {};

/// A function of the C library under a name of ours.
#define DAPHNE_FLOAT_FUNCTION(Name, function, Domain)                                                                  \
    struct Name : Domain {                                                                                             \
        template <class T> static T apply(T x) { return std::function(x); }                                            \
    };
DAPHNE_FLOAT_FUNCTION(Sqrt, sqrt, NonNegative)
DAPHNE_FLOAT_FUNCTION(Sin, sin, Everywhere)
DAPHNE_FLOAT_FUNCTION(Cos, cos, Everywhere)
DAPHNE_FLOAT_FUNCTION(Tan, tan, Everywhere)
DAPHNE_FLOAT_FUNCTION(Sinh, sinh, Everywhere)
DAPHNE_FLOAT_FUNCTION(Cosh, cosh, Everywhere)
DAPHNE_FLOAT_FUNCTION(Asin, asin, WithinUnit)
DAPHNE_FLOAT_FUNCTION(Acos, acos, WithinUnit)
DAPHNE_FLOAT_FUNCTION(Atan, atan, Everywhere)
DAPHNE_FLOAT_FUNCTION(FloatRound, round, Everywhere)
DAPHNE_FLOAT_FUNCTION(FloatFloor, floor, Everywhere)
DAPHNE_FLOAT_FUNCTION(FloatCeil, ceil, Everywhere)
#undef DAPHNE_FLOAT_FUNCTION

/// Loops of their own, see Exponential.h.
struct Exp : Everywhere {
    template <class T> static void cells(const T *in, T *out, size_t n) { exponentials(in, out, n); }
};
struct Tanh : Everywhere {
    template <class T> static void cells(const T *in, T *out, size_t n) { hyperbolicTangents(in, out, n); }
};
struct Ln : NonNegative {
    template <class T> static void cells(const T *in, T *out, size_t n) { naturalLogarithms(in, out, n); }
};

/// Integers are their own round, floor and ceil.
struct Identity {
    template <class T> static T apply(T x) { return x; }
};
template <class Float> struct OnlyFloats {
    template <class T> static T apply(T x) {
        return std::conditional_t<std::is_floating_point_v<T>, Float, Identity>::apply(x);
    }
};

template <class Op> UnaryLoop sameType(ValueType t) {
    return withNumericType(t, [&]<class T>(TypeTag<T>) -> UnaryLoop { return {unaryCells<Op, T>, t}; });
}
template <class Op> UnaryLoop floating(ValueType t) {
    if (t == ValueType::F32)
        return {unaryCells<Op, float>, ValueType::F32};
    return {unaryCells<Op, double>, ValueType::F64};
}

} // namespace

UnaryLoop unaryLoop(UnaryOp op, ValueType t) {
    switch (op) {
    case UnaryOp::Minus: return sameType<Minus>(t);
    case UnaryOp::Abs: return sameType<Abs>(t);
    case UnaryOp::Sign: return sameType<Sign>(t);
    case UnaryOp::Exp: return floating<Exp>(t);
    case UnaryOp::Ln: return floating<Ln>(t);
    case UnaryOp::Sqrt: return floating<Sqrt>(t);
    case UnaryOp::Round: return sameType<OnlyFloats<FloatRound>>(t);
    case UnaryOp::Floor: return sameType<OnlyFloats<FloatFloor>>(t);
    case UnaryOp::Ceil: return sameType<OnlyFloats<FloatCeil>>(t);
    case UnaryOp::Sin: return floating<Sin>(t);
    case UnaryOp::Cos: return floating<Cos>(t);
    case UnaryOp::Tan: return floating<Tan>(t);
    case UnaryOp::Sinh: return floating<Sinh>(t);
    case UnaryOp::Cosh: return floating<Cosh>(t);
    case UnaryOp::Tanh: return floating<Tanh>(t);
    case UnaryOp::Asin: return floating<Asin>(t);
    case UnaryOp::Acos: return floating<Acos>(t);
    case UnaryOp::Atan: return floating<Atan>(t);
    case UnaryOp::Isnan: return sameType<Isnan>(t);
    case UnaryOp::Not: return sameType<Not>(t);
    }
    throw internalError("unknown unary operation");
}

} // namespace daphne
