// SPDX-License-Identifier: Apache-2.0
/// While one lives, Ctrl-C (SIGINT) cancels the run that was given its flag instead
/// of ending the process. One at a time.
#pragma once

#include <atomic>
#include <csignal>

namespace daphne::driver {

class Interruptible {
  public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible &) = delete;
    Interruptible &operator=(const Interruptible &) = delete;
    const std::atomic<bool> *flag() const;

  private:
    struct sigaction before;
};

/// From now on Ctrl-C does nothing, except while an Interruptible lives. For prompts, which read it as a key.
void ignoreInterrupts();

} // namespace daphne::driver
