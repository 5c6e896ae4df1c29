// SPDX-License-Identifier: Apache-2.0
/// The guard of foreign code in a process that is ours: after more time than the
/// slowest library needs for its bytes, computing, not waiting, the thread gets
/// SIGXCPU, whose handler (driver/process/CrashReport.h) ends the process.
#pragma once

namespace daphne::driver {

/// From now on, for all threads.
void guardForeignCode();

} // namespace daphne::driver
