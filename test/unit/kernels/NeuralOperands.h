// SPDX-License-Identifier: Apache-2.0
/// Random operands of neural-network operations: small batches of images with
/// windows that mostly fit. Tests only.
#pragma once

#include "kernels/RandomMatrices.h"

namespace daphne::test::make {

/// Sizes of a batch of images and of the windows on it.
struct Images {
    size_t images, channels, height, width, windowH, windowW, strideH, strideW, paddingH, paddingW;

    explicit Images(RandomMatrices &r)
        : images(1 + r.below(3)), channels(1 + r.below(3)), height(2 + r.below(4)), width(2 + r.below(4)),
          windowH(1 + r.below(2)), windowW(1 + r.below(3)), strideH(1 + r.below(2)), strideW(1 + r.below(2)),
          paddingH(windowH > 1 ? r.below(2) : 0), paddingW(windowW > 1 ? r.below(2) : 0) {
        if (r.oneIn(15))
            strideH = 0;
        if (r.oneIn(15))
            ++channels;
    }
    size_t outputs() const {
        if (strideH == 0 || height + 2 * paddingH < windowH || width + 2 * paddingW < windowW)
            return 1; // an error, whatever there is
        return ((height + 2 * paddingH - windowH) / strideH + 1) * ((width + 2 * paddingW - windowW) / strideW + 1);
    }
    /// numImages, numChannels, imgHeight, imgWidth, windowH, windowW, strideH, strideW, paddingH, paddingW
    void appendSizes(std::vector<Value> &args) const {
        for (size_t n : {images, channels, height, width, windowH, windowW, strideH, strideW, paddingH, paddingW})
            args.push_back(Value::scalar(static_cast<int64_t>(n)));
    }
    /// strideH, strideW, padH, padW, batch, channels, height, width, filters, channels, filterH, filterW
    void appendBackwardSizes(std::vector<Value> &args, size_t filters) const {
        for (size_t n : {strideH, strideW, paddingH, paddingW, images, channels, height, width, filters, channels,
                         windowH, windowW})
            args.push_back(Value::scalar(static_cast<int64_t>(n)));
    }
    Value input(RandomMatrices &r, ValueType type) const {
        return r.matrix(type, images, channels * height * width + r.oneIn(15));
    }
};

inline Operands pool(RandomMatrices &r) {
    Images s(r);
    Operands o{{s.input(r, r.numericType())}};
    s.appendSizes(o.args);
    return o;
}
inline Operands poolBackward(RandomMatrices &r) {
    Images s(r);
    ValueType type = r.numericType();
    Operands o{{s.input(r, type), r.matrix(r.oneIn(3) ? r.numericType() : type, s.images, s.channels * s.outputs())}};
    s.appendSizes(o.args);
    return o;
}
inline Operands convolution(RandomMatrices &r) {
    Images s(r);
    ValueType type = r.numericType();
    size_t filters = 1 + r.below(3);
    Operands o{{s.input(r, type), r.matrix(type, filters, s.channels * s.windowH * s.windowW)}};
    s.appendSizes(o.args);
    if (r.oneIn(2))
        o.args.push_back(r.matrix(type, filters, 1));
    return o;
}
inline Operands filterGradient(RandomMatrices &r) {
    Images s(r);
    size_t filters = 1 + r.below(3);
    Operands o{{s.input(r, r.numericType()), r.matrix(s.images, filters * s.outputs())}};
    s.appendBackwardSizes(o.args, filters);
    return o;
}
inline Operands dataGradient(RandomMatrices &r) {
    Images s(r);
    size_t filters = 1 + r.below(3);
    Operands o{{r.matrix(filters, s.channels * s.windowH * s.windowW), r.matrix(s.images, filters * s.outputs())}};
    s.appendBackwardSizes(o.args, filters);
    return o;
}

inline Operands affine(RandomMatrices &r) {
    size_t common = r.size(), cols = r.size();
    ValueType type = r.numericType();
    return {{r.matrix(type, r.size(), common), r.matrix(type, common + r.oneIn(10), cols),
             r.matrix(r.oneIn(3) ? r.numericType() : type, r.oneIn(2) ? 1 : cols, cols)}};
}
/// batch_norm2d(input, gamma, beta, emaMean, emaVar, eps)
inline Operands batchNorm(RandomMatrices &r) {
    size_t channels = r.positiveSize();
    Operands o{{r.matrix(r.size(), channels * r.positiveSize() + r.oneIn(15))}};
    for (int i = 0; i < 3; ++i)
        o.args.push_back(r.matrix(channels, 1));
    r.allowNegative(false);
    o.args.push_back(r.matrix(ValueType::F64, channels, 1, RandomMatrices::Density::Full));
    o.args.push_back(Value::scalar(0.5));
    return o;
}
/// batch_norm2d_backward(mean, invVar, input, dout, gamma, eps)
inline Operands batchNormBackward(RandomMatrices &r) {
    size_t channels = r.positiveSize(), rows = r.size(), cols = channels * r.positiveSize();
    return {{r.matrix(channels, 1), r.matrix(channels, 1), r.matrix(rows, cols), r.matrix(rows, cols),
             r.matrix(channels, 1), Value::scalar(0.5)}};
}

} // namespace daphne::test::make
