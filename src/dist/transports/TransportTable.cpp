// SPDX-License-Identifier: Apache-2.0
#include "dist/transports/TransportTable.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

#include "base/Error.h"
#include "base/OwnObject.h"

namespace daphne::dist {

// Transports without a library: make<File>(host).
#define DAPHNE_TRANSPORT(file, ...) TransportModule *make##file(const TransportHost &);
#define DAPHNE_LIBRARY_TRANSPORT(...)
#include "TransportsList.inc"
#undef DAPHNE_TRANSPORT
#undef DAPHNE_LIBRARY_TRANSPORT

std::span<const TransportRow> transportTable() {
    static constexpr TransportRow kRows[] = {
#define DAPHNE_LIBRARY_TRANSPORT(file, nameOf, aliasOf, docOf, ...)                                                    \
    {.name = nameOf, .alias = aliasOf, .doc = docOf, __VA_ARGS__},
#define DAPHNE_TRANSPORT(file, nameOf, aliasOf, docOf, ...)                                                            \
    {.name = nameOf, .alias = aliasOf, .doc = docOf, __VA_ARGS__, .make = make##file},
#include "TransportsList.inc"
    };
    return kRows;
}

namespace {

const TransportRow &foundRow(std::span<const TransportRow>::iterator row) {
    if (row == transportTable().end())
        throw internalError("there is no such transport");
    return *row;
}

} // namespace

const TransportRow &transportNamed(std::string_view name) {
    return foundRow(std::ranges::find(transportTable(), name, &TransportRow::name));
}

const TransportRow &transportFor(WorkersAre workers) {
    return foundRow(std::ranges::find(transportTable(), workers, &TransportRow::workers));
}

std::string usualName(const TransportRow &row) { return std::string(row.alias.empty() ? row.name : row.alias); }

std::string usualNames(bool (*isMeant)(const TransportRow &)) {
    std::vector<std::string> names;
    for (const TransportRow &row : transportTable())
        if (isMeant(row))
            names.push_back(usualName(row));
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
    return text;
}

namespace {

/// How workers of the same kind are reached without a library, if there is a way.
std::string wayWithoutLibrary(const TransportRow &missing) {
    for (const TransportRow &row : transportTable())
        if (row.library.empty() && row.workers == missing.workers)
            return ", or say --dist_backend=" + usualName(row) + " here and there";
    return "";
}

} // namespace

std::unique_ptr<TransportModule> loadTransport(const TransportRow &row, const std::string &directory,
                                               const TransportHost &host) {
    if (row.make)
        return std::unique_ptr<TransportModule>(row.make(host));
    std::string title = "the " + std::string(row.title) + " transport ", file(row.library);
    std::string path = directory.empty() ? ownLibrary(file) : directory + "/" + file;
    if (!std::filesystem::exists(path))
        throw executionError(title + "is not part of this build: " + path + " does not exist")
            .withHint("install " + std::string(row.packages) + " and run ./build.sh" + wayWithoutLibrary(row));
    // The library stays loaded: its threads may outlive what they were made for.
    void *library = dlopen(path.c_str(), RTLD_NOW | (row.sharesSymbols ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library)
        throw executionError(title + "cannot be loaded: " + dlerror());
    using Maker = TransportModule *(*)(const TransportHost &);
    auto make = reinterpret_cast<Maker>(dlsym(library, "daphne_transport_module"));
    if (!make)
        throw executionError(path + " is not a transport of this version");
    try {
        return std::unique_ptr<TransportModule>(make(host));
    } catch (const std::runtime_error &e) {
        throw executionError(title + "cannot be started: " + e.what());
    }
}

} // namespace daphne::dist
