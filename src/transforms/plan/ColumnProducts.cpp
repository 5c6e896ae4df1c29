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

class ProductFilter {
  public:
    ProductFilter(ColumnBuilder &builder, Location loc, Value product)
        : builder(builder), loc(loc), product(withoutAdapt(product)) {}

    Value run(Value bits) {
        if (!addTables(product))
            return {};
        SmallVector<Value> parts;
        conjuncts(bits, parts);
        for (Value part : parts) {
            Condition c{part, {}, {}};
            looked.clear();
            if (!collect(part, c.labels))
                return {};
            for (size_t t = 0; t < tables.size(); ++t)
                if (llvm::any_of(c.labels, [&](const auto &label) { return tables[t].labels.contains(label); }))
                    c.tables.insert(t);
            conditions.push_back(std::move(c));
        }
        if (llvm::none_of(conditions, [&](const Condition &c) { return isEquality(c); }))
            return {};
        Value result = joined();
        dropExpression(bits);
        dropProducts(product);
        return result;
    }

  private:
    struct Condition {
        Value bits;
        Labels labels;           ///< of the columns it is about
        std::set<size_t> tables; ///< they belong to
        bool isDone = false;
    };
    struct Table {
        Value frame;
        Labels labels;
        Value rows; ///< which row of it every row of the joined tables has; null while it is the only one
        bool isJoined = false;
    };

    /// The tables of a product in their order; false if the columns are not known or two have the same label.
    bool addTables(Value frame) {
        if (DaphneOp op = definedBy(withoutAdapt(frame), "cartesian"))
            return addTables(op->getOperand(0)) && addTables(op->getOperand(1));
        if (!knowsColumns(frame))
            return false;
        Labels labels = labelsOf(frame);
        for (const Table &t : tables)
            for (const std::string &label : labels)
                if (t.labels.contains(label))
                    return false; // fails when it is run
        tables.push_back({frame, std::move(labels), {}});
        return true;
    }

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
        constexpr ops::OpName kHarmless[] = {"ewAdd",      "ewSub", "ewMul", "ewMinus", "ewAbs",
                                             "ewMin",      "ewMax", "ewAnd", "ewOr",    "colCalcSub",
                                             "colCalcMul", "like",  "cond",  "isMember"};
        return op.hint().empty() && op->getNumResults() == 1 &&
               (isComparisonOp(op.mnemonic()) || llvm::is_contained(kHarmless, op.mnemonic()));
    }

    /// What an operation needs of the product: of a membership the cells, the set is another query.
    static ValueRange cellsOf(DaphneOp op) {
        return op.is("isMember") ? ValueRange(op->getOperands()).take_front(1) : ValueRange(op->getOperands());
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
               llvm::all_of(cellsOf(op), [&](Value operand) { return collect(operand, labels); });
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
        for (Value operand : cellsOf(op))
            operands.push_back(moved(operand, frame));
        for (Value operand : op->getOperands().drop_front(operands.size()))
            operands.push_back(operand);
        return movedTo[{v, frame}] = builder.createOne(loc, op.mnemonic(), operands);
    }

    /// Whatever else needs a part of it keeps that part.
    void dropExpression(Value v) {
        DaphneOp op = ir::definingOp(withoutAdapt(v));
        if (!op || !isHarmless(op) || !builder.drop(op))
            return;
        for (Value operand : cellsOf(op))
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

    /// Of two columns of different tables.
    bool isEquality(const Condition &c) {
        DaphneOp op = definedBy(withoutAdapt(c.bits), "ewEq");
        return op && c.tables.size() == 2 && columnLabel(op->getOperand(0)) && columnLabel(op->getOperand(1));
    }

    bool areJoined(const std::set<size_t> &which) {
        return llvm::all_of(which, [&](size_t t) { return tables[t].isJoined; });
    }

    /// The rows of a frame that all conditions choose which are about the given tables and not yet done, as positions;
    /// null if there is no such condition.
    template <class F> Value chosen(Value frame, F &&isAbout) {
        Value positions;
        for (Condition &c : conditions) {
            if (c.isDone || !isAbout(c.tables))
                continue;
            c.isDone = true;
            Value rows = builder.positions(moved(c.bits, frame));
            positions = positions ? builder.createOne(loc, "colIntersect", {positions, rows}) : rows;
        }
        return positions;
    }

    Value rowsAt(Value frame, Value positions) { return builder.createOne(loc, "colProject", {frame, positions}); }

    /// An equality of a table with those joined so far; null if there is none.
    Condition *equalityWith(size_t t) {
        for (Condition &c : conditions)
            if (!c.isDone && c.tables.contains(t) && isEquality(c) &&
                llvm::all_of(c.tables, [&](size_t other) { return other == t || tables[other].isJoined; }))
                return &c;
        return nullptr;
    }

    /// Tables are joined from the first one along equalities; without one, the next is paired with all rows.
    Value joined() {
        for (size_t t = 0; t < tables.size(); ++t)
            if (Value rows = chosen(tables[t].frame, [&](const auto &about) { return about == std::set<size_t>{t}; }))
                tables[t].frame = rowsAt(tables[t].frame, rows);
        Value frame = tables[0].frame;
        tables[0].isJoined = true;
        bool inOrder = true;
        for (size_t count = 1; count < tables.size(); ++count) {
            size_t next = tables.size();
            for (size_t t = tables.size(); t-- > 1;)
                if (!tables[t].isJoined && (next == tables.size() || equalityWith(t) || !equalityWith(next)))
                    next = t;
            inOrder &= next == count;
            frame = joinedWith(frame, next);
            if (Value rows = chosen(frame, [&](const auto &about) { return areJoined(about); }))
                frame = chooseRows(frame, rows);
        }
        return inOrder ? frame : sorted(frame);
    }

    Value joinedWith(Value frame, size_t next) {
        Table &t = tables[next];
        Condition *equality = equalityWith(next);
        ValueRange rows;
        if (equality) {
            equality->isDone = true;
            DaphneOp op = ir::definingOp(withoutAdapt(equality->bits));
            std::string a = *columnLabel(op->getOperand(0)), b = *columnLabel(op->getOperand(1));
            if (t.labels.contains(a))
                std::swap(a, b);
            rows = builder.create(loc, "colJoin", {builder.column(loc, frame, a), builder.column(loc, t.frame, b)});
        } else {
            rows = allPairs(frame, t.frame);
        }
        Value both = builder.paired(loc, frame, rows[0], t.frame, rows[1]);
        for (Table &other : tables)
            if (other.isJoined)
                other.rows = other.rows ? rowsAt(other.rows, rows[0]) : rows[0];
        t.rows = rows[1];
        t.isJoined = true;
        return both;
    }

    /// Of a join of columns that are 0 everywhere.
    ValueRange allPairs(Value left, Value right) {
        SmallVector<Value> zeros;
        for (Value frame : {left, right}) {
            Value zero = builder.constant(loc, {.type = ValueType::SI64}),
                  rows = builder.createOne(loc, "numRows", frame);
            zeros.push_back(
                builder.createOne(loc, "fill", {zero, rows, builder.constant(loc, {.type = ValueType::SI64, .i = 1})}));
        }
        return builder.create(loc, "colJoin", zeros);
    }

    Value chooseRows(Value frame, Value rows) {
        for (Table &t : tables)
            if (t.isJoined)
                t.rows = rowsAt(t.rows, rows);
        return rowsAt(frame, rows);
    }

    /// In the order of the product: by the rows of the first table, then of the second ...
    Value sorted(Value frame) {
        SmallVector<Value> rows, keys, ascending;
        std::vector<std::string> labels;
        for (size_t t = 0; t < tables.size(); ++t) {
            rows.push_back(tables[t].rows);
            labels.push_back("rows" + std::to_string(t));
            keys.push_back(builder.constant(loc, {.type = ValueType::SI64, .i = static_cast<int64_t>(t)}));
            ascending.push_back(builder.constant(loc, {.type = ValueType::Bool, .i = 1}));
        }
        SmallVector<Value> operands{builder.frame(loc, rows, labels)};
        operands.append(keys);
        operands.append(ascending);
        operands.push_back(builder.constant(loc, {.type = ValueType::Bool, .i = 1})); // positions, not rows
        return rowsAt(frame, builder.createOne(loc, "order", operands));
    }

    ColumnBuilder &builder;
    Location loc;
    Value product;
    std::vector<Table> tables;
    std::vector<Condition> conditions;
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
