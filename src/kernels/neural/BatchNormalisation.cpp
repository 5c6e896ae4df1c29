// SPDX-License-Identifier: Apache-2.0
/// batchNorm2d and batchNorm2dBackward. Channel c of a row is the c-th of its
/// equal parts; n is the number of cells of a channel in the whole batch.
///     batchNorm2d          y = (x - mean) / sqrt(variance + eps) * gamma + beta, with given statistics
///     batchNorm2dBackward  z = (x - mean) * invVar, dBeta = sum(dout), dGamma = sum(dout * z),
///                          dX = gamma * invVar * (dout - dBeta / n - z * dGamma / n)
#include <cmath>

#include "base/Cancellable.h"
#include "kernels/neural/Images.h"

namespace daphne {

namespace {

template <class T> void normalise(KernelCall &call, const DenseView<const T> &in, double eps, const DenseView<T> &out) {
    auto gamma = vectorCells<T>(call.args[1].dense()), beta = vectorCells<T>(call.args[2].dense());
    auto mean = vectorCells<T>(call.args[3].dense());
    auto variance = vectorCells<double>(call.args[4].dense());
    size_t width = gamma.empty() ? 0 : in.cols / gamma.size();
    std::vector<T> scale(gamma.size());
    for (size_t c = 0; c < gamma.size(); ++c) {
        if (variance[c] + eps < 0)
            throw executionError("emaVar + eps must not be negative, got " + std::to_string(variance[c]) + " + " +
                                 std::to_string(eps) + " for channel " + std::to_string(c));
        scale[c] = static_cast<T>(gamma[c] / std::sqrt(variance[c] + eps));
    }
    for (size_t r : cancellableRows(in))
        for (size_t c = 0; c < gamma.size(); ++c) {
            const T *from = in.row(r) + c * width;
            T *to = out.row(r) + c * width;
            for (size_t k = 0; k < width; ++k)
                to[k] = (from[k] - mean[c]) * scale[c] + beta[c];
        }
}

/// batchNorm2d(input, gamma, beta, emaMean, emaVar, eps)
Value batchNorm2d(KernelCall &call, const Dense &input, const Dense &, const Dense &, const Dense &, const Dense &,
                  double eps) {
    needNumericMatrix(call, 0);
    size_t channels = vectorLength(call, 1, "gamma");
    needVector(call, 2, channels, "beta");
    needVector(call, 3, channels, "emaMean");
    needVector(call, 4, channels, "emaVar");
    needWholeChannels(call, 0, channels);
    ValueType type = floatTypeOf(input.type());
    auto result = call.reuseOrCreate(0, type, input.rows(), input.cols());
    auto x = converted(input, type);
    withFloatType(type, [&]<class T>(TypeTag<T>) {
        normalise<T>(call, x->template view<T>(), eps, result->template mutableView<T>());
    });
    return result;
}

struct ChannelSums {
    double dGamma = 0, dBeta = 0;
};

template <class T>
ChannelSums sumsOf(const DenseView<const T> &x, const DenseView<const T> &dout, Span columns, T mean, T invVar) {
    ChannelSums sums;
    for (size_t r : cancellableRows(x))
        for (size_t k = columns.from; k < columns.to; ++k) {
            sums.dBeta += dout(r, k);
            sums.dGamma += static_cast<double>(dout(r, k)) * ((x(r, k) - mean) * invVar);
        }
    return sums;
}

template <class T> std::array<Value, 3> gradients(KernelCall &call, const Dense &input, const Dense &gradient) {
    const ValueType type = valueTypeOf<T>();
    auto mean = vectorCells<T>(call.args[0].dense()), invVar = vectorCells<T>(call.args[1].dense());
    auto gamma = vectorCells<T>(call.args[4].dense());
    auto cellsOfX = converted(input, type), cellsOfDout = converted(gradient, type);
    auto x = cellsOfX->template view<T>(), dout = cellsOfDout->template view<T>();
    size_t channels = mean.size(), width = channels ? x.cols / channels : 0;
    auto dX = Dense::create(type, x.rows, x.cols);
    auto dGamma = Dense::create(type, channels, 1), dBeta = Dense::create(type, channels, 1);
    auto out = dX->template mutableView<T>();
    double n = static_cast<double>(x.rows) * static_cast<double>(width);
    for (size_t c = 0; c < channels; ++c) {
        Span columns{c * width, (c + 1) * width};
        ChannelSums sums = sumsOf<T>(x, dout, columns, mean[c], invVar[c]);
        dGamma->template mutableView<T>()(c, 0) = static_cast<T>(sums.dGamma);
        dBeta->template mutableView<T>()(c, 0) = static_cast<T>(sums.dBeta);
        T meanOfDout = static_cast<T>(sums.dBeta / n), slope = static_cast<T>(sums.dGamma / n);
        T scale = gamma[c] * invVar[c];
        for (size_t r : cancellableRows(x))
            for (size_t k = columns.from; k < columns.to; ++k)
                out(r, k) = scale * (dout(r, k) - meanOfDout - (x(r, k) - mean[c]) * invVar[c] * slope);
    }
    return {Value(dX), Value(dGamma), Value(dBeta)};
}

/// batchNorm2dBackward(mean, invVar, input, dout, gamma, eps); eps is part of invVar already.
std::array<Value, 3> batchNorm2dBackward(KernelCall &call, const Dense &, const Dense &, const Dense &input,
                                         const Dense &dout, const Dense &, double) {
    size_t channels = vectorLength(call, 0, "mean");
    needVector(call, 1, channels, "invVar");
    needVector(call, 4, channels, "gamma");
    needNumericMatrix(call, 2);
    needNumericMatrix(call, 3);
    if (input.rows() != dout.rows() || input.cols() != dout.cols())
        throw executionError("input and dout must have the same shape, got " + input.shapeText() + " and " +
                             dout.shapeText());
    needWholeChannels(call, 2, channels);
    ValueType type = floatTypeOf(mostGeneral(input.type(), dout.type()));
    return withFloatType(type, [&]<class T>(TypeTag<T>) { return gradients<T>(call, input, dout); });
}

} // namespace

void addBatchNormalisation(KernelTable &t) {
    t.add<&batchNorm2d>("batchNorm2d");
    t.add<&batchNorm2dBackward>("batchNorm2dBackward");
}

} // namespace daphne
