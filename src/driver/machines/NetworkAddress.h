// SPDX-License-Identifier: Apache-2.0
/// host:port as users write it.
#pragma once

#include <cstdint>
#include <string>

namespace daphne::driver {

struct NetworkAddress {
    std::string host; ///< without brackets
    uint16_t port = 0;

    /// "host:port", "[ipv6]:port" or ":port", which is on this machine. Throws Error (status 1) that begins with
    /// `subject`.
    static NetworkAddress parse(const std::string &text, const std::string &subject);
    bool isLoopback() const;
    std::string text() const;
};

} // namespace daphne::driver
