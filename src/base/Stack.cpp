// SPDX-License-Identifier: Apache-2.0
#include "base/Stack.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace daphne {

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr size_t kStackSizes[] = {1024 * kMiB, 256 * kMiB, 64 * kMiB};
/// The compiler needs no other stack if this much is left.
constexpr uint64_t kLarge = 48 * kMiB;
/// Generated code may use this much (room for recursion several 100 000 levels deep); the rest is for the compiler's
/// own recursion.
#if defined(__SANITIZE_ADDRESS__)
/// An exception that is thrown deeper than 64 MiB below the top leaves marks of its frames behind, and the address
/// sanitizer reports what comes to lie on them.
constexpr uint64_t kScriptStack = 48 * kMiB;
#else
constexpr uint64_t kScriptStack = 256 * kMiB;
#endif
/// For kernels and libraries below generated code.
constexpr uint64_t kReserve = 4 * kMiB;

struct Bounds {
    uint64_t low = 0, high = 0;
};

Bounds askSystem() {
    pthread_attr_t attributes;
    void *low = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return {};
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return {reinterpret_cast<uint64_t>(low), reinterpret_cast<uint64_t>(low) + size};
}

/// Of the large stack that this thread runs on now; 0 if it runs on its own.
thread_local constinit Bounds large;

const Bounds &stackOfThread() {
    static thread_local const Bounds own = askSystem();
    return large.high ? large : own;
}

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

struct Job {
    const std::function<void()> *body;
    void *stack;
    size_t size;
    std::exception_ptr failure = nullptr;

    void run() noexcept {
        auto low = reinterpret_cast<uint64_t>(stack);
        Bounds before = std::exchange(large, Bounds{low, low + size});
        try {
            (*body)();
        } catch (...) {
            failure = std::current_exception();
        }
        large = before;
    }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

/// Sanitizers know the stacks of threads only.
bool runOn(Job &job) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, job.stack, job.size);
    pthread_t thread;
    auto start = [](void *given) -> void * { return static_cast<Job *>(given)->run(), nullptr; };
    int failed = pthread_create(&thread, &attributes, start, &job);
    pthread_attr_destroy(&attributes);
    if (!failed)
        pthread_join(thread, nullptr);
    return !failed;
}

#else

thread_local constinit Job *begun = nullptr;

/// The same thread goes on on another stack: a thread of its own would cost more, and a process with one thread is
/// cheaper in everything.
bool runOn(Job &job) {
    ucontext_t before, inside;
    if (getcontext(&inside) != 0)
        return false;
    inside.uc_stack.ss_sp = job.stack;
    inside.uc_stack.ss_size = job.size;
    inside.uc_link = &before;
    begun = &job;
    makecontext(&inside, [] { begun->run(); }, 0);
    return swapcontext(&before, &inside) == 0;
}

#endif

} // namespace

uint64_t scriptStackLimit() {
    const Bounds &stack = stackOfThread();
    uint64_t size = stack.high - stack.low;
    uint64_t lowest = stack.low + std::min(kReserve, size / 2);
    return std::max(lowest, stack.high - std::min(size, kScriptStack));
}

void runOnLargeStack(const std::function<void()> &body) {
    const Bounds &mine = stackOfThread();
    // Outside of the bounds this is a stack that somebody has switched to: nothing is known of it.
    if (here() > mine.low && here() < mine.high && here() - mine.low >= kLarge)
        return body();
    for (size_t size : kStackSizes) {
        void *stack =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (stack == MAP_FAILED)
            continue;
        mprotect(stack, 4096, PROT_NONE); // a guard page: running over it is caught, not silent
        Job job{&body, stack, size};
        bool hasRun = runOn(job);
        munmap(stack, size);
        if (!hasRun)
            continue;
        if (job.failure)
            std::rethrow_exception(job.failure);
        return;
    }
    body();
}

} // namespace daphne
