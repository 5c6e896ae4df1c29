// SPDX-License-Identifier: Apache-2.0
/// What the handles of daphne.h are, and how failures of the engine become
/// daphne_errors; private to src/capi.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daphne/daphne.h"

#include "base/Error.h"
#include "data/Value.h"
#include "engine/Engine.h"
#include "engine/Session.h"

struct daphne_engine {
    daphne::engine::Engine engine;
    std::vector<std::string> warnings;
    std::once_flag hasInfo = {};
    std::string info = {}; ///< made when it is asked for
};

namespace daphne::capi {
/// What the compiler knows of an output, as C can read it.
struct OutputDescription {
    ops::TypeDesc type;
    std::vector<const char *> labels; ///< of the type's schema
    std::vector<uint32_t> types;
};
/// The cells of a matrix of strings, one behind the other.
struct PackedStrings {
    std::string bytes;
    std::vector<int64_t> offsets;
};
} // namespace daphne::capi

struct daphne_program {
    std::shared_ptr<const daphne::engine::Program> program;
    std::vector<daphne::capi::OutputDescription> outputs;
};

struct daphne_session {
    std::unique_ptr<daphne::engine::Session> session;
    std::string names; ///< as they were asked for
    std::string json;  ///< the last answer
};

struct daphne_value {
    daphne::Value value;
    std::atomic<uint64_t> refs{1};
    mutable std::once_flag isPacked;
    mutable std::unique_ptr<daphne::capi::PackedStrings> packed; ///< made when it is asked for
};

struct daphne_result {
    std::map<std::string, daphne::Value, std::less<>> values;
    std::string profile;
};

struct daphne_error {
    int status = 0;
    std::string message, hint, rendered, json;
};

struct daphne_cancel {
    std::atomic<bool> requested{false};
    std::atomic<uint64_t> refs{1};
};

namespace daphne::capi {

/// A call of the interface that makes no sense.
class UsageError : public std::exception {
  public:
    explicit UsageError(std::string message) : message(std::move(message)) {}
    const char *what() const noexcept override { return message.c_str(); }
    const std::string message;
};

/// Turns the exception that is being handled into an error, if the caller wants one; the status.
int report(daphne_error **error) noexcept;

/// Runs the body of an interface function: no exception leaves it.
template <class Body> int guarded(daphne_error **error, Body &&body) noexcept {
    try {
        body();
        return DAPHNE_OK;
    } catch (...) {
        return report(error);
    }
}

inline void need(bool condition, const char *message) {
    if (!condition)
        throw UsageError(message);
}

/// Copies a structure whose size the caller has set; members it does not know stay zero.
template <class T> T known(const T *given, const char *name) {
    need(given != nullptr, name);
    T copy{};
    size_t size = given->size < sizeof(T) ? given->size : sizeof(T);
    if (size < sizeof(uint32_t))
        throw UsageError(std::string(name) + ": the member size is not set");
    __builtin_memcpy(static_cast<void *>(&copy), given, size);
    return copy;
}

/// Sizes that structures had in the first version of the interface; what callers mean who leave the size 0.
template <class T> constexpr uint32_t kFirstSize = sizeof(T);
template <> inline constexpr uint32_t kFirstSize<daphne_input> = offsetof(daphne_input, labels);
template <> inline constexpr uint32_t kFirstSize<daphne_dense> = offsetof(daphne_dense, flags);

/// Fills a structure of the caller, as far as it knows its members.
template <class T> void copyOut(T found, T &to) {
    uint32_t size = to.size ? to.size : kFirstSize<T>;
    found.size = size;
    __builtin_memcpy(static_cast<void *>(&to), &found, size < sizeof found ? size : sizeof found);
}

/// A handle; row windows of sparse matrices become matrices of their own.
daphne_value *newValue(Value v);

} // namespace daphne::capi
