// SPDX-License-Identifier: Apache-2.0
#include "data/CopyCells.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne {

namespace {

template <class To, class From> void copyRows(const DenseView<const From> &in, const DenseView<To> &out) {
    bool isOneRow = in.contiguous() && out.contiguous();
    size_t rows = isOneRow ? std::min<size_t>(1, in.rows) : in.rows, cols = isOneRow ? in.rows * in.cols : in.cols;
    for (size_t r = 0; r < rows; ++r) {
        const From *from = in.row(r);
        To *to = out.row(r);
        if constexpr (std::is_same_v<To, From>)
            std::copy_n(from, cols, to);
        else
            for (size_t c = 0; c < cols; ++c)
                to[c] = convertCell<To>(from[c]);
    }
}

} // namespace

void copyInto(Dense &target, const Dense &source, size_t row, size_t col) {
    withValueType(target.type(), [&]<class To>(TypeTag<To>) {
        auto whole = target.mutableView<To>();
        DenseView<To> part{whole.data + row * whole.skip + col, source.rows(), source.cols(), whole.skip};
        withValueType(source.type(), [&]<class From>(TypeTag<From>) {
            if constexpr (std::is_same_v<From, std::string> && !std::is_same_v<To, std::string>)
                throw executionError("a matrix of str cannot be used as a matrix of " +
                                     std::string(dslName(target.type())));
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
