// SPDX-License-Identifier: Apache-2.0
/// Convolution and pooling against direct loops written from their
/// definitions, and their gradients against finite differences too.
#include <gmock/gmock.h>

#include "kernels/RandomCells.h"

namespace daphne::test {
namespace {

// ---------------------------------------------------------------------- shapes

struct Shape {
    size_t images, channels, h, w, windowH, windowW, strideH, strideW, padH, padW;
    size_t outH() const { return (h + 2 * padH - windowH) / strideH + 1; }
    size_t outW() const { return (w + 2 * padW - windowW) / strideW + 1; }
    size_t cells() const { return channels * h * w; }
    size_t positions() const { return outH() * outW(); }
    /// Cell (y, x) of the padded channel, or -1 in the padding.
    int64_t at(size_t channel, size_t y, size_t x) const {
        if (y < padH || y - padH >= h || x < padW || x - padW >= w)
            return -1;
        return static_cast<int64_t>((channel * h + y - padH) * w + x - padW);
    }
    std::string text() const {
        std::string s;
        for (size_t n : {images, channels, h, w, windowH, windowW, strideH, strideW, padH, padW})
            s += std::to_string(n) + " ";
        return s;
    }
};

enum class Padding { Any, BelowWindow };

Shape randomShape(Padding padding) {
    for (;;) {
        Shape s{below(4),     below(4),     1 + below(7), 1 + below(7), 1 + below(4),
                1 + below(4), 1 + below(3), 1 + below(3), below(4),     below(4)};
        bool fits = s.windowH <= s.h + 2 * s.padH && s.windowW <= s.w + 2 * s.padW;
        if (fits && (padding == Padding::Any || (s.padH < s.windowH && s.padW < s.windowW)))
            return s;
    }
}

Value size(size_t n) { return number(static_cast<int64_t>(n)); }

std::vector<Value> call(std::vector<Value> matrices, const Shape &s) {
    for (size_t n : {s.images, s.channels, s.h, s.w, s.windowH, s.windowW, s.strideH, s.strideW, s.padH, s.padW})
        matrices.push_back(size(n));
    return matrices;
}

std::vector<Value> backwardCall(std::vector<Value> matrices, const Shape &s, size_t filters) {
    for (size_t n : {s.strideH, s.strideW, s.padH, s.padW, s.images, s.channels, s.h, s.w, filters, s.channels,
                     s.windowH, s.windowW})
        matrices.push_back(size(n));
    return matrices;
}

/// Calls f(image, channel, output position, cells of the window that lie in the channel) for every window.
void forEachWindow(const Shape &s, const std::function<void(size_t, size_t, size_t, const std::vector<size_t> &)> &f) {
    for (size_t n = 0; n < s.images; ++n)
        for (size_t c = 0; c < s.channels; ++c)
            for (size_t i = 0; i < s.outH(); ++i)
                for (size_t j = 0; j < s.outW(); ++j) {
                    std::vector<size_t> inside;
                    for (size_t a = 0; a < s.windowH; ++a)
                        for (size_t b = 0; b < s.windowW; ++b)
                            if (int64_t cell = s.at(c, i * s.strideH + a, j * s.strideW + b); cell >= 0)
                                inside.push_back(static_cast<size_t>(cell));
                    f(n, c, i * s.outW() + j, inside);
                }
}

void expectOutSizes(const std::vector<Value> &results, const Shape &s) {
    EXPECT_EQ(printed(results[1]), std::to_string(s.outH()) + "\n");
    EXPECT_EQ(printed(results[2]), std::to_string(s.outW()) + "\n");
    EXPECT_EQ(results[1].scalarType(), ValueType::Size);
    EXPECT_EQ(results[2].scalarType(), ValueType::Size);
}

// --------------------------------------------------------------------- pooling

TEST(Pooling, MeansEqualDirectLoops) {
    for (int round = 0; round < kRounds; ++round) {
        Shape s = randomShape(Padding::Any);
        ValueType type = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, s.images, s.cells()));
        auto results = runAll("avgPool2d", call({x}, s), 3);
        EXPECT_EQ(results[0].valueType(), floatOf(type));
        EXPECT_EQ(results[0].dense().rows(), s.images);
        EXPECT_EQ(results[0].dense().cols(), s.channels * s.positions());
        expectOutSizes(results, s);
        Cells in = asDoubles(x), wanted;
        forEachWindow(s, [&](size_t n, size_t, size_t, const std::vector<size_t> &inside) {
            double sum = 0;
            for (size_t cell : inside)
                sum += in[n * s.cells() + cell];
            wanted.push_back(sum / double(s.windowH * s.windowW));
        });
        expectNear(asDoubles(results[0]), wanted, 1e-6, s.text());
    }
}

TEST(Pooling, MaximaEqualDirectLoopsInEveryValueType) {
    for (int round = 0; round < kRounds; ++round) {
        Shape s = randomShape(Padding::BelowWindow);
        ValueType type = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, s.images, s.cells()));
        auto results = runAll("maxPool2d", call({x}, s), 3);
        EXPECT_EQ(results[0].valueType(), type);
        EXPECT_EQ(results[0].dense().rows(), s.images);
        expectOutSizes(results, s);
        Cells in = asDoubles(x), wanted;
        forEachWindow(s, [&](size_t n, size_t, size_t, const std::vector<size_t> &inside) {
            double best = -INFINITY;
            for (size_t cell : inside)
                best = std::max(best, in[n * s.cells() + cell]);
            wanted.push_back(best);
        });
        expectNear(asDoubles(results[0]), wanted, 0, s.text());
    }
}

TEST(Pooling, MaximaOfLargeIntegersAndSpecialNumbers) {
    int64_t big = INT64_MAX;
    Shape two{1, 1, 1, 2, 1, 2, 1, 1, 0, 0};
    EXPECT_EQ(cells<int64_t>(runAll("maxPool2d", call({rowVector<int64_t>({big - 1, big})}, two), 3)[0])[0], big);
    EXPECT_EQ(cells<uint64_t>(runAll("maxPool2d", call({rowVector<uint64_t>({~0ull, ~0ull - 1})}, two), 3)[0])[0],
              ~0ull);
    auto maximum = [&](double a, double b) {
        return cells<double>(runAll("maxPool2d", call({rowVector<double>({a, b})}, two), 3)[0])[0];
    };
    EXPECT_TRUE(std::isnan(maximum(NAN, 1)));
    EXPECT_TRUE(std::isnan(maximum(INFINITY, NAN)));
    EXPECT_EQ(maximum(-INFINITY, -INFINITY), -INFINITY);
    EXPECT_EQ(maximum(-5, -INFINITY), -5);
    // The same down a column.
    Shape down{1, 1, 2, 1, 2, 1, 1, 1, 0, 0};
    EXPECT_TRUE(std::isnan(cells<double>(runAll("maxPool2d", call({rowVector<double>({1, NAN})}, down), 3)[0])[0]));
}

TEST(Pooling, MaximaGiveTheirGradientToTheFirst) {
    Shape s{1, 1, 2, 3, 2, 2, 1, 1, 0, 0};
    Value x = rowVector<double>({1, 4, 4, 4, 0, 4}), dOut = rowVector<double>({10, 1});
    EXPECT_EQ(asDoubles(run("maxPool2dBackward", call({x, dOut}, s))), (Cells{0, 11, 0, 0, 0, 0}));
    Value nans = rowVector<double>({1, NAN, 9, NAN, 0, 4});
    EXPECT_EQ(asDoubles(run("maxPool2dBackward", call({nans, dOut}, s))), (Cells{0, 11, 0, 0, 0, 0}));
    int64_t big = INT64_MAX;
    Shape two{1, 1, 1, 2, 1, 2, 1, 1, 0, 0};
    EXPECT_EQ(
        asDoubles(run("maxPool2dBackward", call({rowVector<int64_t>({big - 1, big}), rowVector<float>({2})}, two))),
        (Cells{0, 2}));
}

TEST(Pooling, GradientsEqualDirectLoopsInEveryValueType) {
    for (int round = 0; round < kRounds; ++round) {
        Shape s = randomShape(Padding::BelowWindow);
        ValueType type = kAllTypes[below(std::size(kAllTypes))], gradientType = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, s.images, s.cells()));
        Value dOut = maybeWindowed(randomMatrix(gradientType, s.images, s.channels * s.positions()));
        Cells in = asDoubles(x), gradients = asDoubles(dOut);
        Cells mean(in.size()), maximum(in.size());
        size_t next = 0;
        forEachWindow(s, [&](size_t n, size_t, size_t, const std::vector<size_t> &inside) {
            size_t best = inside[0];
            for (size_t cell : inside) {
                mean[n * s.cells() + cell] += gradients[next] / double(s.windowH * s.windowW);
                if (in[n * s.cells() + cell] > in[n * s.cells() + best])
                    best = cell;
            }
            maximum[n * s.cells() + best] += gradients[next++];
        });
        Value a = run("avgPool2dBackward", call({x, dOut}, s)), m = run("maxPool2dBackward", call({x, dOut}, s));
        EXPECT_EQ(a.valueType(), floatOf(mostGeneral(type, gradientType)));
        EXPECT_EQ(m.valueType(), floatOf(mostGeneral(type, gradientType)));
        EXPECT_EQ(m.dense().shapeText(), x.dense().shapeText());
        expectNear(asDoubles(a), mean, 1e-6, s.text());
        expectNear(asDoubles(m), maximum, 0, s.text());
    }
}

// ----------------------------------------------------------------- convolution

Cells convolved(const Shape &s, size_t filters, const Cells &x, const Cells &w, const Cells &bias) {
    size_t depth = s.channels * s.windowH * s.windowW;
    Cells out;
    for (size_t n = 0; n < s.images; ++n)
        for (size_t f = 0; f < filters; ++f)
            for (size_t i = 0; i < s.outH(); ++i)
                for (size_t j = 0; j < s.outW(); ++j) {
                    double sum = bias.empty() ? 0 : bias[f];
                    for (size_t c = 0; c < s.channels; ++c)
                        for (size_t a = 0; a < s.windowH; ++a)
                            for (size_t b = 0; b < s.windowW; ++b)
                                if (int64_t cell = s.at(c, i * s.strideH + a, j * s.strideW + b); cell >= 0)
                                    sum += x[n * s.cells() + size_t(cell)] *
                                           w[f * depth + (c * s.windowH + a) * s.windowW + b];
                    out.push_back(sum);
                }
    return out;
}

TEST(Convolution, EqualsDirectLoopsInEveryValueType) {
    for (int round = 0; round < 2 * kRounds; ++round) {
        Shape s = randomShape(Padding::Any);
        size_t filters = below(4);
        ValueType type = kAllTypes[below(std::size(kAllTypes))], filterType = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, s.images, s.cells()));
        Value w = maybeWindowed(randomMatrix(filterType, filters, s.channels * s.windowH * s.windowW));
        auto args = call({x, w}, s);
        ValueType g = mostGeneral(type, filterType);
        Cells bias;
        if (below(2)) {
            ValueType biasType = kAllTypes[below(std::size(kAllTypes))];
            args.push_back(below(2) ? windowed(randomMatrix(biasType, filters, 1))
                                    : randomMatrix(biasType, 1, filters));
            bias = asDoubles(args.back());
            g = mostGeneral(g, biasType);
        }
        auto results = runAll("conv2d", args, 3);
        EXPECT_EQ(results[0].valueType(), floatOf(g));
        EXPECT_EQ(results[0].dense().rows(), s.images);
        EXPECT_EQ(results[0].dense().cols(), filters * s.positions());
        expectOutSizes(results, s);
        expectNear(asDoubles(results[0]), convolved(s, filters, asDoubles(x), asDoubles(w), bias), 0, s.text());
    }
}

TEST(Convolution, OfManyBlocksEqualsDirectLoops) {
    // More columns than fit into one block: blocks end inside images and rows.
    for (Shape s : {Shape{3, 3, 67, 71, 5, 3, 1, 1, 2, 1}, Shape{40, 16, 9, 11, 3, 3, 2, 1, 1, 1},
                    Shape{300, 2, 5, 5, 5, 5, 1, 1, 0, 0}}) {
        size_t filters = 7, depth = s.channels * s.windowH * s.windowW;
        auto x = randomMatrix(ValueType::F32, s.images, s.cells());
        auto w = randomMatrix(ValueType::F32, filters, depth);
        Cells wanted = convolved(s, filters, asDoubles(x), asDoubles(w), {});
        auto results = runAll("conv2d", call({x, w}, s), 3);
        expectNear(asDoubles(results[0]), wanted, 0, s.text());

        // <conv(x, w), y> is linear in w and in x: <w, dW> = <x, dX> = <conv(x, w), y>.
        auto y = randomMatrix(ValueType::F64, s.images, filters * s.positions());
        auto inner = [](const Cells &a, const Cells &b) {
            double sum = 0;
            for (size_t i = 0; i < a.size(); ++i)
                sum += a[i] * b[i];
            return sum;
        };
        double value = inner(wanted, asDoubles(y));
        Value dW = run("conv2dBackwardFilter", backwardCall({x, y}, s, filters));
        Value dX = run("conv2dBackwardData", backwardCall({w, y}, s, filters));
        EXPECT_EQ(inner(asDoubles(w), asDoubles(dW)), value);
        EXPECT_EQ(inner(asDoubles(x), asDoubles(dX)), value);
    }
}

TEST(Convolution, GradientsEqualDirectLoopsInEveryValueType) {
    for (int round = 0; round < kRounds; ++round) {
        Shape s = randomShape(Padding::Any);
        size_t filters = below(4), depth = s.channels * s.windowH * s.windowW;
        ValueType type = kAllTypes[below(std::size(kAllTypes))], outputType = kAllTypes[below(std::size(kAllTypes))];
        Value x = maybeWindowed(randomMatrix(type, s.images, s.cells()));
        Value w = maybeWindowed(randomMatrix(type, filters, depth));
        Value y = maybeWindowed(randomMatrix(outputType, s.images, filters * s.positions()));
        Cells xs = asDoubles(x), ws = asDoubles(w), ys = asDoubles(y), dX(xs.size()), dW(ws.size());
        size_t next = 0;
        for (size_t n = 0; n < s.images; ++n)
            for (size_t f = 0; f < filters; ++f)
                for (size_t i = 0; i < s.outH(); ++i)
                    for (size_t j = 0; j < s.outW(); ++j, ++next)
                        for (size_t k = 0; k < depth; ++k) {
                            size_t a = k / s.windowW % s.windowH, b = k % s.windowW;
                            int64_t cell = s.at(k / (s.windowH * s.windowW), i * s.strideH + a, j * s.strideW + b);
                            if (cell < 0)
                                continue;
                            dW[f * depth + k] += ys[next] * xs[n * s.cells() + size_t(cell)];
                            dX[n * s.cells() + size_t(cell)] += ys[next] * ws[f * depth + k];
                        }
        Value ofFilter = run("conv2dBackwardFilter", backwardCall({x, y}, s, filters));
        Value ofData = run("conv2dBackwardData", backwardCall({w, y}, s, filters));
        for (const Value &v : {ofFilter, ofData})
            EXPECT_EQ(v.valueType(), floatOf(mostGeneral(type, outputType)));
        EXPECT_EQ(ofFilter.dense().shapeText(), w.dense().shapeText());
        EXPECT_EQ(ofData.dense().shapeText(), x.dense().shapeText());
        expectNear(asDoubles(ofFilter), dW, 0, s.text());
        expectNear(asDoubles(ofData), dX, 0, s.text());
    }
}

TEST(Convolution, TakesSparseOperands) {
    Shape s{2, 2, 4, 5, 2, 3, 1, 2, 1, 0};
    auto x = randomMatrix(ValueType::F64, 2, s.cells());
    auto w = randomMatrix(ValueType::F64, 3, 12);
    Cells wanted = asDoubles(runAll("conv2d", call({x, w}, s), 3)[0]);
    EXPECT_EQ(asDoubles(runAll("conv2d", call({toCsr(*x), toCsr(*w)}, s), 3)[0]), wanted);
    EXPECT_EQ(asDoubles(runAll("maxPool2d", call({toCsr(*x)}, s), 3)[0]),
              asDoubles(runAll("maxPool2d", call({x}, s), 3)[0]));
}

// ---------------------------------------------------------- finite differences

/// Distinct cells in random order: finite differences around them never cross a maximum.
Ref<Dense> distinctMatrix(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    double *cells = m->mutableView<double>().data;
    for (size_t i = 0; i < rows * cols; ++i)
        cells[i] = double(i) * 0.25 - 3;
    std::shuffle(cells, cells + rows * cols, generator());
    return m;
}

TEST(Gradients, EqualFiniteDifferences) {
    for (int round = 0; round < 25; ++round) {
        Shape s = randomShape(Padding::BelowWindow);
        s.images = 1 + below(2);
        s.channels = 1 + below(2);
        auto x = distinctMatrix(s.images, s.cells());
        auto y = realMatrix(s.images, s.channels * s.positions());
        for (auto [forward, backward] :
             {std::pair("avgPool2d", "avgPool2dBackward"), std::pair("maxPool2d", "maxPool2dBackward")}) {
            auto pool = [&, op = forward](const Value &v) { return runAll(op, call({v}, s), 3)[0]; };
            expectNear(asDoubles(run(backward, call({x, y}, s))), numericGradient(x, asDoubles(y), pool), 1e-6,
                       backward + (" " + s.text()));
        }
        size_t filters = 1 + below(3);
        auto w = realMatrix(filters, s.channels * s.windowH * s.windowW);
        auto dOut = realMatrix(s.images, filters * s.positions());
        auto ofData = [&](const Value &v) { return runAll("conv2d", call({v, w}, s), 3)[0]; };
        auto ofFilter = [&](const Value &v) { return runAll("conv2d", call({x, v}, s), 3)[0]; };
        expectNear(asDoubles(run("conv2dBackwardData", backwardCall({w, dOut}, s, filters))),
                   numericGradient(x, asDoubles(dOut), ofData), 1e-6, "data " + s.text());
        expectNear(asDoubles(run("conv2dBackwardFilter", backwardCall({x, dOut}, s, filters))),
                   numericGradient(w, asDoubles(dOut), ofFilter), 1e-6, "filter " + s.text());
    }
}

// ---------------------------------------------------------------------- errors

std::string failureOf(const std::string &op, std::vector<Value> args) {
    try {
        runAll(op, std::move(args), 3);
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << e.message;
        return e.message;
    }
    return {};
}

TEST(ImageErrors, NameTheWrongSize) {
    using testing::HasSubstr;
    Value x = randomMatrix(ValueType::F64, 2, 12);
    auto pool = [&](Shape s) { return failureOf("maxPool2d", call({x}, s)); };
    EXPECT_EQ(pool({2, 1, 3, 4, 2, 2, 1, 1, 0, 0}), "");
    EXPECT_THAT(pool({3, 1, 3, 4, 2, 2, 1, 1, 0, 0}), HasSubstr("3x12"));
    EXPECT_THAT(pool({2, 2, 3, 4, 2, 2, 1, 1, 0, 0}), HasSubstr("2x24"));
    EXPECT_THAT(pool({2, 1, 3, 4, 4, 2, 1, 1, 0, 0}), HasSubstr("window of height 4"));
    EXPECT_THAT(pool({2, 1, 3, 4, 2, 5, 1, 1, 0, 0}), HasSubstr("window of width 5"));
    EXPECT_THAT(pool({2, 1, 3, 4, 0, 2, 1, 1, 0, 0}), HasSubstr("height of the window"));
    EXPECT_THAT(pool({2, 1, 3, 4, 2, 2, 0, 1, 0, 0}), HasSubstr("stride along the height"));
    EXPECT_THAT(pool({2, 1, 3, 4, 2, 2, 1, 0, 0, 0}), HasSubstr("stride along the width"));
    EXPECT_THAT(pool({2, 1, 3, 4, 2, 2, 1, 1, 2, 0}), HasSubstr("nothing but padding"));
    EXPECT_EQ(failureOf("avgPool2d", call({x}, {2, 1, 3, 4, 2, 2, 1, 1, 2, 0})), "");
    EXPECT_THAT(failureOf("avgPool2d", call({matrix<double>(2, 0, {})}, {2, 1, 0, 4, 2, 2, 1, 1, 2, 0})),
                HasSubstr("height of the images"));
    EXPECT_THAT(pool({2, size_t(1) << 62, 3, 4, 2, 2, 1, 1, 0, 0}), HasSubstr("too large"));
    EXPECT_THAT(failureOf("avgPool2d", call({x}, {2, 1, 3, 4, 2, 2, 1, 1, size_t(1) << 62, 0})),
                HasSubstr("too large"));
    size_t big = size_t(1) << 40;
    EXPECT_NE(failureOf("avgPool2d", call({x}, {2, 1, 3, 4, 2, 2, 1, 1, big, big})), "");
    EXPECT_NE(failureOf("avgPool2d", call({x}, {2, 1, 3, 4, 2, 2, 1, 1, big, 0})), "");
    // Huge windows with huge strides see few cells: no time is lost on padding.
    EXPECT_EQ(failureOf("avgPool2d", call({x}, {2, 1, 3, 4, big, big, big, big, big, big})), "");
    auto negative = call({x}, {2, 1, 3, 4, 2, 2, 1, 1, 0, 0});
    negative[9] = number<int64_t>(-1);
    EXPECT_THAT(failureOf("maxPool2d", negative), HasSubstr(">= 0"));
    negative[9] = x;
    EXPECT_NE(failureOf("maxPool2d", negative), "");
    EXPECT_NE(failureOf("avgPool2d", call({strings(1, 1, {"a"})}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0})), "");
}

TEST(ImageErrors, NameTheWrongShapeOfFiltersBiasesAndGradients) {
    using testing::HasSubstr;
    Shape s{2, 3, 2, 2, 2, 1, 1, 1, 0, 0};
    Value x = randomMatrix(ValueType::F64, 2, 12), w = randomMatrix(ValueType::F64, 5, 6);
    Value y = randomMatrix(ValueType::F64, 2, 10);
    auto withBias = [&](Value bias) {
        auto args = call({x, w}, s);
        args.push_back(std::move(bias));
        return failureOf("conv2d", args);
    };
    EXPECT_EQ(withBias(randomMatrix(ValueType::F64, 5, 1)), "");
    EXPECT_THAT(withBias(randomMatrix(ValueType::F64, 4, 1)), HasSubstr("bias"));
    EXPECT_THAT(withBias(randomMatrix(ValueType::F64, 5, 2)), HasSubstr("bias"));
    EXPECT_NE(withBias(number(1.0)), "");
    EXPECT_THAT(failureOf("conv2d", call({x, x}, s)), HasSubstr("filter"));
    EXPECT_THAT(failureOf("conv2d", call({w, w}, s)), HasSubstr("input"));
    EXPECT_THAT(failureOf("conv2dBackwardFilter", backwardCall({x, x}, s, 5)), HasSubstr("gradient of the output"));
    EXPECT_THAT(failureOf("conv2dBackwardFilter", backwardCall({w, y}, s, 5)), HasSubstr("input"));
    EXPECT_THAT(failureOf("conv2dBackwardData", backwardCall({x, y}, s, 5)), HasSubstr("filter"));
    auto args = backwardCall({w, y}, s, 5);
    EXPECT_EQ(failureOf("conv2dBackwardData", args), "");
    args[11] = size(2);
    EXPECT_THAT(failureOf("conv2dBackwardData", args), HasSubstr("channels"));
    EXPECT_THAT(failureOf("maxPool2dBackward", call({x, x}, s)), HasSubstr("gradient of the output"));
}

} // namespace
} // namespace daphne::test
