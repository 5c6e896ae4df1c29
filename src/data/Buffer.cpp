// SPDX-License-Identifier: Apache-2.0
#include "data/Buffer.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "base/Cancellable.h"
#include "data/BufferPool.h"

namespace daphne {

namespace {

constexpr size_t kAlignment = 64;
/// Up to this size header and cells share one block of the general allocator, whose small blocks are much cheaper
/// than aligned ones: scripts update 1x1 matrices in loops.
constexpr size_t kInlineBytes = 1024;

struct Cells {
    std::byte *data;
    bool zeroed;
};

Cells allocate(size_t numBytes) {
    if (numBytes >= kPooledBytes) {
        PooledBlock block = allocatePooled(numBytes);
        return {block.data, block.zeroed};
    }
    size_t size = (numBytes + kAlignment - 1) / kAlignment * kAlignment;
    auto *data = static_cast<std::byte *>(std::aligned_alloc(kAlignment, size));
    if (!data)
        throw std::bad_alloc();
    return {data, false};
}

} // namespace

Buffer *Buffer::create(ValueType type, size_t numCells, Init init) {
    size_t numBytes = numCells * cellSize(type);
    Buffer *buffer;
    bool zeroed = false;
    if (numBytes <= kInlineBytes) {
        void *block = ::operator new(sizeof(Buffer) + kAlignment - 1 + numBytes);
        buffer = new (block) Buffer;
        auto first = (reinterpret_cast<uintptr_t>(block) + sizeof(Buffer) + kAlignment - 1) & ~(kAlignment - 1);
        buffer->cells = reinterpret_cast<std::byte *>(first);
    } else {
        Cells cells = allocate(numBytes);
        buffer = new (::operator new(sizeof(Buffer))) Buffer;
        buffer->cells = cells.data;
        zeroed = cells.zeroed;
    }
    buffer->type = type;
    buffer->numCells = numCells;
    buffer->numBytes = numBytes;
    BufferRef owner(buffer); // many cells take a while: the run may be cancelled meanwhile
    if (type == ValueType::Str) {
        auto *texts = reinterpret_cast<std::string *>(buffer->cells);
        buffer->numCells = 0;
        for (auto [begin, end] : cancellablePieces(numCells)) {
            std::uninitialized_default_construct_n(texts + begin, end - begin);
            buffer->numCells = end;
        }
    } else if (init == Init::Zero && !zeroed) {
        for (auto [begin, end] : cancellablePieces(numBytes))
            std::memset(buffer->cells + begin, 0, end - begin);
    }
    return owner.detach();
}

Buffer *Buffer::adopt(ValueType type, std::byte *block, size_t numBytes) {
    auto *buffer = new (::operator new(sizeof(Buffer))) Buffer;
    buffer->type = type;
    buffer->numCells = numBytes / cellSize(type);
    buffer->numBytes = numBytes;
    buffer->cells = block;
    return buffer;
}

namespace {

/// Who borrows keeps this before the Buffer.
struct Lender {
    Buffer::ReleaseCells release;
    void *user;
};

} // namespace

Buffer *Buffer::borrow(ValueType type, const void *cells, size_t numCells, ReleaseCells release, void *user) {
    static_assert(sizeof(Lender) % alignof(Buffer) == 0);
    auto *block = static_cast<std::byte *>(::operator new(sizeof(Lender) + sizeof(Buffer)));
    new (block) Lender{release, user};
    auto *buffer = new (block + sizeof(Lender)) Buffer;
    buffer->refs.store(1 | kBorrowed, std::memory_order_relaxed);
    buffer->type = type;
    buffer->numCells = numCells;
    buffer->numBytes = numCells * cellSize(type);
    buffer->cells = const_cast<std::byte *>(static_cast<const std::byte *>(cells));
    return buffer;
}

void Buffer::destroy() noexcept {
    if (refs.load(std::memory_order_relaxed) & kBorrowed) {
        auto *block = reinterpret_cast<std::byte *>(this) - sizeof(Lender);
        Lender lender = *reinterpret_cast<Lender *>(block);
        this->~Buffer();
        ::operator delete(block);
        if (lender.release)
            lender.release(lender.user);
        return;
    }
    if (type == ValueType::Str)
        std::destroy_n(reinterpret_cast<std::string *>(cells), numCells);
    if (numBytes >= kPooledBytes)
        freePooled(cells);
    else if (numBytes > kInlineBytes)
        std::free(cells);
    this->~Buffer();
    ::operator delete(this);
}

} // namespace daphne
