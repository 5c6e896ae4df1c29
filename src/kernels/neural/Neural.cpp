// SPDX-License-Identifier: Apache-2.0
/// softmax, relu, biasAdd, affine.
#include <algorithm>
#include <cmath>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/neural/Images.h"

namespace daphne {

namespace {

/// out(r, c) = exp(x(r, c) - max of row r) / sum over the row; the maximum keeps exp from overflowing.
template <class T> void softmaxRows(const DenseView<const T> &in, const DenseView<T> &out) {
    for (size_t r : cancellable(in.cols > 0 ? in.rows : 0, in.cols)) {
        T greatest = *std::max_element(in.row(r), in.row(r) + in.cols);
        T sum = 0;
        for (size_t c = 0; c < in.cols; ++c)
            sum += out(r, c) = std::exp(in(r, c) - greatest);
        for (size_t c = 0; c < in.cols; ++c)
            out(r, c) /= sum;
    }
}

Value softmax(KernelCall &call, const Dense &x) {
    needNumericMatrix(call, 0);
    ValueType type = floatTypeOf(x.type());
    auto result = call.reuseOrCreate(0, type, x.rows(), x.cols());
    auto in = converted(x, type);
    withFloatType(
        type, [&]<class T>(TypeTag<T>) { softmaxRows<T>(in->template view<T>(), result->template mutableView<T>()); });
    return result;
}

Value relu(KernelCall &call, const Dense &x) {
    needNumericMatrix(call, 0);
    auto result = call.reuseOrCreate(0, x.type(), x.rows(), x.cols());
    withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellableRows(in))
            for (size_t c = 0; c < in.cols; ++c)
                out(r, c) = in(r, c) < T(0) ? T(0) : in(r, c); // NaN stays
    });
    return result;
}

Value reluOfCsr(KernelCall &, const Csr &x) {
    if (x.isPattern())
        return Ref<Matrix>::share(const_cast<Csr *>(&x));
    return withNumericType(x.type(), [&]<class T>(TypeTag<T>) -> Value {
        BufferRef values(Buffer::create(x.type(), x.capacity(), Buffer::Init::None));
        const T *from = x.values<T>();
        for (uint64_t k = x.offsets()[0]; k < x.offsets()[x.rows()]; ++k)
            values.as<T>()[k] = from[k] < T(0) ? T(0) : from[k];
        return withoutZeros(Csr::withStructureOf(x, x.type(), std::move(values)));
    });
}

Value biasAdd(KernelCall &call, const Dense &x, const Dense &bias) {
    needNumericMatrix(call, 0);
    needNumericMatrix(call, 1);
    if (bias.cols() != 1)
        throw executionError("needs a bias with one column, got " + bias.shapeText());
    size_t channels = bias.rows();
    needWholeChannels(call, 0, channels);
    auto addends = converted(bias, x.type());
    auto result = call.reuseOrCreate(0, x.type(), x.rows(), x.cols());
    withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto b = addends->view<T>();
        auto out = result->mutableView<T>();
        size_t width = channels ? in.cols / channels : 0;
        for (size_t r : cancellableRows(in))
            for (size_t channel = 0; channel < channels; ++channel)
                for (size_t c = channel * width; c < (channel + 1) * width; ++c)
                    out(r, c) = sumOfCells<T>(in(r, c), b(channel, 0));
    });
    return result;
}

/// lhs @ rhs by the kernel for their representations.
Ref<Dense> product(RunContext &context, const Value &lhs, const Value &rhs) {
    const Kernel &matMul = *KernelTable::get().find("matMul");
    std::array<Value, 4> args = {lhs, rhs, Value::scalar(false), Value::scalar(false)};
    Value result;
    KernelCall call{context, matMul, args, {&result, 1}};
    matMul.run(call);
    return result.isCsr() ? toDense(result.csr()) : result.denseRef();
}

/// affine(input, weights, bias) = input @ weights + bias
Value affine(KernelCall &call, AnyValue input, AnyValue weights, const Dense &bias) {
    for (size_t i = 0; i < 3; ++i)
        needNumericMatrix(call, i);
    const Matrix &x = input.value.matrix(), &w = weights.value.matrix();
    if (x.cols() != w.rows())
        throw executionError("needs as many columns in the input as rows in the weights, got " + x.shapeText() +
                             " and " + w.shapeText());
    if (bias.cells() != 1)
        needVector(call, 2, w.cols(), "the bias");
    auto sums = product(call.context, input.value, weights.value);
    ValueType type = mostGeneral(sums->type(), bias.type());
    auto result = converted(*sums, type);
    auto addends = converted(bias, type);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto b = addends->template view<T>();
        auto out = result->template mutableView<T>();
        size_t step = b.rows * b.cols == 1 ? 0 : b.rows == 1 ? 1 : b.skip;
        for (size_t r : cancellableRows(out))
            for (size_t c = 0; c < out.cols; ++c)
                out(r, c) = sumOfCells<T>(out(r, c), b.data[c * step]);
    });
    return result;
}

} // namespace

void addNeural(KernelTable &t) {
    t.add<&softmax>("softmax");
    t.add<&relu>("relu");
    t.addSparse<&reluOfCsr>("relu");
    t.add<&biasAdd>("biasAdd");
    t.add<&affine>("affine");
}

} // namespace daphne
