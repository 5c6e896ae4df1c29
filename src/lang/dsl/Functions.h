// SPDX-License-Identifier: Apache-2.0
/// User-defined functions by name, and the choice among overloads (language
/// 10.3). The table of a script also holds imported functions under their
/// prefixed names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/Error.h"
#include "lang/dsl/Ast.h"
#include "ops/TypeDesc.h"

namespace daphne::lang {

struct Function {
    enum class State : uint8_t {
        Callable,
        Open,   ///< its body is being checked and its results are not declared
        Broken, ///< an error was reported in it, so nothing is known about its results
    };
    const FuncDef *def = nullptr;
    std::vector<ops::TypeDesc> params;
    std::vector<ops::TypeDesc> results;
    State state = State::Callable;

    bool accepts(const std::vector<ops::TypeDesc> &args) const;
    /// Parameters without a default.
    size_t numRequired() const;
    /// "f(x: f64, y = ...)"
    std::string signature() const;
};

/// Which argument each parameter gets, or why the arguments do not fit the names and the number of the parameters.
struct Bound {
    enum class Problem : uint8_t { None, TooMany, UnknownKeyword, GivenTwice, Missing };
    static constexpr size_t kDefault = SIZE_MAX;
    std::vector<size_t> argumentOf; ///< per parameter: position in the call, or kDefault
    Problem problem = Problem::None;
    size_t where = 0; ///< Missing: the parameter; else the argument

    bool usesDefaults() const;
};
Bound bindToParams(const FuncDef &def, std::span<const CallArg> args);

/// Whether a parameter of the one type takes an argument of the other, widened if need be.
bool takes(const ops::TypeDesc &param, const ops::TypeDesc &arg);

/// The two passes of a call: first without, then with defaults and widening.
enum class Fit : uint8_t { Exact, Widened };
bool fits(const FuncDef &def, const Bound &bound, const std::vector<ops::TypeDesc> &args, Fit fit);

class Functions {
  public:
    void add(std::string_view name, Function *function) { table[name].push_back(function); }
    bool has(std::string_view name) const { return table.contains(name); }
    /// In order of definition; empty if there is none.
    const std::vector<Function *> &overloads(std::string_view name) const;
    std::vector<std::string_view> names() const;

  private:
    std::unordered_map<std::string_view, std::vector<Function *>> table;
};

/// The type a written type stands for; unknown for those that are not allowed there, and for functions.
ops::TypeDesc typeOf(const TypeSpec &spec);
/// The type of a parameter where a call chooses among definitions: that of functions is one there.
ops::TypeDesc typeOf(const Param &param);
/// Whether a written type may be that of a parameter or result.
bool isSignatureType(const TypeSpec &spec);
/// As in the language: "matrix<f64>", "frame".
std::string textOf(const TypeSpec &spec);
/// "(si64, matrix<f64>)"
std::string textOf(const std::vector<ops::TypeDesc> &types);

} // namespace daphne::lang
