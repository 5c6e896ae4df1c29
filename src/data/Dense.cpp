// SPDX-License-Identifier: Apache-2.0
#include "data/Dense.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>

#include "base/Cancellable.h"

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

struct Dense::OtherForm {
    std::shared_ptr<const Dictionary> dictionary; ///< none: cells
    BufferRef buffer;                             ///< rows x cols, contiguous
};

Dense::~Dense() {
    delete other.load(std::memory_order_relaxed);
    buffer->release();
}

Ref<Dense> Dense::over(ValueType type, Buffer *cells, size_t rows, size_t cols, size_t skip) {
    return Ref<Dense>::make(type, cells, size_t(0), rows, cols, skip);
}

Ref<Dense> Dense::coded(std::shared_ptr<const Dictionary> dictionary, Buffer *codes, size_t rows) {
    auto result = Ref<Dense>::make(ValueType::Str, codes, size_t(0), rows, size_t(1), size_t(1));
    result->dictionaryOfBuffer = std::move(dictionary);
    return result;
}

Ref<Dense> Dense::window(const Dense &m, size_t r0, size_t r1, size_t c0, size_t c1) {
    m.buffer->retain();
    auto result = Ref<Dense>::make(m.type(), m.buffer, m.offset + r0 * m.rowSkip + c0, r1 - r0, c1 - c0, m.rowSkip);
    result->dictionaryOfBuffer = m.dictionaryOfBuffer;
    return result;
}

Ref<Dense> Dense::reshaped(const Dense &m, size_t rows, size_t cols) {
    m.buffer->retain();
    auto result = Ref<Dense>::make(m.type(), m.buffer, m.offset, rows, cols, cols);
    result->dictionaryOfBuffer = m.dictionaryOfBuffer;
    return result;
}

Ref<Dense> Dense::copy() const {
    auto result = create(type(), rows(), cols());
    withValueType(type(), [&]<class T>(TypeTag<T>) {
        auto in = view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellableRows(in))
            std::copy_n(in.row(r), cols(), out.row(r));
    });
    return result;
}

// -------------------------------------------------------------------- strings

namespace {

/// Forms are made once, whoever asks first; rarely, so one lock for all is enough.
std::mutex &formsLock() {
    static std::mutex lock;
    return lock;
}

} // namespace

DenseView<const std::string> Dense::cellsOfCodes() const {
    OtherForm *form = other.load(std::memory_order_acquire);
    if (!form) {
        std::lock_guard guard(formsLock());
        form = other.load(std::memory_order_acquire);
        if (!form) {
            BufferRef made(Buffer::create(ValueType::Str, cells(), Buffer::Init::None));
            auto codes = reinterpret_cast<const uint32_t *>(buffer->data()) + offset;
            auto *out = made.as<std::string>();
            for (size_t r : cancellableRows(*this))
                for (size_t c = 0; c < cols(); ++c)
                    *out++ = (*dictionaryOfBuffer)[codes[r * rowSkip + c]];
            form = new OtherForm{nullptr, std::move(made)};
            other.store(form, std::memory_order_release);
        }
    }
    return {form->buffer.as<std::string>(), rows(), cols(), cols()};
}

void Dense::dropCodes() {
    if (dictionaryOfBuffer) {
        // The cells become the only form.
        cellsOfCodes();
        OtherForm *form = other.load(std::memory_order_relaxed);
        buffer->release();
        buffer = form->buffer.detach();
        offset = 0;
        rowSkip = cols();
        dictionaryOfBuffer = nullptr;
    }
    if (other.load(std::memory_order_relaxed))
        delete other.exchange(nullptr);
}

void Dense::keepCodes(std::shared_ptr<const Dictionary> dictionary, Buffer *codes) const {
    auto *form = new OtherForm{std::move(dictionary), BufferRef(codes)};
    OtherForm *none = nullptr;
    if (!other.compare_exchange_strong(none, form))
        delete form; // somebody was faster
}

Dense::Codes Dense::codes() const {
    if (dictionaryOfBuffer)
        return {dictionaryOfBuffer,
                {reinterpret_cast<const uint32_t *>(buffer->data()) + offset, rows(), cols(), rowSkip}};
    if (!other.load(std::memory_order_acquire)) {
        auto dictionary = std::make_shared<Dictionary>();
        BufferRef made(Buffer::create(ValueType::UI32, cells(), Buffer::Init::None));
        auto in = view<std::string>();
        auto *out = made.as<uint32_t>();
        for (size_t r : cancellableRows(*this))
            for (size_t c = 0; c < cols(); ++c)
                *out++ = dictionary->insert(in(r, c));
        keepCodes(std::move(dictionary), made.detach());
    }
    OtherForm *form = other.load(std::memory_order_acquire);
    return {form->dictionary, {form->buffer.as<uint32_t>(), rows(), cols(), cols()}};
}

} // namespace daphne
