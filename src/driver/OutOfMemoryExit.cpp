// SPDX-License-Identifier: Apache-2.0
#include "driver/OutOfMemoryExit.h"

#include <unistd.h>

#include "llvm/Support/ErrorHandling.h"

#include "base/Error.h"

namespace daphne::driver {

namespace {

[[noreturn]] void giveUp() {
    // No memory is left: nothing may be allocated here.
    static constexpr char text[] = "error: out of memory while compiling\n"
                                   "   = hint: the script is too large for the memory of this process\n";
    [[maybe_unused]] auto n = write(2, text, sizeof text - 1);
    _exit(static_cast<int>(Stage::Compile));
}

/// LLVM's own containers call malloc and ask this handler.
void llvmAllocationFailed(void *, const char *, bool) { giveUp(); }

} // namespace

OutOfMemoryExit::OutOfMemoryExit() : previous(std::set_new_handler(giveUp)) {
    llvm::install_bad_alloc_error_handler(llvmAllocationFailed);
}

OutOfMemoryExit::~OutOfMemoryExit() {
    llvm::remove_bad_alloc_error_handler();
    std::set_new_handler(previous);
}

} // namespace daphne::driver
