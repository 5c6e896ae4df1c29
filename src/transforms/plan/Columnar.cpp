// SPDX-License-Identifier: Apache-2.0
/// Relational operations on frames become column operators on columns and
/// position lists (files and command line 10):
///
///   comparison of columns        colSelectXx      filter by truth values   colProject
///   and, or of truth values      colIntersect, colMerge
///   innerJoin, semiJoin          colJoin, colSemiJoin and colProject
///   group of sums                colGroupFirst, colGroupNext, colSumGrp and colProject
///   sumAll, ewSub, ewMul         colSumAll, colCalcSub, colCalcMul
///
/// Truth values that choose rows are never computed: what they are made of is
/// turned into position lists where it stands. Truth values of any other origin
/// are a column like others, from which the rows are selected that are not 0.
/// Columns of a filtered or joined frame are fetched where they are needed, one
/// by one, from the frame below, so what nobody asks for is not fetched.
#include "transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

#include "transforms/plan/ColumnSources.h"
#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

/// The comparison with its operands exchanged.
StringRef mirrored(StringRef comparison) {
    if (comparison == "Lt")
        return "Gt";
    if (comparison == "Le")
        return "Ge";
    if (comparison == "Gt")
        return "Lt";
    return comparison == "Ge" ? "Le" : comparison;
}

bool areDistinct(std::vector<std::string> labels) {
    llvm::sort(labels);
    return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

/// Whether the frames are known to have a label in common: joining them fails.
bool shareLabels(Value l, Value r) {
    TypeDesc a = typeOf(l), b = typeOf(r);
    return a.schema && b.schema && llvm::any_of(a.schema->labels, [&](const auto &label) {
               return llvm::is_contained(b.schema->labels, label);
           });
}

class Lowering {
  public:
    Lowering(ModuleOp module, Splitting splitting) : module(module), splitting(splitting) {}

    void run() {
        SmallVector<DaphneOp> operations;
        module.walk([&](DaphneOp op) {
            if (op.hint().empty())
                operations.push_back(op);
        });
        // In the order of the program: operands have been replaced before their users are looked at.
        for (DaphneOp op : operations)
            if (lower(op))
                replaced.insert(op);
        erase();
    }

  private:
    bool lower(DaphneOp op) {
        builder.setInsertionPoint(op);
        if (op.is("cast"))
            return lowerCast(op);
        if (op.is("numRows"))
            return lowerNumRows(op);
        if (op.is("filterRow"))
            return lowerFilter(op);
        if (op.is("innerJoin"))
            return lowerJoin(op);
        if (op.is("semiJoin"))
            return lowerSemiJoin(op);
        if (op.is("group") || op.is("groupSum"))
            return lowerGroup(op);
        if (op.is("sumAll"))
            return lowerSum(op);
        if (op.is("ewSub") || op.is("ewMul"))
            return lowerArithmetic(op);
        return false;
    }

    // ---- building

    ValueRange create(Location loc, StringRef mnemonic, ValueRange operands) {
        const ops::OpInfo *info = ops::Registry::get().findOp({mnemonic.data(), mnemonic.size()});
        std::vector<ops::Arg> args = ir::argsOf(operands);
        SmallVector<Type> results;
        for (const TypeDesc &t : info->infer({*info, args, {}}))
            results.push_back(ir::toIrType(builder.getContext(), t));
        return ir::createOp(builder, loc, mnemonic, operands, results)->getResults();
    }
    Value createOne(Location loc, StringRef mnemonic, ValueRange operands) {
        return create(loc, mnemonic, operands)[0];
    }
    Value text(Location loc, const std::string &s) {
        return ir::makeConstant(builder, loc, {.type = ValueType::Str, .s = s});
    }
    bool replace(Value old, Value by) {
        if (old.getType() != by.getType())
            by = ir::createOp(builder, old.getLoc(), "adapt", by, old.getType())->getResult(0);
        old.replaceAllUsesWith(by);
        return true;
    }
    Value frameOf(Location loc, ArrayRef<Value> columns, ArrayRef<std::string> labels) {
        SmallVector<Value> operands(columns);
        for (const std::string &label : labels)
            operands.push_back(text(loc, label));
        return createOne(loc, "createFrame", operands);
    }

    // ---- columns

    /// The column of a frame with this label, from as far below as possible.
    Value column(Location loc, Value frame, const std::string &label) {
        DaphneOp op = ir::definingOp(withoutAdapt(frame));
        if (op && op.hint().empty()) {
            if (op.is("colProject"))
                return fetched(loc, column(loc, op->getOperand(0), label), op);
            if (op.is("extractCol") && constantText(op->getOperand(1)) == label)
                return column(loc, op->getOperand(0), label);
            if (op.is("colBind"))
                for (Value side : op->getOperands())
                    if (TypeDesc t = typeOf(side); t.schema && llvm::is_contained(t.schema->labels, label))
                        return column(loc, side, label);
            if (op.is("createFrame"))
                if (Value found = columnOfNewFrame(op, label))
                    return found;
        }
        if (!typeOf(frame).schema) // it may fail: not before it is needed
            return asMatrix(loc, createOne(loc, "extractCol", {frame, text(loc, label)}));
        auto &known = columnOf[{frame, label}];
        if (!known) {
            // Right behind the frame, so that every later use finds it.
            OpBuilder::InsertionGuard guard(builder);
            builder.setInsertionPointAfterValue(frame);
            known = asMatrix(loc, createOne(loc, "extractCol", {frame, text(loc, label)}));
        }
        return known;
    }

    Value asMatrix(Location loc, Value frame) {
        const ops::OpInfo *info = ops::Registry::get().findOp("cast");
        std::vector<ops::Arg> args = ir::argsOf(frame);
        TypeDesc target{.kind = ops::Kind::Matrix};
        Type type = ir::toIrType(builder.getContext(), info->infer({*info, args, target})[0]);
        NamedAttribute attributes[] = {
            builder.getNamedAttr(ir::kTargetKind, builder.getI64IntegerAttr(static_cast<int64_t>(target.kind))),
            builder.getNamedAttr(ir::kValue, builder.getI64IntegerAttr(static_cast<int64_t>(target.valueType)))};
        return ir::createOp(builder, loc, "cast", frame, type, attributes)->getResult(0);
    }

    /// Cells of a column at the positions of a projection.
    Value fetched(Location loc, Value column, DaphneOp projection) {
        SmallVector<Value> operands(projection->getOperands());
        operands[0] = column;
        auto &known = fetchedAt[{column, operands[1]}];
        if (!known) {
            OpBuilder::InsertionGuard guard(builder);
            builder.setInsertionPointAfter(projection);
            // The column may have been made behind the projection.
            if (Operation *made = column.getDefiningOp();
                made && made->getBlock() == projection->getBlock() && projection->isBeforeInBlock(made))
                builder.setInsertionPointAfter(made);
            known = createOne(loc, "colProject", operands);
        }
        return known;
    }

    /// Only columns of other frames: a matrix that became a column may have another representation.
    Value columnOfNewFrame(DaphneOp op, StringRef label) {
        size_t n = op->getNumOperands() / 2;
        Value found;
        for (size_t c = 0; c < n; ++c) {
            auto text = constantText(op->getOperand(n + c));
            if (!text)
                return {};
            if (*text == label)
                found = op->getOperand(c);
        }
        return found && isColumn(found) ? found : Value();
    }

    bool lowerCast(DaphneOp op) {
        Value frame = op->getOperand(0);
        TypeDesc target = ir::castTargetOf(op), from = typeOf(frame);
        if (target.kind != ops::Kind::Matrix || target.valueType != ValueType::Unknown || !from.isFrame() ||
            from.cols != 1)
            return false;
        Value found = onlyColumn(op.getLoc(), frame);
        return found && withoutAdapt(found) != op->getResult(0) && replace(op->getResult(0), found);
    }

    /// The column of a frame that has one, if it comes from a projection; null if the frame is a frame as good as any.
    Value onlyColumn(Location loc, Value frame) {
        std::optional<std::string> label;
        if (TypeDesc t = typeOf(frame); t.schema && t.schema->labels.size() == 1)
            label = t.schema->labels[0];
        DaphneOp op = ir::definingOp(withoutAdapt(frame));
        if (!op || !op.hint().empty())
            return {};
        if (!label && op.is("extractCol"))
            label = constantText(op->getOperand(1));
        if (!label || !comesFromProjection(frame, *label))
            return {};
        return column(loc, frame, *label);
    }

    /// A column of this label would be found below the frame.
    bool comesFromProjection(Value frame, const std::string &label) {
        DaphneOp op = ir::definingOp(withoutAdapt(frame));
        if (!op || !op.hint().empty())
            return false;
        if (op.is("colProject"))
            return true;
        if (op.is("extractCol") && constantText(op->getOperand(1)) == label)
            return comesFromProjection(op->getOperand(0), label);
        if (op.is("colBind"))
            return llvm::any_of(op->getOperands(), [&](Value side) {
                TypeDesc t = typeOf(side);
                return t.schema && llvm::is_contained(t.schema->labels, label) && comesFromProjection(side, label);
            });
        return op.is("createFrame") && columnOfNewFrame(op, label);
    }

    /// Of a projection: of its positions, so that its columns need not be fetched.
    bool lowerNumRows(DaphneOp op) {
        Value rows = rowsOf(op->getOperand(0));
        if (rows == op->getOperand(0) || !ir::definingOp(rows) || !ir::definingOp(rows).mnemonic().starts_with("col"))
            return false;
        return replace(op->getResult(0), createOne(op.getLoc(), "numRows", rows));
    }

    // ---- selections

    /// The rows in which truth values are true, as a position list made where they are made.
    Value positions(Value bits) {
        bits = withoutAdapt(bits);
        auto &known = positionsOf[bits];
        if (known)
            return known;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(bits);
        Value made = newPositions(bits);
        return positionsOf[bits] = made;
    }

    Value newPositions(Value bits) {
        DaphneOp op = ir::definingOp(bits);
        Location loc = bits.getLoc();
        if (op && op.hint().empty() && isColumn(bits)) {
            Value l = op->getNumOperands() == 2 ? op->getOperand(0) : Value();
            Value r = l ? op->getOperand(1) : Value();
            bool bothColumns = l && typeOf(l).isMatrix() && typeOf(r).isMatrix();
            if (bothColumns && (op.is("ewAnd") || op.is("ewOr"))) {
                replaced.insert(op);
                return createOne(loc, op.is("ewAnd") ? "colIntersect" : "colMerge", {positions(l), positions(r)});
            }
            if (l && isComparisonOp(op.mnemonic())) {
                StringRef comparison = op.mnemonic().drop_front(2);
                if (typeOf(l).isScalar()) {
                    std::swap(l, r);
                    comparison = mirrored(comparison);
                }
                replaced.insert(op);
                return createOne(loc, ("colSelect" + comparison).str(), {l, r});
            }
        }
        Value zero = ir::makeConstant(builder, loc, {.type = ValueType::SI64});
        return createOne(loc, "colSelectNeq", {bits, zero});
    }

    bool lowerFilter(DaphneOp op) {
        Value data = op->getOperand(0), bits = op->getOperand(1);
        TypeDesc type = typeOf(data), bitsType = typeOf(bits);
        bool isRelational = type.isFrame() || (type.isMatrix() && (isColumn(data) || isColumn(bits)));
        if (!isRelational || !bitsType.isMatrix() || bitsType.valueType == ValueType::Str)
            return false;
        SmallVector<Value> operands{data, positions(bits)};
        if (!haveSameRows(data, bits))
            operands.push_back(createOne(op.getLoc(), "numRows", lengthOf(bits)));
        return replace(op->getResult(0), createOne(op.getLoc(), "colProject", operands));
    }

    /// A value with as many rows as the truth values that does not need them.
    Value lengthOf(Value bits) {
        DaphneOp op = ir::definingOp(withoutAdapt(bits));
        if (op && replaced.contains(op))
            for (Value operand : op->getOperands())
                if (typeOf(operand).isMatrix())
                    return lengthOf(operand);
        return bits;
    }

    // ---- joins

    bool lowerJoin(DaphneOp op) {
        Value l = op->getOperand(0), r = op->getOperand(1);
        auto lhsOn = constantText(op->getOperand(2)), rhsOn = constantText(op->getOperand(3));
        if (!lhsOn || !rhsOn || shareLabels(l, r))
            return false;
        Location loc = op.getLoc();
        ValueRange rows = create(loc, "colJoin", {column(loc, l, *lhsOn), column(loc, r, *rhsOn)});
        Value left = createOne(loc, "colProject", {l, rows[0]}), right = createOne(loc, "colProject", {r, rows[1]});
        Value both = createOne(loc, "colBind", {left, right});
        replace(op->getResult(0), both);
        replaced.insert(both.getDefiningOp()); // needed only if somebody wants the whole frame; it does not fail
        return true;
    }

    bool lowerSemiJoin(DaphneOp op) {
        auto lhsOn = constantText(op->getOperand(2)), rhsOn = constantText(op->getOperand(3));
        if (!lhsOn || !rhsOn)
            return false;
        Location loc = op.getLoc();
        Value keys = column(loc, op->getOperand(0), *lhsOn);
        Value rows = createOne(loc, "colSemiJoin", {keys, column(loc, op->getOperand(1), *rhsOn)});
        Value matching = createOne(loc, "colProject", {keys, rows});
        replace(op->getResult(0), frameOf(loc, matching, *lhsOn));
        return replace(op->getResult(1), rows);
    }

    // ---- groups

    struct Grouping {
        std::vector<std::string> keys, summed;
    };

    /// What a group is grouped by and what is summed; nothing unless all of it has a columnar form.
    std::optional<Grouping> groupingOf(DaphneOp op) {
        Grouping g;
        size_t n = op->getNumOperands();
        if (op.is("groupSum")) {
            for (unsigned i = 1; i < n; ++i) {
                auto label = constantText(op->getOperand(i));
                if (!label)
                    return std::nullopt;
                (i + 1 < n ? g.keys : g.summed).push_back(*label);
            }
            return g;
        }
        auto numKeys = ir::constantOf(op->getOperand(1));
        if (!numKeys || numKeys->asInt() < 1)
            return std::nullopt;
        auto firstSum = static_cast<unsigned>(2 + numKeys->asInt());
        for (unsigned i = 2; i < firstSum; ++i) {
            auto label = constantText(op->getOperand(i));
            if (!label || label->ends_with("*"))
                return std::nullopt;
            if (!llvm::is_contained(g.keys, *label))
                g.keys.push_back(*label);
        }
        for (unsigned i = firstSum; i + 2 < n; i += 3) {
            auto label = constantText(op->getOperand(i + 1));
            if (constantText(op->getOperand(i)) != "SUM" || !label || constantText(op->getOperand(i + 2)) != "")
                return std::nullopt;
            g.summed.push_back(*label);
        }
        return g;
    }

    bool lowerGroup(DaphneOp op) {
        auto grouping = groupingOf(op);
        if (!grouping)
            return false;
        std::vector<std::string> labels = grouping->keys;
        for (const std::string &label : grouping->summed)
            labels.push_back("SUM(" + label + ")");
        if (!areDistinct(labels))
            return false; // fails when it is run
        Location loc = op.getLoc();
        Value frame = op->getOperand(0);
        SmallVector<Value> keys, columns;
        for (const std::string &label : grouping->keys)
            keys.push_back(column(loc, frame, label));
        ValueRange groups = create(loc, "colGroupFirst", keys[0]);
        for (Value key : ArrayRef(keys).drop_front())
            groups = create(loc, "colGroupNext", {groups[0], groups[1], key});
        for (Value key : keys)
            columns.push_back(createOne(loc, "colProject", {key, groups[1]}));
        Value split =
            ir::makeConstant(builder, loc, {.type = ValueType::Bool, .i = splitting == Splitting::Optimistic});
        for (const std::string &label : grouping->summed)
            columns.push_back(createOne(loc, "colSumGrp", {column(loc, frame, label), groups[0], groups[1], split}));
        return replace(op->getResult(0), frameOf(loc, columns, labels));
    }

    // ---- sums and arithmetic

    /// A sum of truth values counts rows; it has no columnar form.
    static bool isTruth(Value v) {
        DaphneOp op = ir::definingOp(withoutAdapt(v));
        return op && (isComparisonOp(op.mnemonic()) || op.is("ewAnd") || op.is("ewOr"));
    }

    bool lowerSum(DaphneOp op) {
        Value cells = op->getOperand(0);
        return isColumn(cells) && !isTruth(cells) &&
               replace(op->getResult(0), createOne(op.getLoc(), "colSumAll", cells));
    }

    bool lowerArithmetic(DaphneOp op) {
        if (!isColumn(op->getResult(0)) || typeOf(op->getResult(0)).cols != 1)
            return false;
        StringRef mnemonic = op.is("ewSub") ? "colCalcSub" : "colCalcMul";
        return replace(op->getResult(0), createOne(op.getLoc(), mnemonic, op->getOperands()));
    }

    /// What has been replaced and is used nowhere, and what was needed only for it. From the last to the first, so
    /// that uses go before definitions.
    void erase() {
        for (bool changed = true; changed;) {
            changed = false;
            for (Operation *op : llvm::to_vector(llvm::reverse(replaced)))
                if (op->use_empty()) {
                    replaced.remove(op);
                    eraseOne(op);
                    changed = true;
                }
        }
    }

    void eraseOne(Operation *op) {
        SmallVector<Operation *> operands;
        for (Value v : op->getOperands())
            if (Operation *definition = v.getDefiningOp(); definition && !llvm::is_contained(operands, definition))
                operands.push_back(definition);
        op->erase();
        for (Operation *definition : operands)
            if (definition->use_empty() && !replaced.contains(definition) && !ir::mustKeep(definition))
                eraseOne(definition);
    }

    ModuleOp module;
    Splitting splitting;
    OpBuilder builder{module.getContext()};
    llvm::SetVector<Operation *> replaced; ///< their work is done by column operators: dropped where nobody uses them
    llvm::DenseMap<Value, Value> positionsOf;
    llvm::DenseMap<std::pair<Value, Value>, Value> fetchedAt; ///< by column and positions
    struct ColumnKey {
        Value frame;
        std::string label;
        bool operator<(const ColumnKey &o) const {
            return std::pair(frame.getAsOpaquePointer(), label) < std::pair(o.frame.getAsOpaquePointer(), o.label);
        }
    };
    std::map<ColumnKey, Value> columnOf;
};

} // namespace

void lowerToColumns(ModuleOp module, Splitting splitting) { Lowering(module, splitting).run(); }

} // namespace daphne::transforms
