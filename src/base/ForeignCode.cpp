// SPDX-License-Identifier: Apache-2.0
#include "base/ForeignCode.h"

#include <csignal>

#include <sys/syscall.h>
#include <unistd.h>

namespace daphne {

namespace {

/// Damaged files are mostly small, and nobody waits longer for one. For sound files this is meant to be far more than
/// any library needs, decompression included.
constexpr uint64_t kLeastSeconds = 10;
constexpr uint64_t kLeastBytesPerSecond = 200'000;

} // namespace

InForeignCode::InForeignCode(std::string given, std::optional<uint64_t> bytes) : text(std::move(given)), bytes(bytes) {
    current = this;
    if (!bytes)
        return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGXCPU;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    hasTimer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
    startClock(0);
}

InForeignCode::~InForeignCode() {
    if (hasTimer)
        timer_delete(timer);
    current = nullptr;
}

void InForeignCode::expect(uint64_t more) {
    if (current)
        current->startClock(more);
}

void InForeignCode::startClock(uint64_t more) const {
    if (!hasTimer)
        return;
    itimerspec limit{};
    limit.it_value.tv_sec = static_cast<time_t>(kLeastSeconds + (*bytes + more) / kLeastBytesPerSecond);
    timer_settime(timer, 0, &limit, nullptr);
}

} // namespace daphne
