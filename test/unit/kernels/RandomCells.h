// SPDX-License-Identifier: Apache-2.0
/// Random matrices of every value type, comparison of cells as doubles, and
/// gradients by finite differences. Tests only.
#pragma once

#include <cmath>
#include <functional>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {

using Cells = std::vector<double>;

inline std::mt19937 &generator() {
    static std::mt19937 gen(7);
    return gen;
}
inline size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(generator()); }

/// Small integers, so that every value type holds them and f32 sums are exact.
inline Ref<Dense> randomMatrix(ValueType type, size_t rows, size_t cols) {
    auto m = Dense::create(type, rows, cols);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        for (size_t i = 0; i < rows * cols; ++i)
            m->template mutableView<T>().data[i] =
                std::is_signed_v<T> ? static_cast<T>(double(below(9)) - 4) : static_cast<T>(below(5));
    });
    return m;
}

inline Ref<Dense> realMatrix(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->mutableView<double>().data[i] = std::uniform_real_distribution<double>(-2, 2)(generator());
    return m;
}

inline Cells asDoubles(const Value &v) {
    Cells out;
    withNumericType(v.valueType(), [&]<class T>(TypeTag<T>) {
        for (size_t r = 0; r < v.dense().rows(); ++r)
            for (size_t c = 0; c < v.dense().cols(); ++c)
                out.push_back(static_cast<double>(v.dense().view<T>()(r, c)));
    });
    return out;
}

inline void expectNear(const Cells &found, const Cells &wanted, double tolerance, const std::string &what) {
    ASSERT_EQ(found.size(), wanted.size()) << what;
    for (size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], wanted[i], tolerance * (1 + std::abs(wanted[i]))) << what << ", cell " << i;
}

/// Every third one seen through a window of a larger matrix.
inline Value maybeWindowed(Ref<Dense> m) { return below(3) ? Value(m) : windowed(m); }

constexpr int kRounds = 150;
constexpr ValueType kAllTypes[] = {ValueType::F64,  ValueType::F32, ValueType::SI64, ValueType::UI64, ValueType::SI32,
                                   ValueType::UI32, ValueType::SI8, ValueType::UI8,  ValueType::Bool, ValueType::Size};

inline ValueType floatOf(ValueType t) { return isFloat(t) ? t : ValueType::F64; }

/// d <f(x), y> / d x by central differences.
inline Cells numericGradient(const Ref<Dense> &x, const Cells &y, const std::function<Value(const Value &)> &f) {
    constexpr double kStep = 1e-4;
    Cells gradient;
    for (size_t i = 0; i < x->cells(); ++i) {
        auto shifted = [&](double by) {
            auto copy = x->copy();
            copy->mutableView<double>().data[i] += by;
            Cells out = asDoubles(f(copy));
            double sum = 0;
            for (size_t k = 0; k < out.size(); ++k)
                sum += out[k] * y[k];
            return sum;
        };
        gradient.push_back((shifted(kStep) - shifted(-kStep)) / (2 * kStep));
    }
    return gradient;
}

} // namespace daphne::test
