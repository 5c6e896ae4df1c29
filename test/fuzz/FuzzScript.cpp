// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: a text through the front end, IR generation and every
/// transformation, without running it. Input that the compiler rejects is fine;
/// an internal error, a foreign exception or a module that does not verify
/// aborts, so that libFuzzer or the program in Standalone.cpp keeps the input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "base/Error.h"
#include "base/Stack.h"
#include "engine/Pipeline.h"
#include "ir/Dialect.h"
#include "irgen/IrGen.h"
#include "lang/dsl/Frontend.h"

using namespace daphne;

namespace {

/// Types and attributes of a context are never freed: begin a new one now and then.
mlir::MLIRContext &freshEnoughContext() {
    constexpr int kMaxUses = 200;
    static std::unique_ptr<mlir::MLIRContext> context;
    static int uses = 0;
    if (!context || ++uses > kMaxUses) {
        uses = 0;
        context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
        context->loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, ir::DaphneDialect>();
    }
    return *context;
}

[[noreturn]] void fail(const std::string &text) {
    std::fputs(text.c_str(), stderr);
    std::abort();
}

void checkError(const Error &error, const SourceManager &sources) {
    // Rendering must cope with every text, too.
    std::string text = render(error, sources);
    if (error.stage == Stage::Internal)
        fail(text);
}

void verify(mlir::ModuleOp module, const char *after) {
    if (mlir::failed(mlir::verify(module)))
        fail(std::string("the module does not verify after ") + after + "\n");
}

void compile(const lang::CheckedScript &program, mlir::MLIRContext &context, SourceManager &sources) {
    irgen::GenerateOptions generation;
    generation.sources = &sources;
    irgen::Result generated = irgen::generate(context, program, generation);
    verify(*generated.module, "IR generation");
    engine::Options options;
    engine::runPipeline(*generated.module, options, [](engine::ExplainLevel, const std::string &) {});
    verify(*generated.module, "the pipeline");
}

int runOne(std::string text) {
    SourceManager sources;
    try {
        uint32_t fileId = sources.add("fuzz.daph", std::move(text));
        lang::FrontendResult parsed = lang::parseProgram(sources, fileId, ".", {});
        for (const Error &error : parsed.errors)
            checkError(error, sources);
        if (parsed.errors.empty())
            compile(parsed.program, freshEnoughContext(), sources);
    } catch (const Error &error) {
        checkError(error, sources);
    } catch (const std::exception &error) {
        fail(std::string("foreign exception: ") + error.what() + "\n");
    }
    return 0;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    (void)lang::isIncomplete(text);
    int result = 0;
    runOnLargeStack([&] { result = runOne(std::move(text)); });
    return result;
}
