// SPDX-License-Identifier: Apache-2.0
/// The command `daphne` as a function of the library, so that the wheel has the engine
/// once and not twice. For the program of the wheel (Program.c) only: what it does
/// with signals and standard streams is the business of a process that belongs to it.
#include <cstdio>

#include "driver/Main.h"

extern "C" [[gnu::visibility("default")]] int daphne_command(int argc, char **argv) {
    int status = daphne::driver::daphneMain({argv + 1, argv + argc});
    std::fflush(nullptr);
    return status;
}
