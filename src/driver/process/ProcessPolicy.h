// SPDX-License-Identifier: Apache-2.0
/// What our programs do with their process, and a library must not do with the
/// process of its host (test/layers/check_policy.py): signals, the environment, the
/// end of the process. Layers below leave these to whoever owns the process.
#pragma once

namespace daphne::driver {

/// Faults, endless foreign code and a compiler without memory end this process with a readable message; mapped files
/// may become shorter. On the thread that runs programs, before files are read.
void ownProcess();

/// Settings for libraries of transports that can be given in the environment only; what the user has set there stays.
/// Before there are threads.
void prepareTransports();

} // namespace daphne::driver
