// SPDX-License-Identifier: Apache-2.0
#include "kernels/Context.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "base/Error.h"

namespace daphne {

namespace {

constexpr size_t kFlushBytes = 1 << 16;

/// Writes everything; returns 0 or the errno of the failure.
int writeAll(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t written = ::write(fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        data += written;
        size -= static_cast<size_t>(written);
    }
    return 0;
}

} // namespace

Output::~Output() {
    // Nobody is left to hear of a failure here: the driver flushes before it decides on the exit status.
    writeAll(fd, buffer.data(), buffer.size());
}

void Output::write(std::string_view text) {
    buffer.append(text);
    if (buffer.size() >= kFlushBytes)
        flush();
}

void Output::flush() {
    int failure = writeAll(fd, buffer.data(), buffer.size());
    buffer.clear();
    if (failure)
        throw executionError("cannot write to " + std::string(fd == 2 ? "standard error" : "standard output") + ": " +
                             std::strerror(failure));
}

} // namespace daphne
