// SPDX-License-Identifier: Apache-2.0
#include "driver/process/FileFaults.h"

#include <csignal>

#include "io/files/MappedFile.h"

namespace daphne::driver {

namespace {

struct sigaction before;

/// Only system calls.
void onBusError(int signal, siginfo_t *info, void *context) {
    if (io::MappedFile::handleFault(info->si_addr))
        return;
    if (before.sa_flags & SA_SIGINFO)
        return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        return before.sa_handler(signal);
    // The instruction runs again, and the process ends as it would have without us.
    sigaction(SIGBUS, &before, nullptr);
}

} // namespace

void forwardFileFaults() {
    struct sigaction action{};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGBUS, &action, &before) == 0)
        io::MappedFile::hostForwardsFaults(true);
}

} // namespace daphne::driver
