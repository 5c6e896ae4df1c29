// SPDX-License-Identifier: Apache-2.0
#include "engine/Engine.h"

#include "codegen/Executable.h"
#include "data/BufferPool.h"
#include "engine/EngineState.h"
#include "engine/Session.h"

namespace daphne::engine {

namespace {

/// Everything a program depends on, besides options and files.
std::string keyOf(const CompileRequest &request) {
    std::string key;
    auto add = [&](const std::string &text) { key += std::to_string(text.size()) + ":" + text; };
    add(request.name);
    add(request.directory);
    for (const Variable &v : request.inputs) {
        add(v.name);
        add(v.type.text());
        if (v.type.schema) {
            for (const std::string &label : v.type.schema->labels)
                add(label);
            for (ValueType type : v.type.schema->types)
                add(std::string(dslName(type)));
        }
    }
    key += "|";
    for (const std::string &name : request.outputs)
        add(name);
    key += "|" + request.text;
    return key;
}

} // namespace

Engine::Engine(Options options, Host host)
    : state(std::make_shared<EngineState>(std::move(options), std::move(host))) {}
// Programs keep the state, and the state keeps programs.
Engine::~Engine() { state->forgetPrograms(); }

std::shared_ptr<const Program> Engine::compile(const CompileRequest &request) {
    std::string key = keyOf(request);
    if (auto known = state->findProgram(key))
        return known;
    CompileJob job;
    job.sources = std::make_shared<SourceManager>();
    job.fileId = job.sources->add(request.name, request.text);
    job.directory = request.directory;
    job.inputs = request.inputs;
    job.outputs = request.outputs;
    for (const Variable &v : request.inputs)
        job.names.variables[v.name] = v.type;
    EngineState::Compiled compiled = state->compile(job);
    std::shared_ptr<Program> program(new Program);
    program->engine = state;
    program->code = std::move(compiled.code);
    program->inputNames = request.inputs;
    program->outputNames = std::move(compiled.outputs);
    program->compileTimes = compiled.times;
    std::vector<std::string> files;
    for (const std::string &file : compiled.files) {
        files.push_back(file);
        files.push_back(file + ".meta");
    }
    for (uint32_t id = 2; id <= job.sources->numFiles(); ++id) // scripts that were imported
        files.push_back(job.sources->name(id));
    program->sources = std::move(job.sources);
    // What --explain shows is shown by every compilation.
    if (state->options.explain.empty())
        state->keepProgram(key, program, files);
    return program;
}

std::unique_ptr<Session> Engine::newSession() { return std::unique_ptr<Session>(new Session(state)); }
const Options &Engine::options() const { return state->options; }
sched::Scheduler &Engine::scheduler() { return state->scheduler; }
Machines *Engine::machines() { return state->machines.get(); }

void Engine::trim() {
    state->forgetPrograms();
    trimBufferPool();
}

} // namespace daphne::engine
