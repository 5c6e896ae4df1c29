// SPDX-License-Identifier: Apache-2.0
/// A partitioning scheme written as a formula: "ceil(R / (3 * P))".
///
/// Variables: N units, P workers, R remaining units, i step, b batch (i / P,
/// rounded down), g grain. Operators + - * / % ^ (right-associative) and unary -;
/// functions ceil floor log2 sqrt of one argument, min max pow of two. Computed
/// in double; what is no number, negative or less than one becomes the grain.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sched/Scheme.h"

namespace daphne::sched {

class Expression {
  public:
    /// Throws Error (status 1) naming the place and what was expected.
    explicit Expression(std::string_view text);
    double evaluate(const Loop &loop, const Step &step) const;

    /// Instructions of a stack machine.
    enum class Code : uint8_t {
        Number,
        Units,
        Workers,
        Remaining,
        Index,
        Batch,
        Grain,
        Add,
        Subtract,
        Multiply,
        Divide,
        Modulo,
        Power,
        Negate,
        Ceil,
        Floor,
        Log2,
        Sqrt,
        Min,
        Max,
    };
    struct Instruction {
        Code code;
        double number = 0;
    };

  private:
    std::vector<Instruction> program;
};

/// The scheme EXPR; the expression must outlive it.
Scheme schemeOf(const Expression &expression);

} // namespace daphne::sched
