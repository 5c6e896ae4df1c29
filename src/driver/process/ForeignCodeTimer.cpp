// SPDX-License-Identifier: Apache-2.0
#include "driver/process/ForeignCodeTimer.h"

#include <csignal>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/ForeignCode.h"

namespace daphne::driver {

namespace {

/// Damaged files are mostly small, and nobody waits longer for one. For sound files this is meant to be far more than
/// any library needs, decompression included.
constexpr uint64_t kLeastSeconds = 10;
constexpr uint64_t kLeastBytesPerSecond = 200'000;

class Timer : public ForeignCodeWatch {
  public:
    explicit Timer(uint64_t bytes) {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGXCPU;
        event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
        exists = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
        expect(bytes);
    }
    ~Timer() override {
        if (exists)
            timer_delete(timer);
    }
    void expect(uint64_t bytes) override {
        if (!exists)
            return;
        itimerspec limit{};
        limit.it_value.tv_sec = static_cast<time_t>(kLeastSeconds + bytes / kLeastBytesPerSecond);
        timer_settime(timer, 0, &limit, nullptr);
    }

  private:
    timer_t timer{};
    bool exists = false; ///< the system may have none left
};

} // namespace

void guardForeignCode() {
    InForeignCode::setGuard(
        [](uint64_t bytes) -> std::unique_ptr<ForeignCodeWatch> { return std::make_unique<Timer>(bytes); });
}

} // namespace daphne::driver
