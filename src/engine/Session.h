// SPDX-License-Identifier: Apache-2.0
/// Inputs that follow each other, as at a prompt or in a notebook: variables,
/// views, functions and imports stay. An input that fails changes nothing. One run
/// at a time; sessions of one engine may run side by side.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/Program.h"
#include "engine/interactive/Completion.h"
#include "lang/dsl/Frontend.h"

namespace daphne::irgen {
struct FunctionForms;
}

namespace daphne::engine {

class Session {
  public:
    ~Session();

    /// Throws Failure. Returns how long it took.
    Times run(std::string text, const RunOptions &options = {});

    /// For prompts: the statements of the input one after the other, after all of them were checked. If one fails or is
    /// cancelled, what those before it have done stays. The last ';' may be missing; if an expression lacks it, `show`
    /// gets its value. Throws Failure.
    using Show = std::function<void(const Value &)>;
    Times runStatements(const std::string &input, const Show &show, const RunOptions &options = {});

    /// For notebooks: the cell is one program, so that nothing has changed if it fails or is cancelled. The last ';'
    /// may be missing; if an expression lacks it, `show` gets its value. Throws Failure.
    struct Cell {
        std::string text;
        std::string name = "input"; ///< what errors call it
    };
    Times evaluate(const Cell &cell, const Show &show, const RunOptions &options = {});

    /// In order of definition.
    const std::vector<const lang::FuncDef *> &definitions() const { return functions; }
    /// "f(x: f64)" of one of them, as it was written.
    std::string headingOf(const lang::FuncDef &f) const;
    /// "def f(x: f64) { ... }", as it was written.
    std::string sourceOf(const lang::FuncDef &f) const;
    /// What completion may offer; as long as nothing is run.
    KnownNames knownNames() const;

    std::map<std::string, Value> variables;

  private:
    friend class Engine;
    explicit Session(std::shared_ptr<EngineState> engine);
    lang::SessionNames names() const;
    void failIfWrong(uint32_t fileId) const;
    void showResult(const Show &show);
    std::vector<Error> errorsOf(uint32_t fileId) const;
    Times runFile(uint32_t fileId, const RunOptions &options);
    /// A new definition with the same parameters replaces the old one.
    void define(const lang::FuncDef &f);

    std::shared_ptr<EngineState> engine;
    std::shared_ptr<SourceManager> sources; ///< of all inputs: functions are called from later ones
    std::map<std::string, Value, std::less<>> views;
    std::vector<const lang::FuncDef *> functions;
    std::vector<const lang::Import *> imports;
    std::vector<lang::CheckedScript> programs;           ///< that define functions, as values too, or import some
    std::shared_ptr<irgen::FunctionForms> functionForms; ///< what the numbers of function values mean
};

} // namespace daphne::engine
