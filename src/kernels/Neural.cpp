// SPDX-License-Identifier: Apache-2.0
/// softmax, relu, biasAdd.
#include <algorithm>
#include <cmath>

#include "data/CopyCells.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

void needNumbers(const KernelCall &call, size_t i) {
    if (call.args[i].dense().type() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
}

/// out(r, c) = exp(x(r, c) - max of row r) / sum over the row; the maximum keeps exp from overflowing.
template <class T> void softmaxRows(const DenseView<const T> &in, const DenseView<T> &out) {
    for (size_t r = 0; r < in.rows && in.cols > 0; ++r) {
        T greatest = *std::max_element(in.row(r), in.row(r) + in.cols);
        T sum = 0;
        for (size_t c = 0; c < in.cols; ++c)
            sum += out(r, c) = std::exp(in(r, c) - greatest);
        for (size_t c = 0; c < in.cols; ++c)
            out(r, c) /= sum;
    }
}

Value softmax(KernelCall &call, const Dense &x) {
    needNumbers(call, 0);
    ValueType type = isFloat(x.type()) ? x.type() : ValueType::F64;
    auto result = call.reuseOrCreate(0, type, x.rows(), x.cols());
    auto in = converted(x, type);
    if (type == ValueType::F32)
        softmaxRows(in->view<float>(), result->mutableView<float>());
    else
        softmaxRows(in->view<double>(), result->mutableView<double>());
    return result;
}

Value relu(KernelCall &call, const Dense &x) {
    needNumbers(call, 0);
    auto result = call.reuseOrCreate(0, x.type(), x.rows(), x.cols());
    withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t c = 0; c < in.cols; ++c)
                out(r, c) = in(r, c) < T(0) ? T(0) : in(r, c); // NaN stays
    });
    return result;
}

/// The sum, wrapping for integers.
template <class T> T wrappedSum(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return a || b;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
        return a + b;
}

Value biasAdd(KernelCall &call, const Dense &x, const Dense &bias) {
    needNumbers(call, 0);
    needNumbers(call, 1);
    if (bias.cols() != 1)
        throw executionError("needs a bias with one column, got " + bias.shapeText());
    size_t channels = bias.rows();
    if (channels == 0 ? x.cols() != 0 : x.cols() % channels != 0)
        throw executionError("the number of columns must be a multiple of the " + std::to_string(channels) +
                             " channels, got " + x.shapeText());
    auto addends = converted(bias, x.type());
    auto result = call.reuseOrCreate(0, x.type(), x.rows(), x.cols());
    withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto b = addends->view<T>();
        auto out = result->mutableView<T>();
        size_t width = channels ? in.cols / channels : 0;
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t c = 0; c < in.cols; ++c)
                out(r, c) = wrappedSum<T>(in(r, c), b(c / width, 0));
    });
    return result;
}

} // namespace

void addNeural(KernelTable &t) {
    t.add<&softmax>("softmax");
    t.add<&relu>("relu");
    t.add<&biasAdd>("biasAdd");
}

} // namespace daphne
