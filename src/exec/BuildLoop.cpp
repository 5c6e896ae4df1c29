// SPDX-License-Identifier: Apache-2.0
/// From the operations of a fused step to its loop program.
#include <algorithm>
#include <map>
#include <set>

#include "exec/Plan.h"

namespace daphne::exec {

namespace {

using Kind = LoopNode::Kind;

/// Operations that cost more than reading a kept value back.
bool isCostly(const LoopNode &n) { return n.cells && n.cells->op->cost == ops::Cost::Costly; }

class Builder {
  public:
    Builder(const Region &region, const Plan &plan, PlanStep &step)
        : region(region), plan(plan), step(step), program(step.program) {}

    void run() {
        program.flat = !step.rowStructured;
        if (!program.flat && step.csr < 0 && step.cols > 1 && step.cols < LoopProgram::kNarrow)
            program.narrow = static_cast<uint8_t>(step.cols);
        if (step.csr >= 0) {
            const Fact &f = plan.facts[static_cast<size_t>(step.csr)];
            program.hasCsr = true;
            program.csrWide = f.wide;
            program.csrPattern = f.pattern;
            program.csrNode = input(static_cast<uint16_t>(step.csr), Space::Full);
        }
        for (uint16_t op : step.ops)
            add(op);
        for (uint16_t op : step.ops)
            if (isNeededOutside(op))
                output(op);
        keepCostlyValues();
        if (program.flat) {
            step.rows *= step.cols;
            step.cols = 1;
        }
        estimate();
        nameSite();
    }

  private:
    void nameSite() {
        constexpr size_t kMostNames = 8;
        for (size_t i = 0; i < std::min(step.ops.size(), kMostNames); ++i)
            step.site += (i ? "," : "") + std::string(ops::userName(region.ops[step.ops[i]].info->mnemonic));
        if (step.ops.size() > kMostNames)
            step.site += ",...";
    }

    uint16_t resultOf(uint16_t op) const { return static_cast<uint16_t>(region.numInputs + op); }

    bool isNeededOutside(uint16_t op) const {
        uint16_t v = resultOf(op);
        if (std::ranges::count(region.outputs, v))
            return true;
        for (size_t i = 0; i < region.ops.size(); ++i)
            if (!std::ranges::count(step.ops, i) && std::ranges::count(region.ops[i].operands, v))
                return true;
        return isLate(op);
    }
    bool isLate(uint16_t op) const { return late.count(op) > 0; }

    // ---- nodes

    uint16_t push(LoopNode n) {
        program.nodes.push_back(n);
        return static_cast<uint16_t>(program.nodes.size() - 1);
    }
    uint16_t pushParam(LoopParam p, Binding b) {
        if (p.isOutput() && b.kind != Binding::Kind::Kept)
            b.type = plan.facts[b.value].type;
        program.params.push_back(p);
        step.bindings.push_back(b);
        return static_cast<uint16_t>(program.params.size() - 1);
    }

    /// A value from outside, as the loop sees it.
    uint16_t input(uint16_t v, Space space) {
        if (auto it = inputs.find({v, space}); it != inputs.end())
            return it->second;
        const Fact &f = plan.facts[v];
        using P = LoopParam::Kind;
        bool csr = f.form == Fact::Form::Csr;
        P kind = csr                      ? P::Csr
                 : space == Space::Scalar ? P::Scalar
                 : space == Space::Row    ? P::Row
                 : space == Space::Column ? P::Column
                                          : P::Full;
        LoopNode n{.kind = Kind::Input, .space = space, .sparse = csr, .type = f.type, .compute = f.type};
        n.param = pushParam({kind, f.type}, {Binding::Kind::Value, v});
        return inputs[{v, space}] = push(n);
    }

    /// A matrix whose rows are multiplied.
    uint16_t side(uint16_t v) {
        auto [it, isNew] = sides.try_emplace(v);
        if (isNew)
            it->second = pushParam({LoopParam::Kind::Side, plan.facts[v].type}, {Binding::Kind::Value, v});
        return it->second;
    }

    uint16_t literal(ValueType type, double x) {
        LoopNode n{.kind = Kind::Input, .space = Space::Scalar, .type = type, .compute = type};
        uint64_t bits = withNumericType(
            type, [&]<class T>(TypeTag<T>) { return Value::scalar(convertNumber<T>(x), type).raw().bits; });
        n.param = pushParam({LoopParam::Kind::Scalar, type}, {Binding::Kind::Literal, 0, bits});
        return push(n);
    }

    /// Operand k of an operation on so many rows.
    uint16_t operand(const RegionOp &op, size_t k, uint64_t rows) {
        uint16_t v = op.operands[k];
        if (v >= region.numInputs)
            if (auto it = nodeOf.find(static_cast<uint16_t>(v - region.numInputs)); it != nodeOf.end())
                return it->second;
        const Fact &f = plan.facts[v];
        if (f.isOneCell())
            return input(v, Space::Scalar);
        if (f.form == Fact::Form::Csr)
            return input(v, Space::Full);
        if (program.flat)
            return input(v, Space::Column);
        if (f.rows == rows && (f.cols > 1 || rows == 1))
            return input(v, Space::Full);
        return f.rows == rows ? input(v, Space::Column) : input(v, Space::Row);
    }

    uint16_t apply(LoopNode n, std::initializer_list<uint16_t> operands) {
        for (uint16_t o : operands) {
            const LoopNode &x = program.nodes[o];
            n.operands[n.numOperands++] = o;
            n.space = std::max(n.space, x.space);
            n.sparse |= x.sparse;
            n.level = std::max(n.level, x.level);
        }
        bool row = false, column = false;
        for (uint16_t o : operands) {
            row |= program.nodes[o].space == Space::Row;
            column |= program.nodes[o].space == Space::Column;
        }
        if (row && column)
            n.space = Space::Full;
        if (n.space == Space::Full)
            program.numLevels = std::max<uint8_t>(program.numLevels, static_cast<uint8_t>(n.level + 1));
        return push(n);
    }

    uint16_t convert(uint16_t x, ValueType to) {
        if (program.nodes[x].type == to)
            return x;
        return apply({.kind = Kind::Convert, .type = to, .compute = program.nodes[x].type}, {x});
    }

    uint16_t binary(const CellFunction &f, uint16_t a, uint16_t b) {
        BinaryLoops loops = f.binary(mostGeneral(program.nodes[a].type, program.nodes[b].type));
        uint16_t node =
            apply({.kind = Kind::Binary, .type = loops.result, .compute = loops.compute, .cells = &f}, {a, b});
        if (loops.outside)
            noteDomain(node);
        return node;
    }

    uint16_t unary(const CellFunction &f, uint16_t a) {
        UnaryLoop loop = f.unary(program.nodes[a].type);
        uint16_t node = apply({.kind = Kind::Unary, .type = loop.type, .compute = loop.type, .cells = &f}, {a});
        if (loop.hasDomain)
            noteDomain(node);
        return node;
    }

    uint16_t multiply(uint16_t a, uint16_t b) {
        static const CellFunction &product = cellFunction("ewMul");
        return binary(product, a, b);
    }

    /// The operation may leave its domain; what it depends on is needed to say where.
    void noteDomain(uint16_t index) {
        program.faults = true;
        std::vector<bool> needed(program.nodes.size());
        needed[index] = true;
        for (size_t i = index + 1u; i-- > 0;) { // operands come first
            const LoopNode &n = program.nodes[i];
            if (!needed[i])
                continue;
            if (n.kind == Kind::Input)
                step.bindings[n.param].decidesFaults = true;
            for (size_t k = 0; k < n.numOperands; ++k)
                needed[n.operands[k]] = true;
        }
    }

    uint16_t reduceRow(Reduce how, uint16_t a) {
        LoopNode n{.kind = Kind::ReduceRow,
                   .space = Space::Column,
                   .type = program.nodes[a].type,
                   .compute = program.nodes[a].type,
                   .function = static_cast<uint8_t>(how),
                   .numOperands = 1};
        n.operands[0] = a;
        n.level = static_cast<uint8_t>(program.nodes[a].level + 1);
        program.numLevels = std::max<uint8_t>(program.numLevels, n.level);
        return push(n);
    }

    // ---- operations

    void add(uint16_t index) {
        const RegionOp &op = region.ops[index];
        const Fact &result = plan.facts[resultOf(index)];
        ops::OpName name = op.info->mnemonic;
        auto at = [&](size_t k) { return operand(op, k, result.rows); };
        if (op.info->family == ops::Family::AggAll || op.info->family == ops::Family::AggCol)
            return aggregate(index);
        uint16_t node;
        if (op.info->family == ops::Family::AggRow) {
            const Fact &f = plan.facts[op.operands[0]];
            node = convert(rowAggregate(*op.info, operand(op, 0, f.rows), f), result.type);
        } else if (name == "cond") {
            uint16_t c = convert(at(0), ValueType::Bool);
            node = apply({.kind = Kind::Cond, .type = result.type, .compute = result.type}, {c, at(1), at(2)});
        } else if (name == "cast") {
            node = convert(at(0), result.type);
        } else if (auto *u = unaryOf(*op.info)) {
            node = unary(*u, at(0));
        } else if (auto *b = binaryOf(*op.info)) {
            node = power(*b, op, at);
        } else {
            return product(index);
        }
        if (program.nodes[node].type != result.type)
            throw internalError("fused " + std::string(name) + " has another type than its kernel");
        nodeOf[index] = node;
    }

    template <class At> uint16_t power(const CellFunction &f, const RegionOp &op, At &at) {
        uint16_t x = at(0), y = at(1);
        const LoopNode &base = program.nodes[x];
        ValueType g = mostGeneral(base.type, program.nodes[y].type);
        std::optional<int> twice =
            f.is("ewPow") && op.info->family == ops::Family::EwBinary && base.space != Space::Scalar
                ? fixedExponent(plan.facts[op.operands[1]])
                : std::nullopt;
        if (f.is("ewMul"))
            needFinite(x, y);
        bool isSmallInteger = !isFloat(g) && g != ValueType::Bool && (twice == 4 || twice == 6);
        if (!twice || !(isFloat(g) || isSmallInteger))
            return binary(f, x, y);
        x = convert(x, g);
        if (isSmallInteger)
            return twice == 4 ? multiply(x, x) : multiply(multiply(x, x), x);
        return apply({.kind = Kind::PowFixed, .type = g, .compute = g, .function = static_cast<uint8_t>(*twice)}, {x});
    }

    /// Absent cells times a number are zero only if the number is finite.
    void needFinite(uint16_t a, uint16_t b) {
        if (program.nodes[a].sparse == program.nodes[b].sparse)
            return;
        const LoopNode &other = program.nodes[program.nodes[a].sparse ? b : a];
        if (other.kind == Kind::Input && isFloat(other.type))
            step.bindings[other.param].needsFinite = true;
    }

    /// A Csr does not store zeros: where kernels make one, -0 is lost.
    uint16_t withPositiveZero(uint16_t x) {
        ValueType type = program.nodes[x].type;
        return isFloat(type) ? binary(cellFunction("ewAdd"), x, literal(type, 0.0)) : x;
    }

    /// What an aggregate folds.
    uint16_t prepared(const ops::OpInfo &op, uint16_t x) {
        if (const CellFunction *f = appliedFirst(op))
            x = unary(*f, x);
        return convert(x, preparedType(op, program.nodes[x].type));
    }

    uint16_t rowAggregate(const ops::OpInfo &op, uint16_t x, const Fact &f) {
        Reduce how = *foldOf(op);
        bool isSparse = program.nodes[x].sparse;
        uint16_t folded = reduceRow(how, prepared(op, x));
        if (!propertiesOf(how).skipsZeros && isSparse)
            return withPositiveZero(folded);
        if (op.fold.finish == ops::FoldFacts::Finish::Nothing)
            return folded;
        ValueType t = program.nodes[folded].type;
        return binary(cellFunction("ewDiv"), folded, literal(t, static_cast<double>(f.cols)));
    }

    void product(uint16_t index) {
        const RegionOp &op = region.ops[index];
        const Fact &a = plan.facts[op.operands[0]], &b = plan.facts[op.operands[1]];
        switch (productForm(op, plan.facts)) {
        case ProductForm::RowDots: {
            uint16_t x = operand(op, 0, a.rows), v = input(op.operands[1], Space::Row);
            bool sparse = program.nodes[x].sparse;
            needFinite(x, v);
            nodeOf[index] = reduceRow(sparse ? Reduce::DotSparse : Reduce::Sum, multiply(x, v));
            return;
        }
        case ProductForm::Outer:
            nodeOf[index] = multiply(operand(op, 0, a.rows), input(op.operands[1], Space::Row));
            return;
        case ProductForm::ColumnSums: {
            uint16_t y = operand(op, 1, b.rows);
            uint16_t weighted = multiply(operand(op, 0, a.rows), y);
            pushOutput(LoopParam::Kind::SumsOfColumns, weighted, {Binding::Kind::Partial, resultOf(index)});
            late.insert(index);
            return;
        }
        case ProductForm::Rows: {
            LoopNode n{.kind = Kind::Product, .space = Space::Full, .type = a.type, .compute = a.type};
            n.param = side(op.operands[0]);
            n.depth = static_cast<uint16_t>(a.cols);
            bool transposed = plan.facts[op.operands[3]].constant->asDouble() != 0;
            n.packed = pushParam({LoopParam::Kind::Packed, b.type},
                                 {Binding::Kind::Packed, op.operands[1], static_cast<uint64_t>(transposed)});
            nodeOf[index] = push(n);
            return;
        }
        case ProductForm::SumOfOuter: {
            LoopParam sums{LoopParam::Kind::SumsOfOuter, b.type, convert(operand(op, 0, a.rows), b.type)};
            sums.side = side(op.operands[1]);
            sums.width = static_cast<uint16_t>(b.cols);
            pushParam(sums, {Binding::Kind::Partial, resultOf(index)});
            late.insert(index);
            return;
        }
        case ProductForm::None: throw internalError("a product that cannot be fused");
        }
    }

    // ---- outputs

    uint16_t pushOutput(LoopParam::Kind kind, uint16_t node, Binding binding) {
        return pushParam({kind, program.nodes[node].type, node}, binding);
    }

    void aggregate(uint16_t index) {
        const RegionOp &op = region.ops[index];
        const Fact &f = plan.facts[op.operands[0]];
        uint16_t x = prepared(*op.info, operand(op, 0, f.rows));
        late.insert(index);
        using P = LoopParam::Kind;
        if (op.info->family == ops::Family::AggCol)
            pushOutput(P::SumsOfColumns, x, {Binding::Kind::Partial, resultOf(index)});
        else if (program.flat)
            program.params[pushOutput(P::FoldOfAll, x, {Binding::Kind::Partial, resultOf(index)})].fold =
                *foldOf(*op.info);
        else
            pushOutput(P::OutColumn, x, {Binding::Kind::Staged, resultOf(index)});
    }

    void output(uint16_t index) {
        auto it = nodeOf.find(index);
        if (it == nodeOf.end())
            return; // an aggregate
        bool column = program.flat || program.nodes[it->second].space == Space::Column;
        pushOutput(column ? LoopParam::Kind::OutColumn : LoopParam::Kind::OutFull, it->second,
                   {Binding::Kind::Result, resultOf(index)});
        const Fact &f = plan.facts[resultOf(index)];
        step.resultShapes.push_back({resultOf(index), f.rows, f.cols});
    }

    /// Full values that a later level reads and that cost something get room for one row.
    void keepCostlyValues() {
        if (program.narrow)
            return; // the whole row is there
        size_t count = program.nodes.size();
        std::vector<bool> costly(count), kept(count);
        for (size_t i = 0; i < count; ++i) {
            const LoopNode &n = program.nodes[i];
            costly[i] = isCostly(n);
            for (size_t k = 0; k < n.numOperands; ++k)
                costly[i] = costly[i] || (program.nodes[n.operands[k]].space == Space::Full &&
                                          n.kind != Kind::ReduceRow && costly[n.operands[k]]);
        }
        for (const LoopParam &p : program.params)
            if (p.kind == LoopParam::Kind::OutFull)
                kept[p.node] = true;
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < program.nodes[i].numOperands; ++k) {
                uint16_t o = program.nodes[i].operands[k];
                const LoopNode &x = program.nodes[o];
                bool crosses = x.space == Space::Full && !x.sparse && x.kind != Kind::Input &&
                               program.nodes[i].space == Space::Full && program.nodes[i].level > x.level;
                if (crosses && costly[o] && !kept[o]) {
                    kept[o] = true;
                    pushOutput(LoopParam::Kind::OutFull, o, {Binding::Kind::Kept});
                }
            }
    }

    /// Rough times: what moves through memory, and what is computed.
    void estimate() {
        constexpr double kNsPerByte = 0.12, kNsPerOp = 0.15, kNsPerCostly = 1.5, kNsPerGather = 1.5,
                         kNsPerProduct = 0.1;
        double cells = static_cast<double>(step.rows) * static_cast<double>(step.cols);
        auto cellsOf = [&](Space s) {
            return s == Space::Full ? cells : s == Space::Column ? static_cast<double>(step.rows) : 0.0;
        };
        for (const LoopParam &p : program.params) {
            using P = LoopParam::Kind;
            if (p.kind == P::Full || p.kind == P::OutFull)
                step.serialNs += cells * static_cast<double>(cellSize(p.type)) * kNsPerByte;
            else if (p.kind == P::Column || p.kind == P::OutColumn)
                step.serialNs += static_cast<double>(step.rows * cellSize(p.type)) * kNsPerByte;
        }
        auto addProduct = [&](ValueType type, uint64_t sideColumns) {
            double sideCells = static_cast<double>(step.rows) * static_cast<double>(sideColumns);
            double ns = sideCells * static_cast<double>(cellSize(type)) * kNsPerByte +
                        sideCells * static_cast<double>(step.cols) * kNsPerProduct;
            step.serialNs += ns;
            step.kernelNs += ns + cells * static_cast<double>(cellSize(type)) * kNsPerByte;
        };
        for (const LoopParam &p : program.params)
            if (p.kind == LoopParam::Kind::SumsOfOuter)
                addProduct(p.type, p.width);
        for (const LoopNode &n : program.nodes) {
            if (n.kind == Kind::Product)
                addProduct(n.type, n.depth);
            if (n.kind == Kind::Input || n.kind == Kind::Product || n.sparse)
                continue;
            Space space = n.kind == Kind::ReduceRow ? Space::Full : n.space;
            double c = n.kind == Kind::ReduceRow && program.nodes[n.operands[0]].sparse ? 0 : cellsOf(space);
            step.serialNs += c * (isCostly(n) ? kNsPerCostly : kNsPerOp);
            step.kernelNs += c * ((isCostly(n) ? kNsPerCostly : kNsPerOp) + 24 * kNsPerByte);
        }
        if (program.hasCsr) {
            sparseOps = 1;
            for (const LoopNode &n : program.nodes)
                sparseOps += n.sparse && n.kind != Kind::Input;
            step.nsPerStored = kNsPerGather;
            step.kernelNsPerStored = kNsPerGather * 2 * sparseOps;
        }
    }

    const Region &region;
    const Plan &plan;
    PlanStep &step;
    LoopProgram &program;
    std::map<uint16_t, uint16_t> nodeOf; ///< of an operation of this step
    std::map<std::pair<uint16_t, Space>, uint16_t> inputs;
    std::map<uint16_t, uint16_t> sides; ///< parameter by value
    std::set<uint16_t> late;            ///< operations whose results are aggregates
    double sparseOps = 0;
};

} // namespace

void buildProgram(const Region &region, const Plan &plan, PlanStep &out) { Builder(region, plan, out).run(); }

} // namespace daphne::exec
