// SPDX-License-Identifier: Apache-2.0
/// What elementwise operations do with cells: one functor per function, and the
/// inner loops over it, one per type of computation. Dense and CSR kernels,
/// the loop interpreter, compiled loops that have no instructions for a function,
/// and the planner find them here, by the name in the operation's row (OpInfo::cells).
///
/// A file src/kernels/cells/Foo.cpp defines functors and `void addFoo(CellTable &)`;
/// the build writes the list of calls. See UnaryLoop.h and BinaryLoop.h for what a
/// functor has.
///
/// Every loop returns the number of cells done: n, or the position of the first
/// cell outside the function's domain, which the caller reports. The result may be
/// the very storage of an operand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "ops/OpName.h"

namespace daphne {

struct BinaryLoops {
    using Fn = size_t (*)(const void *lhs, const void *rhs, void *result, size_t n);
    Fn cells;       ///< result[i] = lhs[i] op rhs[i]
    Fn rightSingle; ///< result[i] = lhs[i] op rhs[0]
    Fn leftSingle;  ///< result[i] = lhs[0] op rhs[i]
    ValueType compute, result;
    const char *outside = nullptr; ///< what is said of a pair outside the domain; null: there is none
    const char *hint = nullptr;    ///< how to get around that; null: nothing to say
    bool yieldsTruth = false;      ///< results are 0 or 1
};

struct UnaryLoop {
    size_t (*cells)(const void *arg, void *result, size_t n);
    ValueType type; ///< of computation and result
    bool hasDomain = false;
};

/// What a function of two cells does with strings.
struct TextFunction {
    std::string (*combine)(const std::string &, const std::string &) = nullptr;
    bool (*compare)(const std::string &, const std::string &) = nullptr;
    bool joins = false; ///< combine takes numbers as text, too

    bool exists() const { return combine || compare; }
};

struct CellFunction {
    const ops::OpInfo *op = nullptr;              ///< the operation it is named after, with its cost and domain
    UnaryLoop (*unary)(ValueType t) = nullptr;    ///< of one number; the loop for an operand of the numeric type t
    BinaryLoops (*binary)(ValueType g) = nullptr; ///< of two; loops for numeric operands, g is the more general type
    TextFunction text = {};

    bool is(ops::OpName name) const { return op->mnemonic == name; }
};

class CellTable {
  public:
    /// All functions, built on first use; immutable afterwards.
    static const CellTable &get();

    /// The function of this name; null if there is none.
    const CellFunction *find(std::string_view name) const;
    /// The function that an operation applies to cells; null if there is none.
    const CellFunction *of(const ops::OpInfo &op) const { return op.cells.empty() ? nullptr : find(op.cells); }
    const std::vector<CellFunction> &functions() const { return rows; }

    /// For files of functors, see UnaryLoop.h and BinaryLoop.h.
    void add(ops::OpName name, CellFunction function);

  private:
    std::vector<CellFunction> rows; ///< sorted by name
};

/// A function that code names; an internal error if it has no functor.
const CellFunction &cellFunction(ops::OpName name);

} // namespace daphne
