// SPDX-License-Identifier: Apache-2.0
/// How a region is run for inputs of given types, shapes and representations:
/// a sequence of steps, each a kernel call or a fused loop.
///
/// An operation joins the first loop over the same rows in which all it needs
/// is there in time: values made row by row in that very loop, everything else
/// (vectors that are spread or gathered, scalars) before it.
#pragma once

#include <optional>

#include "exec/LoopProgram.h"
#include "exec/Region.h"

namespace daphne::exec {

/// What is known of a value before the region runs.
struct Fact {
    enum class Form : uint8_t { Unknown, Scalar, Dense, Csr };
    Form form = Form::Unknown;
    ValueType type = ValueType::Unknown;
    uint64_t rows = 0, cols = 0;
    bool adjacent = true;                       ///< Dense: no gaps between rows
    bool wide = false, pattern = false;         ///< Csr
    std::optional<ops::Constant> constant = {}; ///< Scalar: its value where plans depend on it

    bool isMatrix() const { return form == Form::Dense || form == Form::Csr; }
    bool isOneCell() const { return form == Form::Scalar || (isMatrix() && rows == 1 && cols == 1); }
    bool operator==(const Fact &) const = default;
};

/// Where an argument of a loop comes from.
struct Binding {
    enum class Kind : uint8_t {
        Value,   ///< of the region
        Literal, ///< a number
        Packed,  ///< a value of the region, packed for this run; bits: transposed
        Result,  ///< output: value of the region
        Kept,    ///< output: room of each worker for one row
        Staged,  ///< output: one number per row, aggregated afterwards
        Partial, ///< output: numbers per block or group of rows, aggregated afterwards
    };
    Kind kind = Kind::Value;
    uint16_t value = 0;
    uint64_t bits = 0;
    ValueType type = ValueType::Unknown; ///< outputs: of the value; what is aggregated may be more precise
    bool decidesFaults = false; ///< some operation with a domain depends on it: must survive until the loop is done
    bool needsFinite = false;   ///< multiplied with absent cells: infinities and NaN would show there
};

struct PlanStep {
    bool fused = false;
    std::vector<uint16_t> ops; ///< of the region, in order; one for a kernel
    std::string site;          ///< what the loop does, for people: "*,aggMax,max,!=,sum"
    // fused only
    uint64_t rows = 0, cols = 1; ///< of the loop; flat: cells and 1
    bool rowStructured = false;  ///< some value is spread over or reduced along rows or columns
    bool wholeOnly = false;      ///< aggregates all cells of Full values: must be flat
    int csr = -1;                ///< value that is the Csr of the loop
    LoopProgram program;
    std::vector<Binding> bindings;                     ///< of program.params
    std::vector<std::array<uint64_t, 3>> resultShapes; ///< value, rows, columns of the results that are matrices
    double serialNs = 0;                               ///< estimate on one worker
    double kernelNs = 0;                               ///< estimate of the kernels instead
    double nsPerStored = 0, kernelNsPerStored = 0;     ///< in addition, per stored cell of the Csr
};

struct Plan {
    std::vector<Fact> facts; ///< of all values
    std::vector<PlanStep> steps;
    std::vector<const char *> notFused; ///< by operation: why it is a kernel call; null: it is part of a loop
};

/// What an argument looks like; `withValue`: plans may depend on a scalar's value.
Fact factOf(const Value &v, bool withValue);
/// fact == factOf(v, withValue), without making one.
bool isFactOf(const Fact &fact, const Value &v, bool withValue);

/// inputs: facts of the inputs of the region.
Plan makePlan(const Region &region, std::span<const Fact> inputs);

/// Turns the operations of a fused step into its program. Private to planning; throws internalError on our mistakes.
void buildProgram(const Region &region, const Plan &plan, PlanStep &out);

/// The cell function of an operation; null if it has none.
const CellFunction *unaryOf(const ops::OpInfo &op);
const CellFunction *binaryOf(const ops::OpInfo &op); ///< of elementwise and outer operations

/// Shape of a product seen by rows of the left-hand side.
enum class ProductForm : uint8_t {
    None,
    RowDots,    ///< A @ vector: a dot product per row
    ColumnSums, ///< t(A) @ vector: rows of A, weighted, are added up
    Outer,      ///< column @ row
    Rows,       ///< A @ a matrix with few columns: a short row per row
    SumOfOuter, ///< t(A) @ B with few columns of A: outer products of rows are added up
};
ProductForm productForm(const RegionOp &op, std::span<const Fact> facts);

/// Exponents that are products and roots: twice their value; none for others.
std::optional<int> fixedExponent(const Fact &exponent);

} // namespace daphne::exec
