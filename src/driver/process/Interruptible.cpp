// SPDX-License-Identifier: Apache-2.0
#include "driver/process/Interruptible.h"

namespace daphne::driver {

namespace {
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free); // a signal handler sets it
} // namespace

Interruptible::Interruptible() {
    interrupted = false;
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted.store(true, std::memory_order_relaxed); };
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &before);
}

Interruptible::~Interruptible() { sigaction(SIGINT, &before, nullptr); }

const std::atomic<bool> *Interruptible::flag() const { return &interrupted; }

void ignoreInterrupts() { std::signal(SIGINT, SIG_IGN); }

} // namespace daphne::driver
