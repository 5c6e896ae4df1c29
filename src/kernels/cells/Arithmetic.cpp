// SPDX-License-Identifier: Apache-2.0
/// Functions of two numbers; of strings where they have an order or can be joined.
#include <array>
#include <cmath>

#include "base/Error.h"
#include "data/Value.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/elementwise/FixedPower.h"

namespace daphne {

namespace {

constexpr size_t kNumNumericTypes = static_cast<size_t>(ValueType::F64) + 1;

/// Type in which integers wrap instead of overflowing.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Add {
    template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b)); }
};
struct Sub {
    template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b)); }
};
struct Mul {
    template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b)); }
};

struct FloatDiv {
    template <class T> static T apply(T a, T b) { return a / b; }
};
/// Truncates toward zero; the smallest number divided by -1 wraps to itself instead of trapping.
struct IntegerDiv {
    static constexpr const char *kOutside = "integer division by zero";
    template <class T> static bool outside(T, T b) { return b == 0; }
    template <class T> static T apply(T a, T b) {
        if (std::is_signed_v<T> && b == T(-1))
            return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a));
        return static_cast<T>(a / b);
    }
};

struct FloatMod {
    template <class T> static T apply(T a, T b) { return std::fmod(a, b); }
};
/// Sign of the dividend.
struct IntegerMod {
    static constexpr const char *kOutside = "integer division by zero";
    template <class T> static bool outside(T, T b) { return b == 0; }
    template <class T> static T apply(T a, T b) {
        if (std::is_signed_v<T> && b == T(-1))
            return 0;
        return static_cast<T>(a % b);
    }
};

/// In double precision, f32 too.
struct FloatPow {
    template <class T> static T apply(T a, T b) {
        return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    }
};
/// Small exponents are products and roots.
template <class T> size_t powWithSingleExponent(const void *lhs, const void *rhs, void *result, size_t n) {
    double twice = 2 * static_cast<double>(*static_cast<const T *>(rhs));
    bool fixed = withFixedPower(twice, [&]<int Twice>(std::integral_constant<int, Twice>) {
        BinaryLoop<FixedPower<Twice>, T, T>::rightSingle(lhs, rhs, result, n);
    });
    return fixed ? n : BinaryLoop<FloatPow, T, T>::rightSingle(lhs, rhs, result, n);
}

/// Repeated multiplication that wraps. T has 64 bits, so that no exponent changes its sign on the way here; those of
/// ui64 beyond 2^63 count as negative.
struct IntegerPow {
    static constexpr const char *kOutside = "an integer has no integer power with a negative exponent";
    static constexpr const char *kHint = "floating-point numbers have one: 2.0 ^ -1";
    template <class T> static bool outside(T, T b) { return static_cast<int64_t>(b) < 0; }
    template <class T> static T apply(T a, T b) {
        uint64_t power = 1, factor = static_cast<uint64_t>(a);
        for (auto rest = static_cast<uint64_t>(b); rest; rest >>= 1) {
            if (rest & 1)
                power *= factor;
            factor *= factor;
        }
        return static_cast<T>(power);
    }
};
template <int Exponent> struct SmallPow {
    template <class T> static T apply(T a, T) {
        T square = Mul::apply(a, a);
        return Exponent == 2 ? square : Mul::apply(square, a);
    }
};
template <class T, class R>
size_t integerPowWithSingleExponent(const void *lhs, const void *rhs, void *result, size_t n) {
    T exponent = *static_cast<const T *>(rhs);
    return exponent == 2   ? BinaryLoop<SmallPow<2>, T, R>::rightSingle(lhs, rhs, result, n)
           : exponent == 3 ? BinaryLoop<SmallPow<3>, T, R>::rightSingle(lhs, rhs, result, n)
                           : BinaryLoop<IntegerPow, T, R>::rightSingle(lhs, rhs, result, n);
}

struct Log {
    static constexpr const char *kOutside = "log is not defined for a negative number or base";
    template <class T> static bool outside(T a, T b) { return a < 0 || b < 0; }
    template <class T> static T apply(T a, T b) { return std::log(a) / std::log(b); }
};

/// One NaN where an operand is NaN; of zeros the first operand.
struct Min {
    template <class T> static T apply(T a, T b) {
        T best = b < a ? b : a;
        return isNan(a) || isNan(b) ? std::numeric_limits<T>::quiet_NaN() : best;
    }
    static const std::string &apply(const std::string &a, const std::string &b) { return b < a ? b : a; }
};
struct Max {
    template <class T> static T apply(T a, T b) {
        T best = a < b ? b : a;
        return isNan(a) || isNan(b) ? std::numeric_limits<T>::quiet_NaN() : best;
    }
    static const std::string &apply(const std::string &a, const std::string &b) { return a < b ? b : a; }
};

/// The number where one operand is NaN, one NaN where both are; else as Min and Max.
template <class Op> struct OfNumbers {
    template <class T> static T apply(T a, T b) {
        T only = isNan(b) ? std::numeric_limits<T>::quiet_NaN() : b;
        return isNan(a) ? only : isNan(b) ? a : Op::apply(a, b);
    }
};

/// make(type) for every numeric type. Made once: operations on single cells ask each time.
template <class F> std::array<BinaryLoops, kNumNumericTypes> loopsPerType(F &&make) {
    std::array<BinaryLoops, kNumNumericTypes> loops{};
    for (size_t t = 0; t < kNumNumericTypes; ++t)
        loops[t] = make(static_cast<ValueType>(t));
    return loops;
}

template <class Op> BinaryLoops forAll(ValueType type) {
    static const auto kLoops = loopsPerType([](ValueType t) {
        return withNumericType(t, [&]<class T>(TypeTag<T>) { return BinaryLoop<Op, T, T>::table(t, t); });
    });
    return kLoops[static_cast<size_t>(type)];
}

/// Arithmetic on truth values happens in si64.
template <class FloatOp, class IntegerOp> BinaryLoops forNumbers(ValueType type) {
    static const auto kLoops = loopsPerType([](ValueType g) {
        ValueType t = g == ValueType::Bool ? ValueType::SI64 : g;
        return withNumericType(t, [&]<class T>(TypeTag<T>) -> BinaryLoops {
            if constexpr (std::is_same_v<T, bool>)
                throw internalError("arithmetic on bool cells");
            else
                return BinaryLoop<std::conditional_t<std::is_integral_v<T>, IntegerOp, FloatOp>, T, T>::table(t, t);
        });
    });
    return kLoops[static_cast<size_t>(type)];
}

BinaryLoops powLoops(ValueType g) {
    ValueType type = g == ValueType::Bool ? ValueType::SI64 : g;
    return withNumericType(type, [&]<class R>(TypeTag<R>) {
        BinaryLoops loops;
        if constexpr (std::is_floating_point_v<R>) {
            loops = BinaryLoop<FloatPow, R, R>::table(type, type);
            loops.rightSingle = powWithSingleExponent<R>;
        } else {
            using T = std::conditional_t<std::is_same_v<R, uint64_t>, uint64_t, int64_t>;
            loops = BinaryLoop<IntegerPow, T, R>::table(sizeof(R) == 8 ? type : ValueType::SI64, type);
            loops.rightSingle = integerPowWithSingleExponent<T, R>;
        }
        return loops;
    });
}

BinaryLoops logLoops(ValueType g) {
    if (g == ValueType::F32)
        return BinaryLoop<Log, float, float>::table(g, g);
    return BinaryLoop<Log, double, double>::table(ValueType::F64, ValueType::F64);
}

std::string joined(const std::string &a, const std::string &b) { return a + b; }

/// The string that the functor chooses.
template <class Op> std::string chosen(const std::string &a, const std::string &b) { return Op::apply(a, b); }

} // namespace

void addArithmetic(CellTable &t) {
    t.add("ewAdd", {.binary = forNumbers<Add, Add>, .text = {.combine = joined, .joins = true}});
    t.add("ewSub", {.binary = forNumbers<Sub, Sub>});
    t.add("ewMul", {.binary = forNumbers<Mul, Mul>});
    t.add("ewDiv", {.binary = forNumbers<FloatDiv, IntegerDiv>});
    t.add("ewMod", {.binary = forNumbers<FloatMod, IntegerMod>});
    t.add("ewPow", {.binary = powLoops});
    t.add("ewLog", {.binary = logLoops});
    t.add("ewMin", {.binary = forAll<Min>, .text = {.combine = chosen<Min>}});
    t.add("ewMax", {.binary = forAll<Max>, .text = {.combine = chosen<Max>}});
    t.add("ewFmin", {.binary = forAll<OfNumbers<Min>>});
    t.add("ewFmax", {.binary = forAll<OfNumbers<Max>>});
    t.add("ewConcat", {.text = {.combine = joined, .joins = true}});
}

} // namespace daphne
