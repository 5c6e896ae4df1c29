// SPDX-License-Identifier: Apache-2.0
/// Random matrices for tests of kernels: many shapes, densities and value types,
/// special values of floating-point types where asked for. Tests only.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {

/// Arguments of one call of a kernel.
struct Operands {
    std::vector<Value> args;
    Slot castTarget = {};
};

class RandomMatrices {
  public:
    explicit RandomMatrices(uint32_t seed) : gen(seed) {}

    enum class Density : uint8_t { Zeros, Sparse, SomeRowsEmpty, Ones, Half, Full };
    static constexpr size_t kNumDensities = 6;

    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(gen); }
    bool oneIn(size_t n) { return below(n) == 0; }
    template <class T, size_t N> T anyOf(const T (&choices)[N]) { return choices[below(N)]; }

    /// Whether matrices may contain NaN, infinities and negative zeros from now on.
    void allowSpecialValues(bool allow) { special = allow; }
    /// Whether cells may be negative from now on.
    void allowNegative(bool allow) { negative = allow; }

    ValueType numericType() {
        constexpr ValueType kFrequent[] = {ValueType::F64, ValueType::SI64, ValueType::F32};
        return oneIn(2) ? anyOf(kFrequent) : static_cast<ValueType>(below(size_t(ValueType::F64) + 1));
    }
    ValueType floatType() { return oneIn(3) ? ValueType::F32 : ValueType::F64; }
    /// Often small, sometimes without cells.
    size_t size() {
        constexpr size_t kSizes[] = {1, 2, 3, 3, 4, 5, 7, 9, 17, 0};
        return anyOf(kSizes);
    }
    size_t positiveSize() { return std::max<size_t>(1, size()); }
    Density density() { return static_cast<Density>(below(kNumDensities)); }

    Ref<Dense> matrix(ValueType type, size_t rows, size_t cols, Density d) {
        auto m = Dense::create(type, rows, cols, Buffer::Init::Zero);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            auto out = m->template mutableView<T>();
            for (size_t r = 0; r < rows; ++r) {
                bool empty = d == Density::Zeros || (d == Density::SomeRowsEmpty && oneIn(2));
                for (size_t c = 0; c < cols && !empty; ++c)
                    if (isSet(d))
                        out(r, c) = d == Density::Ones ? T(1) : cell<T>();
            }
        });
        return m;
    }
    Ref<Dense> matrix(ValueType type, size_t rows, size_t cols) { return matrix(type, rows, cols, density()); }
    Ref<Dense> matrix(size_t rows, size_t cols) { return matrix(numericType(), rows, cols); }
    Ref<Dense> matrix() { return matrix(size(), size()); }
    /// Whole numbers from [low, high].
    Ref<Dense> integers(ValueType type, size_t rows, size_t cols, int64_t low, int64_t high) {
        auto m = Dense::create(type, rows, cols);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            for (size_t i = 0; i < rows * cols; ++i)
                m->template mutableView<T>().data[i] =
                    static_cast<T>(low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1))));
        });
        return m;
    }
    Ref<Dense> strings(size_t rows, size_t cols) {
        auto m = Dense::create(ValueType::Str, rows, cols);
        for (size_t i = 0; i < rows * cols; ++i)
            m->mutableView<std::string>().data[i] = std::to_string(below(3));
        return m;
    }
    Value scalar(ValueType type) {
        return withNumericType(type,
                               [&]<class T>(TypeTag<T>) { return Value::scalar(oneIn(4) ? T(0) : cell<T>(), type); });
    }
    Value scalar() { return scalar(numericType()); }
    static Value integer(int64_t x) { return Value::scalar(x); }
    Value flag() { return Value::scalar(oneIn(2)); }

  private:
    bool isSet(Density d) {
        switch (d) {
        case Density::Sparse: return oneIn(6);
        case Density::Full: return true;
        default: return oneIn(2);
        }
    }
    template <class T> T cell() {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_same_v<T, bool>) {
            return true;
        } else if constexpr (std::is_floating_point_v<T>) {
            if (special && oneIn(8)) {
                const T kSpecial[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(-0.0),
                                      Limits::denorm_min()};
                return anyOf(kSpecial);
            }
            if (oneIn(3))
                return static_cast<T>(std::uniform_real_distribution<double>(negative ? -2 : 0, 2)(gen));
            return static_cast<T>(static_cast<double>(below(9)) - (negative ? 4 : 0)) / T(2);
        } else {
            if (special && oneIn(20))
                return oneIn(2) && negative ? Limits::min() : Limits::max();
            return static_cast<T>(static_cast<int64_t>(below(9)) - (negative && std::is_signed_v<T> ? 4 : 0));
        }
    }

    std::mt19937 gen;
    bool special = false, negative = true;
};

} // namespace daphne::test
