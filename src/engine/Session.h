// SPDX-License-Identifier: Apache-2.0
/// Inputs that follow each other, as at a prompt or in a notebook: variables,
/// views, functions and imports stay. An input that fails changes nothing. One run
/// at a time; sessions of one engine may run side by side.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/Program.h"
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
    /// True if the text is an expression with one value that could be printed now.
    bool isExpression(const std::string &text) const;

    std::map<std::string, Value> variables;

  private:
    friend class Engine;
    explicit Session(std::shared_ptr<EngineState> engine);
    lang::SessionNames names() const;
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
