// SPDX-License-Identifier: Apache-2.0
#include "codegen/Program.h"

#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include "base/Error.h"
#include "codegen/CompileMemory.h"
#include "codegen/Emitter.h"
#include "codegen/Jit.h"
#include "codegen/Runtime.h"
#include "codegen/loops/LoopJit.h"
#include "exec/Region.h"
#include "ops/Registry.h"

namespace daphne::codegen {

namespace orc = llvm::orc;

struct Program::Code {
    std::unique_ptr<orc::LLJIT> jit;
    std::vector<Value> literals;
    std::unique_ptr<exec::Engine> engine;
    std::vector<std::unique_ptr<exec::Region>> regions;
    void (*entry)(Context *, Slot *, Slot *) = nullptr;
};

Program::Program() : code(std::make_unique<Code>()) {}
Program::~Program() = default;

namespace {

constexpr const char *kHotModule = "hot";

/// Compiles glue as fast as possible and hot code well: two target machines, chosen by the module's name.
class TieredCompiler : public orc::IRCompileLayer::IRCompiler {
  public:
    explicit TieredCompiler(std::unique_ptr<llvm::TargetMachine> glueMachine)
        : IRCompiler(orc::irManglingOptionsFromTargetOptions(glueMachine->Options)), glueMachine(std::move(glueMachine)) {}

    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module &module) override {
        if (module.getModuleIdentifier() != kHotModule)
            return orc::SimpleCompiler(*glueMachine)(module);
        auto machine = hostMachine().setCodeGenOptLevel(llvm::CodeGenOptLevel::Default).createTargetMachine();
        if (!machine)
            return machine.takeError();
        return orc::SimpleCompiler(**machine)(module);
    }

  private:
    std::unique_ptr<llvm::TargetMachine> glueMachine;
};

std::unique_ptr<orc::LLJIT> createJit() {
    orc::JITTargetMachineBuilder glue = plainMachine();
    glue.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
    // Long jumps everywhere: finding the short ones takes quadratic time in deeply nested branches.
    glue.getOptions().MCOptions.MCRelaxAll = true;
    auto machine = orThrow(glue.createTargetMachine());
    return orThrow(
        orc::LLJITBuilder()
            .setJITTargetMachineBuilder(glue)
            .setDataLayout(machine->createDataLayout())
            .setCompileFunctionCreator([&](orc::JITTargetMachineBuilder)
                                           -> llvm::Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
                return std::make_unique<TieredCompiler>(std::move(machine));
            })
            .create());
}

} // namespace

/// What LLVM makes of a program. It must not be destroyed after an allocation has failed inside of it.
struct Program::Parts {
    orc::ThreadSafeContext context{std::make_unique<llvm::LLVMContext>()};
    std::unique_ptr<llvm::Module> glue = std::make_unique<llvm::Module>("glue", *context.getContext());
    std::unique_ptr<llvm::Module> hot = std::make_unique<llvm::Module>(kHotModule, *context.getContext());
    std::unique_ptr<orc::LLJIT> jit;
};

std::unique_ptr<Program> Program::compile(mlir::ModuleOp module, const Options &options) {
    auto parts = std::make_unique<Parts>();
    return leakingWithoutMemory([&] { return compile(*parts, module, options); }, [&] { (void)parts.release(); });
}

std::unique_ptr<Program> Program::compile(Parts &parts, mlir::ModuleOp module, const Options &options) {
    auto &[context, glue, hot, jit] = parts;
    std::unique_ptr<Program> program(new Program);
    program->code->engine = std::make_unique<exec::Engine>(options.engine, makeLoopCompiler(options.loopDirectory));
    Emitter emitter(*glue, *hot, program->callSites, program->code->literals, *program->code->engine,
                    program->code->regions);
    emitter.emitModule(module);
    program->results = module.lookupSymbol<mlir::func::FuncOp>("main").getNumResults();

    jit = createJit();
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
    program->code->entry = address.toPtr<void (*)(Context *, Slot *, Slot *)>();
    program->code->jit = std::move(jit);
    return program;
}

namespace {

/// What the user calls the operation.
std::string nameOf(const CallSite &site) {
    return site.operation.empty() ? std::string() : std::string(ops::userName(site.operation));
}

} // namespace

std::vector<Value> Program::run(Context &context, std::vector<Value> inputs) {
    std::vector<Value> outputs(results);
    try {
        // Value has the layout of Slot; @main takes its arguments over.
        std::vector<Slot> slots;
        for (Value &v : inputs)
            slots.push_back(v.detach());
        std::vector<Slot> out(results);
        code->entry(&context, slots.data(), out.data());
        for (size_t i = 0; i < results; ++i)
            outputs[i] = Value::adopt(out[i]);
    } catch (Error &e) {
        if (context.callSite < callSites.size()) {
            const CallSite &site = callSites[context.callSite];
            e.at(site.span);
            if (e.operation.empty() && e.stage == Stage::Execute && !e.isStop)
                e.operation = nameOf(site);
        }
        throw;
    } catch (const std::bad_alloc &) {
        Error e = executionError("out of memory");
        if (context.callSite < callSites.size())
            e.at(callSites[context.callSite].span).operation = nameOf(callSites[context.callSite]);
        throw e;
    }
    return outputs;
}

} // namespace daphne::codegen
