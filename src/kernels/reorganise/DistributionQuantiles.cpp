// SPDX-License-Identifier: Apache-2.0
#include "kernels/reorganise/DistributionQuantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daphne {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;

/// The coefficients from the highest power to the constant.
template <size_t N> double polynomial(const double (&c)[N], double x) {
    double value = 0;
    for (double coefficient : c)
        value = value * x + coefficient;
    return value;
}

/// Incomplete functions below and above x, which add up to 1: the smaller one is precise.
struct Tails {
    double lower, upper;
};

/// Of the gamma distribution.
Tails gammaTails(double shape, double x) {
    if (x <= 0)
        return {0, 1};
    double scale = std::exp(-x + shape * std::log(x) - std::lgamma(shape));
    if (x < shape + 1) { // the series
        double term = 1 / shape, sum = term;
        for (double k = shape + 1; term > sum * kEpsilon / 4; ++k)
            sum += term *= x / k;
        return {sum * scale, 1 - sum * scale};
    }
    // The continued fraction by Lentz's method.
    double b = x + 1 - shape, c = 1 / kTiny, d = 1 / b, h = d;
    for (double i = 1;; ++i) {
        double a = -i * (i - shape);
        b += 2;
        d = a * d + b;
        d = 1 / (std::abs(d) < kTiny ? kTiny : d);
        c = b + a / c;
        c = std::abs(c) < kTiny ? kTiny : c;
        double factor = d * c;
        h *= factor;
        if (std::abs(factor - 1) <= kEpsilon)
            break;
    }
    return {1 - h * scale, h * scale};
}

/// The continued fraction of the incomplete beta function.
double betaFraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double h = d;
    for (double m = 1; m < 100000; ++m) {
        auto step = [&](double numerator) {
            d = 1 + numerator * d;
            d = 1 / (std::abs(d) < kTiny ? kTiny : d);
            c = 1 + numerator / c;
            c = std::abs(c) < kTiny ? kTiny : c;
            h *= d * c;
        };
        step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
        step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
        if (std::abs(d * c - 1) <= kEpsilon)
            break;
    }
    return h;
}

/// Of the beta distribution at x; y is 1 - x.
Tails betaTails(double a, double b, double x, double y) {
    if (x <= 0)
        return {0, 1};
    if (y <= 0)
        return {1, 0};
    double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
    if (x < (a + 1) / (a + b + 2)) {
        double lower = scale * betaFraction(a, b, x) / a;
        return {lower, 1 - lower};
    }
    double upper = scale * betaFraction(b, a, y) / b;
    return {1 - upper, upper};
}

/// The number in (low, high) at which a distribution has the share u below it, from a first guess: Newton's method,
/// which bisection keeps inside. tails(x) and density(x) belong to the distribution.
template <class TailsAt, class Density>
double solve(double u, double guess, double low, double high, TailsAt tails, Density density) {
    double x = guess;
    for (int i = 0; i < 200; ++i) {
        if (!(x > low && x < high))
            x = std::isinf(high) ? 2 * low + 1 : low + (high - low) / 2;
        Tails t = tails(x);
        double error = t.lower < t.upper ? t.lower - u : (1 - u) - t.upper;
        if (error == 0)
            return x;
        (error < 0 ? low : high) = x;
        double next = x - error / density(x);
        if (std::abs(next - x) <= 2 * kEpsilon * std::abs(x) || high - low <= 2 * kEpsilon * std::abs(x))
            return next > low && next < high ? next : x;
        x = next;
    }
    return x;
}

/// The least k in [0, last] with below(k) >= u, near a guess.
template <class Below> int64_t leastCount(double u, double guess, int64_t last, Below below) {
    auto clamp = [last](double k) { return std::clamp<double>(k, 0, static_cast<double>(last)); };
    auto k = static_cast<int64_t>(clamp(std::floor(guess)));
    int64_t step = 1;
    if (below(k) >= u) {
        int64_t low = k; // where it no longer holds
        while (low >= 0 && below(low) >= u)
            k = low, low -= step, step *= 2;
        low = std::max<int64_t>(low, -1);
        while (k - low > 1) {
            int64_t middle = low + (k - low) / 2;
            (below(middle) >= u ? k : low) = middle;
        }
        return k;
    }
    int64_t high = k;
    while (high < last && below(high) < u)
        k = high, high = step < last - high ? high + step : last, step *= 2;
    while (high - k > 1) {
        int64_t middle = k + (high - k) / 2;
        (below(middle) >= u ? high : k) = middle;
    }
    return high;
}

} // namespace

/// Wichura's algorithm AS 241 (PPND16).
double normalQuantile(double u) {
    static constexpr double kA[] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                    45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                    133.14166789178437745, 3.387132872796366608};
    static constexpr double kB[] = {
        5226.495278852854561,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
        5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
    static constexpr double kC[] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                                    1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                                    4.6303378461565452959,    1.42343711074968357734};
    static constexpr double kD[] = {
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
        0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,   1.0};
    static constexpr double kE[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                                    0.026532189526576123093,   0.29656057182850489123,    1.7848265399172913358,
                                    5.4637849111641143699,     6.6579046435011037772};
    static constexpr double kF[] = {
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
        0.0148753612908506148525,   0.13692988092273580531,   0.59983220655588793769,   1.0};
    double q = u - 0.5;
    if (std::abs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(kA, r) / polynomial(kB, r);
    }
    double r = std::sqrt(-std::log(q < 0 ? u : 1 - u));
    double size =
        r <= 5 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6) : polynomial(kE, r - 5) / polynomial(kF, r - 5);
    return q < 0 ? -size : size;
}

double exponentialQuantile(double u) { return -std::log1p(-u); }

double gammaQuantile(double u, double shape) {
    // Wilson and Hilferty's approximation; for small results the first term of the series.
    double t = normalQuantile(u), s = 1 / (9 * shape), guess = shape * std::pow(1 - s + t * std::sqrt(s), 3);
    double first = std::exp((std::log(u) + std::lgamma(shape + 1)) / shape);
    if (!(guess > 0) || shape < 0.5 || first < 0.1 * (shape + 1))
        guess = first;
    if (guess == 0)
        return 0; // below all numbers
    double scale = std::lgamma(shape);
    return solve(
        u, guess, 0, std::numeric_limits<double>::infinity(), [&](double x) { return gammaTails(shape, x); },
        [&](double x) { return std::exp((shape - 1) * std::log(x) - x - scale); });
}

double betaQuantile(double u, double a, double b) {
    double scale = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
    // The first terms of the series at both ends.
    double low = std::exp((std::log(u) - scale + std::log(a)) / a);
    double high = std::exp((std::log1p(-u) - scale + std::log(b)) / b);
    double mean = a / (a + b), guess = low < 0.1 * mean ? low : high < 0.1 * (1 - mean) ? 1 - high : mean;
    if (guess == 0 || guess == 1)
        return guess;
    return solve(
        u, guess, 0, 1, [&](double x) { return betaTails(a, b, x, 1 - x); },
        [&](double x) { return std::exp(scale + (a - 1) * std::log(x) + (b - 1) * std::log1p(-x)); });
}

int64_t poissonQuantile(double u, double lambda) {
    constexpr int64_t kLast = int64_t(1) << 62;
    if (lambda == 0)
        return 0;
    double guess = lambda + normalQuantile(u) * std::sqrt(lambda);
    return leastCount(u, guess, kLast, [&](int64_t k) { return gammaTails(static_cast<double>(k) + 1, lambda).upper; });
}

int64_t binomialQuantile(double u, int64_t n, double p) {
    if (n == 0 || p == 0)
        return 0;
    if (p == 1)
        return n;
    auto trials = static_cast<double>(n);
    double guess = trials * p + normalQuantile(u) * std::sqrt(trials * p * (1 - p));
    return leastCount(u, guess, n, [&](int64_t k) {
        return k >= n ? 1 : betaTails(trials - static_cast<double>(k), static_cast<double>(k) + 1, 1 - p, p).lower;
    });
}

} // namespace daphne
