// SPDX-License-Identifier: Apache-2.0
#include "dist/transports/Modules.h"

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

#include "base/Error.h"
#include "base/OwnObject.h"

namespace daphne::dist {

namespace {

/// Calls the function that makes the module. The library stays loaded: its threads may outlive what they were made for.
template <class Module, class... Given>
std::unique_ptr<Module> load(const std::string &directory, const char *file, const char *title, const char *symbol,
                             const char *packages, int flags, const Given &...given) {
    std::string path = directory.empty() ? ownLibrary(file) : directory + "/" + file;
    if (!std::filesystem::exists(path))
        throw executionError(std::string("the ") + title + " transport is not part of this build: " + path +
                             " does not exist")
            .withHint(std::string("install ") + packages + " and run ./build.sh");
    void *library = dlopen(path.c_str(), RTLD_NOW | flags);
    if (!library)
        throw executionError(std::string("the ") + title + " transport cannot be loaded: " + dlerror());
    using Maker = Module *(*)(const Given &...);
    auto make = reinterpret_cast<Maker>(dlsym(library, symbol));
    if (!make)
        throw executionError(path + " is not a transport of this version");
    try {
        return std::unique_ptr<Module>(make(given...));
    } catch (const std::runtime_error &e) {
        throw executionError(std::string("the ") + title + " transport cannot be started: " + e.what());
    }
}

} // namespace

std::unique_ptr<GrpcModule> loadGrpc(const std::string &directory) {
    return load<GrpcModule>(directory, "libdaphne_grpc.so", "gRPC", "daphne_grpc_module",
                            "libgrpc++-dev, libprotobuf-dev and protobuf-compiler-grpc", RTLD_LOCAL);
}

std::unique_ptr<MpiModule> loadMpi(const std::string &directory, const MpiHost &host) {
    // MPI loads components of its own, which look for its symbols.
    return load<MpiModule>(directory, "libdaphne_mpi.so", "MPI", "daphne_mpi_module", "libopenmpi-dev and openmpi-bin",
                           RTLD_GLOBAL, host);
}

} // namespace daphne::dist
