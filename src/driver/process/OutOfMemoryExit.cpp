// SPDX-License-Identifier: Apache-2.0
#include "driver/process/OutOfMemoryExit.h"

#include <new>

#include <unistd.h>

#include "base/Error.h"
#include "codegen/CompileMemory.h"

namespace daphne::driver {

namespace {

void giveUp() {
    // No memory is left: nothing may be allocated here.
    static constexpr char text[] = "error: out of memory while compiling\n"
                                   "   = hint: the script is too large for the memory of this process\n";
    [[maybe_unused]] auto n = write(2, text, sizeof text - 1);
    _exit(static_cast<int>(Stage::Compile));
}

} // namespace

void exitWhereCompilersLackMemory() {
    codegen::exitWithoutMemory(giveUp);
    std::set_new_handler([] {
        if (codegen::CompileScope::isActive())
            giveUp();
        throw std::bad_alloc();
    });
}

} // namespace daphne::driver
