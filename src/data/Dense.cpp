// SPDX-License-Identifier: Apache-2.0
#include "data/Dense.h"

#include <algorithm>
#include <limits>
#include <new>

namespace daphne {

Ref<Dense> Dense::create(ValueType type, size_t rows, size_t cols, Buffer::Init init) {
    size_t limit = static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) / cellSize(type);
    if (cols != 0 && rows > limit / cols)
        throwOutOfMemory(type, rows, cols);
    Buffer *buffer = nullptr;
    try {
        buffer = Buffer::create(type, rows * cols, init);
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(type, rows, cols);
    }
    return Ref<Dense>::make(type, buffer, size_t(0), rows, cols, cols);
}

Ref<Dense> Dense::window(const Dense &m, size_t r0, size_t r1, size_t c0, size_t c1) {
    m.buffer->retain();
    return Ref<Dense>::make(m.type(), m.buffer, m.offset + r0 * m.rowSkip + c0, r1 - r0, c1 - c0, m.rowSkip);
}

Ref<Dense> Dense::reshaped(const Dense &m, size_t rows, size_t cols) {
    m.buffer->retain();
    return Ref<Dense>::make(m.type(), m.buffer, m.offset, rows, cols, cols);
}

Ref<Dense> Dense::copy() const {
    auto result = create(type(), rows(), cols());
    withValueType(type(), [&]<class T>(TypeTag<T>) {
        auto in = view<T>();
        auto out = result->mutableView<T>();
        for (size_t r = 0; r < rows(); ++r)
            std::copy_n(in.row(r), cols(), out.row(r));
    });
    return result;
}

} // namespace daphne
