// SPDX-License-Identifier: Apache-2.0
/// Loop programs run row by row, value by value, with the cell loops of the
/// kernels. Nothing is clever here: this is what compiled loops are compared with.
#include <cmath>
#include <cstring>

#include "exec/RunLoop.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/elementwise/FixedPower.h"

namespace daphne::exec {

namespace {

using Cells = std::vector<uint64_t>; ///< room for as many cells of any type

class Interpreter {
  public:
    Interpreter(const LoopProgram &program, const uint64_t *arguments)
        : program(program), arguments(arguments), values(program.nodes.size()) {}

    void run(uint64_t begin, uint64_t end) {
        if (program.flat)
            return runFlat(begin, end);
        for (uint64_t r = begin; r < end; ++r)
            runRow(r);
    }

  private:
    const uint64_t *words(size_t param) const { return arguments + LoopArguments::kHeader + 3 * param; }
    template <class T = std::byte> T *address(size_t param, size_t word = 0) const {
        return reinterpret_cast<T *>(words(param)[word]);
    }
    std::byte *data(size_t node) { return reinterpret_cast<std::byte *>(values[node].data()); }

    /// Cells of a node of this length, computed from those of its operands.
    void compute(size_t i, size_t n) {
        const LoopNode &node = program.nodes[i];
        values[i].resize(n);
        std::array<Cells, 3> converted;
        std::array<const std::byte *, 3> in{};
        std::array<bool, 3> single{};
        for (size_t k = 0; k < node.numOperands; ++k) {
            size_t o = node.operands[k];
            const LoopNode &x = program.nodes[o];
            single[k] = isSingle(x);
            size_t m = single[k] ? 1 : n;
            ValueType to = node.kind == LoopNode::Kind::Convert          ? x.type
                           : node.kind == LoopNode::Kind::Cond && k == 0 ? ValueType::Bool
                                                                         : node.compute;
            converted[k].resize(m);
            converter(x.type, to)(data(o), converted[k].data(), m);
            in[k] = reinterpret_cast<const std::byte *>(converted[k].data());
        }
        size_t done = n;
        switch (node.kind) {
        case LoopNode::Kind::Unary: {
            Cells spread = spreadCells(in[0], single[0], node.compute, n);
            done = node.cells->unary(node.compute).cells(spread.data(), data(i), n);
            break;
        }
        case LoopNode::Kind::Binary: {
            BinaryLoops loops = node.cells->binary(program.generalType(node));
            auto f = single[1] && !single[0]   ? loops.rightSingle
                     : single[0] && !single[1] ? loops.leftSingle
                                               : loops.cells;
            done = f(in[0], in[1], data(i), single[0] && single[1] ? 1 : n);
            if (single[0] && single[1]) {
                Cells all = spreadCells(data(i), true, node.type, n);
                std::memcpy(data(i), all.data(), n * cellSize(node.type));
                done = done == 1 ? n : 0;
            }
            break;
        }
        case LoopNode::Kind::PowFixed: {
            Cells spread = spreadCells(in[0], single[0], node.compute, n);
            fixedPowerCells(static_cast<int8_t>(node.function), node.compute, spread.data(), data(i), n);
            break;
        }
        case LoopNode::Kind::Convert: {
            Cells spread = spreadCells(in[0], single[0], program.nodes[node.operands[0]].type, n);
            converter(program.nodes[node.operands[0]].type, node.type)(spread.data(), data(i), n);
            break;
        }
        case LoopNode::Kind::Cond: {
            Cells yes = spreadCells(in[1], single[1], node.type, n), no = spreadCells(in[2], single[2], node.type, n);
            Cells mask = spreadCells(in[0], single[0], ValueType::Bool, n);
            size_t bytes = cellSize(node.type);
            for (size_t c = 0; c < n; ++c) {
                bool truth = reinterpret_cast<const bool *>(mask.data())[c];
                std::memcpy(data(i) + c * bytes,
                            reinterpret_cast<const std::byte *>((truth ? yes : no).data()) + c * bytes, bytes);
            }
            break;
        }
        default: break;
        }
        if (done != n)
            *reinterpret_cast<uint8_t *>(arguments[LoopArguments::kFault]) = 1;
    }

    /// One cell for the whole row (or block).
    bool isSingle(const LoopNode &x) const {
        return x.space == Space::Scalar || (!program.flat && x.space == Space::Column);
    }

    static Cells spreadCells(const std::byte *in, bool single, ValueType type, size_t n) {
        Cells out(n);
        size_t bytes = cellSize(type);
        auto *to = reinterpret_cast<std::byte *>(out.data());
        for (size_t i = 0; i < n; ++i)
            std::memcpy(to + i * bytes, in + (single ? 0 : i * bytes), bytes);
        return out;
    }

    void loadScalars() {
        for (size_t i = 0; i < program.nodes.size(); ++i)
            if (program.nodes[i].kind == LoopNode::Kind::Input && program.nodes[i].space == Space::Scalar)
                values[i] = {words(program.nodes[i].param)[0]};
    }

    // ---- flat

    void runFlat(uint64_t begin, uint64_t end) {
        loadScalars();
        size_t n = end - begin;
        for (size_t i = 0; i < program.nodes.size(); ++i) {
            const LoopNode &node = program.nodes[i];
            if (node.kind != LoopNode::Kind::Input) {
                compute(i, n);
            } else if (node.space != Space::Scalar) {
                values[i].resize(n);
                size_t bytes = cellSize(node.type);
                std::memcpy(data(i), address(node.param) + begin * bytes, n * bytes);
            }
        }
        for (size_t p = 0; p < program.params.size(); ++p) {
            const LoopParam &param = program.params[p];
            size_t bytes = cellSize(param.type);
            if (param.kind == LoopParam::Kind::OutColumn)
                std::memcpy(address(p) + begin * bytes,
                            spreadCells(data(param.node), isSingle(program.nodes[param.node]), param.type, n).data(),
                            n * bytes);
            else if (param.isAggregate())
                foldBlock(param.fold, param.type, data(param.node), n,
                          address(p) + begin / LoopProgram::kBlock * bytes);
        }
    }

    // ---- rows

    size_t columnsOf(uint64_t row) const {
        if (!program.hasCsr)
            return arguments[LoopArguments::kColumns];
        const uint64_t *offsets = address<uint64_t>(program.nodes[program.csrNode].param);
        return offsets[row + 1] - offsets[row];
    }
    uint64_t firstStored(uint64_t row) const { return address<uint64_t>(program.nodes[program.csrNode].param)[row]; }
    uint64_t storedColumn(uint64_t k) const {
        size_t p = program.nodes[program.csrNode].param;
        return program.csrWide ? address<uint64_t>(p, 1)[k] : address<uint32_t>(p, 1)[k];
    }

    void runRow(uint64_t r) {
        loadScalars();
        row = r;
        for (size_t i = 0; i < program.nodes.size(); ++i) {
            const LoopNode &node = program.nodes[i];
            bool sparseLoop = program.hasCsr;
            size_t full = sparseLoop ? columnsOf(r) : arguments[LoopArguments::kColumns];
            if (node.kind == LoopNode::Kind::Input)
                loadInput(i, r, full);
            else if (node.kind == LoopNode::Kind::ReduceRow)
                reduce(i, full);
            else if (node.kind == LoopNode::Kind::Product)
                multiply(i, r);
            else
                compute(i, node.space == Space::Full ? full : 1);
        }
        for (size_t p = 0; p < program.params.size(); ++p)
            store(p, r);
    }

    void loadInput(size_t i, uint64_t r, size_t full) {
        const LoopNode &node = program.nodes[i];
        size_t bytes = cellSize(node.type);
        const uint64_t *w = words(node.param);
        switch (program.params[node.param].kind) {
        case LoopParam::Kind::Column:
            values[i].resize(1);
            std::memcpy(data(i), address(node.param) + r * w[1] * bytes, bytes);
            break;
        case LoopParam::Kind::Full:
            values[i].resize(full);
            std::memcpy(data(i), address(node.param) + r * w[1] * bytes, full * bytes);
            break;
        case LoopParam::Kind::Row:
            values[i].resize(full);
            for (size_t c = 0; c < full; ++c) {
                uint64_t column = program.hasCsr ? storedColumn(firstStored(r) + c) : c;
                std::memcpy(data(i) + c * bytes, address(node.param) + column * bytes, bytes);
            }
            break;
        case LoopParam::Kind::Csr:
            values[i].resize(full);
            withNumericType(node.type, [&]<class T>(TypeTag<T>) {
                for (size_t c = 0; c < full; ++c)
                    reinterpret_cast<T *>(data(i))[c] =
                        program.csrPattern ? T(1) : address<T>(node.param, 2)[firstStored(r) + c];
            });
            break;
        default: break;
        }
    }

    /// The current row of a Side.
    template <class T> Rows<T> sideRow(size_t param, uint64_t r) const {
        return {address<T>(param) + r * words(param)[1], words(param)[1]};
    }
    /// Products of rows are of floating-point numbers.
    template <class F> static void withFloatType(ValueType type, F f) {
        type == ValueType::F32 ? f(TypeTag<float>{}) : f(TypeTag<double>{});
    }

    void multiply(size_t i, uint64_t r) {
        const LoopNode &node = program.nodes[i];
        values[i].resize(program.narrow);
        withFloatType(node.type, [&]<class T>(TypeTag<T>) {
            uint64_t skip = program.packedColumns(node.type);
            std::vector<T> small;
            for (size_t k = 0; k < node.depth; ++k)
                small.insert(small.end(), address<T>(node.packed) + k * skip,
                             address<T>(node.packed) + k * skip + program.narrow);
            multiplyRows(sideRow<T>(node.param, r), 1, node.depth, small.data(), program.narrow,
                         reinterpret_cast<T *>(data(i)), program.narrow);
        });
    }

    void reduce(size_t i, size_t n) {
        const LoopNode &node = program.nodes[i];
        values[i].resize(1);
        withFoldAndType(node.reduce(), node.type, [&]<class F, class T>(F, TypeTag<T>) {
            const T *x = reinterpret_cast<const T *>(data(node.operands[0]));
            T *out = reinterpret_cast<T *>(data(i));
            bool isSparse = program.nodes[node.operands[0]].sparse;
            if constexpr (std::is_same_v<F, SumFold>)
                if (node.reduce() == Reduce::DotSparse) {
                    *out = dotSparse(x, n);
                    return;
                }
            *out = isSparse ? foldStored<F>(x, n) : foldRun<F>(x, n);
        });
    }

    /// The stored cells of a row from left to right, and one zero for those that are missing.
    template <class F, class T> T foldStored(const T *x, size_t n) const {
        T all = F::template identity<T>();
        for (size_t k = 0; k < n; ++k)
            all = F::add(all, x[k]);
        if (!F::kSkipsZeros && n < arguments[LoopArguments::kColumns])
            all = F::add(all, T(0));
        return F::finish(all);
    }

    template <class T> static T dotSparse(const T *x, size_t n) {
        T sum = 0;
        size_t k = 0;
        if (n >= 32) {
            T sums[4] = {};
            for (; k + 4 <= n; k += 4)
                for (size_t q = 0; q < 4; ++q)
                    sums[q] = wrappingSum(sums[q], x[k + q]);
            sum = wrappingSum(wrappingSum(sums[0], sums[1]), wrappingSum(sums[2], sums[3]));
        }
        for (; k < n; ++k)
            sum = wrappingSum(sum, x[k]);
        return sum;
    }

    void store(size_t p, uint64_t r) {
        const LoopParam &param = program.params[p];
        size_t bytes = cellSize(param.type), n = arguments[LoopArguments::kColumns];
        if (param.kind == LoopParam::Kind::OutColumn)
            std::memcpy(address(p) + r * words(p)[1] * bytes, data(param.node), bytes);
        else if (param.kind == LoopParam::Kind::OutFull)
            std::memcpy(address(p) + r * words(p)[1] * bytes, data(param.node), n * bytes);
        else if (param.kind == LoopParam::Kind::SumsOfOuter)
            withFloatType(param.type, [&]<class T>(TypeTag<T>) {
                const T *cells = reinterpret_cast<const T *>(data(param.node));
                addOuterProducts<T>({cells, n}, sideRow<T>(param.side, r), 1, n, param.width, address<T>(p));
            });
        else if (param.kind == LoopParam::Kind::SumsOfColumns)
            withNumericType(param.type, [&]<class T>(TypeTag<T>) {
                if constexpr (!std::is_same_v<T, bool>)
                    for (size_t c = 0; c < n; ++c)
                        address<T>(p)[c] =
                            wrappingSum(address<T>(p)[c], reinterpret_cast<const T *>(data(param.node))[c]);
            });
    }

    const LoopProgram &program;
    const uint64_t *arguments;
    std::vector<Cells> values; ///< of every node for the current row or block
    uint64_t row = 0;
};

} // namespace

void interpretLoop(const LoopProgram &program, const uint64_t *arguments, uint64_t begin, uint64_t end) {
    Interpreter(program, arguments).run(begin, end);
}

} // namespace daphne::exec
