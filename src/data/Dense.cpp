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

namespace {
/// Up to this size header and cells share one block of the general allocator, whose small blocks are much cheaper
/// than aligned ones: scripts update 1x1 matrices in loops.
constexpr size_t kInlineBytes = 1024;
} // namespace

Buffer *Buffer::create(ValueType type, size_t numCells, Init init) {
    size_t numBytes = numCells * cellSize(type);
    Buffer *buffer;
    if (numBytes <= kInlineBytes) {
        void *block = ::operator new(sizeof(Buffer) + kAlignment - 1 + numBytes);
        buffer = new (block) Buffer;
        auto first = (reinterpret_cast<uintptr_t>(block) + sizeof(Buffer) + kAlignment - 1) & ~(kAlignment - 1);
        buffer->cells = reinterpret_cast<std::byte *>(first);
    } else {
        // Large blocks are aligned to and advised for huge pages: first touch is several times cheaper.
        size_t alignment = numBytes >= kHugePage ? kHugePage : kAlignment;
        size_t size = (numBytes + alignment - 1) / alignment * alignment;
        auto *cells = static_cast<std::byte *>(std::aligned_alloc(alignment, size));
        if (!cells)
            throw std::bad_alloc();
        if (alignment == kHugePage)
            madvise(cells, size, MADV_HUGEPAGE);
        buffer = new (::operator new(sizeof(Buffer))) Buffer;
        buffer->cells = cells;
    }
    buffer->type = type;
    buffer->numCells = numCells;
    buffer->numBytes = numBytes;
    if (type == ValueType::Str)
        std::uninitialized_default_construct_n(reinterpret_cast<std::string *>(buffer->cells), numCells);
    else if (init == Init::Zero)
        std::memset(buffer->cells, 0, numBytes);
    return buffer;
}

void Buffer::destroy() noexcept {
    if (type == ValueType::Str)
        std::destroy_n(reinterpret_cast<std::string *>(cells), numCells);
    if (numBytes > kInlineBytes)
        std::free(cells);
    this->~Buffer();
    ::operator delete(this);
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
