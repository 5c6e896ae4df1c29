// SPDX-License-Identifier: Apache-2.0
#include "engine/EngineState.h"

#include <chrono>

#include <sys/stat.h>

#include "mlir/IR/MLIRContext.h"

#include "base/Stack.h"
#include "codegen/CompileMemory.h"
#include "codegen/Executable.h"
#include "codegen/loops/LoopJit.h"
#include "engine/Pipeline.h"
#include "engine/SchedulerSettings.h"
#include "irgen/IrGen.h"

namespace daphne::engine {

namespace {

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

sched::Settings adjustedSettings(const Options &options, const Host &host) {
    sched::Settings settings = schedulerSettings(options);
    if (host.adjustScheduling)
        host.adjustScheduling(settings);
    return settings;
}

} // namespace

EngineState::EngineState(Options given, Host givenHost)
    : options(std::move(given)), host(std::move(givenHost)),
      scheduler(adjustedSettings(options, host), host.schedulerLog),
      loopCompiler(codegen::loopCompilerOfProcess(options.loopCache)) {
    if (host.connect)
        machines = host.connect(scheduler);
}

EngineState::Compiled EngineState::compile(const CompileJob &job) {
    Compiled compiled;
    try {
        runOnLargeStack([&] { compiled = compileHere(job); });
    } catch (const Error &e) {
        throw Failure({e}, job.sources);
    } catch (const std::bad_alloc &) {
        throw Failure({Error(Stage::Compile, "out of memory while compiling")}, job.sources);
    }
    return compiled;
}

namespace {

std::string warningText(const Error &warning, const SourceManager &sources) {
    LineColumn at = sources.position(warning.where.fileId, warning.where.begin);
    return "warning: " + warning.message + "\n --> " + sources.name(warning.where.fileId) + ":" +
           std::to_string(at.line) + ":" + std::to_string(at.column) + "\n   = hint: " + warning.hint + "\n";
}

} // namespace

EngineState::Compiled EngineState::compileHere(const CompileJob &job) {
    Compiled compiled;
    double t0 = now();
    lang::FrontendOptions frontend;
    frontend.scriptArgs = options.scriptArgs;
    frontend.importPaths = options.importPaths;
    lang::FrontendResult parsed = lang::parseProgram(*job.sources, job.fileId, job.directory, frontend, job.names);
    if (!parsed.errors.empty())
        throw Failure(std::move(parsed.errors), job.sources);
    double t1 = now();
    compiled.times.parsing = t1 - t0;

    irgen::GenerateOptions generation;
    generation.propagateConstants = options.ipaConstPropa;
    generation.sources = job.sources.get();
    for (const Variable &v : job.inputs)
        generation.inputs.push_back({v.name, v.type});
    for (const Variable &v : job.views)
        generation.views.push_back({v.name, v.type});
    generation.functions = job.names.functions;
    generation.imports = job.names.imports;
    generation.exportVariables = job.exportsAll;
    generation.outputs = job.outputs;
    generation.functionForms = job.functionForms;

    MlirContexts::Loan loan(contexts);
    irgen::Result generated = irgen::generate(loan.context(), parsed.program, generation);
    for (const Error &warning : generated.warnings)
        if (host.warn)
            host.warn(warningText(warning, *job.sources));
    std::string llvmText;
    codegen::Executable::Options code;
    if (options.explains(ExplainLevel::Llvm))
        code.llvmText = &llvmText;
    code.loops = {.jit = options.jit, .always = options.vecAlways};
    code.loopCompiler = loopCompiler;
    code.managesReferences = options.objRefMgnt;
    code.sources = job.sources.get();
    auto explain = [&](ExplainLevel level, const std::string &text) {
        if (host.explain)
            host.explain(level, text);
    };
    SourceSpan start{job.fileId, 0, 0};
    auto compile = [&] {
        codegen::needMemoryToCompile(*generated.module, start);
        runPipeline(*generated.module, options, explain);
        return codegen::Executable::compile(*generated.module, code);
    };
    auto leak = [&] {
        (void)generated.module.release();
        loan.abandon();
    };
    compiled.code = codegen::withCompileMemory(start, compile, leak);
    if (code.llvmText)
        explain(ExplainLevel::Llvm, llvmText);
    for (irgen::Binding &b : generated.exports)
        compiled.outputs.push_back({std::move(b.name), std::move(b.type)});
    compiled.files = std::move(generated.files);
    compiled.syntax = std::move(parsed.program);
    compiled.times.compilation = now() - t1;
    return compiled;
}

// ---- programs

EngineState::FileStamp EngineState::FileStamp::of(const std::string &path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0)
        return {path, 0, 0, -1};
    return {path, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
}

std::shared_ptr<const Program> EngineState::findProgram(const std::string &key) {
    std::lock_guard lock(programsMutex);
    auto found = byKey.find(key);
    if (found == byKey.end())
        return nullptr;
    for (const FileStamp &stamp : found->second->files)
        if (!(FileStamp::of(stamp.path) == stamp)) {
            programs.erase(found->second);
            byKey.erase(found);
            return nullptr;
        }
    programs.splice(programs.begin(), programs, found->second);
    return found->second->program;
}

void EngineState::keepProgram(const std::string &key, std::shared_ptr<const Program> program,
                              const std::vector<std::string> &files) {
    std::vector<FileStamp> stamps;
    for (const std::string &file : files)
        stamps.push_back(FileStamp::of(file));
    std::lock_guard lock(programsMutex);
    if (byKey.contains(key))
        return; // another thread was faster
    programs.push_front({key, std::move(program), std::move(stamps)});
    byKey.emplace(key, programs.begin());
    if (programs.size() > kMostPrograms) {
        byKey.erase(programs.back().key);
        programs.pop_back();
    }
}

void EngineState::forgetPrograms() {
    std::list<CachedProgram> forgotten; // goes after the lock: the last program may take this with it
    std::lock_guard lock(programsMutex);
    byKey.clear();
    forgotten.swap(programs);
}

} // namespace daphne::engine
