// SPDX-License-Identifier: Apache-2.0
/// Batch normalisation, affine, relu and biasAdd against direct loops written
/// from their definitions.
#include "kernels/RandomCells.h"

namespace daphne::test {
namespace {

/// Mean and 1 / sqrt(variance + eps) of every channel over the batch.
std::pair<Ref<Dense>, Ref<Dense>> statistics(const Value &x, size_t channels, double eps) {
    auto mean = Dense::create(ValueType::F64, channels, 1), invVar = Dense::create(ValueType::F64, channels, 1);
    auto in = x.dense().view<double>();
    size_t width = in.cols / channels;
    double n = double(in.rows * width);
    for (size_t c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t k = c * width; k < (c + 1) * width; ++k)
                sum += in(r, k);
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t k = c * width; k < (c + 1) * width; ++k)
                squares += (in(r, k) - sum / n) * (in(r, k) - sum / n);
        mean->mutableView<double>()(c, 0) = sum / n;
        invVar->mutableView<double>()(c, 0) = 1 / std::sqrt(squares / n + eps);
    }
    return {mean, invVar};
}

Ref<Dense> varianceFrom(const Dense &invVar, double eps) {
    auto variance = invVar.copy();
    for (size_t c = 0; c < invVar.rows(); ++c) {
        double d = invVar.view<double>()(c, 0);
        variance->mutableView<double>()(c, 0) = 1 / (d * d) - eps;
    }
    return variance;
}

TEST(Gradients, OfBatchNormalisationEqualFiniteDifferences) {
    for (int round = 0; round < 25; ++round) {
        size_t channels = 1 + below(3), images = 1 + below(3), width = 2 + below(4);
        double eps = 0.125;
        auto x = realMatrix(images, channels * width), dOut = realMatrix(images, channels * width);
        auto gamma = realMatrix(channels, 1), beta = realMatrix(channels, 1);
        auto normalised = [&](const Value &input, const Value &g, const Value &b) {
            auto [mean, invVar] = statistics(input, channels, eps);
            return run("batchNorm2d", {input, g, b, mean, varianceFrom(*invVar, eps), number(eps)});
        };
        auto [mean, invVar] = statistics(x, channels, eps);
        auto found = runAll("batchNorm2dBackward", {mean, invVar, x, dOut, gamma, number(eps)}, 3);
        Cells y = asDoubles(dOut);
        expectNear(asDoubles(found[0]), numericGradient(x, y, [&](auto &v) { return normalised(v, gamma, beta); }),
                   1e-6, "dX");
        expectNear(asDoubles(found[1]), numericGradient(gamma, y, [&](auto &v) { return normalised(x, v, beta); }),
                   1e-6, "dGamma");
        expectNear(asDoubles(found[2]), numericGradient(beta, y, [&](auto &v) { return normalised(x, gamma, v); }),
                   1e-6, "dBeta");
        for (size_t i : {1, 2})
            EXPECT_EQ(found[i].dense().shapeText(), std::to_string(channels) + "x1");
    }
}

// --------------------------------------------------------- batch normalisation

TEST(BatchNormalisation, EqualsDirectLoopsInEveryValueType) {
    for (int round = 0; round < kRounds; ++round) {
        size_t channels = 1 + below(4), width = below(5), images = below(4);
        ValueType type = kAllTypes[below(std::size(kAllTypes))], other = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, images, channels * width));
        bool rows = below(2);
        auto vector = [&] { return rows ? randomMatrix(other, 1, channels) : randomMatrix(other, channels, 1); };
        Value gamma = vector(), beta = vector(), mean = vector(), variance = vector();
        double eps = 4.5;
        Value y = run("batchNorm2d", {x, gamma, beta, mean, variance, number(eps)});
        EXPECT_EQ(y.valueType(), floatOf(type));
        EXPECT_EQ(y.dense().shapeText(), x.dense().shapeText());
        Cells wanted = asDoubles(x), g = asDoubles(gamma), b = asDoubles(beta), m = asDoubles(mean),
              v = asDoubles(variance);
        for (size_t i = 0; i < wanted.size(); ++i) {
            size_t c = i % (channels * width) / width;
            wanted[i] = (wanted[i] - m[c]) / std::sqrt(v[c] + eps) * g[c] + b[c];
        }
        expectNear(asDoubles(y), wanted, 2e-6, "round " + std::to_string(round));
    }
}

TEST(BatchNormalisation, WorksInPlaceAndChecksItsOperands) {
    Value one = column<double>({1}), four = column<double>({4}), zero = column<double>({0});
    Value x = rowVector<double>({1, 3});
    const void *storage = x.dense().view<double>().data;
    Value y = runConsuming("batchNorm2d", 1, [&] {
        std::vector<Value> args{std::move(x), one, zero, one, four, number(0.0)};
        return args;
    }());
    EXPECT_EQ(cells<double>(y), (Cells{0, 1}));
    EXPECT_EQ(y.dense().view<double>().data, storage);
    Value two = rowVector<double>({5, 6}), wide = matrix<double>(2, 2, {1, 2, 3, 4});
    EXPECT_NE(failure("batchNorm2d", {two, one, zero, zero, column<double>({-1}), number(0.5)}), "");
    EXPECT_EQ(failure("batchNorm2d", {two, one, zero, zero, zero, number(0.0)}), ""); // division by 0 gives inf
    EXPECT_NE(failure("batchNorm2d", {two, wide, zero, zero, zero, number(1.0)}), "");
    EXPECT_NE(failure("batchNorm2d", {two, one, two, zero, zero, number(1.0)}), "");
    EXPECT_NE(failure("batchNorm2d", {two, column<double>({1, 2, 3}), column<double>({1, 2, 3}),
                                      column<double>({1, 2, 3}), column<double>({1, 2, 3}), number(1.0)}),
              "");
    EXPECT_NE(failure("batchNorm2d", {strings(1, 1, {"a"}), one, zero, zero, zero, number(1.0)}), "");
    EXPECT_NE(failure("batchNorm2dBackward", {one, one, two, one, one, number(1.0)}), "");
    EXPECT_NE(failure("batchNorm2dBackward", {one, two, two, two, one, number(1.0)}), "");
    auto empty = runAll("batchNorm2dBackward",
                        {one, one, matrix<double>(0, 3, {}), matrix<double>(0, 3, {}), one, number(1.0)}, 3);
    EXPECT_EQ(asDoubles(empty[1]), Cells{0});
    EXPECT_EQ(empty[0].dense().shapeText(), "0x3");
}

// ---------------------------------------------------------- affine, relu, bias

TEST(Affine, EqualsDirectLoopsInEveryValueType) {
    for (int round = 0; round < kRounds; ++round) {
        size_t m = below(5), k = below(5), n = below(5);
        ValueType types[] = {kAllTypes[below(10)], kAllTypes[below(10)], kAllTypes[below(10)]};
        Value x = maybeWindowed(randomMatrix(types[0], m, k)), w = maybeWindowed(randomMatrix(types[1], k, n));
        size_t form = below(3);
        Value bias = form == 0   ? randomMatrix(types[2], 1, n)
                     : form == 1 ? windowed(randomMatrix(types[2], n, 1))
                                 : Value(randomMatrix(types[2], 1, 1));
        Cells a = asDoubles(x), b = asDoubles(w), c = asDoubles(bias), wanted;
        for (size_t i = 0; i < m; ++i)
            for (size_t j = 0; j < n; ++j) {
                double sum = c.size() == 1 ? c[0] : c[j];
                for (size_t l = 0; l < k; ++l)
                    sum += a[i * k + l] * b[l * n + j];
                wanted.push_back(sum);
            }
        Value y = run("affine", {x, w, bias});
        ValueType product = mostGeneral(types[0], types[1]);
        product = product == ValueType::Bool ? ValueType::SI64 : product;
        ValueType type = mostGeneral(product, types[2]);
        EXPECT_EQ(y.valueType(), type);
        EXPECT_EQ(y.dense().shapeText(), std::to_string(m) + "x" + std::to_string(n));
        auto wraps = [](ValueType t) { return !isSigned(t) || t == ValueType::SI8; };
        if (!wraps(product) && !wraps(type))
            expectNear(asDoubles(y), wanted, 0, "round " + std::to_string(round));
        if (bias.dense().rows() == 1) {
            Value sum = run("ewAdd", {run("matMul", {x, w, number(false), number(false)}), bias});
            EXPECT_EQ(asDoubles(y), asDoubles(sum));
        }
    }
}

TEST(Affine, TakesSparseOperandsAndChecksShapes) {
    auto x = randomMatrix(ValueType::F64, 3, 4), w = randomMatrix(ValueType::F64, 4, 2);
    Value bias = rowVector<double>({1, -1});
    Cells wanted = asDoubles(run("affine", {x, w, bias}));
    EXPECT_EQ(asDoubles(run("affine", {toCsr(*x), w, bias})), wanted);
    EXPECT_EQ(asDoubles(run("affine", {toCsr(*x), toCsr(*w), toCsr(bias.dense())})), wanted);
    EXPECT_EQ(cells<int8_t>(run("affine", {column<int8_t>({100}), column<int8_t>({1}), column<int8_t>({100})}))[0],
              -56);
    EXPECT_NE(failure("affine", {x, x, bias}), "");
    EXPECT_NE(failure("affine", {x, w, rowVector<double>({1, 2, 3})}), "");
    EXPECT_NE(failure("affine", {x, w, w}), "");
    EXPECT_NE(failure("affine", {x, w, number(1.0)}), "");
    EXPECT_NE(failure("affine", {x, w, strings(1, 1, {"a"})}), "");
}

TEST(Relu, OfSparseMatricesEqualsThatOfDenseOnes) {
    for (ValueType type : kAllTypes) {
        auto x = randomMatrix(type, 7, 6);
        Value y = run("relu", {toCsr(*x)});
        ASSERT_TRUE(y.isCsr());
        y.csr().check();
        EXPECT_EQ(asDoubles(toDense(y.csr())), asDoubles(run("relu", {x})));
    }
    Value window = Csr::rowWindow(*toCsr(*randomMatrix(ValueType::F64, 5, 5)), 1, 4);
    EXPECT_EQ(asDoubles(toDense(run("relu", {window}).csr())), asDoubles(run("relu", {toDense(window.csr())})));
}

TEST(BiasAdd, EqualsDirectLoops) {
    for (int round = 0; round < kRounds; ++round) {
        size_t channels = 1 + below(4), width = below(5), images = below(4);
        Value x = maybeWindowed(randomMatrix(ValueType::F32, images, channels * width));
        Value bias = maybeWindowed(randomMatrix(ValueType::F64, channels, 1));
        Cells wanted = asDoubles(x), b = asDoubles(bias);
        for (size_t i = 0; i < wanted.size(); ++i)
            wanted[i] += b[i % (channels * width) / width];
        expectNear(asDoubles(run("biasAdd", {x, bias})), wanted, 0, "round " + std::to_string(round));
    }
}

} // namespace
} // namespace daphne::test
