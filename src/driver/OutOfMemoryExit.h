// SPDX-License-Identifier: Apache-2.0
/// While one exists, an allocation that fails ends the process with status 2 and
/// one readable message. For the parts of the compiler that are not ours: MLIR
/// and LLVM are left inconsistent by an exception, and crash when destroyed.
#pragma once

#include <new>

namespace daphne::driver {

class OutOfMemoryExit {
  public:
    OutOfMemoryExit();
    ~OutOfMemoryExit();
    OutOfMemoryExit(const OutOfMemoryExit &) = delete;
    OutOfMemoryExit &operator=(const OutOfMemoryExit &) = delete;

  private:
    std::new_handler previous;
};

} // namespace daphne::driver
