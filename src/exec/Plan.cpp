// SPDX-License-Identifier: Apache-2.0
#include "exec/Plan.h"

#include <algorithm>

#include "exec/CallKernel.h"

namespace daphne::exec {

const CellFunction *unaryOf(const ops::OpInfo &op) {
    const CellFunction *f = CellTable::get().of(op);
    return f && f->unary ? f : nullptr;
}

const CellFunction *binaryOf(const ops::OpInfo &op) {
    const CellFunction *f = CellTable::get().of(op);
    return f && f->binary ? f : nullptr;
}

Fact factOf(const Value &v, bool withValue) {
    Fact f;
    if (v.isScalar()) {
        f.form = v.isString() ? Fact::Form::Unknown : Fact::Form::Scalar;
        f.type = v.scalarType();
        if (withValue && !v.isString())
            f.constant = ops::Constant{f.type, v.as<int64_t>(), v.as<double>(), {}};
    } else if (v.isMatrix()) {
        const Matrix &m = v.matrix();
        f.form = m.isCsr() ? Fact::Form::Csr : Fact::Form::Dense;
        f.type = m.type();
        f.rows = m.rows();
        f.cols = m.cols();
        if (m.isCsr()) {
            f.wide = v.csr().hasWideIndex();
            f.pattern = v.csr().isPattern();
        } else {
            f.adjacent = v.dense().contiguous();
        }
    }
    return f;
}

bool isFactOf(const Fact &fact, const Value &v, bool withValue) {
    if (v.isScalar() && !withValue)
        return fact.form == (v.isString() ? Fact::Form::Unknown : Fact::Form::Scalar) && fact.type == v.scalarType();
    if (!v.isMatrix() || v.isCsr())
        return fact == factOf(v, withValue);
    const Dense &m = v.dense();
    return fact.form == Fact::Form::Dense && fact.type == m.type() && fact.rows == m.rows() && fact.cols == m.cols() &&
           fact.adjacent == m.contiguous();
}

std::optional<int> fixedExponent(const Fact &exponent) {
    if (!exponent.constant)
        return std::nullopt;
    double twice = 2 * exponent.constant->asDouble();
    for (int k : {4, 6, -2, 1, 3, -1, -3})
        if (twice == k && (k % 2 == 0 || isFloat(exponent.type)))
            return k;
    return std::nullopt;
}

ProductForm productForm(const RegionOp &op, std::span<const Fact> facts) {
    bool transposeLeft = true, transposeRight = false;
    if (op.info->mnemonic == "matMul") {
        const Fact &left = facts[op.operands[2]], &right = facts[op.operands[3]];
        if (!left.constant || !right.constant)
            return ProductForm::None;
        transposeLeft = left.constant->asDouble() != 0;
        transposeRight = right.constant->asDouble() != 0;
    } else if (op.info->mnemonic != "gemv") {
        return ProductForm::None;
    }
    const Fact &a = facts[op.operands[0]], &b = facts[op.operands[1]];
    if (!a.isMatrix() || b.form != Fact::Form::Dense || !isFloat(mostGeneral(a.type, b.type)))
        return ProductForm::None;
    uint64_t bRows = transposeRight ? b.cols : b.rows, bCols = transposeRight ? b.rows : b.cols;
    uint64_t aCols = transposeLeft ? a.rows : a.cols;
    if (aCols != bRows || a.rows <= 1)
        return ProductForm::None;
    bool isVector = bCols == 1 && (b.adjacent || b.rows == 1);
    if (!transposeLeft && a.cols > 1 && isVector)
        return ProductForm::RowDots;
    if (transposeLeft && a.form == Fact::Form::Dense && a.cols > 1 && bCols == 1 && !transposeRight)
        return ProductForm::ColumnSums;
    if (!transposeLeft && a.form == Fact::Form::Dense && a.cols == 1 && bCols > 1 && (b.adjacent || b.rows == 1))
        return ProductForm::Outer;
    if (a.form != Fact::Form::Dense)
        return ProductForm::None;
    if (!transposeLeft && a.type == b.type && isRowsTimesSmall(a.rows, a.cols, bCols))
        return ProductForm::Rows;
    if (transposeLeft && !transposeRight && b.type == mostGeneral(a.type, b.type) &&
        isSumOfOuterProducts(a.rows, a.cols, b.cols))
        return ProductForm::SumOfOuter;
    return ProductForm::None;
}

namespace {

class Planner {
  public:
    Planner(const Region &region, std::span<const Fact> inputs) : region(region) {
        plan.facts.assign(inputs.begin(), inputs.end());
        plan.facts.resize(region.numValues());
        readers.resize(region.numValues());
        isOutput.resize(region.numValues());
        for (size_t i = 0; i < region.ops.size(); ++i)
            for (uint16_t v : region.ops[i].operands)
                readers[v].push_back(static_cast<uint16_t>(i));
        for (uint16_t v : region.outputs)
            isOutput[v] = true;
        forcedKernel.resize(region.ops.size());
        plan.notFused.resize(region.ops.size());
        for (size_t i = 0; i < region.ops.size(); ++i)
            infer(i);
    }

    Plan run() {
        // Sparse intermediates exist only inside a loop: whoever would have to hand one out becomes a kernel.
        do {
            plan.steps.clear();
            stepOfOp.assign(region.ops.size(), -1);
            for (size_t i = 0; i < region.ops.size(); ++i)
                place(i);
        } while (forceEscapingSparse());
        for (size_t s = 0; s < plan.steps.size(); ++s)
            if (plan.steps[s].fused)
                buildProgram(region, plan, plan.steps[s]);
        return std::move(plan);
    }

  private:
    size_t resultOf(size_t op) const { return region.numInputs + op; }
    const Fact &operand(size_t op, size_t k) const { return plan.facts[region.ops[op].operands[k]]; }

    // ---- types and shapes

    void infer(size_t i) {
        const RegionOp &op = region.ops[i];
        Fact &result = plan.facts[resultOf(i)];
        std::vector<ops::Arg> args;
        bool anySparse = false;
        for (uint16_t v : op.operands) {
            const Fact &f = plan.facts[v];
            if (f.form == Fact::Form::Unknown || f.type > ValueType::F64)
                return;
            anySparse |= f.form == Fact::Form::Csr;
            if (f.form == Fact::Form::Scalar)
                args.push_back({ops::TypeDesc::scalar(f.type), f.constant});
            else
                args.push_back(
                    {ops::TypeDesc::matrix(f.type, static_cast<int64_t>(f.rows), static_cast<int64_t>(f.cols)), {}});
        }
        ops::TypeDesc target;
        target.kind = static_cast<ops::Kind>(op.castTarget & 0xff);
        target.valueType = static_cast<ValueType>(op.castTarget >> 8 & 0xff);
        if (op.info->mnemonic != "cast")
            target = {};
        std::vector<ops::TypeDesc> types;
        try {
            types = op.info->resultTypes({*op.info, args, target});
        } catch (const Error &) {
            return; // its kernel will say so
        }
        const ops::TypeDesc &t = types.at(0);
        if (t.valueType > ValueType::F64 || (t.isMatrix() && !t.hasShape()) || !(t.isMatrix() || t.isScalar()))
            return;
        // The kernel makes a Csr of it.
        if (op.expectedTag & kWantsCsr && !(anySparse && sparseForm(i) == Fact::Form::Csr))
            return;
        result.form = t.isScalar() ? Fact::Form::Scalar : anySparse ? sparseForm(i) : Fact::Form::Dense;
        result.type = t.valueType;
        result.rows = static_cast<uint64_t>(t.rows);
        result.cols = static_cast<uint64_t>(t.cols);
        if (result.form == Fact::Form::Csr) {
            const Fact &source = plan.facts[op.operands[csrOperand(i)]];
            result.wide = source.wide;
        }
    }

    size_t csrOperand(size_t i) const {
        for (size_t k = 0; k < region.ops[i].operands.size(); ++k)
            if (operand(i, k).form == Fact::Form::Csr)
                return k;
        return 0;
    }

    /// Form of the result of an operation with a Csr operand; Unknown where only the kernel can tell.
    Fact::Form sparseForm(size_t i) const {
        const RegionOp &op = region.ops[i];
        if (op.info->family == ops::Family::AggRow || op.info->family == ops::Family::AggCol)
            return Fact::Form::Dense;
        if (productForm(op, plan.facts) == ProductForm::RowDots)
            return Fact::Form::Dense;
        return keepsPattern(i) ? Fact::Form::Csr : Fact::Form::Unknown;
    }

    /// The result of a loop over stored cells is zero at all others.
    bool keepsPattern(size_t i) const {
        const RegionOp &op = region.ops[i];
        if (op.info->mnemonic == "cast")
            return true;
        if (unaryOf(*op.info))
            return op.info->zeroPreserving;
        if (op.info->mnemonic != "ewMul")
            return false;
        const Fact &a = operand(i, 0), &b = operand(i, 1);
        const Fact &sparse = a.form == Fact::Form::Csr ? a : b, &other = a.form == Fact::Form::Csr ? b : a;
        if (other.form == Fact::Form::Csr)
            return false;
        return other.isOneCell() || other.rows == 1 || other.cols == 1 ? sparse.rows > 1 && sparse.cols > 1 : false;
    }

    // ---- fusion

    /// How an operation takes part in a loop.
    struct Role {
        uint64_t rows = 0, cols = 1;
        bool rowStructured = false, wholeOnly = false;
        int csr = -1;
        uint32_t rowByRow = 0; ///< bit k: operand k is needed at the current row only
    };

    /// Why an operation is no part of a loop. One sentence, for --explain=loops.
    std::nullopt_t no(size_t i, const char *why) const {
        plan.notFused[i] = why;
        return std::nullopt;
    }

    std::optional<Role> roleOf(size_t i) const {
        const RegionOp &op = region.ops[i];
        const Fact &result = plan.facts[resultOf(i)];
        plan.notFused[i] = nullptr;
        if (forcedKernel[i] || (op.expectedTag & kWantsCsr && isOutput[resultOf(i)]))
            return no(i, "its kernel decides how the sparse result is stored");
        if (result.form == Fact::Form::Unknown)
            return no(i, "type, shape or representation of its result are known only when its kernel has run");
        if (readers[resultOf(i)].empty() && !isOutput[resultOf(i)])
            return no(i, "nobody reads the result; it is there because it may fail");
        std::optional<Role> role = formOf(i);
        if (!role && !plan.notFused[i])
            plan.notFused[i] = "operands of these types, shapes and representations are not taken row by row";
        return role;
    }

    std::optional<Role> formOf(size_t i) const {
        const RegionOp &op = region.ops[i];
        const Fact &result = plan.facts[resultOf(i)];
        switch (op.info->family) {
        case ops::Family::EwUnary:
            return unaryOf(*op.info) ? cellwise(i) : no(i, "there is no function of cells for it");
        case ops::Family::EwBinary:
            if (!binaryOf(*op.info))
                return no(i, "there is no function of cells for it");
            return powerIsPlain(i) ? cellwise(i) : no(i, "its exponent is not known when the loop is planned");
        case ops::Family::Outer: return outer(i);
        case ops::Family::AggAll: return wholeAggregate(i);
        case ops::Family::AggRow: return rowAggregate(i);
        case ops::Family::AggCol: return columnAggregate(i);
        default: break;
        }
        if (op.info->mnemonic == "cond")
            return conditional(i);
        if (op.info->mnemonic == "cast")
            return result.isMatrix() && operand(i, 0).isMatrix() ? cellwise(i) : std::nullopt;
        return product(i);
    }

    std::optional<Role> cellwise(size_t i) const {
        const Fact &result = plan.facts[resultOf(i)];
        if (!result.isMatrix() || result.rows * result.cols <= 1)
            return no(i, "its result is a single number");
        Role role{result.rows, result.cols};
        for (size_t k = 0; k < region.ops[i].operands.size(); ++k) {
            const Fact &f = operand(i, k);
            if (f.form == Fact::Form::Csr) {
                if (result.form != Fact::Form::Csr || f.rows != result.rows || f.cols != result.cols)
                    return std::nullopt;
                role.rowStructured = true;
                role.csr = rootCsr(region.ops[i].operands[k]);
                role.rowByRow |= 1u << k;
            } else if (!f.isOneCell()) {
                bool sameRows = f.rows == result.rows, sameCols = f.cols == result.cols;
                if (sameRows && (sameCols || f.cols == 1) && (result.rows > 1 || sameCols))
                    role.rowByRow |= 1u << k;
                role.rowStructured |= !(sameRows && sameCols) || !f.adjacent;
                if (!sameRows && !f.adjacent && f.rows > 1)
                    return std::nullopt;
            }
        }
        return role;
    }

    /// Kernels compute powers by products where one exponent belongs to many cells; a loop does only if it knows it.
    bool powerIsPlain(size_t i) const {
        if (region.ops[i].info->mnemonic != "ewPow")
            return true;
        const Fact &exponent = operand(i, 1), &result = plan.facts[resultOf(i)];
        bool known = exponent.form == Fact::Form::Scalar && exponent.constant;
        return known || (exponent.rows == result.rows && exponent.cols == result.cols);
    }

    /// The input at the root of a sparse value.
    int rootCsr(uint16_t v) const {
        while (v >= region.numInputs)
            v = region.ops[v - region.numInputs].operands[csrOperand(v - region.numInputs)];
        return v;
    }

    std::optional<Role> conditional(size_t i) const {
        const Fact &c = operand(i, 0), &result = plan.facts[resultOf(i)];
        bool sameTypes = operand(i, 1).type == result.type && operand(i, 2).type == result.type;
        if (!c.isMatrix() || c.form == Fact::Form::Csr || !result.isMatrix() || !sameTypes || c.rows != result.rows ||
            c.cols != result.cols)
            return std::nullopt;
        return cellwise(i);
    }

    std::optional<Role> outer(size_t i) const {
        const Fact &a = operand(i, 0), &b = operand(i, 1), &result = plan.facts[resultOf(i)];
        if (a.form != Fact::Form::Dense || b.form != Fact::Form::Dense || a.cols != 1 || b.rows != 1 || a.rows <= 1 ||
            b.cols <= 1 || !binaryOf(*region.ops[i].info) || region.ops[i].info->mnemonic == "outerPow")
            return std::nullopt;
        return Role{result.rows, result.cols, true, false, -1, 1};
    }

    std::optional<Role> wholeAggregate(size_t i) const {
        const Fact &f = operand(i, 0);
        if (!foldOf(*region.ops[i].info) || f.form != Fact::Form::Dense || f.rows * f.cols <= 1 ||
            (f.cols > 1 && !f.adjacent))
            return std::nullopt;
        return Role{f.rows, f.cols, !f.adjacent, f.cols > 1, -1, 1};
    }

    std::optional<Role> rowAggregate(size_t i) const {
        const Fact &f = operand(i, 0);
        std::optional<Reduce> how = foldOf(*region.ops[i].info);
        if (!how || !f.isMatrix() || f.cols <= 1 || f.rows <= 1)
            return std::nullopt;
        if (propertiesOf(*how).rounds && isComputedCsr(i))
            return std::nullopt;
        const CellFunction *applied = appliedFirst(*region.ops[i].info);
        if (f.form == Fact::Form::Csr && applied && !applied->op->zeroPreserving)
            return std::nullopt;
        int csr = f.form == Fact::Form::Csr ? rootCsr(region.ops[i].operands[0]) : -1;
        return Role{f.rows, f.cols, true, false, csr, 1};
    }

    /// The first operand is a Csr that a kernel would build without zeros, or as Dense: sums over it have another
    /// order.
    bool isComputedCsr(size_t i) const {
        return operand(i, 0).form == Fact::Form::Csr && region.ops[i].operands[0] >= region.numInputs;
    }

    std::optional<Role> columnAggregate(size_t i) const {
        const Fact &f = operand(i, 0);
        if (foldOf(*region.ops[i].info) != Reduce::Sum || f.form != Fact::Form::Dense || f.cols <= 1 || f.rows <= 1)
            return std::nullopt;
        return Role{f.rows, f.cols, true, false, -1, 1};
    }

    std::optional<Role> product(size_t i) const {
        const Fact &a = operand(i, 0);
        switch (productForm(region.ops[i], plan.facts)) {
        case ProductForm::RowDots: {
            if (isComputedCsr(i))
                return std::nullopt;
            int csr = a.form == Fact::Form::Csr ? rootCsr(region.ops[i].operands[0]) : -1;
            return Role{a.rows, a.cols, true, false, csr, 1};
        }
        case ProductForm::ColumnSums: return Role{a.rows, a.cols, true, false, -1, 3};
        case ProductForm::Outer: return Role{a.rows, plan.facts[resultOf(i)].cols, true, false, -1, 1};
        case ProductForm::Rows: return Role{a.rows, plan.facts[resultOf(i)].cols, true, false, -1, 0};
        case ProductForm::SumOfOuter: return Role{a.rows, a.cols, true, false, -1, 1};
        case ProductForm::None: break;
        }
        return no(i, "it has no form that works row by row");
    }

    /// Results that are complete only when the whole loop is.
    bool isLate(size_t op) const {
        const RegionOp &o = region.ops[op];
        ProductForm form = productForm(o, plan.facts);
        return o.info->family == ops::Family::AggAll || o.info->family == ops::Family::AggCol ||
               form == ProductForm::ColumnSums || form == ProductForm::SumOfOuter;
    }

    bool fits(const PlanStep &step, const Role &role) const {
        constexpr size_t kMostOps = 64;
        if (!step.fused || step.rows != role.rows || step.ops.size() >= kMostOps)
            return false;
        // One number of columns besides 1.
        if (step.cols != role.cols && step.cols != 1 && role.cols != 1)
            return false;
        // Cells of one kind: stored ones of one matrix, or all.
        if (step.cols > 1 && role.cols > 1 && step.csr != role.csr)
            return false;
        bool mixesColumns = (step.cols != role.cols);
        bool structured = step.rowStructured || role.rowStructured || mixesColumns;
        return !(structured && (step.wholeOnly || role.wholeOnly));
    }

    void place(size_t i) {
        std::optional<Role> role = roleOf(i);
        // The first step in which all operands are there.
        size_t first = 0;
        for (size_t k = 0; k < region.ops[i].operands.size(); ++k) {
            uint16_t v = region.ops[i].operands[k];
            if (v < region.numInputs)
                continue;
            size_t maker = v - region.numInputs, step = static_cast<size_t>(stepOfOp[maker]);
            bool inLoop = role && plan.steps[step].fused && (role->rowByRow >> k & 1) && !isLate(maker);
            first = std::max(first, inLoop ? step : step + 1);
        }
        if (!role)
            return insertKernel(i, first);
        size_t s = first;
        while (s < plan.steps.size() && !fits(plan.steps[s], *role))
            ++s;
        if (s == plan.steps.size()) {
            plan.steps.emplace_back();
            plan.steps[s].fused = true;
            plan.steps[s].rows = role->rows;
        }
        PlanStep &step = plan.steps[s];
        step.rowStructured |= role->rowStructured || (!step.ops.empty() && step.cols != role->cols);
        step.cols = std::max(step.cols, role->cols);
        step.wholeOnly |= role->wholeOnly;
        if (role->csr >= 0)
            step.csr = role->csr;
        step.ops.push_back(static_cast<uint16_t>(i));
        stepOfOp[i] = static_cast<int>(s);
    }

    void insertKernel(size_t i, size_t at) {
        plan.steps.emplace(plan.steps.begin() + static_cast<ptrdiff_t>(at));
        plan.steps[at].ops.push_back(static_cast<uint16_t>(i));
        for (int &s : stepOfOp)
            if (s >= static_cast<int>(at))
                ++s;
        stepOfOp[i] = static_cast<int>(at);
    }

    bool forceEscapingSparse() {
        bool changed = false;
        for (size_t i = 0; i < region.ops.size(); ++i) {
            size_t v = resultOf(i);
            if (plan.facts[v].form != Fact::Form::Csr)
                continue;
            bool escapes = isOutput[v] || !plan.steps[static_cast<size_t>(stepOfOp[i])].fused;
            for (uint16_t reader : readers[v])
                escapes |= stepOfOp[reader] != stepOfOp[i];
            if (escapes) {
                // A kernel decides about the representation; whatever reads it cannot be planned.
                forcedKernel[i] = true;
                makeUnknown(v);
                changed = true;
            }
        }
        return changed;
    }

    void makeUnknown(size_t v) {
        if (plan.facts[v].form == Fact::Form::Unknown)
            return;
        plan.facts[v] = {};
        for (uint16_t reader : readers[v])
            makeUnknown(resultOf(reader));
    }

    const Region &region;
    mutable Plan plan; ///< reasons are noted where they are found
    std::vector<int> stepOfOp;
    std::vector<std::vector<uint16_t>> readers; ///< operations that read a value
    std::vector<bool> isOutput, forcedKernel;
};

} // namespace

Plan makePlan(const Region &region, std::span<const Fact> inputs) { return Planner(region, inputs).run(); }

} // namespace daphne::exec
