// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/LoopJit.h"

#include <condition_variable>
#include <list>
#include <mutex>
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
constexpr const char *kEntry = "daphne_loop";

/// What the cache keeps although no plan needs it.
constexpr size_t kMostLoops = 512;
constexpr size_t kMostBytes = 32 << 20;

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functionsOf;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder passes(&machine);
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(components);
    passes.registerFunctionAnalyses(functionsOf);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functionsOf, components, modules);
    llvm::ModulePassManager manager;
    orThrow(passes.parsePassPipeline(manager, kPasses));
    manager.run(module, modules);
}

/// The object file of a program. text: receives the LLVM IR, if wanted.
std::unique_ptr<llvm::MemoryBuffer> translate(const exec::LoopProgram &program, std::string *text) {
    orc::JITTargetMachineBuilder builder = hostMachine();
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    std::unique_ptr<llvm::TargetMachine> machine = orThrow(builder.createTargetMachine());
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
    optimise(module, *machine);
    if (text) {
        llvm::raw_string_ostream out(*text);
        module.print(out, nullptr);
    }
    return orThrow(orc::SimpleCompiler(*machine)(module));
}

/// Everything a loop may call, resolved when it is asked for.
class LoopSymbols : public orc::DefinitionGenerator {
    llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &target, orc::JITDylibLookupFlags,
                              const orc::SymbolLookupSet &wanted) override {
        orc::SymbolMap found;
        for (auto &[symbol, flags] : wanted)
            if (void *address = loopSymbolAddress({(*symbol).data(), (*symbol).size()}))
                found[symbol] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
        return found.empty() ? llvm::Error::success() : target.define(orc::absoluteSymbols(std::move(found)));
    }
};

/// Links object files, each into a library of its own, which goes with the code.
class LoopLinker : public std::enable_shared_from_this<LoopLinker> {
  public:
    LoopLinker() : jit(newJit(hostMachine())) {}

    exec::LoopCodeRef link(std::unique_ptr<llvm::MemoryBuffer> object) {
        orc::JITDylib &library =
            orThrow(jit->createJITDylib("loop" + std::to_string(numLinked.fetch_add(1, std::memory_order_relaxed))));
        try {
            library.addGenerator(std::make_unique<LoopSymbols>());
            orThrow(jit->addObjectFile(library, std::move(object)));
            auto function = orThrow(jit->lookup(library, kEntry)).toPtr<exec::LoopFunction>();
            return std::make_shared<LinkedLoop>(function, shared_from_this(), library);
        } catch (...) {
            remove(library);
            throw;
        }
    }

  private:
    struct LinkedLoop : exec::LoopCode {
        LinkedLoop(exec::LoopFunction function, std::shared_ptr<LoopLinker> linker, orc::JITDylib &library)
            : LoopCode(function), linker(std::move(linker)), library(library) {}
        ~LinkedLoop() override { linker->remove(library); }
        std::shared_ptr<LoopLinker> linker;
        orc::JITDylib &library;
    };

    void remove(orc::JITDylib &library) { llvm::consumeError(jit->getExecutionSession().removeJITDylib(library)); }

    std::unique_ptr<orc::LLJIT> jit;
    std::atomic<uint64_t> numLinked{0};
};

/// Loops by the text of their program.
class LoopCodeCache {
  public:
    /// translate: makes the object file if there is no code.
    template <class Translate>
    exec::LoopCodeRef get(const std::string &key, exec::LoopCompiler::Wait wait, Translate &&translate) {
        std::unique_lock lock(mutex);
        for (;;) {
            auto [it, isNew] = entries.try_emplace(key);
            if (isNew)
                break;
            if (it->second.code) {
                uses.splice(uses.begin(), uses, it->second.use);
                return it->second.code;
            }
            if (wait == exec::LoopCompiler::Wait::No)
                return nullptr;
            finished.wait(lock);
        }
        if (!linker)
            linker = std::make_shared<LoopLinker>();
        lock.unlock();
        exec::LoopCodeRef code;
        size_t bytes = 0;
        try {
            std::unique_ptr<llvm::MemoryBuffer> object = translate();
            bytes = object->getBufferSize();
            code = linker->link(std::move(object));
        } catch (...) {
            lock.lock();
            entries.erase(key);
            finished.notify_all();
            throw;
        }
        std::vector<exec::LoopCodeRef> dropped; // goes after the lock
        lock.lock();
        auto it = entries.find(key);
        uses.push_front(it);
        it->second = {code, bytes, uses.begin()};
        totalBytes += bytes;
        while (uses.size() > 1 && (uses.size() > kMostLoops || totalBytes > kMostBytes)) {
            auto oldest = uses.back();
            uses.pop_back();
            totalBytes -= oldest->second.bytes;
            dropped.push_back(std::move(oldest->second.code));
            entries.erase(oldest);
        }
        finished.notify_all();
        lock.unlock();
        return code;
    }

  private:
    struct Entry;
    using Entries = std::unordered_map<std::string, Entry>;
    using Uses = std::list<Entries::iterator>;
    struct Entry {
        exec::LoopCodeRef code = nullptr; ///< null while some thread compiles it
        size_t bytes = 0;
        Uses::iterator use = {};
    };

    std::mutex mutex;
    std::condition_variable finished;
    Entries entries;
    Uses uses; ///< latest first
    size_t totalBytes = 0;
    std::shared_ptr<LoopLinker> linker;
};

class LoopJit : public exec::LoopCompiler {
  public:
    LoopJit(LoopCodeCache &cache, std::string directory) : cache(cache), files(std::move(directory)) {}
    LoopJit(std::unique_ptr<LoopCodeCache> own, std::string directory, std::string *text)
        : own(std::move(own)), cache(*this->own), files(std::move(directory)), text(text) {}

    exec::LoopCodeRef compile(const exec::LoopProgram &program, Wait wait) override {
        std::string key = program.text();
        return cache.get(key, wait, [&] {
            std::unique_ptr<llvm::MemoryBuffer> object = text ? nullptr : files.find(key);
            if (!object) {
                object = translate(program, text);
                files.add(key, *object);
            }
            return object;
        });
    }

  private:
    std::unique_ptr<LoopCodeCache> own;
    LoopCodeCache &cache;
    ObjectCache files;
    std::string *text = nullptr;
};

} // namespace

std::shared_ptr<exec::LoopCompiler> loopCompilerOfProcess(std::string directory) {
    static LoopCodeCache &cache = *new LoopCodeCache; // immortal: programs may end after main()
    return std::make_shared<LoopJit>(cache, std::move(directory));
}

std::shared_ptr<exec::LoopCompiler> makeLoopCompiler(std::string directory, std::string *text) {
    return std::make_shared<LoopJit>(std::make_unique<LoopCodeCache>(), std::move(directory), text);
}

} // namespace daphne::codegen
