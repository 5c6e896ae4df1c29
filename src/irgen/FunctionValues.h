// SPDX-License-Identifier: Apache-2.0
/// Functions that are values: lambdas, and names of `def`s; private to
/// src/irgen. At run time such a value is a list of its text, its number and
/// what it has captured; here its number says what a call of it runs. Where the
/// value is made in sight of the call, the call is a direct one. Else (elements
/// of lists, values that come from several places) a dispatcher compares
/// numbers.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lang/dsl/Ast.h"
#include "ops/TypeDesc.h"

namespace daphne::irgen {

/// One function value of the program, up to the values it has captured.
struct FunctionForm {
    std::string text;                              ///< how it is printed: "function(x, y)"
    size_t numParams = 0;                          ///< that a call has to give, if there are no defaults
    bool isLambda = false;                         ///< `own` is what is called
    std::vector<const lang::FuncDef *> candidates; ///< the definitions among which a call chooses
    std::vector<ops::TypeDesc> captured;           ///< types of what is passed before the arguments of the call
    std::vector<int32_t> capturedForms;            ///< which of those are known functions; -1: none
    std::vector<lang::Param> params;               ///< of `own`
    lang::FuncDef own = {};
};

/// Functions of the same text and the same types of captured values are one form. Programs of a session share a table,
/// so that numbers keep their meaning.
struct FunctionForms {
    std::deque<FunctionForm> forms; ///< by number; addresses are stable
    std::map<std::string, int32_t> numbers;
    /// What a number is at run time, where functions of other programs of the process must not be taken for those here.
    int64_t atRunTime(int32_t number) const { return home << 32 | number; }
    static int32_t fromRunTime(int64_t number) { return static_cast<int32_t>(number & INT32_MAX); }

    /// Forgets all but the first n, for instance those of an input that failed, whose text is gone.
    void keepFirst(size_t n) {
        forms.resize(n);
        std::erase_if(numbers, [n](const auto &entry) { return static_cast<size_t>(entry.second) >= n; });
    }

  private:
    static int64_t nextHome() {
        static std::atomic<int64_t> count = 0;
        return count++;
    }
    const int64_t home = nextHome();
};

} // namespace daphne::irgen
