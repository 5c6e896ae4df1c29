// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/Distributed.h"

int main(int argc, char **argv) { return daphne::driver::workerMain({argv + 1, argv + argc}); }
