// SPDX-License-Identifier: Apache-2.0
#include "codegen/Executable.h"

#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include "base/CallTrace.h"
#include "codegen/CallTable.h"
#include "codegen/CompileMemory.h"
#include "codegen/Emitter.h"
#include "codegen/Jit.h"
#include "codegen/Runtime.h"
#include "exec/Region.h"
#include "ops/Registry.h"

namespace daphne::codegen {

namespace orc = llvm::orc;

struct Executable::Code {
    std::unique_ptr<orc::LLJIT> jit;
    std::vector<Value> literals;
    std::unique_ptr<exec::LoopEngine> loops;
    std::vector<std::unique_ptr<exec::Region>> regions;
    Places places;
    CallTable calls;
    void (*entry)(exec::ThreadContext *, Slot *, Slot *) = nullptr;
};

Executable::Executable() : code(std::make_unique<Code>()) {}
Executable::~Executable() = default;

namespace {

constexpr const char *kHotModule = "hot";

/// Compiles glue as fast as possible and hot code well: two target machines, chosen by the module's name.
class TieredCompiler : public orc::IRCompileLayer::IRCompiler {
  public:
    TieredCompiler(std::unique_ptr<llvm::TargetMachine> glueMachine, CallTable &calls)
        : IRCompiler(orc::irManglingOptionsFromTargetOptions(glueMachine->Options)),
          glueMachine(std::move(glueMachine)), calls(calls) {}

    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module &module) override {
        auto object = compile(module);
        if (object && !calls.empty())
            calls.readObject(**object);
        return object;
    }

  private:
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> compile(llvm::Module &module) {
        if (module.getModuleIdentifier() != kHotModule)
            return orc::SimpleCompiler(*glueMachine)(module);
        auto machine = hostMachine().setCodeGenOptLevel(llvm::CodeGenOptLevel::Default).createTargetMachine();
        if (!machine)
            return machine.takeError();
        return orc::SimpleCompiler(**machine)(module);
    }

    std::unique_ptr<llvm::TargetMachine> glueMachine;
    CallTable &calls;
};

std::unique_ptr<orc::LLJIT> createJit(CallTable &calls) {
    orc::JITTargetMachineBuilder glue = plainMachine();
    glue.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
    // Long jumps everywhere: finding the short ones takes quadratic time in deeply nested branches.
    glue.getOptions().MCOptions.MCRelaxAll = true;
    auto machine = orThrow(glue.createTargetMachine());
    llvm::DataLayout layout = machine->createDataLayout();
    return newJit(
        std::move(glue), layout,
        [&](orc::JITTargetMachineBuilder) -> llvm::Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
            return std::make_unique<TieredCompiler>(std::move(machine), calls);
        });
}

} // namespace

/// What LLVM makes of a program. It must not be destroyed after an allocation has failed inside of it.
struct Executable::Parts {
    orc::ThreadSafeContext context{std::make_unique<llvm::LLVMContext>()};
    std::unique_ptr<llvm::Module> glue = std::make_unique<llvm::Module>("glue", *context.getContext());
    std::unique_ptr<llvm::Module> hot = std::make_unique<llvm::Module>(kHotModule, *context.getContext());
    std::unique_ptr<orc::LLJIT> jit;
};

std::unique_ptr<Executable> Executable::compile(mlir::ModuleOp module, const Options &options) {
    auto parts = std::make_unique<Parts>();
    return leakingWithoutMemory([&] { return compile(*parts, module, options); }, [&] { (void)parts.release(); });
}

std::unique_ptr<Executable> Executable::compile(Parts &parts, mlir::ModuleOp module, const Options &options) {
    auto &[context, glue, hot, jit] = parts;
    std::unique_ptr<Executable> program(new Executable);
    program->code->loops = std::make_unique<exec::LoopEngine>(options.loops, options.loopCompiler);
    program->code->places = {&program->callSites, options.sources};
    Emitter emitter(*glue, *hot, program->callSites, program->code->calls, program->code->places,
                    program->code->literals, *program->code->loops, program->code->regions,
                    options.managesReferences ? Emitter::References::Managed : Emitter::References::KeptByRun);
    emitter.emitModule(module);
    program->results = module.lookupSymbol<mlir::func::FuncOp>("main").getNumResults();

    jit = createJit(program->code->calls);
    auto add = [&, &context = context, &jit = jit](std::unique_ptr<llvm::Module> code) {
        code->setDataLayout(jit->getDataLayout());
        code->setTargetTriple(jit->getTargetTriple().str());
        if (options.llvmText) {
            llvm::raw_string_ostream out(*options.llvmText);
            code->print(out, nullptr);
        }
        orThrow(jit->addIRModule(orc::ThreadSafeModule(std::move(code), context)));
    };
    if (!hot->empty())
        add(std::move(hot));
    add(std::move(glue));

    orc::SymbolMap symbols;
    auto define = [&, &jit = jit](llvm::StringRef name, void *address) {
        symbols[jit->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                               llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for (const RuntimeSymbol &s : runtimeSymbols())
        define(s.name, s.address);
    for (const std::string &name : emitter.kernelSymbols())
        define(name, reinterpret_cast<void *>(&daphne_call));
    orThrow(jit->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))));
    auto address = orThrow(jit->lookup(Emitter::kEntry));
    program->code->entry = address.toPtr<void (*)(exec::ThreadContext *, Slot *, Slot *)>();
    program->code->jit = std::move(jit);
    return program;
}

namespace {

/// What the user calls the operation; "" if the language has no name for it.
std::string nameOf(const CallSite &site) {
    std::string_view name = ops::userName(site.operation);
    const ops::Registry &registry = ops::Registry::get();
    bool isWritten = name != site.operation || registry.builtinOf(name) || registry.findBuiltin(name);
    return isWritten ? std::string(name) : std::string();
}

} // namespace

std::vector<Value> Executable::run(exec::ThreadContext &thread, std::vector<Value> inputs) const {
    std::vector<Value> outputs(results);
    thread.leftFrames.clear();
    auto addTrace = [&](Error &e) {
        if (!code->calls.empty() && !e.isStop && (e.stage == Stage::Execute || e.stage == Stage::Internal))
            addCallTrace(e, code->calls.callsAt(thread.leftFrames, *code->jit));
    };
    try {
        // Value has the layout of Slot; @main takes its arguments over.
        std::vector<Slot> slots(inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i)
            slots[i] = inputs[i].detach();
        code->entry(&thread, slots.data(), reinterpret_cast<Slot *>(outputs.data()));
    } catch (Error &e) {
        if (thread.callSite < callSites.size()) {
            const CallSite &site = callSites[thread.callSite];
            e.at(site.span);
            if (e.operation.empty() && e.stage == Stage::Execute && !e.isStop)
                e.operation = nameOf(site);
        }
        addTrace(e);
        throw;
    } catch (const std::bad_alloc &) {
        Error e = executionError("out of memory");
        if (thread.callSite < callSites.size())
            e.at(callSites[thread.callSite].span).operation = nameOf(callSites[thread.callSite]);
        addTrace(e);
        throw e;
    }
    return outputs;
}

} // namespace daphne::codegen
