// SPDX-License-Identifier: Apache-2.0
/// stop and the clock.
#include <chrono>

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

/// The error's message is the user's text; the driver adds "system stopped: ".
void stop(KernelCall &, const std::string &message) {
    Error error = executionError(message);
    error.isStop = true;
    throw error;
}

void failedAssert(KernelCall &, const std::string &message) { throw executionError("assertion failed: " + message); }

/// Nanoseconds since the epoch.
Value now(KernelCall &) {
    auto sinceEpoch = std::chrono::system_clock::now().time_since_epoch();
    return Value::scalar(static_cast<int64_t>(std::chrono::nanoseconds(sinceEpoch).count()));
}

} // namespace

void addStop(KernelTable &t) {
    t.add<&stop>("stop");
    t.add<&failedAssert>("assert");
    t.add<&now>("now");
}

} // namespace daphne
