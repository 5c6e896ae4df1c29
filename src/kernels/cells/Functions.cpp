// SPDX-License-Identifier: Apache-2.0
/// Functions of one number.
#include <cmath>

#include "kernels/cells/UnaryLoop.h"
#include "kernels/elementwise/Exponential.h"

namespace daphne {

namespace {

struct Minus {
    template <class T> static T apply(T x) {
        if constexpr (std::is_integral_v<T>)
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
/// What aggregates without NaN fold.
struct NanToZero {
    template <class T> static T apply(T x) { return x == x ? x : T(0); }
};
struct NotNan {
    template <class T> static T apply(T x) { return static_cast<T>(x == x); }
};
struct Not {
    template <class T> static T apply(T x) { return static_cast<T>(x == T(0)); }
};

/// A function of the C library under a name of ours.
#define DAPHNE_FLOAT_FUNCTION(Name, function, ...)                                                                     \
    struct Name __VA_OPT__( :) __VA_ARGS__{template <class T> static T apply(T x){return std::function(x);             \
    }                                                                                                                  \
    }                                                                                                                  \
    ;
DAPHNE_FLOAT_FUNCTION(Sqrt, sqrt, From<0>)
DAPHNE_FLOAT_FUNCTION(Sin, sin)
DAPHNE_FLOAT_FUNCTION(Cos, cos)
DAPHNE_FLOAT_FUNCTION(Tan, tan)
DAPHNE_FLOAT_FUNCTION(Sinh, sinh)
DAPHNE_FLOAT_FUNCTION(Cosh, cosh)
DAPHNE_FLOAT_FUNCTION(Asin, asin, Within<-1, 1>)
DAPHNE_FLOAT_FUNCTION(Acos, acos, Within<-1, 1>)
DAPHNE_FLOAT_FUNCTION(Atan, atan)
DAPHNE_FLOAT_FUNCTION(Asinh, asinh)
DAPHNE_FLOAT_FUNCTION(Acosh, acosh, From<1>)
DAPHNE_FLOAT_FUNCTION(Atanh, atanh, Within<-1, 1>)
DAPHNE_FLOAT_FUNCTION(FloatRound, round)
DAPHNE_FLOAT_FUNCTION(FloatFloor, floor)
DAPHNE_FLOAT_FUNCTION(FloatCeil, ceil)
#undef DAPHNE_FLOAT_FUNCTION

/// Loops of their own, see Exponential.h.
struct Exp {
    template <class T> static void cells(const T *in, T *out, size_t n) { exponentials(in, out, n); }
};
struct Tanh {
    template <class T> static void cells(const T *in, T *out, size_t n) { hyperbolicTangents(in, out, n); }
};
struct Ln : From<0> {
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

} // namespace

void addFunctions(CellTable &t) {
    addOfNumbers<Minus>(t, "ewMinus");
    addSameType<Abs>(t, "ewAbs");
    addSameType<Sign>(t, "ewSign");
    addFloating<Exp>(t, "ewExp");
    addFloating<Ln>(t, "ewLn");
    addFloating<Sqrt>(t, "ewSqrt");
    addSameType<OnlyFloats<FloatRound>>(t, "ewRound");
    addSameType<OnlyFloats<FloatFloor>>(t, "ewFloor");
    addSameType<OnlyFloats<FloatCeil>>(t, "ewCeil");
    addFloating<Sin>(t, "ewSin");
    addFloating<Cos>(t, "ewCos");
    addFloating<Tan>(t, "ewTan");
    addFloating<Sinh>(t, "ewSinh");
    addFloating<Cosh>(t, "ewCosh");
    addFloating<Tanh>(t, "ewTanh");
    addFloating<Asin>(t, "ewAsin");
    addFloating<Acos>(t, "ewAcos");
    addFloating<Atan>(t, "ewAtan");
    addFloating<Asinh>(t, "ewAsinh");
    addFloating<Acosh>(t, "ewAcosh");
    addFloating<Atanh>(t, "ewAtanh");
    addSameType<Isnan>(t, "ewIsnan");
    addSameType<Not>(t, "ewNot");
    addSameType<NanToZero>(t, "ewNanToZero");
    addSameType<NotNan>(t, "ewNotNan");
}

} // namespace daphne
