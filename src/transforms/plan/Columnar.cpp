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

#include "transforms/plan/ColumnProducts.h"
#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

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

/// A sum of truth values counts rows; it has no columnar form.
bool isTruth(Value v) {
    DaphneOp op = ir::definingOp(withoutAdapt(v));
    return op && (isComparisonOp(op.mnemonic()) || op.is("ewAnd") || op.is("ewOr"));
}

class Lowering {
  public:
    Lowering(ModuleOp module, Splitting splitting)
        : module(module), splitting(splitting), builder(module.getContext()) {}

    void run() {
        SmallVector<DaphneOp> operations;
        module.walk([&](DaphneOp op) {
            if (op.hint().empty())
                operations.push_back(op);
        });
        // In the order of the program: operands have been replaced before their users are looked at.
        for (DaphneOp op : operations) {
            builder.before(op);
            for (Value result : op->getResults()) // from operands to results, so that no question goes deep
                builder.sources.isColumn(result);
            if (lower(op))
                builder.drop(op);
        }
        builder.eraseDropped();
    }

  private:
    bool lower(DaphneOp op) {
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

    bool replace(DaphneOp op, Value by) {
        builder.replace(op->getResult(0), by);
        return true;
    }

    /// A frame with one column, as a matrix, becomes that column.
    bool lowerCast(DaphneOp op) {
        Value frame = op->getOperand(0);
        TypeDesc target = ir::castTargetOf(op), from = typeOf(frame);
        if (target.kind != ops::Kind::Matrix || target.valueType != ValueType::Unknown || !from.isFrame() ||
            from.cols != 1)
            return false;
        std::optional<std::string> label;
        if (from.schema && from.schema->labels.size() == 1)
            label = from.schema->labels[0];
        else if (DaphneOp column = definedBy(withoutAdapt(frame), "extractCol"))
            label = constantText(column->getOperand(1));
        return label && builder.isFoundBelow(frame, *label) && replace(op, builder.column(op.getLoc(), frame, *label));
    }

    /// Of a projection: of its positions, so that its columns need not be fetched. Not asked for, it must not keep a
    /// product alive that has become a join.
    bool lowerNumRows(DaphneOp op) {
        if (op->use_empty())
            return true;
        Value rows = builder.sources.rowsOf(op->getOperand(0));
        DaphneOp maker = ir::definingOp(rows);
        bool isList = maker && rows != op->getOperand(0) && maker.mnemonic().starts_with("col");
        return isList && replace(op, builder.createOne(op.getLoc(), "numRows", rows));
    }

    bool lowerFilter(DaphneOp op) {
        Value data = op->getOperand(0), bits = op->getOperand(1);
        TypeDesc type = typeOf(data), bitsType = typeOf(bits);
        bool isRelational =
            type.isFrame() || (type.isMatrix() && (builder.sources.isColumn(data) || builder.sources.isColumn(bits)));
        if (!isRelational || !bitsType.isMatrix() || bitsType.valueType == ValueType::Str)
            return false;
        if (Value rows = joinedProduct(builder, op.getLoc(), data, bits))
            return replace(op, rows);
        SmallVector<Value> operands{data, builder.positions(bits)};
        if (!builder.sources.haveSameRows(data, bits))
            operands.push_back(builder.createOne(op.getLoc(), "numRows", builder.lengthOf(bits)));
        return replace(op, builder.createOne(op.getLoc(), "colProject", operands));
    }

    bool lowerJoin(DaphneOp op) {
        Value l = op->getOperand(0), r = op->getOperand(1);
        auto leftOn = constantText(op->getOperand(2)), rightOn = constantText(op->getOperand(3));
        return leftOn && rightOn && !shareLabels(l, r) &&
               replace(op, builder.join(op.getLoc(), l, r, *leftOn, *rightOn));
    }

    bool lowerSemiJoin(DaphneOp op) {
        auto leftOn = constantText(op->getOperand(2)), rightOn = constantText(op->getOperand(3));
        if (!leftOn || !rightOn)
            return false;
        Location loc = op.getLoc();
        Value keys = builder.column(loc, op->getOperand(0), *leftOn);
        Value rows = builder.createOne(loc, "colSemiJoin", {keys, builder.column(loc, op->getOperand(1), *rightOn)});
        Value matching = builder.createOne(loc, "colProject", {keys, rows});
        builder.replace(op->getResult(1), rows);
        return replace(op, builder.frame(loc, matching, *leftOn));
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
            keys.push_back(builder.column(loc, frame, label));
        ValueRange groups = builder.create(loc, "colGroupFirst", keys[0]);
        for (Value key : ArrayRef(keys).drop_front())
            groups = builder.create(loc, "colGroupNext", {groups[0], groups[1], key});
        for (Value key : keys)
            columns.push_back(builder.createOne(loc, "colProject", {key, groups[1]}));
        Value split = builder.constant(loc, {.type = ValueType::Bool, .i = splitting == Splitting::Optimistic});
        for (const std::string &label : grouping->summed)
            columns.push_back(
                builder.createOne(loc, "colSumGrp", {builder.column(loc, frame, label), groups[0], groups[1], split}));
        return replace(op, builder.frame(loc, columns, labels));
    }

    // ---- sums and arithmetic

    bool lowerSum(DaphneOp op) {
        Value cells = op->getOperand(0);
        return builder.sources.isColumn(cells) && !isTruth(cells) &&
               replace(op, builder.createOne(op.getLoc(), "colSumAll", cells));
    }

    bool lowerArithmetic(DaphneOp op) {
        ops::OpName mnemonic = op.is("ewSub") ? ops::OpName("colCalcSub") : ops::OpName("colCalcMul");
        Value result = op->getResult(0);
        return builder.sources.isColumn(result) && typeOf(result).cols == 1 &&
               replace(op, builder.createOne(op.getLoc(), mnemonic, op->getOperands()));
    }

    ModuleOp module;
    Splitting splitting;
    ColumnBuilder builder;
};

} // namespace

void lowerToColumns(ModuleOp module, Splitting splitting) { Lowering(module, splitting).run(); }

} // namespace daphne::transforms
