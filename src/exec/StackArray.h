// SPDX-License-Identifier: Apache-2.0
/// An array whose size is known when it is made, on the stack up to N elements.
/// Elements are value-initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace daphne::exec {

template <class T, size_t N> class StackArray {
  public:
    explicit StackArray(size_t size)
        : count(size), first(size <= N ? reinterpret_cast<T *>(room) : std::allocator<T>().allocate(size)) {
        std::uninitialized_value_construct_n(first, count);
    }
    ~StackArray() {
        std::destroy_n(first, count);
        if (count > N)
            std::allocator<T>().deallocate(first, count);
    }
    StackArray(const StackArray &) = delete;
    StackArray &operator=(const StackArray &) = delete;

    T &operator[](size_t i) { return first[i]; }
    T *data() { return first; }
    std::span<T> span() { return {first, count}; }

  private:
    size_t count;
    T *first;
    alignas(T) std::byte room[N * sizeof(T)];
};

} // namespace daphne::exec
