// SPDX-License-Identifier: Apache-2.0
/// What workers are made of: engine, scheduler, secrets.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dist/transports/Transport.h"
#include "dist/transports/TransportTable.h"
#include "driver/options/CommandLine.h"

namespace daphne::driver {

/// Coordinator and workers must be of the same.
std::string buildName();
/// Directories that --dist-read-root allows.
std::vector<std::string> readRootsOf(const CommandLine &options);
/// The secret of --dist-token-file or DAPHNE_DIST_TOKEN, or "". Throws Error (status 1) if the file is readable by
/// others.
std::string tokenOf(const CommandLine &options);
/// The files of --tls-*; throws Error (status 1) unless all or none are given, or if workers listen and the transport
/// does not encrypt.
dist::TlsIdentity tlsOf(const CommandLine &options, const dist::TransportRow &row);
/// For who would go beyond this machine without TLS.
std::string hintToEncrypt(const dist::TransportRow &row);
/// Scheduling options that were given, as workers understand them.
std::vector<std::string> schedulingOptions(const CommandLine &options);

/// Serves one transport with the options of this process; for threads and ranks.
std::function<void(dist::Transport &, uint32_t)> inProcessWorker(const CommandLine &options, std::string build,
                                                                 std::string token);

} // namespace daphne::driver
