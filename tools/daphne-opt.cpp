// SPDX-License-Identifier: Apache-2.0
/// daphne-opt: runs transformations of DaphneIR on MLIR text, for tests and for
/// looking at what a transformation does.
#include <cstdio>
#include <string_view>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "ir/Dialect.h"
#include "transforms/Passes.h"

namespace {

using daphne::transforms::NamedPass;

struct Request {
    std::vector<const NamedPass *> passes;
    std::string file;
    bool verifyOnly = false;
};

int usage(FILE *out) {
    std::fputs("usage: daphne-opt [--pass name[,name...]] [--verify-only] file.mlir|-\n\n"
               "Reads MLIR text, runs the transformations in the given order and prints the result.\n\n"
               "Transformations:\n",
               out);
    for (const NamedPass &pass : daphne::transforms::allPasses())
        std::fprintf(out, "  %-20s %s\n", std::string(pass.name).c_str(), std::string(pass.summary).c_str());
    return out == stdout ? 0 : 1;
}

bool addPasses(llvm::StringRef names, Request &request) {
    llvm::SmallVector<llvm::StringRef> list;
    names.split(list, ',');
    for (llvm::StringRef name : list) {
        const NamedPass *found = nullptr;
        for (const NamedPass &pass : daphne::transforms::allPasses())
            if (name == llvm::StringRef(pass.name))
                found = &pass;
        if (!found) {
            llvm::errs() << "error: no transformation named '" << name << "'\n";
            return false;
        }
        request.passes.push_back(found);
    }
    return true;
}

int run(const Request &request) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<daphne::ir::DaphneDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect>();
    llvm::SourceMgr sources;
    mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(request.file, sources, &context);
    if (!module)
        return 1;
    if (request.verifyOnly)
        return 0;
    for (const NamedPass *pass : request.passes) {
        pass->run(*module);
        if (failed(mlir::verify(*module))) {
            llvm::errs() << "error: the module does not verify after '" << llvm::StringRef(pass->name) << "'\n";
            return 1;
        }
    }
    module->print(llvm::outs());
    llvm::outs() << "\n";
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        llvm::StringRef word = argv[i];
        if (word == "--help")
            return usage(stdout);
        if (word == "--verify-only")
            request.verifyOnly = true;
        else if (word == "--pass" && i + 1 < argc) {
            if (!addPasses(argv[++i], request))
                return 1;
        } else if ((word.starts_with("-") && word != "-") || !request.file.empty())
            return usage(stderr);
        else
            request.file = word.str();
    }
    return request.file.empty() ? usage(stderr) : run(request);
}
