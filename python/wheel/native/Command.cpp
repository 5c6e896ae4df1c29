// SPDX-License-Identifier: Apache-2.0
/// The commands `daphne` and `daphne-worker` as functions of the library, so that the
/// wheel has the engine once. For the programs of the wheel (Program.c) only: what they
/// do with signals and standard streams is the business of a process that is theirs.
#include <cstdio>

#include "driver/Main.h"
#include "driver/machines/Distributed.h"

extern "C" [[gnu::visibility("default")]] int daphne_command(int argc, char **argv) {
    int status = daphne::driver::daphneMain({argv + 1, argv + argc});
    std::fflush(nullptr);
    return status;
}

extern "C" [[gnu::visibility("default")]] int daphne_worker_command(int argc, char **argv) {
    int status = daphne::driver::workerMain({argv + 1, argv + argc});
    std::fflush(nullptr);
    return status;
}
