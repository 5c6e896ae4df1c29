// SPDX-License-Identifier: Apache-2.0
/// What tests of the library have in common.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daphne/daphne.hpp"

namespace daphne::test {

/// What a run printed.
struct Printed {
    std::string out, err;
    RunOptions options(const Cancel *cancel = nullptr) {
        return {[this](std::string_view t) { out += t; }, [this](std::string_view t) { err += t; }, {}, cancel};
    }
};

/// The text that a program without inputs prints.
inline std::string run(const Engine &engine, const std::string &text) {
    Printed printed;
    engine.compile(text).run({}, printed.options());
    return printed.out;
}

/// The error of a program; fails the test if there is none.
inline Error failureOf(const std::function<void()> &body) {
    try {
        body();
    } catch (const Error &e) {
        return e;
    }
    ADD_FAILURE() << "nothing failed";
    return Error(nullptr);
}

} // namespace daphne::test
