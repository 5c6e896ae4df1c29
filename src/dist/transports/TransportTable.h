// SPDX-License-Identifier: Apache-2.0
/// The transports of this version, a row each. cmake/Transports.cmake writes the
/// rows; options, driver and loader read them, and nobody else knows the name of a
/// transport. A transport that needs a library is a shared object beside our
/// libraries, loaded when the user asks for it, so that local runs never pay for it.
#pragma once

#include <span>

#include "dist/transports/TransportModule.h"

namespace daphne::dist {

/// What the workers of a transport are.
enum class WorkersAre : uint8_t {
    Ranks,     ///< processes of a job that runs the same program; this process is one of them
    Listeners, ///< processes that listen at addresses; launchers can start them
    Threads,   ///< threads of this process
};

struct TransportRow {
    std::string_view name, alias, doc; ///< of the option's value
    std::string_view title;            ///< in messages: "the <title> transport"
    WorkersAre workers = WorkersAre::Threads;
    double bytesPerNs = 0.5;        ///< at most, for estimates
    bool encrypts = false;          ///< if it is given certificates
    std::string_view library = {};  ///< "libdaphne_mpi.so"; "": part of this program
    std::string_view packages = {}; ///< that the library is built with
    bool sharesSymbols = false;     ///< the library loads components that look for its symbols
    TransportModule *(*make)(const TransportHost &) = nullptr; ///< without a library
};

std::span<const TransportRow> transportTable();
/// The row of this name, which is one of the table.
const TransportRow &transportNamed(std::string_view name);
/// The first row with such workers.
const TransportRow &transportFor(WorkersAre workers);
/// What users call it: the alias, if it has one.
std::string usualName(const TransportRow &row);
/// Names of rows as above for messages: "gRPC or async-gRPC".
std::string usualNames(bool (*isMeant)(const TransportRow &));

/// The module of a row, its library loaded from the directory ("": from where this code is, base/OwnObject.h). Throws
/// Error (status 3) if the library is missing. Starts the job where workers are ranks.
std::unique_ptr<TransportModule> loadTransport(const TransportRow &row, const std::string &libraryDirectory,
                                               const TransportHost &host = {});

} // namespace daphne::dist
