// SPDX-License-Identifier: Apache-2.0
/// Processes that share a host keep to CPUs of their own. They wait for each
/// other in every loop, and who is woken is often put onto the CPU of somebody
/// who computes while another one is idle.
#pragma once

#include <cstdint>
#include <vector>

namespace daphne::dist {

/// Of the CPUs that a process may use, in their order and around: from the first, so many.
struct CpuShare {
    uint32_t first = 0, count = 0; ///< count 0: all
    bool operator==(const CpuShare &) const = default;
};

/// For processes with so many threads, one after the other. None where most CPUs stay free anyway: others may want
/// some, and the system has a choice.
std::vector<CpuShare> shareCpus(const std::vector<uint32_t> &threads, uint32_t cpus);

/// Binds the calling thread, and those it begins later, to a share as long as this lives. Where the system does not
/// allow it nothing happens.
class BoundToCpus {
  public:
    explicit BoundToCpus(CpuShare share);
    ~BoundToCpus();
    BoundToCpus(const BoundToCpus &) = delete;
    BoundToCpus &operator=(const BoundToCpus &) = delete;

  private:
    std::vector<uint32_t> before; ///< CPUs; none if nothing was done
    uint64_t thread = 0;
};

} // namespace daphne::dist
