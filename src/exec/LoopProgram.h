// SPDX-License-Identifier: Apache-2.0
/// What one fused loop computes: a small program over the rows of its inputs,
/// independent of pointers, sizes and scalar values. The code generator turns it
/// into machine code, the interpreter runs it directly; equal programs have
/// equal text(), the key under which compiled code is kept.
///
/// Values live in one of four spaces:
///     Scalar   one number for the whole loop
///     Row      1 x c, a number per column
///     Column   n x 1, a number per row
///     Full     n x c, a number per cell; sparse: only at the stored cells of the program's Csr, 0 elsewhere
/// A flat program has no columns: its "rows" are the cells of equally shaped matrices.
///
/// Row reductions turn Full values into Column values. Full values that need such a result belong to a later
/// level: a row is swept once per level, and everything a level needs is computed anew from the inputs, except
/// costly values, which the first level that computes them keeps. Rows of less than kNarrow cells are kept as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "base/WideVectors.h"
#include "kernels/cells/CellTable.h"
#include "kernels/folds/Folds.h"
#include "kernels/products/NarrowProduct.h"
#include "kernels/products/RowwiseProduct.h"

namespace daphne::exec {

using daphne::Reduce;

enum class Space : uint8_t { Scalar, Row, Column, Full };

struct LoopNode {
    enum class Kind : uint8_t {
        Input,
        Unary,
        Binary,
        PowFixed,
        Cond,
        Convert,
        ReduceRow,
        Product, ///< the row of a Side times a Packed matrix
    };
    Kind kind = Kind::Input;
    Space space = Space::Scalar;
    bool sparse = false;
    uint8_t level = 0;                   ///< Full: sweep that computes it first; Column: sweep before which it is there
    ValueType type = ValueType::F64;     ///< of the value
    ValueType compute = ValueType::F64;  ///< operands are converted to this first
    const CellFunction *cells = nullptr; ///< Unary, Binary: what is done with cells
    uint8_t function = 0;                ///< twice the exponent of PowFixed, Reduce
    uint8_t numOperands = 0;
    std::array<uint16_t, 3> operands = {};
    uint16_t param = 0;             ///< Input: which one; Product: the Side
    uint16_t packed = 0, depth = 0; ///< Product: the Packed matrix and its rows

    bool applies(ops::OpName name) const { return cells && cells->is(name); }
    Reduce reduce() const { return static_cast<Reduce>(function); }
    double exponent() const { return static_cast<int8_t>(function) * 0.5; }
};

/// An array or number the loop is given.
struct LoopParam {
    enum class Kind : uint8_t {
        Scalar, ///< bits of the number
        Row,    ///< address
        Column, ///< address, cells from row to row
        Full,   ///< address, cells from row to row
        Csr,    ///< addresses of offsets, columns, values (not for a pattern)
        Side,   ///< address, cells from row to row: a matrix with the same rows but other columns
        Packed, ///< address of a matrix with a row per column of a Side, padded to packedColumns()
        Right,  ///< address, cells from row to row: all of the right-hand side of a matrix product
        OutColumn,
        OutFull,        ///< cells from row to row may be 0: a value kept for a later level
        SumsOfColumns,  ///< address of c sums the rows are added to
        SumsOfOuter,    ///< address of c x width sums to which the outer product of the row and that of a Side is added
        FoldOfAll,      ///< flat: address of one number per block of kBlock cells
        OutProduct,     ///< address: rows of a matrix product
        SumsOfProducts, ///< address of a partial result of a deep matrix product for each of its blocks
    };
    Kind kind = Kind::Scalar;
    ValueType type = ValueType::F64;
    uint16_t node = 0;            ///< outputs: the value
    uint16_t side = 0, width = 0; ///< SumsOfOuter: the Side and its columns
    Reduce fold = Reduce::Sum;    ///< FoldOfAll
    bool isOutput() const { return kind >= Kind::OutColumn; }
    bool isAggregate() const { return kind >= Kind::SumsOfColumns && kind <= Kind::FoldOfAll; }
    bool isSumOfRows() const { return kind == Kind::SumsOfColumns || kind == Kind::SumsOfOuter; }
};

struct LoopProgram {
    /// Cells (or rows) per call of a flat program, and what sums are rounded in.
    static constexpr uint64_t kBlock = 4096;
    /// Rows whose column sums are formed one after another.
    static constexpr uint64_t kColumnGroup = kRowGroup;
    /// Fewer columns are summed from left to right.
    static constexpr uint64_t kNarrow = kNarrowColumns;

    std::vector<LoopNode> nodes; ///< operands come first
    std::vector<LoopParam> params;
    bool flat = true;
    uint8_t narrow = 0; ///< the number of columns if it is below kNarrow, else 0
    bool hasCsr = false, csrWide = false, csrPattern = false;
    uint16_t csrNode = 0; ///< the Input node of the Csr
    bool faults = false;  ///< some operation has a domain; leaving it sets the fault flag
    uint8_t numLevels = 1;
    bool multiplyAdd = fusesMultiplyAdd(); ///< products of rows are added with one rounding
    /// A matrix product, which has its code already, instead of nodes: the loop is over the rows of a matrix.
    std::optional<RowwiseProduct> product;

    static LoopProgram of(const RowwiseProduct &product);
    std::string text() const;
    /// The more general type of the operands of a Binary, by which CellFunction::binary chooses.
    ValueType generalType(const LoopNode &n) const {
        return mostGeneral(nodes[n.operands[0]].type, nodes[n.operands[1]].type);
    }
    /// Columns of a Packed matrix in memory: whole registers.
    uint64_t packedColumns(ValueType type) const {
        uint64_t lanes = 32 / cellSize(type);
        return (narrow + lanes - 1) / lanes * lanes;
    }
};

/// Layout of the arguments of a loop function: arguments[kHeader + 3 * p ...] belong to params[p].
struct LoopArguments {
    static constexpr size_t kColumns = 0, kFault = 1, kStoredEnd = 2,
                            kHeader = 3; ///< kStoredEnd: offset behind the last stored cell
    std::vector<uint64_t> words;
    explicit LoopArguments(size_t numParams) : words(kHeader + 3 * numParams) {}
    uint64_t *param(size_t p) { return words.data() + kHeader + 3 * p; }
};

/// Runs rows [begin, end). A flat program is called for at most one block at a time, one with column sums for rows of
/// one group. arguments[kFault] is the address of a byte that is set to 1 when an operation left its domain.
using LoopFunction = void (*)(const uint64_t *arguments, uint64_t begin, uint64_t end);

/// The machine code of a loop. It is there as long as somebody holds it.
class LoopCode {
  public:
    explicit LoopCode(LoopFunction function) : function(function) {}
    virtual ~LoopCode() = default;
    LoopCode(const LoopCode &) = delete;
    LoopCode &operator=(const LoopCode &) = delete;
    const LoopFunction function;
};
using LoopCodeRef = std::shared_ptr<const LoopCode>;

/// Makes functions of programs. Thread-safe.
class LoopCompiler {
  public:
    enum class Wait : uint8_t { No, Yes };
    virtual ~LoopCompiler() = default;
    /// Equal programs share their code. Null if another thread compiles the program now and the caller does not wait.
    virtual LoopCodeRef compile(const LoopProgram &program, Wait wait) = 0;
};

} // namespace daphne::exec
