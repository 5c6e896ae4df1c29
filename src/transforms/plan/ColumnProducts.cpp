// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/ColumnProducts.h"

#include <set>

#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

using Labels = std::set<std::string>;

bool knowsColumns(Value frame) {
    TypeDesc t = typeOf(frame);
    return t.schema && t.schema->labels.size() == t.schema->types.size();
}

Labels labelsOf(Value frame) {
    TypeDesc t = typeOf(frame);
    return {t.schema->labels.begin(), t.schema->labels.end()};
}

bool areAllIn(const Labels &labels, const Labels &of) {
    return std::includes(of.begin(), of.end(), labels.begin(), labels.end());
}

class ProductFilter {
  public:
    ProductFilter(ColumnBuilder &builder, Location loc, Value product)
        : builder(builder), loc(loc), product(withoutAdapt(product)) {}

    Value run(Value bits) {
        SmallVector<Value> parts;
        conjuncts(bits, parts);
        for (Value part : parts) {
            Labels labels;
            looked.clear();
            if (!collect(part, labels))
                return {};
            conditions.push_back({part, std::move(labels)});
        }
        if (!isJoined(product, conditions))
            return {};
        Value result = filtered(product, conditions);
        dropExpression(bits);
        dropProducts(product);
        return result;
    }

  private:
    struct Condition {
        Value bits;
        Labels labels; ///< of the columns it is about
    };
    using Conditions = std::vector<Condition>;

    struct Sides {
        Value left, right;
        Conditions onLeft, onRight, equalities, rest;
    };

    void conjuncts(Value bits, SmallVector<Value> &parts) {
        DaphneOp op = definedBy(withoutAdapt(bits), "ewAnd");
        if (!op || !typeOf(op->getOperand(0)).isMatrix() || !typeOf(op->getOperand(1)).isMatrix()) {
            parts.push_back(bits);
            return;
        }
        conjuncts(op->getOperand(0), parts);
        conjuncts(op->getOperand(1), parts);
    }

    // ---- expressions over the columns of the product

    /// The label if v is a column of the product.
    std::optional<std::string> columnLabel(Value v) {
        DaphneOp cast = definedBy(withoutAdapt(v), "cast");
        DaphneOp column = cast ? definedBy(withoutAdapt(cast->getOperand(0)), "extractCol") : DaphneOp();
        if (!column || withoutAdapt(column->getOperand(0)) != product ||
            ir::castTargetOf(cast).valueType != ValueType::Unknown)
            return std::nullopt;
        auto label = constantText(column->getOperand(1));
        return label && labelsOf(product).contains(*label) ? label : std::nullopt;
    }

    /// Operations that never fail for numbers and strings of fitting types, whatever the cells.
    static bool isHarmless(DaphneOp op) {
        constexpr StringLiteral kHarmless[] = {"ewAdd", "ewSub", "ewMul",      "ewMinus",    "ewAbs", "ewMin", "ewMax",
                                               "ewAnd", "ewOr",  "colCalcSub", "colCalcMul", "like",  "cond"};
        return op.hint().empty() && op->getNumResults() == 1 &&
               (isComparisonOp(op.mnemonic()) || llvm::is_contained(kHarmless, op.mnemonic()));
    }

    /// Adds the labels an expression is about; false if it cannot be computed elsewhere.
    bool collect(Value v, Labels &labels) {
        if (auto label = columnLabel(v)) {
            labels.insert(*label);
            return true;
        }
        v = withoutAdapt(v);
        if (!looked.insert(v).second)
            return true; // a part that occurs twice
        if (typeOf(v).isScalar())
            return !definedBy(v, "numRows") && typeOf(v).valueType != ValueType::Unknown;
        DaphneOp op = ir::definingOp(v);
        return op && typeOf(v).isMatrix() && isHarmless(op) &&
               llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, labels); });
    }

    /// The same expression over the columns of another frame.
    Value moved(Value v, Value frame) {
        if (auto label = columnLabel(v))
            return builder.column(loc, frame, *label);
        v = withoutAdapt(v);
        if (typeOf(v).isScalar())
            return v;
        if (Value known = movedTo.lookup({v, frame}))
            return known;
        DaphneOp op = ir::definingOp(v);
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
            operands.push_back(moved(operand, frame));
        return movedTo[{v, frame}] = builder.createOne(loc, op.mnemonic(), operands);
    }

    /// Whatever else needs a part of it keeps that part.
    void dropExpression(Value v) {
        DaphneOp op = ir::definingOp(withoutAdapt(v));
        if (!op || !isHarmless(op) || !builder.drop(op))
            return;
        for (Value operand : op->getOperands())
            dropExpression(operand);
    }

    // ---- tables

    void dropProducts(Value frame) {
        DaphneOp op = definedBy(withoutAdapt(frame), "cartesian");
        if (!op)
            return;
        builder.drop(op);
        dropProducts(op->getOperand(0));
        dropProducts(op->getOperand(1));
    }

    bool isEquality(const Condition &c, const Labels &left, const Labels &right) {
        DaphneOp op = definedBy(withoutAdapt(c.bits), "ewEq");
        auto a = op ? columnLabel(op->getOperand(0)) : std::nullopt;
        auto b = op ? columnLabel(op->getOperand(1)) : std::nullopt;
        return a && b && ((left.contains(*a) && right.contains(*b)) || (left.contains(*b) && right.contains(*a)));
    }

    /// The two sides of a product and which condition is about which; nothing if it is none.
    std::optional<Sides> sidesOf(Value frame, const Conditions &all) {
        DaphneOp op = definedBy(withoutAdapt(frame), "cartesian");
        if (!op || !knowsColumns(op->getOperand(0)) || !knowsColumns(op->getOperand(1)))
            return std::nullopt;
        Sides s{op->getOperand(0), op->getOperand(1), {}, {}, {}, {}};
        Labels left = labelsOf(s.left), right = labelsOf(s.right);
        for (const std::string &label : left)
            if (right.contains(label))
                return std::nullopt; // fails when it is run
        for (const Condition &c : all)
            if (!c.labels.empty() && areAllIn(c.labels, left))
                s.onLeft.push_back(c);
            else if (!c.labels.empty() && areAllIn(c.labels, right))
                s.onRight.push_back(c);
            else
                (isEquality(c, left, right) ? s.equalities : s.rest).push_back(c);
        return s;
    }

    /// Some product in it becomes a join.
    bool isJoined(Value frame, const Conditions &all) {
        auto s = sidesOf(frame, all);
        return s && (!s->equalities.empty() || isJoined(s->left, s->onLeft) || isJoined(s->right, s->onRight));
    }

    Value filtered(Value frame, const Conditions &all) {
        Conditions rest = all;
        if (auto s = sidesOf(frame, all)) {
            Value left = filtered(s->left, s->onLeft), right = filtered(s->right, s->onRight);
            rest = s->rest;
            if (s->equalities.empty()) {
                frame = builder.createOne(loc, "cartesian", {left, right});
            } else {
                frame = joined(left, right, s->equalities[0]);
                rest.insert(rest.begin(), s->equalities.begin() + 1, s->equalities.end());
            }
        }
        Value positions;
        for (const Condition &c : rest) {
            Value chosen = builder.positions(moved(c.bits, frame));
            positions = positions ? builder.createOne(loc, "colIntersect", {positions, chosen}) : chosen;
        }
        return positions ? builder.createOne(loc, "colProject", {frame, positions}) : frame;
    }

    Value joined(Value left, Value right, const Condition &equality) {
        DaphneOp op = ir::definingOp(withoutAdapt(equality.bits));
        std::string a = *columnLabel(op->getOperand(0)), b = *columnLabel(op->getOperand(1));
        if (!labelsOf(left).contains(a))
            std::swap(a, b);
        return builder.join(loc, left, right, a, b);
    }

    ColumnBuilder &builder;
    Location loc;
    Value product;
    Conditions conditions;
    llvm::DenseSet<Value> looked;                           ///< parts of the condition that is being looked at
    llvm::DenseMap<std::pair<Value, Value>, Value> movedTo; ///< by expression and frame
};

} // namespace

Value joinedProduct(ColumnBuilder &builder, Location loc, Value frame, Value bits) {
    DaphneOp op = definedBy(withoutAdapt(frame), "cartesian");
    if (!op || !knowsColumns(frame))
        return {};
    return ProductFilter(builder, loc, frame).run(bits);
}

} // namespace daphne::transforms
