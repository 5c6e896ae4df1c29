// SPDX-License-Identifier: Apache-2.0
/// A mapped file that others make shorter must not end the process (io/files/MappedFile.h).
#pragma once

namespace daphne::driver {

/// Bus errors in mapped files go to them from now on, all others to whoever handles them now.
void forwardFileFaults();

} // namespace daphne::driver
