// SPDX-License-Identifier: Apache-2.0
#include "data/Dense.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include <sys/mman.h>

#include "base/Error.h"

namespace daphne {

namespace {
constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t(2) << 20;

[[noreturn]] void outOfMemory(size_t rows, size_t cols, ValueType type) {
    throw executionError("out of memory: a " + std::to_string(rows) + "x" + std::to_string(cols) + " matrix of " +
                         std::string(dslName(type)) + " cannot be allocated");
}
} // namespace

Buffer *Buffer::create(ValueType type, size_t numCells, Init init) {
    auto owner = std::unique_ptr<Buffer>(new Buffer);
    owner->type = type;
    owner->numCells = numCells;
    owner->numBytes = numCells * cellSize(type);
    // Large blocks are aligned to and advised for huge pages: first touch is several times cheaper.
    size_t alignment = owner->numBytes >= kHugePage ? kHugePage : kAlignment;
    size_t size = (std::max<size_t>(owner->numBytes, 1) + alignment - 1) / alignment * alignment;
    owner->cells = static_cast<std::byte *>(std::aligned_alloc(alignment, size));
    if (!owner->cells)
        throw std::bad_alloc();
    if (alignment == kHugePage)
        madvise(owner->cells, size, MADV_HUGEPAGE);
    if (type == ValueType::Str)
        std::uninitialized_default_construct_n(reinterpret_cast<std::string *>(owner->cells), numCells);
    else if (init == Init::Zero)
        std::memset(owner->cells, 0, owner->numBytes);
    return owner.release();
}

void Buffer::destroy() noexcept {
    if (type == ValueType::Str)
        std::destroy_n(reinterpret_cast<std::string *>(cells), numCells);
    std::free(cells);
    delete this;
}

Ref<Dense> Dense::create(ValueType type, size_t rows, size_t cols, Buffer::Init init) {
    size_t limit = static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max()) / cellSize(type);
    if (cols != 0 && rows > limit / cols)
        outOfMemory(rows, cols, type);
    Buffer *buffer = nullptr;
    try {
        buffer = Buffer::create(type, rows * cols, init);
    } catch (const std::bad_alloc &) {
        outOfMemory(rows, cols, type);
    }
    return Ref<Dense>::make(type, buffer, size_t(0), rows, cols, cols);
}

Ref<Dense> Dense::window(const Dense &m, size_t r0, size_t r1, size_t c0, size_t c1) {
    m.buffer->retain();
    return Ref<Dense>::make(m.valueType, m.buffer, m.offset + r0 * m.rowSkip + c0, r1 - r0, c1 - c0, m.rowSkip);
}

Ref<Dense> Dense::reshaped(const Dense &m, size_t rows, size_t cols) {
    m.buffer->retain();
    return Ref<Dense>::make(m.valueType, m.buffer, m.offset, rows, cols, cols);
}

Ref<Dense> Dense::copy() const {
    auto result = create(valueType, numRows, numCols);
    withValueType(valueType, [&]<class T>(TypeTag<T>) {
        auto in = view<T>();
        auto out = result->mutableView<T>();
        for (size_t r = 0; r < numRows; ++r)
            std::copy_n(in.row(r), numCols, out.row(r));
    });
    return result;
}

} // namespace daphne
