// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/NetworkAddress.h"

#include <arpa/inet.h>

#include <charconv>

#include "base/Error.h"

namespace daphne::driver {

NetworkAddress NetworkAddress::parse(const std::string &text, const std::string &subject) {
    auto bad = [&](const std::string &why) { return parseError({}, subject + " '" + text + "': " + why); };
    size_t colon = text.rfind(':');
    if (colon == text.npos)
        throw bad("expected host:port");
    NetworkAddress address;
    address.host = text.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']'))
        address.host = address.host.substr(1, address.host.size() - 2);
    else if (address.host.find(':') != text.npos)
        throw bad("an IPv6 address is written in brackets");
    if (address.host.empty())
        address.host = "127.0.0.1";
    const char *first = text.data() + colon + 1, *last = text.data() + text.size();
    auto [end, error] = std::from_chars(first, last, address.port);
    if (error != std::errc() || end != last || first == last)
        throw bad("the port must be a number below 65536");
    return address;
}

bool NetworkAddress::isLoopback() const {
    // A name that only begins like an address, 127.example.org, may be anywhere.
    in_addr v4;
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    in6_addr v6;
    if (inet_pton(AF_INET6, host.c_str(), &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    return host == "localhost";
}

std::string NetworkAddress::text() const {
    bool brackets = host.find(':') != host.npos;
    return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace daphne::driver
