// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/LoopJit.h"

#include <unordered_map>

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"

#include "codegen/Jit.h"
#include "codegen/loops/LoopEmitter.h"
#include "codegen/loops/LoopSymbols.h"
#include "codegen/loops/ObjectCache.h"

namespace daphne::codegen {

namespace orc = llvm::orc;

namespace {

/// Cells are in vectors already: what is left to do is moving invariants out of loops and tidying up.
constexpr const char *kPasses = "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
                                "gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

class LoopJit : public exec::LoopCompiler {
  public:
    LoopJit(std::string directory, std::string *text) : cache(std::move(directory)), text(text) {}

    exec::LoopFunction compile(const exec::LoopProgram &program) override {
        std::string key = program.text();
        auto [it, isNew] = functions.try_emplace(key, nullptr);
        if (isNew)
            it->second = build(program, key);
        return it->second;
    }

  private:
    exec::LoopFunction build(const exec::LoopProgram &program, const std::string &key) {
        if (!jit)
            start();
        std::string name = "loop" + std::to_string(functions.size());
        // Each loop in a library of its own: object files of other runs use the same name.
        orc::JITDylib &library = orThrow(jit->createJITDylib(name));
        defineSymbols(library);
        std::unique_ptr<llvm::MemoryBuffer> object = text ? nullptr : cache.find(key);
        if (!object) {
            object = translate(program);
            cache.add(key, *object);
        }
        orThrow(jit->addObjectFile(library, std::move(object)));
        return orThrow(jit->lookup(library, kEntry)).toPtr<exec::LoopFunction>();
    }

    void start() {
        orc::JITTargetMachineBuilder builder = hostMachine();
        builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
        machine = orThrow(builder.createTargetMachine());
        jit = orThrow(orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create());
    }

    std::unique_ptr<llvm::MemoryBuffer> translate(const exec::LoopProgram &program) {
        llvm::LLVMContext context;
        llvm::Module module("loop", context);
        module.setDataLayout(machine->createDataLayout());
        module.setTargetTriple(machine->getTargetTriple().str());
        LoopEmitter emitter(module, program, kEntry);
        emitter.emit();
        std::string problem;
        llvm::raw_string_ostream problems(problem);
        if (llvm::verifyModule(module, &problems))
            throw internalError("the code of a fused loop is wrong: " + problem);
        optimise(module);
        if (text) {
            llvm::raw_string_ostream out(*text);
            module.print(out, nullptr);
        }
        return orThrow(orc::SimpleCompiler(*machine)(module));
    }

    void optimise(llvm::Module &module) {
        llvm::LoopAnalysisManager loops;
        llvm::FunctionAnalysisManager functionsOf;
        llvm::CGSCCAnalysisManager components;
        llvm::ModuleAnalysisManager modules;
        llvm::PassBuilder passes(machine.get());
        passes.registerModuleAnalyses(modules);
        passes.registerCGSCCAnalyses(components);
        passes.registerFunctionAnalyses(functionsOf);
        passes.registerLoopAnalyses(loops);
        passes.crossRegisterProxies(loops, functionsOf, components, modules);
        llvm::ModulePassManager manager;
        orThrow(passes.parsePassPipeline(manager, kPasses));
        manager.run(module, modules);
    }

    /// Everything a loop may call, resolved when it is asked for.
    void defineSymbols(orc::JITDylib &library) {
        class Symbols : public orc::DefinitionGenerator {
            llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &target,
                                      orc::JITDylibLookupFlags, const orc::SymbolLookupSet &wanted) override {
                orc::SymbolMap found;
                for (auto &[symbol, flags] : wanted)
                    if (void *address = loopSymbolAddress({(*symbol).data(), (*symbol).size()}))
                        found[symbol] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
                return found.empty() ? llvm::Error::success() : target.define(orc::absoluteSymbols(std::move(found)));
            }
        };
        library.addGenerator(std::make_unique<Symbols>());
    }

    static constexpr const char *kEntry = "daphne_loop";

    std::unordered_map<std::string, exec::LoopFunction> functions;
    ObjectCache cache;
    std::string *text;
    std::unique_ptr<llvm::TargetMachine> machine;
    std::unique_ptr<orc::LLJIT> jit;
};

} // namespace

std::unique_ptr<exec::LoopCompiler> makeLoopCompiler(std::string directory, std::string *text) {
    return std::make_unique<LoopJit>(std::move(directory), text);
}

} // namespace daphne::codegen
