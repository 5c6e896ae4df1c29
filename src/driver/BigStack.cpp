// SPDX-License-Identifier: Apache-2.0
#include "driver/BigStack.h"

#include <algorithm>

#include <pthread.h>
#include <sys/mman.h>

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
};

void *start(void *argument) {
    auto *job = static_cast<Job *>(argument);
    uint64_t lowest = reinterpret_cast<uint64_t>(job->stack) + kReserve;
    uint64_t top = reinterpret_cast<uint64_t>(job->stack) + job->size;
    limit = std::max(lowest, top - std::min<uint64_t>(job->size, kScriptStack));
    job->result = (*job->body)();
    return nullptr;
}

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
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, size);
        pthread_t thread;
        int failed = pthread_create(&thread, &attributes, start, &job);
        pthread_attr_destroy(&attributes);
        if (!failed) {
            pthread_join(thread, nullptr);
            munmap(stack, size);
            return job.result;
        }
        munmap(stack, size);
    }
    return body();
}

} // namespace daphne::driver
