// SPDX-License-Identifier: Apache-2.0
/// A host whose memory is limited: compilation fails with an Error, and the process goes on. Each case is a process of
/// its own, because the limit is one of the process.
#include "codegen/CompileMemory.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "base/MemoryLimit.h"
#include "codegen/Executable.h"
#include "engine/Options.h"
#include "engine/Pipeline.h"
#include "ir/Dialect.h"
#include "irgen/IrGen.h"
#include "lang/dsl/Frontend.h"

namespace daphne::engine {
namespace {

constexpr uint64_t kMiB = 1 << 20;

/// A program up to the point where the guarded part of compilation begins.
struct Source {
    explicit Source(std::string text) : context(std::make_unique<mlir::MLIRContext>(threading)) {
        context->loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, ir::DaphneDialect>();
        uint32_t file = sources.add("test", std::move(text));
        parsed = lang::parseProgram(sources, file, ".", {}, {});
        irgen::GenerateOptions options;
        options.sources = &sources;
        generated = irgen::generate(*context, parsed.program, options);
    }
    static constexpr auto threading = mlir::MLIRContext::Threading::DISABLED;

    std::unique_ptr<codegen::Executable> compile() {
        return codegen::withCompileMemory(
            {},
            [&] {
                runPipeline(*generated.module, {}, [](ExplainLevel, const std::string &) {});
                return codegen::Executable::compile(*generated.module, {});
            },
            [&] {
                (void)generated.module.release();
                (void)context.release();
            });
    }

    std::unique_ptr<mlir::MLIRContext> context;
    SourceManager sources;
    lang::FrontendResult parsed;
    irgen::Result generated;
};

std::string manyLines(int n) {
    std::string text = "x = 1.0;\n";
    for (int i = 0; i < n; ++i)
        text += "if (x < " + std::to_string(i) + ") x = sum(fill(x, 2, " + std::to_string(i + 1) + "));\n";
    return text + "print(x);\n";
}

void limitMemory(uint64_t more) {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = more == 0 ? limit.rlim_max : pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
}

/// What a child process ends with.
int inChild(const std::function<int()> &body) {
    pid_t child = fork();
    if (child == 0) {
        int status = 99;
        try {
            status = body();
        } catch (const std::exception &e) {
            std::fprintf(stderr, "a child failed: %s\n", e.what());
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool isOutOfMemory(const Error &e) { return e.stage == Stage::Compile && e.message == "out of memory while compiling"; }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // those need all the address space

TEST(CompileMemory, RunningOutIsAnErrorAfterWhichTheProcessGoesOn) {
    int numFailed = 0, numDone = 0;
    for (uint64_t more : {1, 8, 16, 17, 18, 20, 22, 25, 28, 32, 400}) {
        int status = inChild([&] {
            Source large(manyLines(1000));
            limitMemory(more * kMiB);
            bool hasFailed = false;
            try {
                large.compile();
            } catch (const Error &e) {
                hasFailed = isOutOfMemory(e);
                if (!hasFailed)
                    return 98;
            }
            limitMemory(0);
            Source("print(sum(fill(1.0, 2, 2)));").compile();
            return hasFailed ? 1 : 0;
        });
        EXPECT_TRUE(status == 0 || status == 1) << more << " MiB: " << status;
        numFailed += status == 1 && more > 16; // begun, and not ended
        numDone += status == 0;
    }
    EXPECT_GT(numFailed, 0);
    EXPECT_GT(numDone, 0);
}

TEST(CompileMemory, ProgramsThatDoNotFitAreRefusedBefore) {
    int status = inChild([&] {
        Source large(manyLines(400)), small("print(1);");
        limitMemory(20 * kMiB);
        codegen::needMemoryToCompile(*small.generated.module, {});
        try {
            codegen::needMemoryToCompile(*large.generated.module, {1, 0, 0});
        } catch (const Error &e) {
            return isOutOfMemory(e) && e.where.known() ? 0 : 2;
        }
        return 1;
    });
    EXPECT_EQ(status, 0);
}

TEST(CompileMemory, TheLimitOfAddressSpaceIsSeen) {
    int status = inChild([] {
        limitMemory(100 * kMiB);
        uint64_t left = addressSpaceLeft();
        return left > 50 * kMiB && left <= 100 * kMiB ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

#endif

TEST(CompileMemory, WhatIsLeakedIsNotDestroyed) {
    struct Fragile {
        bool *destroyed;
        ~Fragile() { *destroyed = true; }
    };
    bool destroyed = false;
    auto fragile = std::make_unique<Fragile>(&destroyed);
    auto *kept = fragile.get();
    auto body = [&]() -> int { throw std::bad_alloc(); };
    EXPECT_THROW(codegen::withCompileMemory({}, body, [&] { (void)fragile.release(); }), Error);
    EXPECT_FALSE(destroyed);
    EXPECT_FALSE(codegen::CompileScope::isActive());
    delete kept;
}

} // namespace
} // namespace daphne::engine
