// SPDX-License-Identifier: Apache-2.0
#include "dist/worker/BindOperands.h"

#include <algorithm>
#include <functional>

#include "base/Error.h"
#include "dist/protocol/AllGather.h"
#include "kernels/aggregates/PairwiseRows.h"

namespace daphne::dist {

using exec::LoopArguments;
using exec::LoopParam;
using exec::LoopProgram;
using ParamKind = LoopParam::Kind;

namespace {

void require(bool holds, const char *what) {
    if (!holds)
        throw WireError(std::string("a loop whose ") + what);
}

void bindCsr(exec::BoundLoop &loop, const Value &v, const LoopParam &param, uint64_t *words) {
    const LoopProgram &program = loop.program;
    if (!v.isCsr() || v.csr().type() != param.type || v.csr().rows() != loop.rows || v.csr().cols() != loop.cols ||
        v.csr().hasWideIndex() != program.csrWide || v.csr().isPattern() != program.csrPattern)
        throw WireError("a loop whose sparse matrix is another");
    const Csr &m = v.csr();
    words[0] = reinterpret_cast<uint64_t>(m.offsets());
    words[1] = withIndexType(m.hasWideIndex(),
                             [&]<class I>(TypeTag<I>) { return reinterpret_cast<uint64_t>(m.columns<I>()); });
    words[2] = reinterpret_cast<uint64_t>(m.values<uint8_t>());
    loop.rowOffsets = m.offsets();
    loop.arguments.words[LoopArguments::kStoredEnd] = m.offsets()[m.rows()];
}

/// What those that multiply with it say; the parser has seen that they agree.
uint64_t sideColumns(const LoopProgram &program, const LoopParam &side) {
    if (program.product)
        return program.product->width;
    auto index = static_cast<size_t>(&side - program.params.data());
    for (const exec::LoopNode &n : program.nodes)
        if (n.kind == exec::LoopNode::Kind::Product && n.param == index)
            return n.depth;
    for (const LoopParam &p : program.params)
        if (p.kind == ParamKind::SumsOfOuter && p.side == index)
            return p.width;
    return 0;
}
uint64_t packedCells(const LoopProgram &program, const LoopParam &packed) {
    auto index = static_cast<size_t>(&packed - program.params.data());
    for (const exec::LoopNode &n : program.nodes)
        if (n.kind == exec::LoopNode::Kind::Product && n.packed == index)
            return n.depth * program.packedColumns(packed.type);
    return 0;
}

uint64_t firstCell(const Dense &m) { return reinterpret_cast<uint64_t>(m.storage()); }

void bindDense(const exec::BoundLoop &loop, const Value &v, const LoopParam &param, uint64_t *words) {
    uint64_t width = param.kind == ParamKind::Full   ? loop.cols
                     : param.kind == ParamKind::Side ? sideColumns(loop.program, param)
                                                     : 1;
    uint64_t cells = param.kind == ParamKind::Row      ? loop.cols
                     : param.kind == ParamKind::Packed ? packedCells(loop.program, param)
                                                       : loop.rows * width;
    if (!v.isMatrix() || v.isCsr() || v.dense().type() != param.type || v.dense().cells() != cells)
        throw WireError("a loop whose matrix has another size or type");
    words[0] = firstCell(v.dense());
    words[1] = width;
}

/// Of a product of matrices, as it stands: maybe transposed.
void bindRight(const exec::BoundLoop &loop, const Value &v, const LoopParam &param, uint64_t *words) {
    bool isTransposed = loop.program.product->form == RowwiseProduct::Form::RowsByTransposed;
    uint64_t rows = loop.cols, cols = loop.program.product->width;
    if (isTransposed)
        std::swap(rows, cols);
    if (!v.isMatrix() || v.isCsr() || v.dense().type() != param.type || v.dense().rows() != rows ||
        v.dense().cols() != cols || !v.dense().contiguous())
        throw WireError("a product whose right-hand side has another size or type");
    words[0] = firstCell(v.dense());
    words[1] = cols;
}

Ref<Dense> outputOf(const exec::BoundLoop &loop, size_t p, uint64_t &mostBytes) {
    ValueType type = loop.program.params[p].type;
    uint64_t rows = loop.outputRows(p), cols = loop.outputColumns(p), cells = 0;
    if (__builtin_mul_overflow(rows, cols, &cells) || cells > mostBytes / cellSize(type))
        throw executionError("a result of " + std::to_string(rows) + "x" + std::to_string(cols) +
                             " cells exceeds the memory of the worker");
    mostBytes -= cells * cellSize(type);
    return Dense::create(type, rows, cols);
}

/// Columns of which every block becomes one number.
void bindReductions(exec::BoundLoop &loop, const Compute &message) {
    const LoopProgram &program = loop.program;
    for (size_t p = 0; p < program.params.size(); ++p) {
        const Compute::Operand &operand = message.operands[p];
        if (operand.role != Compute::Role::Folded)
            continue;
        const LoopParam &param = program.params[p];
        require(!program.flat && param.kind == ParamKind::OutColumn && operand.fold != exec::Reduce::DotSparse &&
                    (param.type != ValueType::Bool || propertiesOf(operand.fold).takesTruth),
                "reduced values are no column of numbers");
        loop.stagesBlocks = true;
        loop.staged[p] = operand.fold;
    }
}

/// Rows of a matrix that is put together from several machines.
void requirePiece(const exec::BoundLoop &loop, size_t p, const Compute &message) {
    uint64_t end = 0, cells = 0;
    require(loop.rowsPerOutputRow(p) == 1 && loop.program.params[p].type != ValueType::Bool &&
                (message.operands[p].whole & kGathered),
            "exchanged values are no rows");
    bool isAscending = std::ranges::adjacent_find(message.audience, std::greater_equal()) == message.audience.end();
    require(isAscending, "audience is in no order");
    require(!__builtin_add_overflow(message.firstRow, loop.rows, &end) && end <= message.allRows &&
                !__builtin_mul_overflow(message.allRows, loop.outputColumns(p), &cells) && cells < uint64_t(1) << 60,
            "rows are not among all rows");
}

} // namespace

std::vector<Ref<Dense>> bindOperands(exec::BoundLoop &loop, const Compute &message,
                                     const std::function<const Value &(uint64_t object)> &find, uint64_t mostBytes) {
    const LoopProgram &program = loop.program;
    require(message.operands.size() == program.params.size(), "number of operands is wrong");
    require(loop.rows > 0 && loop.cols > 0, "rows or columns are none");
    uint64_t cells;
    require(!__builtin_mul_overflow(loop.rows, loop.cols, &cells) && cells < uint64_t(1) << 60, "size is too large");
    require(!program.flat || loop.cols == 1, "columns are flat");
    require(!program.product || loop.cols == program.product->cols, "number of columns is another");
    require(!program.narrow || loop.cols == program.narrow, "number of columns is another");
    loop.arguments.words[LoopArguments::kColumns] = loop.cols;
    bindReductions(loop, message);
    require(message.firstRow < uint64_t(1) << 60 && message.firstRow % loop.block() == 0, "first row is in a block");
    std::vector<Ref<Dense>> outputs(program.params.size());
    for (size_t p = 0; p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        const Compute::Operand &operand = message.operands[p];
        uint64_t *words = loop.arguments.param(p);
        bool isOutput = operand.role >= Compute::Role::Result;
        require(param.isOutput() == isOutput, "operands are not those of its program");
        if (param.kind == ParamKind::Scalar) {
            require(operand.role == Compute::Role::Number, "numbers are missing");
            words[0] = operand.number;
        } else if (param.kind == ParamKind::Csr) {
            require(operand.role == Compute::Role::Object, "sparse matrix is missing");
            bindCsr(loop, find(operand.number), param, words);
        } else if (!isOutput) {
            require(operand.role == Compute::Role::Object || operand.role == Compute::Role::Awaited,
                    "matrices are missing");
            auto bind = param.kind == ParamKind::Right ? bindRight : bindDense;
            bind(loop, find(operand.number), param, words);
        } else if (operand.role == Compute::Role::Kept) {
            require(param.kind == ParamKind::OutFull, "kept values are no rows");
            loop.kept[p] = true;
        } else {
            if (operand.role == Compute::Role::Exchanged)
                requirePiece(loop, p, message);
            outputs[p] = outputOf(loop, p, mostBytes);
            words[0] = firstCell(*outputs[p]);
            words[1] = param.kind == ParamKind::OutFull ? loop.cols : 1;
        }
    }
    return outputs;
}

Ref<Dense> mergedGroups(const exec::BoundLoop &loop, size_t p, uint64_t firstRow, const Ref<Dense> &groups) {
    uint64_t first = firstRow / loop.rowsPerOutputRow(p);
    size_t count = 0;
    withNumericType(groups->type(), [&]<class T>(TypeTag<T>) {
        if constexpr (!std::is_same_v<T, bool>)
            count = mergeGroups(groups->mutableView<T>().data, first, first + groups->rows(), groups->cols());
    });
    return Dense::window(*groups, 0, count, 0, groups->cols());
}

} // namespace daphne::dist
