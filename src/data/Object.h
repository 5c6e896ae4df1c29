// SPDX-License-Identifier: Apache-2.0
/// Reference-counted run-time objects: everything a DaphneDSL variable can hold
/// that is not a number. A new object has one reference. Objects are immutable
/// once shared; who holds the only reference may update in place. An object may
/// outlive the run that made it, and its last reference may go on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace daphne {

enum class ObjectKind : uint8_t { String, Matrix, Frame, List };

class Object {
  public:
    explicit Object(ObjectKind kind) : kind(kind) {}
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    void retain() noexcept { refs.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete this;
    }
    /// True if the caller's reference is the only one: in-place update is invisible.
    bool unique() const noexcept { return refs.load(std::memory_order_acquire) == 1; }

    const ObjectKind kind;

  protected:
    virtual ~Object() = default;

  private:
    std::atomic<uint32_t> refs{1};
};

/// Owning pointer to an Object.
template <class T> class Ref {
  public:
    Ref() = default;
    /// Takes over one reference.
    static Ref adopt(T *object) {
        Ref r;
        r.object = object;
        return r;
    }
    /// Adds a reference.
    static Ref share(T *object) {
        if (object)
            object->retain();
        return adopt(object);
    }
    template <class... Args> static Ref make(Args &&...args) { return adopt(new T(std::forward<Args>(args)...)); }

    Ref(const Ref &o) : object(o.object) {
        if (object)
            object->retain();
    }
    Ref(Ref &&o) noexcept : object(std::exchange(o.object, nullptr)) {}
    template <class U> Ref(Ref<U> o) : object(o.detach()) {}
    Ref &operator=(Ref o) noexcept {
        std::swap(object, o.object);
        return *this;
    }
    ~Ref() {
        if (object)
            object->release();
    }

    T *get() const { return object; }
    T *operator->() const { return object; }
    T &operator*() const { return *object; }
    explicit operator bool() const { return object != nullptr; }
    /// Gives the reference away.
    T *detach() { return std::exchange(object, nullptr); }

  private:
    T *object = nullptr;
};

} // namespace daphne
