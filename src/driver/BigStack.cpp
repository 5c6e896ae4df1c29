// SPDX-License-Identifier: Apache-2.0
#include "driver/BigStack.h"

#include <algorithm>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace daphne::driver {

namespace {

constexpr size_t kStackSizes[] = {size_t(1) << 30, size_t(256) << 20, size_t(64) << 20};
/// Generated code may use this much of it (room for recursion several 100 000 levels deep); the rest is for the
/// compiler's own recursion and for kernels.
constexpr size_t kScriptStack = size_t(256) << 20;
constexpr size_t kReserve = size_t(4) << 20;

thread_local uint64_t limit = 0;

struct Job {
    const std::function<int()> *body;
    void *stack;
    size_t size;
    int result = 0;

    void run() {
        uint64_t lowest = reinterpret_cast<uint64_t>(stack) + kReserve;
        uint64_t top = reinterpret_cast<uint64_t>(stack) + size;
        limit = std::max(lowest, top - std::min<uint64_t>(size, kScriptStack));
        result = (*body)();
        limit = 0;
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

thread_local Job *begun = nullptr;

/// The same thread goes on on another stack: as long as it is the only one, everything is cheaper, memory above all.
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

uint64_t stackLimit() { return limit; }

int runOnBigStack(const std::function<int()> &body) {
    for (size_t size : kStackSizes) {
        void *stack =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (stack == MAP_FAILED)
            continue;
        mprotect(stack, 4096, PROT_NONE); // a guard page: running over it is caught, not silent
        Job job{&body, stack, size};
        bool hasRun = runOn(job);
        munmap(stack, size);
        if (hasRun)
            return job.result;
    }
    return body();
}

} // namespace daphne::driver
