// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <unistd.h>

#include "driver/Main.h"

int main(int argc, char **argv) {
    int status = daphne::driver::daphneMain({argv + 1, argv + argc});
    std::fflush(nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // The system takes everything back at once; tables of LLVM need not be destroyed one by one.
    _exit(status);
#endif
    return status;
}
