// SPDX-License-Identifier: Apache-2.0
/// What elementwise functions yield by the rules of the language (language 4,
/// builtins 3-5), computed slowly and independently of the kernels: integers
/// as 128-bit numbers that are reduced to their type at the end, floating-point
/// functions in extended precision. Tests only.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "data/Value.h"

namespace daphne::test {

using Wide = __int128;

/// A number of a value type: in i if integer-like, else in d.
struct Number {
    ValueType type;
    Wide i = 0;
    long double d = 0;
    bool isFloat() const { return daphne::isFloat(type); }
    long double real() const { return isFloat() ? d : static_cast<long double>(i); }
    bool isTrue() const { return isFloat() ? d != 0 : i != 0; }
};

/// A result, an error of status 3, or whatever the language leaves open.
struct Expected {
    enum Kind : uint8_t { Result, Error, Open } kind = Result;
    Number number{ValueType::Bool};
    bool rounded = false; ///< a few units in the last place are allowed
};

inline int bitsOf(ValueType t) { return t == ValueType::Bool ? 1 : int(cellSize(t)) * 8; }

/// Two's complement wrap; bool: whether it is not 0.
inline Wide wrap(Wide x, ValueType t) {
    if (t == ValueType::Bool)
        return x != 0;
    Wide modulus = Wide(1) << bitsOf(t);
    x %= modulus;
    if (x < 0)
        x += modulus;
    return isSigned(t) && x >= modulus / 2 ? x - modulus : x;
}

inline long double roundTo(ValueType t, long double x) { return t == ValueType::F32 ? float(x) : double(x); }

inline Number integerOf(ValueType t, Wide x) { return {t, wrap(x, t), 0}; }
inline Number floatOf(ValueType t, long double x) { return {t, 0, roundTo(t, x)}; }

/// Conversion of operands to the type of the computation, which is at least as general.
inline Number converted(const Number &x, ValueType t) {
    if (isFloat(t))
        return floatOf(t, x.real());
    return integerOf(t, x.i);
}

inline Expected exact(Number n) { return {Expected::Result, n, false}; }
inline Expected rounded(Number n) { return {Expected::Result, n, true}; }
inline Expected error() { return {Expected::Error}; }

// ---------------------------------------------------------------------- unary

using UnaryOracle = std::function<Expected(const Number &)>;
using Real = long double (*)(long double);

/// fp: f64 unless it is f32; nothing outside the domain but NaN.
inline UnaryOracle realFunction(Real f, long double low = -HUGE_VALL, long double high = HUGE_VALL) {
    return [=](const Number &x) {
        ValueType t = x.type == ValueType::F32 ? ValueType::F32 : ValueType::F64;
        long double argument = converted(x, t).d;
        if (argument < low || argument > high)
            return error();
        return rounded(floatOf(t, f(argument)));
    };
}
/// Integers are unchanged.
inline UnaryOracle rounding(Real f) {
    return [=](const Number &x) { return exact(x.isFloat() ? floatOf(x.type, f(x.d)) : x); };
}
inline Number truth(ValueType t, bool yes) { return isFloat(t) ? floatOf(t, yes) : integerOf(t, yes); }

inline const std::map<std::string_view, UnaryOracle> &unaryOracles() {
    static const std::map<std::string_view, UnaryOracle> oracles = {
        {"ewMinus",
         [](const Number &x) {
             ValueType t = x.type == ValueType::Bool ? ValueType::SI64 : x.type;
             return exact(x.isFloat() ? floatOf(x.type, -x.d) : integerOf(t, -x.i));
         }},
        {"ewAbs",
         [](const Number &x) {
             return exact(x.isFloat() ? floatOf(x.type, std::fabs(x.d)) : integerOf(x.type, x.i < 0 ? -x.i : x.i));
         }},
        {"ewSign",
         [](const Number &x) {
             if (x.isFloat())
                 return exact(std::isnan(x.d) ? x : floatOf(x.type, x.d > 0 ? 1 : x.d < 0 ? -1 : 0));
             return exact(integerOf(x.type, x.i > 0 ? 1 : x.i < 0 ? -1 : 0));
         }},
        {"ewExp", realFunction(std::exp)},
        {"ewLn", realFunction(std::log, 0)},
        {"ewSqrt", realFunction(std::sqrt, 0)},
        {"ewRound", rounding(std::round)},
        {"ewFloor", rounding(std::floor)},
        {"ewCeil", rounding(std::ceil)},
        {"ewSin", realFunction(std::sin)},
        {"ewCos", realFunction(std::cos)},
        {"ewTan", realFunction(std::tan)},
        {"ewSinh", realFunction(std::sinh)},
        {"ewCosh", realFunction(std::cosh)},
        {"ewTanh", realFunction(std::tanh)},
        {"ewAsin", realFunction(std::asin, -1, 1)},
        {"ewAcos", realFunction(std::acos, -1, 1)},
        {"ewAtan", realFunction(std::atan)},
        {"ewAsinh", realFunction(std::asinh)},
        {"ewAcosh", realFunction(std::acosh, 1)},
        {"ewAtanh", realFunction(std::atanh, -1, 1)},
        {"ewIsnan", [](const Number &x) { return exact(truth(x.type, x.isFloat() && std::isnan(x.d))); }},
        {"ewNotNan", [](const Number &x) { return exact(truth(x.type, !x.isFloat() || !std::isnan(x.d))); }},
        {"ewNanToZero", [](const Number &x) { return exact(x.isFloat() && std::isnan(x.d) ? floatOf(x.type, 0) : x); }},
        {"ewNot", [](const Number &x) { return exact(truth(x.type, !x.isTrue())); }},
    };
    return oracles;
}

// --------------------------------------------------------------------- binary

using BinaryOracle = std::function<Expected(const Number &, const Number &)>;

/// g; two bools are counted in si64.
inline ValueType arithmeticType(const Number &a, const Number &b) {
    ValueType g = mostGeneral(a.type, b.type);
    return g == ValueType::Bool ? ValueType::SI64 : g;
}

template <class Integers, class Floats> BinaryOracle arithmetic(Integers integers, Floats floats) {
    return [=](const Number &a, const Number &b) {
        ValueType t = arithmeticType(a, b);
        Number x = converted(a, t), y = converted(b, t);
        if (!isFloat(t)) {
            std::optional<Wide> r = integers(x.i, y.i);
            return r ? exact(integerOf(t, *r)) : error();
        }
        // Sums, products and quotients of two f64 are rounded once more from extended precision: let the type do it.
        if (t == ValueType::F64)
            return exact(floatOf(t, floats(double(x.d), double(y.d))));
        return exact(floatOf(t, floats(float(x.d), float(y.d))));
    };
}

/// Integers: products that wrap; floating-point numbers: the power in double precision.
inline Expected power(const Number &a, const Number &b) {
    ValueType t = arithmeticType(a, b);
    if (isFloat(t))
        return rounded(floatOf(t, std::pow(double(converted(a, t).real()), double(converted(b, t).real()))));
    if (b.i < 0)
        return error();
    if (b.i > 1'000'000)
        return {Expected::Open};
    Wide power = 1;
    for (Wide k = 0; k < b.i; ++k)
        power = wrap(power * converted(a, t).i, t);
    return exact(integerOf(t, power));
}

/// ln(x) / ln(b)
inline Expected logarithm(const Number &a, const Number &b) {
    ValueType g = mostGeneral(a.type, b.type), t = g == ValueType::F32 ? g : ValueType::F64;
    long double x = converted(a, t).d, base = converted(b, t).d;
    if (x < 0 || base < 0)
        return error();
    return rounded(floatOf(t, std::log(x) / std::log(base)));
}

/// min: b if b < a else a. max: b if a < b else a. In g; NaN if one of them is.
inline BinaryOracle extreme(bool least) {
    return [=](const Number &a, const Number &b) {
        ValueType g = mostGeneral(a.type, b.type);
        Number x = converted(a, g), y = converted(b, g);
        if (isFloat(g) && (std::isnan(x.d) || std::isnan(y.d)))
            return exact(floatOf(g, std::numeric_limits<double>::quiet_NaN()));
        bool second = g == ValueType::F32 || g == ValueType::F64 ? (least ? y.d < x.d : x.d < y.d)
                                                                 : (least ? y.i < x.i : x.i < y.i);
        return exact(second ? y : x);
    };
}

/// As extreme, but the number where one of the two is NaN.
inline BinaryOracle extremeNumber(bool least) {
    return [=](const Number &a, const Number &b) {
        ValueType g = mostGeneral(a.type, b.type);
        Number x = converted(a, g), y = converted(b, g);
        if (isFloat(g) && std::isnan(x.d) != std::isnan(y.d))
            return exact(std::isnan(x.d) ? y : x);
        return extreme(least)(a, b);
    };
}

/// Converted to g, compared there; 0 or 1 of type g.
template <class Compare> BinaryOracle comparison(Compare compare) {
    return [=](const Number &a, const Number &b) {
        ValueType g = mostGeneral(a.type, b.type);
        Number x = converted(a, g), y = converted(b, g);
        return exact(truth(g, isFloat(g) ? compare(x.d, y.d) : compare(x.i, y.i)));
    };
}
/// 0 or 1 of type g, or of ui64 if g is floating point.
template <class Combine> BinaryOracle logical(Combine combine) {
    return [=](const Number &a, const Number &b) {
        ValueType g = mostGeneral(a.type, b.type);
        return exact(truth(isFloat(g) ? ValueType::UI64 : g, combine(a.isTrue(), b.isTrue())));
    };
}

/// By the name without the prefix ew or outer.
inline const std::map<std::string_view, BinaryOracle> &binaryOracles() {
    using Maybe = std::optional<Wide>;
    static const std::map<std::string_view, BinaryOracle> oracles = {
        {"Add", arithmetic([](Wide a, Wide b) { return Maybe(a + b); }, [](auto a, auto b) { return a + b; })},
        {"Sub", arithmetic([](Wide a, Wide b) { return Maybe(a - b); }, [](auto a, auto b) { return a - b; })},
        {"Mul", arithmetic(
                    [](Wide a, Wide b) {
                        return Maybe(
                            static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)));
                    },
                    [](auto a, auto b) { return a * b; })},
        {"Div", arithmetic([](Wide a, Wide b) { return b == 0 ? Maybe() : Maybe(a / b); },
                           [](auto a, auto b) { return a / b; })},
        {"Mod", arithmetic([](Wide a, Wide b) { return b == 0 ? Maybe() : Maybe(a % b); },
                           [](auto a, auto b) { return std::fmod(a, b); })},
        {"Pow", power},
        {"Log", logarithm},
        {"Min", extreme(true)},
        {"Max", extreme(false)},
        {"Fmin", extremeNumber(true)},
        {"Fmax", extremeNumber(false)},
        {"Eq", comparison([](auto a, auto b) { return a == b; })},
        {"Neq", comparison([](auto a, auto b) { return a != b; })},
        {"Lt", comparison([](auto a, auto b) { return a < b; })},
        {"Le", comparison([](auto a, auto b) { return a <= b; })},
        {"Gt", comparison([](auto a, auto b) { return a > b; })},
        {"Ge", comparison([](auto a, auto b) { return a >= b; })},
        {"And", logical([](bool a, bool b) { return a && b; })},
        {"Or", logical([](bool a, bool b) { return a || b; })},
        {"Xor", logical([](bool a, bool b) { return a != b; })},
    };
    return oracles;
}

} // namespace daphne::test
