// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "driver/Main.h"

int main(int argc, char **argv) {
    int status = daphne::driver::daphneMain({argv + 1, argv + argc});
    std::fflush(stdout);
    return status;
}
