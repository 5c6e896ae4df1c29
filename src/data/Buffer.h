// SPDX-License-Identifier: Apache-2.0
/// Reference-counted, 64-byte aligned storage for cells of one value type.
/// Large buffers come from the BufferPool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/ValueType.h"
#include "data/Residency.h"

namespace daphne {

/// Constructs and destroys strings; numbers are raw memory.
class Buffer {
  public:
    enum class Init { None, Zero }; ///< strings are always constructed empty
    /// Throws std::bad_alloc if memory is exhausted.
    static Buffer *create(ValueType type, size_t numCells, Init init);
    /// Numbers in a block of the BufferPool, which is taken over.
    static Buffer *adopt(ValueType type, std::byte *block, size_t numBytes);
    /// Cells of somebody else, numbers, which stay as they are until `release` is called: once, by whoever drops the
    /// last reference. Nobody writes them: such a buffer is never unique.
    using ReleaseCells = void (*)(void *user);
    static Buffer *borrow(ValueType type, const void *cells, size_t numCells, ReleaseCells release, void *user);
    void retain() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if ((refs.fetch_sub(1, std::memory_order_acq_rel) & ~kBorrowed) == 1)
            destroy();
    }
    /// True if the caller's reference is the only one and the cells may be overwritten.
    bool unique() const noexcept { return refs.load(std::memory_order_acquire) == 1; }
    std::byte *data() const { return cells; }

    /// Knows where the cells are that are not here; null: all cells are here.
    Residency *residency() const noexcept { return whereabouts.load(std::memory_order_acquire); }
    void setResidency(Residency *residency) noexcept { whereabouts.store(residency, std::memory_order_release); }

  private:
    Buffer() = default;
    void destroy() noexcept;
    static constexpr uint32_t kBorrowed = uint32_t(1) << 31; ///< in the count: it is never 1
    std::atomic<uint32_t> refs{1};
    ValueType type = ValueType::F64;
    size_t numCells = 0, numBytes = 0;
    std::byte *cells = nullptr;
    std::atomic<Residency *> whereabouts{nullptr};
};

/// Owning pointer to a Buffer, or none.
class BufferRef {
  public:
    BufferRef() = default;
    /// Takes over one reference.
    explicit BufferRef(Buffer *buffer) : buffer(buffer) {}
    BufferRef(const BufferRef &o) : buffer(o.buffer) {
        if (buffer)
            buffer->retain();
    }
    BufferRef(BufferRef &&o) noexcept : buffer(std::exchange(o.buffer, nullptr)) {}
    BufferRef &operator=(BufferRef o) noexcept {
        std::swap(buffer, o.buffer);
        return *this;
    }
    ~BufferRef() {
        if (buffer)
            buffer->release();
    }
    explicit operator bool() const { return buffer != nullptr; }
    bool unique() const { return buffer->unique(); }
    Residency *residency() const { return buffer ? buffer->residency() : nullptr; }
    /// Gives the reference away.
    Buffer *detach() { return std::exchange(buffer, nullptr); }
    template <class T> T *as() const { return reinterpret_cast<T *>(buffer ? buffer->data() : nullptr); }

  private:
    Buffer *buffer = nullptr;
};

} // namespace daphne
