// SPDX-License-Identifier: Apache-2.0
/// Workers that are threads of the coordinator's process: the protocol without a
/// network, for tests and debugging.
#pragma once

#include <functional>

#include "dist/transports/TransportModule.h"

namespace daphne::dist {

/// Starts numWorkers threads that call serve(transport of that worker, its number) and returns the coordinator's end,
/// whose destruction disconnects and joins them. A worker whose serve returns or throws is lost to the coordinator.
/// Linked ones reach each other, and the program cannot go on without one of them: as with MPI.
std::unique_ptr<Transport> connectInProcess(uint32_t numWorkers, std::function<void(Transport &, uint32_t)> serve,
                                            bool areLinked = false);
/// For the table of transports.
TransportModule *makeInProcess(const TransportHost &);

} // namespace daphne::dist
