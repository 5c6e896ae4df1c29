// SPDX-License-Identifier: Apache-2.0
#include "engine/Session.h"

#include <algorithm>
#include <chrono>

#include "codegen/Executable.h"
#include "engine/EngineState.h"
#include "irgen/FunctionValues.h"

namespace daphne::engine {

Session::Session(std::shared_ptr<EngineState> engine)
    : engine(std::move(engine)), sources(std::make_shared<SourceManager>()),
      functionForms(std::make_shared<irgen::FunctionForms>()) {}
Session::~Session() = default;

lang::SessionNames Session::names() const {
    lang::SessionNames names;
    for (auto &[name, value] : variables)
        names.variables[name] = typeOf(value);
    names.functions = functions;
    names.imports = imports;
    return names;
}

void Session::define(const lang::FuncDef &f) {
    auto typeKey = [](const lang::Param &p) { return std::tuple(p.typed, p.type.dataType, p.type.valueType); };
    std::erase_if(functions, [&](const lang::FuncDef *old) {
        return old->name == f.name && std::ranges::equal(old->params, f.params, {}, typeKey, typeKey);
    });
    functions.push_back(&f);
}

bool Session::isExpression(const std::string &text) const {
    SourceManager scratch;
    uint32_t fileId = scratch.add("input", "print(" + text + ");");
    lang::FrontendOptions frontend;
    frontend.scriptArgs = engine->options.scriptArgs;
    return lang::parseProgram(scratch, fileId, ".", frontend, names()).errors.empty();
}

Times Session::run(std::string text, const RunOptions &options) {
    using Clock = std::chrono::steady_clock;
    CompileJob job;
    job.sources = sources;
    job.fileId = sources->add("input", std::move(text));
    job.directory = ".";
    job.exportsAll = true;
    job.names = names();
    std::vector<Value> inputs;
    for (auto &[name, value] : variables) {
        job.inputs.push_back({name, typeOf(value)});
        inputs.push_back(value);
    }
    for (auto &[name, view] : views)
        job.views.push_back({name, typeOf(view)});
    job.functionForms = functionForms;
    // Functions of an input that fails go with its text.
    struct FormsGuard {
        irgen::FunctionForms &forms;
        size_t kept;
        ~FormsGuard() { forms.keepFirst(kept); }
    } formsGuard{*functionForms, functionForms->forms.size()};
    EngineState::Compiled compiled = engine->compile(job);
    Program program;
    program.engine = engine;
    program.sources = sources;
    program.code = std::move(compiled.code);
    program.inputNames = std::move(job.inputs);
    RunOptions mine = options;
    auto newViews = views;
    mine.views = &newViews;
    auto begin = Clock::now();
    std::vector<Value> results = program.run(std::move(inputs), mine);
    compiled.times.execution = std::chrono::duration<double>(Clock::now() - begin).count();
    // From here on nothing fails.
    views = std::move(newViews);
    variables.clear();
    for (size_t i = 0; i < results.size(); ++i)
        variables[compiled.outputs[i].name] = std::move(results[i]);
    bool isReferredTo = functionForms->forms.size() > formsGuard.kept;
    formsGuard.kept = functionForms->forms.size();
    for (const lang::Stmt *s : compiled.syntax.main->body) {
        if (s->kind == lang::StmtKind::FuncDef)
            define(lang::as<lang::FuncDef>(s));
        if (s->kind == lang::StmtKind::Import)
            imports.push_back(&lang::as<lang::Import>(s));
        isReferredTo |= s->kind == lang::StmtKind::FuncDef || s->kind == lang::StmtKind::Import;
    }
    if (isReferredTo)
        programs.push_back(std::move(compiled.syntax));
    return compiled.times;
}

} // namespace daphne::engine
