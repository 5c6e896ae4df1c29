// SPDX-License-Identifier: Apache-2.0
#include "base/Stack.h"

#include <algorithm>
#include <exception>

#include <pthread.h>
#include <sys/mman.h>

namespace daphne {

namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr size_t kStackSizes[] = {1024 * kMiB, 256 * kMiB, 64 * kMiB};
/// The compiler needs no other stack if this much is left.
constexpr uint64_t kLarge = 48 * kMiB;
/// Generated code may use this much (room for recursion several 100 000 levels deep); the rest is for the compiler's
/// own recursion.
constexpr uint64_t kScriptStack = 256 * kMiB;
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

const Bounds &stackOfThread() {
    static thread_local const Bounds bounds = askSystem();
    return bounds;
}

uint64_t here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

struct Job {
    const std::function<void()> *body;
    std::exception_ptr failure;
};

void *start(void *argument) {
    auto *job = static_cast<Job *>(argument);
    try {
        (*job->body)();
    } catch (...) {
        job->failure = std::current_exception();
    }
    return nullptr;
}

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
        Job job{&body, nullptr};
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, size);
        pthread_t thread;
        int failed = pthread_create(&thread, &attributes, start, &job);
        pthread_attr_destroy(&attributes);
        if (!failed)
            pthread_join(thread, nullptr);
        munmap(stack, size);
        if (failed)
            continue;
        if (job.failure)
            std::rethrow_exception(job.failure);
        return;
    }
    body();
}

} // namespace daphne
