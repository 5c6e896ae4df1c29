// SPDX-License-Identifier: Apache-2.0
/// Random sparse matrices in all their forms, and the comparison every test of
/// a kernel on compressed sparse rows makes: the same result as with dense
/// arguments. Tests only.
#pragma once

#include <cmath>
#include <random>

#include "data/Csr.h"
#include "kernels/Run.h"

namespace daphne::test {

constexpr ValueType kNumericTypes[] = {ValueType::Bool, ValueType::SI8,  ValueType::UI8,  ValueType::SI32,
                                       ValueType::UI32, ValueType::Size, ValueType::SI64, ValueType::UI64,
                                       ValueType::F32,  ValueType::F64};

struct CsrCase {
    ValueType type;
    size_t rows, cols;
    double density;
    bool pattern = false;
    bool windowed = false; ///< a row window of a larger matrix: the first offset is not 0
};

/// Cells are small whole numbers, so that sums are exact in every type and order. Every third row is empty.
inline Value randomCsr(const CsrCase &c, uint64_t seed) {
    std::mt19937_64 random(seed);
    size_t before = c.windowed ? 2 : 0, all = c.rows + 2 * before;
    auto dense = Dense::create(c.type, all, c.cols, Buffer::Init::Zero);
    withNumericType(c.type, [&]<class T>(TypeTag<T>) {
        auto out = dense->mutableView<T>();
        for (size_t r = 0; r < all; ++r)
            for (size_t col = 0; col < c.cols; ++col) {
                bool present = static_cast<double>(random() % 1000) < c.density * 1000;
                int64_t x = static_cast<int64_t>(random() % 7) - (isSigned(c.type) ? 3 : 0);
                bool emptyRow = c.density < 1 && r % 3 == 2;
                if (present && !emptyRow)
                    out(r, col) = c.pattern || x == 0 ? T(1) : static_cast<T>(x);
            }
    });
    auto csr = toCsr(*dense);
    if (c.pattern)
        csr = Csr::withStructureOf(*csr, c.type, BufferRef());
    return c.windowed ? Csr::rowWindow(*csr, before, before + c.rows) : csr;
}

/// All forms of a matrix of one type and shape.
inline std::vector<Value> csrForms(ValueType type, size_t rows, size_t cols, uint64_t seed) {
    std::vector<Value> forms;
    for (double density : {0.0, 0.15, 0.6, 1.0}) {
        forms.push_back(randomCsr({type, rows, cols, density}, ++seed));
        forms.push_back(randomCsr({type, rows, cols, density, false, true}, ++seed));
        forms.push_back(randomCsr({type, rows, cols, density, true, true}, ++seed));
    }
    forms.push_back(randomCsr({type, rows, cols, 0.3, true}, ++seed));
    return forms;
}

inline Value asDense(const Value &v) { return v.isCsr() ? Value(toDense(v.csr())) : v; }

/// The same value type, shape and cells, NaN being equal to NaN; a Csr keeps its invariants.
inline void expectSame(const Value &found, const Value &expected, const std::string &what) {
    ASSERT_EQ(static_cast<int>(found.kind()), static_cast<int>(expected.kind())) << what;
    if (found.isScalar()) {
        EXPECT_EQ(found.raw().bits, expected.raw().bits) << what;
        return;
    }
    if (found.isCsr()) {
        ASSERT_NO_THROW(found.csr().check()) << what;
    }
    ASSERT_EQ(describe(found), describe(expected)) << what;
    Value f = asDense(found), e = asDense(expected);
    withNumericType(f.valueType(), [&]<class T>(TypeTag<T>) {
        auto a = f.dense().view<T>(), b = e.dense().view<T>();
        for (size_t r = 0; r < a.rows; ++r)
            for (size_t c = 0; c < a.cols; ++c) {
                bool bothNan = a(r, c) != a(r, c) && b(r, c) != b(r, c);
                ASSERT_TRUE(bothNan || a(r, c) == b(r, c))
                    << what << ": cell " << r << ", " << c << " is " << +a(r, c) << ", expected " << +b(r, c);
            }
    });
}

/// Runs a kernel with these arguments and with dense copies; returns the former's result. Failures must agree too.
inline Value expectAsDense(std::string_view mnemonic, const std::vector<Value> &args, const std::string &what = "") {
    std::vector<Value> dense;
    std::string text = std::string(mnemonic) + " " + what;
    for (const Value &v : args) {
        dense.push_back(asDense(v));
        text += " " + describe(v) + (v.isCsr() ? v.csr().isPattern() ? " (pattern)" : " (csr)" : "");
    }
    std::string message = failure(mnemonic, dense);
    EXPECT_EQ(failure(mnemonic, args), message) << text;
    if (!message.empty())
        return Value();
    Value result = run(mnemonic, args);
    expectSame(result, run(mnemonic, dense), text);
    return result;
}

} // namespace daphne::test
