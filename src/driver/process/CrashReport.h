// SPDX-License-Identifier: Apache-2.0
/// A fault in our own code ends the process with status 70 and one readable
/// message instead of a core dump.
#pragma once

namespace daphne::driver {

/// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT on an alternate stack of this thread.
void installCrashReport();

} // namespace daphne::driver
