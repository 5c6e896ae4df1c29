// SPDX-License-Identifier: Apache-2.0
#include "engine/Session.h"

#include <algorithm>
#include <chrono>

#include "codegen/Executable.h"
#include "engine/EngineState.h"
#include "irgen/FunctionValues.h"
#include "lang/dsl/Input.h"

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

std::string Session::headingOf(const lang::FuncDef &f) const {
    std::string_view text = sources->text(f.span.fileId);
    text = text.substr(f.nameSpan.begin, f.body->span.begin - f.nameSpan.begin);
    return std::string(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
}

std::string Session::sourceOf(const lang::FuncDef &f) const {
    return std::string(sources->text(f.span.fileId).substr(f.span.begin, f.span.end - f.span.begin));
}

KnownNames Session::knownNames() const {
    KnownNames known{variables, {}};
    for (const lang::FuncDef *f : functions)
        known.functions.emplace_back(f->name);
    return known;
}

std::vector<Error> Session::errorsOf(uint32_t fileId) const {
    lang::FrontendOptions frontend;
    frontend.scriptArgs = engine->options.scriptArgs;
    frontend.importPaths = engine->options.importPaths;
    return lang::parseProgram(*sources, fileId, ".", frontend, names()).errors;
}

namespace {

/// What an expression yields is a variable of this name until it is shown.
constexpr std::string_view kResult = "__result__";

/// A statement as a text of its own, in which it stands at the same line and column as in the input, but for what is
/// written before it.
struct Excerpt {
    uint32_t whole, part; ///< files
    uint32_t begin;       ///< of the statement, in both
    uint32_t added;       ///< characters before it

    /// Errors talk about what was typed.
    std::vector<Error> inWhole(std::vector<Error> errors) const {
        auto move = [&](SourceSpan &span) {
            if (span.fileId != part)
                return;
            auto back = [&](uint32_t at) { return at >= begin + added ? at - added : std::min(at, begin); };
            span = {whole, back(span.begin), back(span.end)};
        };
        for (Error &e : errors) {
            move(e.where);
            for (Label &label : e.labels)
                move(label.where);
            for (Note &note : e.notes)
                move(note.where);
        }
        return errors;
    }
};

} // namespace

Times Session::runStatements(const std::string &input, const Show &show, const RunOptions &options) {
    std::vector<lang::InputStatement> statements = lang::splitInput(input, engine->options.scriptArgs);
    uint32_t whole = sources->add("input", input);
    if (statements.empty()) {
        failIfWrong(whole);
        return {};
    }
    std::string all = statements.back().lacksEnd ? input + ";" : input;
    if (statements.size() > 1) {
        Excerpt complete{whole, sources->add("input", all), static_cast<uint32_t>(all.size()), 0};
        if (std::vector<Error> errors = errorsOf(complete.part); !errors.empty())
            throw Failure(complete.inWhole(std::move(errors)), sources);
    }
    Times times;
    for (const lang::InputStatement &s : statements) {
        std::string blanks = all.substr(0, s.begin);
        for (char &c : blanks)
            c = c == '\n' || c == '\t' ? c : ' ';
        std::string text = all.substr(s.begin, s.end - s.begin) + (s.lacksEnd ? ";" : "");
        std::string added = s.isExpression ? std::string(kResult) + " = " : "";
        Excerpt excerpt{whole, sources->add("input", blanks + added + text), static_cast<uint32_t>(s.begin),
                        static_cast<uint32_t>(added.size())};
        if (s.isExpression && !errorsOf(excerpt.part).empty()) { // it has no value, or several
            excerpt = {whole, sources->add("input", blanks + text), excerpt.begin, 0};
            added.clear();
        }
        try {
            Times more = runFile(excerpt.part, options);
            times.parsing += more.parsing;
            times.compilation += more.compilation;
            times.execution += more.execution;
        } catch (const Failure &failure) {
            throw Failure(excerpt.inWhole(failure.errors()), sources);
        }
        if (!added.empty())
            showResult(show);
    }
    return times;
}

Times Session::evaluate(const Cell &cell, const Show &show, const RunOptions &options) {
    const std::string &input = cell.text;
    std::vector<lang::InputStatement> statements = lang::splitInput(input, engine->options.scriptArgs);
    uint32_t whole = sources->add(cell.name, input);
    if (statements.empty()) {
        failIfWrong(whole);
        return {};
    }
    const lang::InputStatement &last = statements.back();
    if (!last.lacksEnd)
        return runFile(whole, options);
    std::string before = input.substr(0, last.begin);
    std::string end = input.substr(last.begin, last.end - last.begin) + ";";
    std::string added = last.isExpression ? std::string(kResult) + " = " : "";
    auto excerpt = [&] {
        return Excerpt{whole, sources->add(cell.name, before + added + end), static_cast<uint32_t>(last.begin),
                       static_cast<uint32_t>(added.size())};
    };
    Excerpt complete = excerpt();
    if (!added.empty() && !errorsOf(complete.part).empty()) { // it has no value, or several
        added.clear();
        complete = excerpt();
    }
    try {
        Times times = runFile(complete.part, options);
        if (!added.empty())
            showResult(show);
        return times;
    } catch (const Failure &failure) {
        throw Failure(complete.inWhole(failure.errors()), sources);
    }
}

void Session::failIfWrong(uint32_t fileId) const {
    std::vector<Error> errors = errorsOf(fileId);
    // Behind a mistake the text need not have come to its end.
    if (errors.size() > 1)
        std::erase_if(errors, [&](const Error &e) { return e.where.begin >= sources->text(fileId).size(); });
    if (!errors.empty())
        throw Failure(std::move(errors), sources);
}

void Session::showResult(const Show &show) {
    Value result = std::move(variables[std::string(kResult)]);
    variables.erase(std::string(kResult));
    show(result);
}

Times Session::run(std::string text, const RunOptions &options) {
    return runFile(sources->add("input", std::move(text)), options);
}

Times Session::runFile(uint32_t fileId, const RunOptions &options) {
    using Clock = std::chrono::steady_clock;
    CompileJob job;
    job.sources = sources;
    job.fileId = fileId;
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
    // Who has cancelled need not have waited, and relies on nothing changing any more.
    if (options.cancelFlag && options.cancelFlag->load(std::memory_order_relaxed))
        throw Failure({cancelledError()}, sources);
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
