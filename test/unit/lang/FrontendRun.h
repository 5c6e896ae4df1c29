// SPDX-License-Identifier: Apache-2.0
/// Runs the front end on a text and checks what it reports.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "lang/dsl/Frontend.h"

namespace daphne::lang {

/// The front end's verdict on one script.
struct FrontendRun {
    SourceManager sources;
    FrontendResult result;

    explicit FrontendRun(const std::string &text, const FrontendOptions &options = {},
                         const SessionNames &session = {}) {
        uint32_t id = sources.add("test.daph", text);
        result = parseProgram(sources, id, ".", options, session);
    }
    size_t numErrors() const { return result.errors.size(); }
    std::string report() const {
        std::string out;
        for (const Error &e : result.errors)
            out += render(e, sources);
        return out;
    }
    LineColumn position(size_t i) const {
        return sources.position(result.errors[i].where.fileId, result.errors[i].where.begin);
    }
    const Stmt *statement(size_t i) const { return result.program.main->body[i]; }
    /// Right-hand side of statement i, which is an assignment.
    const Expr *value(size_t i) const { return as<Assign>(statement(i)).values.front(); }
};

inline void expectValid(const std::string &text, const FrontendOptions &options = {}) {
    FrontendRun run(text, options);
    EXPECT_EQ(run.numErrors(), 0u) << text << "\n" << run.report();
}

/// Exactly one error, of the parser stage, whose text contains `part`.
inline void expectError(const std::string &text, const std::string &part, const FrontendOptions &options = {}) {
    FrontendRun run(text, options);
    ASSERT_EQ(run.numErrors(), 1u) << text << "\n" << run.report();
    EXPECT_EQ(run.result.errors[0].stage, Stage::Parse);
    EXPECT_NE(run.report().find(part), std::string::npos) << text << "\nreports\n" << run.report();
}

/// At least one error and no crash; for input where the number of reports does not matter.
inline void expectRejected(const std::string &text, const FrontendOptions &options = {}) {
    EXPECT_GT(FrontendRun(text, options).numErrors(), 0u) << text;
}

/// The program runs on a large stack, and so must tests of deep nesting.
inline void onLargeStack(std::function<void()> body) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t(1) << 30);
    pthread_t thread;
    auto call = [](void *f) -> void * {
        (*static_cast<std::function<void()> *>(f))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, call, &body), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

inline std::string repeat(const std::string &text, size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    for (size_t i = 0; i < times; ++i)
        out += text;
    return out;
}

} // namespace daphne::lang
