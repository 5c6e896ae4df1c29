// SPDX-License-Identifier: Apache-2.0
#include "data/CopyCells.h"

#include <algorithm>

#include "base/Calendar.h"
#include "base/Cancellable.h"
#include "base/Error.h"

namespace daphne {

namespace {

template <class To, class From> void copyRows(const DenseView<const From> &in, const DenseView<To> &out) {
    auto copy = [](const From *from, To *to, size_t n) {
        if constexpr (std::is_same_v<To, From>)
            std::copy_n(from, n, to);
        else
            for (size_t c = 0; c < n; ++c)
                to[c] = convertCell<To>(from[c]);
    };
    if (in.contiguous() && out.contiguous())
        for (auto [begin, end] : cancellablePieces(in.rows * in.cols))
            copy(in.data + begin, out.data + begin, end - begin);
    else
        for (size_t r : cancellableRows(in))
            copy(in.row(r), out.row(r), in.cols);
}

[[noreturn]] void noConversion(ValueType from, ValueType to) {
    throw executionError("a matrix of " + std::string(dslName(from)) + " cannot be used as a matrix of " +
                         std::string(dslName(to)));
}

template <class To> DenseView<To> partOf(Dense &target, const Dense &source, size_t row, size_t col) {
    auto whole = target.mutableView<To>();
    return {whole.data + row * whole.skip + col, source.rows(), source.cols(), whole.skip};
}

/// Dates as their midnights.
void copyDates(Dense &target, const Dense &source, size_t row, size_t col) {
    auto in = source.view<int32_t>();
    auto out = partOf<int64_t>(target, source, row, col);
    for (size_t r : cancellableRows(in))
        for (size_t c = 0; c < in.cols; ++c)
            out(r, c) = in(r, c) == calendar::kNatDate ? calendar::kNat : in(r, c) * calendar::kMicrosPerDay;
}

} // namespace

void copyInto(Dense &target, const Dense &source, size_t row, size_t col) {
    ValueType from = source.type(), to = target.type();
    if (from == ValueType::Date && to == ValueType::Timestamp)
        return copyDates(target, source, row, col);
    bool isStored = storedType(from) == storedType(to) && (isNumeric(from) || isNumeric(to));
    if (from != to && (isTime(from) || isTime(to)) && !isStored)
        noConversion(from, to);
    withValueType(to, [&]<class To>(TypeTag<To>) {
        DenseView<To> part = partOf<To>(target, source, row, col);
        withValueType(from, [&]<class From>(TypeTag<From>) {
            if constexpr (std::is_same_v<From, std::string> && !std::is_same_v<To, std::string>)
                noConversion(from, to);
            else
                copyRows(source.view<From>(), part);
        });
    });
}

Ref<Dense> converted(const Dense &m, ValueType to) {
    if (m.type() == to)
        return Ref<Dense>::share(const_cast<Dense *>(&m));
    auto result = Dense::create(to, m.rows(), m.cols());
    copyInto(*result, m, 0, 0);
    return result;
}

} // namespace daphne
