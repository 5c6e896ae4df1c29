// SPDX-License-Identifier: Apache-2.0
#include "driver/Engine.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

#include <unistd.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"

#include "codegen/Program.h"
#include "driver/BigStack.h"
#include "driver/OutOfMemoryExit.h"
#include "driver/Pipeline.h"
#include "driver/ProgressOption.h"
#include "driver/SchedulerSettings.h"
#include "ir/Dialect.h"
#include "irgen/IrGen.h"
#include "lang/dsl/Frontend.h"
#include "ops/Registry.h"
#include "sched/Scheduler.h"

namespace daphne::driver {

namespace {

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Seconds since the process was created: what start-up took, the loader included.
double processAge() {
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
}

void writeError(const std::string &text) { [[maybe_unused]] auto n = ::write(2, text.data(), text.size()); }

/// The builtin that the text calls there, if it is one of several for the same operation (readMatrix and readFrame).
std::string asWritten(const std::string &operation, SourceSpan span, const SourceManager &sources) {
    const ops::BuiltinInfo *named = ops::Registry::get().findBuiltin(operation);
    if (!named || !span.known())
        return operation;
    std::string_view text = sources.text(span.fileId).substr(span.begin);
    auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    auto end = std::ranges::find_if_not(text, isPart);
    const ops::BuiltinInfo *written = ops::Registry::get().findBuiltin({text.begin(), end});
    bool isSame = written && written->row->op == named->row->op;
    return isSame ? std::string(written->name) : operation;
}

} // namespace

std::string Timing::json() const {
    char buffer[256];
    std::snprintf(buffer, sizeof buffer,
                  "{\"startup_seconds\": %.9f, \"parsing_seconds\": %.9f, \"compilation_seconds\": %.9f, "
                  "\"execution_seconds\": %.9f, \"total_seconds\": %.9f}\n",
                  startup, parsing, compilation, execution, total);
    return buffer;
}

struct Engine::State {
    State() : context(mlir::MLIRContext::Threading::DISABLED) {
        context.loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, ir::DaphneDialect>();
    }
    mlir::MLIRContext context;
};

/// Programs of earlier inputs stay alive: their functions are still called, their literals still used.
struct Engine::Session {
    ObjectScope objects;
    std::map<std::string, Value> variables;
    std::map<std::string, Value, std::less<>> views;
    std::vector<const lang::FuncDef *> functions;
    std::vector<const lang::Import *> imports;
    std::vector<lang::Program> programs;
    ~Session() {
        variables.clear();
        views.clear();
    }

    /// At the prompt a new definition with the same parameters replaces the old one.
    void define(const lang::FuncDef &f) {
        std::erase_if(functions, [&](const lang::FuncDef *old) {
            return old->name == f.name && std::ranges::equal(old->params, f.params, {}, typeKey, typeKey);
        });
        functions.push_back(&f);
    }
    static std::pair<lang::DataType, ValueType> typeKey(const lang::Param &p) {
        return {p.typed ? p.type.dataType : lang::DataType::Frame, p.type.valueType};
    }
};

Engine::Engine(Options given, std::shared_ptr<dist::MpiModule> mpi)
    : options(std::move(given)), scheduler(schedulerSettings(options), writeToStandardError) {
    times.startup = processAge();
    double begin = now();
    if (isDistributed(options))
        coordinator = std::make_unique<Coordinator>(options, scheduler, std::move(mpi));
    state = std::make_unique<State>();
    times.startup += now() - begin;
}

Engine::~Engine() = default;

void Engine::report(const Error &error) {
    if (error.isStop) {
        std::string line = "system stopped: " + error.message + "\n";
        std::fflush(stdout);
        [[maybe_unused]] auto n = ::write(1, line.data(), line.size());
    }
    Error shown = error;
    if (error.isStop)
        shown.message = "system stopped: " + error.message;
    shown.operation = asWritten(error.operation, error.where, sources);
    writeError(render(shown, sources, isatty(2) ? Colour::Yes : Colour::No));
}

void Engine::reportStatistics() {
    if (!scheduler.settings().statistics)
        return;
    auto ms = [](double seconds) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f ms", 1e3 * seconds);
        return std::string(text);
    };
    writeError("time: " + ms(times.startup) + " start-up, " + ms(times.parsing) + " parsing, " + ms(times.compilation) +
               " compiling, " + ms(times.execution) + " running on " + std::to_string(scheduler.numThreads()) +
               (scheduler.numThreads() == 1 ? " thread\n" : " threads\n"));
    std::string text = scheduler.statisticsText();
    writeError(text.empty() ? "no loops were run by the scheduler\n" : text);
    if (coordinator && coordinator->cluster())
        writeError(coordinator->cluster()->statisticsText());
}

int Engine::reportMachines() {
    const std::string &path = options.settings.text("dist-stats");
    if (path.empty() || !coordinator || !coordinator->cluster())
        return 0;
    std::string json = coordinator->cluster()->statisticsJson();
    if (path == "-") {
        writeError(json);
        return 0;
    }
    std::ofstream file(path, std::ios::trunc);
    if ((file << json).flush())
        return 0;
    Error error = executionError("option --dist-stats: the file " + path + " cannot be written");
    report(error);
    return static_cast<int>(error.stage);
}

void Engine::explain(ExplainLevel level, const std::string &text) {
    writeError(std::string(explainRow(level).header) + "\n" + text);
}

namespace {

/// What the compiler may assume of a value that exists already.
ops::TypeDesc typeOf(const Value &v) {
    switch (v.kind()) {
    case ValueKind::Scalar: return ops::TypeDesc::scalar(v.scalarType());
    case ValueKind::Matrix:
        return ops::TypeDesc::matrix(v.matrix().type(), static_cast<int64_t>(v.matrix().rows()),
                                     static_cast<int64_t>(v.matrix().cols()));
    case ValueKind::List: return ops::TypeDesc::list(v.list().elementType);
    case ValueKind::Frame: {
        auto schema = std::make_shared<ops::FrameSchema>();
        schema->labels = v.frame().labels;
        for (const auto &column : v.frame().columns)
            schema->types.push_back(column->type());
        return ops::TypeDesc::frame(schema, static_cast<int64_t>(v.frame().rows()),
                                    static_cast<int64_t>(v.frame().cols()));
    }
    case ValueKind::None: break;
    }
    return ops::TypeDesc::unknown();
}

} // namespace

/// Throws the first error; further parse errors are reported before it is thrown.
void Engine::execute(uint32_t fileId, const std::string &directory, Session *session) {
    double t0 = now();
    lang::FrontendOptions frontend;
    frontend.scriptArgs = options.scriptArgs;
    frontend.importPaths = options.importPaths;
    lang::SessionNames names;
    irgen::Options generation;
    generation.propagateConstants = options.ipaConstPropa;
    generation.sources = &sources;
    std::vector<Value> inputs;
    if (session) {
        for (auto &[name, value] : session->variables) {
            names.variables[name] = typeOf(value);
            generation.inputs.push_back({name, typeOf(value)});
            inputs.push_back(value);
        }
        for (auto &[name, view] : session->views)
            generation.views.push_back({name, typeOf(view)});
        names.functions = session->functions;
        names.imports = session->imports;
        generation.functions = session->functions;
        generation.imports = session->imports;
        generation.exportVariables = true;
    }
    lang::FrontendResult parsed = lang::parseProgram(sources, fileId, directory, frontend, names);
    if (!parsed.errors.empty()) {
        for (size_t i = 0; i + 1 < parsed.errors.size(); ++i)
            report(parsed.errors[i]);
        throw parsed.errors.back();
    }
    double t1 = now();
    times.parsing += t1 - t0;

    irgen::Result generated = irgen::generate(state->context, parsed.program, generation);
    std::string llvmText;
    codegen::Program::Options code;
    if (options.explains(ExplainLevel::Llvm))
        code.llvmText = &llvmText;
    code.engine = {.jit = options.jit, .always = options.vecAlways};
    code.loopDirectory = options.loopCache;
    std::unique_ptr<codegen::Program> program;
    {
        OutOfMemoryExit guard;
        runPipeline(*generated.module, options,
                    [&](ExplainLevel level, const std::string &text) { explain(level, text); });
        program = codegen::Program::compile(*generated.module, code);
    }
    if (code.llvmText)
        explain(ExplainLevel::Llvm, llvmText);
    double t2 = now();
    times.compilation += t2 - t1;

    Context context;
    context.stackLimit = stackLimit();
    context.scheduler = &scheduler;
    dist::Cluster *cluster = coordinator ? coordinator->cluster() : nullptr;
    exec::DistributionScope distribution(cluster);
    // How results were computed is known until the program ends: it refers to objects of the program.
    struct EndOfProgram {
        dist::Cluster *cluster;
        ~EndOfProgram() {
            if (cluster)
                cluster->endOfProgram(false);
        }
    } endOfProgram{cluster};
    context.representation.byEstimate = options.selectMatrixRepr;
    context.representation.threshold = options.sparsityThreshold;
    if (session)
        context.views = session->views;
    std::vector<Value> results;
    auto bars = showProgress(options.settings.text("progress"));
    try {
        results = program->run(context, std::move(inputs));
    } catch (...) {
        context.out.flush();
        context.err.flush();
        throw;
    }
    context.out.flush();
    context.err.flush();
    if (session) {
        if (cluster)
            cluster->endOfProgram(true);
        session->views = std::move(context.views);
        session->variables.clear();
        for (size_t i = 0; i < results.size(); ++i)
            session->variables[generated.exports[i].name] = std::move(results[i]);
        for (const lang::Stmt *s : parsed.program.main->body) {
            if (s->kind == lang::StmtKind::FuncDef)
                session->define(lang::as<lang::FuncDef>(s));
            if (s->kind == lang::StmtKind::Import)
                session->imports.push_back(&lang::as<lang::Import>(s));
        }
        session->programs.push_back(std::move(parsed.program));
    }
    times.execution += now() - t2;
    times.total = times.startup + times.parsing + times.compilation + times.execution;
}

int Engine::runScript(std::string name, std::string text, const std::string &directory) {
    uint32_t fileId = sources.add(std::move(name), std::move(text));
    try {
        // Programs are destroyed inside the scope of the objects they made.
        ObjectScope objects;
        execute(fileId, directory, nullptr);
    } catch (const Error &e) {
        report(e);
        reportMachines();
        return static_cast<int>(e.stage);
    }
    reportStatistics();
    if (options.timing)
        writeError(times.json());
    return reportMachines();
}

Engine::Session &Engine::currentSession() {
    if (!session)
        session = std::make_unique<Session>();
    return *session;
}

bool Engine::isExpression(const std::string &text) {
    lang::SessionNames names;
    for (auto &[name, value] : currentSession().variables)
        names.variables[name] = typeOf(value);
    names.functions = currentSession().functions;
    names.imports = currentSession().imports;
    SourceManager scratch;
    uint32_t fileId = scratch.add("input", "print(" + text + ");");
    lang::FrontendOptions frontend;
    frontend.scriptArgs = options.scriptArgs;
    return lang::parseProgram(scratch, fileId, ".", frontend, names).errors.empty();
}

bool Engine::runInteractive(std::string text) {
    Session &current = currentSession();
    uint32_t fileId = sources.add("input", std::move(text));
    try {
        execute(fileId, ".", &current);
        return true;
    } catch (const Error &e) {
        report(e);
        return false;
    }
}

} // namespace daphne::driver
