// SPDX-License-Identifier: Apache-2.0
#include "data/CopyCells.h"

#include <algorithm>

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
