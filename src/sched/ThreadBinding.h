// SPDX-License-Identifier: Apache-2.0
/// Binds the calling thread to CPUs for as long as this lives. If the system
/// refuses, the thread runs wherever it may. In a child of fork() nothing is undone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace daphne::sched {

class ThreadBinding {
  public:
    /// OS indices; none: nothing is bound.
    explicit ThreadBinding(std::span<const uint32_t> cpus);
    ~ThreadBinding();
    ThreadBinding(const ThreadBinding &) = delete;
    ThreadBinding &operator=(const ThreadBinding &) = delete;

  private:
    pid_t process = 0, thread = 0;
    std::vector<cpu_set_t> before; ///< empty: nothing to undo
};

} // namespace daphne::sched
