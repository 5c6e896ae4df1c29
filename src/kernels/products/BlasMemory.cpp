// SPDX-License-Identifier: Apache-2.0
/// Work memory of BLAS, one stack of buffers per thread: a thread that waits for others
/// inside of a product and helps with another one gets another buffer. The serial OpenBLAS
/// hands out its buffers without a lock, so that two of our workers inside of it
/// would get the same one; the linker replaces those two functions by these
/// (src/CMakeLists.txt).
#include <new>
#include <vector>

#include <sys/mman.h>

namespace {

/// OpenBLAS counts on 128 MiB on this architecture; pages that are never touched cost nothing.
constexpr size_t kBytes = size_t(256) << 20;

/// Buffers of this thread that nobody uses.
struct FreeBuffers {
    std::vector<void *> buffers;
    ~FreeBuffers() {
        for (void *p : buffers)
            munmap(p, kBytes);
    }
};
thread_local FreeBuffers freeBuffers;

} // namespace

extern "C" {

void *__wrap_blas_memory_alloc(int) {
    auto &buffers = freeBuffers.buffers;
    if (!buffers.empty()) {
        void *p = buffers.back();
        buffers.pop_back();
        return p;
    }
    buffers.reserve(buffers.capacity() + 1); // giving it back must not fail
    void *p = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        throw std::bad_alloc();
    madvise(p, kBytes, MADV_HUGEPAGE);
    return p;
}

void __wrap_blas_memory_free(void *buffer) { freeBuffers.buffers.push_back(buffer); }
}
