// SPDX-License-Identifier: Apache-2.0
#include "AllocationMeter.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define DAPHNE_SANITIZER_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DAPHNE_SANITIZER_HOOKS 1
#endif
#endif

#ifdef DAPHNE_SANITIZER_HOOKS
// From the sanitizers' run-time library; GCC comes without the header.
extern "C" {
size_t __sanitizer_get_allocated_size(const volatile void *block);
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
}
#else
#include <cerrno>
#include <malloc.h>
#endif

namespace {

std::atomic<int64_t> inUse{0}, peak{0};

void note(int64_t change) {
    int64_t now = inUse.fetch_add(change, std::memory_order_relaxed) + change;
    int64_t seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed))
        ;
}

} // namespace

#ifdef DAPHNE_SANITIZER_HOOKS

namespace {

void allocated(const volatile void *, size_t size) { note(static_cast<int64_t>(size)); }
void freed(const volatile void *block) {
    if (block)
        note(-static_cast<int64_t>(__sanitizer_get_allocated_size(block)));
}
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);

} // namespace

#else

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *noted(void *block) {
    if (block)
        note(static_cast<int64_t>(malloc_usable_size(block)));
    return block;
}
static void forget(void *block) {
    if (block)
        note(-static_cast<int64_t>(malloc_usable_size(block)));
}

void *malloc(size_t size) { return noted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return noted(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) {
    forget(block);
    void *other = __libc_realloc(block, size);
    if (!other && size > 0)
        noted(block); // still there
    return noted(other);
}
void *memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = noted(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}
void free(void *block) {
    forget(block);
    __libc_free(block);
}
}

#endif

namespace daphne::fuzz {

namespace {
int64_t atStart = 0;
}

void startMeter() {
    atStart = inUse;
    peak = atStart;
}

size_t peakBytes() { return static_cast<size_t>(std::max<int64_t>(0, peak - atStart)); }

} // namespace daphne::fuzz
