// SPDX-License-Identifier: Apache-2.0
/// Joins, filters, projections and groups become query blocks, which decide at run
/// time how they are joined and do everything in as few passes as possible. What
/// several blocks need is a block of its own.
#include "transforms/Passes.h"

#include "transforms/plan/QueryExtraction.h"
#include "transforms/plan/QueryPlanText.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::QueryBlock;
using ops::TypeDesc;
using Columns = QueryExtraction::Columns;
using Operations = llvm::DenseSet<Operation *>;

namespace {

std::optional<std::string> textConstant(Value v) {
    auto c = ir::constantOf(v);
    return c && c->type == ValueType::Str ? std::optional(c->s) : std::nullopt;
}

/// Joins and filters that op needs. A product is never computed for the sake of sharing it: every block joins by
/// conditions of its own.
void rowsBehind(Operation *op, const Operations &taken, Operations &found) {
    if (QueryExtraction::makesRows(op) && !ir::asOp(op, "cartesian")) {
        found.insert(op);
        return;
    }
    for (Value v : op->getOperands())
        if (Operation *definition = v.getDefiningOp(); definition && taken.contains(definition))
            rowsBehind(definition, taken, found);
}

/// Operations that would have to be run although the block has done their work, because others use them.
Operations neededElsewhere(const QueryExtraction &e, const Operations &own) {
    Operations needed;
    for (Operation *op : e.twice)
        rowsBehind(op, e.taken, needed);
    for (Operation *op : e.taken) {
        if (own.contains(op))
            continue;
        for (Operation *user : op->getUsers())
            if (!e.taken.contains(user) && !own.contains(user))
                rowsBehind(op, e.taken, needed);
    }
    for (Operation *op : own)
        needed.erase(op);
    return needed;
}

void eraseUnused(Operations ops) {
    for (bool changed = true; changed;) {
        changed = false;
        for (Operation *op : llvm::to_vector(ops))
            if (op->use_empty()) {
                ops.erase(op);
                op->erase();
                changed = true;
            }
    }
}

Value createBlock(Operation *root, QueryExtraction &e) {
    e.block.dropUnused();
    OpBuilder b(root);
    SmallVector<Value> operands{ir::makeConstant(b, root->getLoc(), {.type = ValueType::Str, .s = e.block.text()})};
    operands.append(e.sources.begin(), e.sources.end());
    operands.append(e.scalars.begin(), e.scalars.end());
    auto schema = std::make_shared<ops::FrameSchema>(e.block.schema());
    auto cols = static_cast<int64_t>(schema->labels.size());
    Type type = ir::toIrType(root->getContext(), TypeDesc::frame(schema, -1, cols));
    std::vector<int64_t> rows;
    for (Value source : e.sources)
        rows.push_back(typeOf(source).rows);
    SmallVector<Attribute> plan;
    for (const std::string &line : planText(e.block, rows))
        plan.push_back(b.getStringAttr(line));
    NamedAttribute attribute = b.getNamedAttr("plan", b.getArrayAttr(plan));
    return ir::createOp(b, root->getLoc(), "queryBlock", operands, type, attribute)->getResult(0);
}

void replace(Value old, Value by, OpBuilder &b) {
    if (old.getType() != by.getType())
        by = ir::createOp(b, old.getLoc(), "adapt", by, old.getType())->getResult(0);
    old.replaceAllUsesWith(by);
}

// --------------------------------------------------------------------- groups

bool addAggregates(DaphneOp op, size_t numKeys, const Columns &columns, QueryExtraction &e) {
    const ops::FrameSchema schema = *typeOf(op->getResult(0)).schema;
    for (size_t i = 2 + numKeys, k = numKeys; i + 2 < op->getNumOperands(); i += 3, ++k) {
        auto function = textConstant(op->getOperand(i)), label = textConstant(op->getOperand(i + 1)),
             mask = textConstant(op->getOperand(i + 2));
        if (!function || !label || !mask || !ops::isBlockAggregate(*function))
            return false;
        auto node = columns.find(*label), maskNode = columns.find(*mask);
        if (!node || (!mask->empty() && !maskNode))
            return false;
        ValueType type = e.block.nodes[*node].type;
        bool isUnsigned = type == ValueType::UI64 || type == ValueType::Size;
        QueryBlock::Aggregate a{*function, schema.labels[k], schema.types[k], *node};
        if (*function == "COUNT")
            a.node = QueryBlock::kNoNode;
        else if (!isNumeric(type) || (isUnsigned && *function != "SUM"))
            return false;
        if (!mask->empty()) {
            if (!isNumeric(e.block.nodes[*maskNode].type))
                return false;
            a.mask = *maskNode;
        }
        e.block.aggregates.push_back(std::move(a));
    }
    return true;
}

/// The group's input as a block, if it can be one.
bool extractGroupSum(DaphneOp op, QueryExtraction &e) {
    TypeDesc type = typeOf(op->getResult(0));
    size_t numKeys = op->getNumOperands() - 2;
    if (!type.schema || type.schema->labels.size() != numKeys + 1 || type.schema->types.size() != numKeys + 1)
        return false;
    auto columns = e.relation(op->getOperand(0));
    if (!columns)
        return false;
    e.block.isGrouped = true;
    for (size_t k = 0; k <= numKeys; ++k) {
        auto label = textConstant(op->getOperand(1 + static_cast<unsigned>(k)));
        auto node = label ? columns->find(*label) : std::nullopt;
        if (!node)
            return false;
        if (k < numKeys)
            e.block.outputs.push_back({type.schema->labels[k], *node});
        else if (isNumeric(e.block.nodes[*node].type))
            e.block.aggregates.push_back({"SUM", type.schema->labels[k], type.schema->types[k], *node});
        else
            return false;
    }
    auto labels = type.schema->labels;
    llvm::sort(labels);
    return std::unique(labels.begin(), labels.end()) == labels.end(); // else it fails when it is run
}

bool extractGroup(DaphneOp op, QueryExtraction &e) {
    if (op.is("groupSum"))
        return extractGroupSum(op, e);
    auto numKeys = ir::constantOf(op->getOperand(1));
    TypeDesc type = typeOf(op->getResult(0));
    if (!numKeys || !type.schema || type.schema->labels.size() != type.schema->types.size())
        return false;
    auto n = static_cast<size_t>(numKeys->asInt());
    auto columns = n > 0 && n + 2 <= op->getNumOperands() ? e.relation(op->getOperand(0)) : std::nullopt;
    if (!columns || type.schema->labels.size() != n + (op->getNumOperands() - 2 - n) / 3)
        return false;
    e.block.isGrouped = true;
    for (size_t k = 0; k < n; ++k) {
        auto label = textConstant(op->getOperand(2 + static_cast<unsigned>(k)));
        auto node = label ? columns->find(*label) : std::nullopt;
        if (!node || type.schema->labels[k] != *label)
            return false;
        e.block.outputs.push_back({*label, *node});
    }
    return addAggregates(op, n, *columns, e);
}

bool isGroup(DaphneOp op) { return op.is("group") || op.is("groupSum"); }

bool planGroup(DaphneOp op) {
    Operations boundaries;
    while (true) {
        QueryExtraction e(op, boundaries);
        if (!extractGroup(op, e))
            return false;
        Operations more = neededElsewhere(e, {op});
        if (more.empty()) {
            OpBuilder b(op);
            replace(op->getResult(0), createBlock(op, e), b);
            Operations dead = e.taken;
            dead.insert(op);
            eraseUnused(std::move(dead));
            return true;
        }
        boundaries.insert(more.begin(), more.end());
    }
}

// ----------------------------------------------------------------------- rows

/// Expressions over the columns of a frame that somebody else uses.
struct Uses {
    bool wholeFrame = false;
    Operations expressions;           ///< everything computed from the columns inside the block
    SmallVector<Value> outputs;       ///< columns used elsewhere
    SmallVector<size_t> nodes;        ///< of the outputs
    SmallVector<Operation *> lengths; ///< numRows of the frame
};

bool isOnlyForColumns(Value frame) {
    for (Operation *user : frame.getUsers()) {
        auto op = dyn_cast<DaphneOp>(user);
        if (!op || !op.hint().empty() || user->getBlock() != frame.getDefiningOp()->getBlock())
            return false;
        bool isColumn = op.is("extractCol") && textConstant(op->getOperand(1));
        bool isCast = isColumn && llvm::all_of(user->getUsers(), [&](Operation *u) {
                          auto cast = ir::asOp(u, "cast");
                          return cast && typeOf(u->getResult(0)).isMatrix() && u->getBlock() == user->getBlock();
                      });
        if (!op.is("numRows") && !isCast)
            return false;
    }
    return true;
}

Uses usesOf(Value frame, const Columns &columns, QueryExtraction &e) {
    Uses uses;
    if (!isOnlyForColumns(frame)) {
        uses.wholeFrame = true;
        return uses;
    }
    // From the columns upwards, as long as blocks can compute it.
    SmallVector<Value> work;
    llvm::DenseMap<Value, size_t> nodeOf;
    for (Operation *user : frame.getUsers()) {
        if (ir::asOp(user, "numRows")) {
            uses.lengths.push_back(user);
            continue;
        }
        uses.expressions.insert(user);
        for (Operation *cast : user->getUsers())
            work.push_back(cast->getResult(0));
    }
    SmallVector<Value> found;
    while (!work.empty()) {
        Value v = work.pop_back_val();
        if (nodeOf.contains(v))
            continue;
        auto node = e.expression(v, frame, columns);
        if (!node)
            continue;
        nodeOf[v] = *node;
        found.push_back(v);
        uses.expressions.insert(v.getDefiningOp());
        for (Operation *user : v.getUsers())
            if (auto op = dyn_cast<DaphneOp>(user);
                op && user->getNumResults() == 1 && typeOf(user->getResult(0)).isMatrix())
                work.push_back(user->getResult(0));
    }
    for (Operation *user : frame.getUsers()) // a column that blocks cannot give
        if (!ir::asOp(user, "numRows"))
            for (Operation *cast : user->getUsers())
                uses.wholeFrame |= !nodeOf.contains(cast->getResult(0));
    for (Value v : found)
        if (llvm::any_of(v.getUsers(), [&](Operation *u) { return !uses.expressions.contains(u); })) {
            uses.outputs.push_back(v);
            uses.nodes.push_back(nodeOf[v]);
        }
    return uses;
}

bool planRows(DaphneOp op) {
    Operations boundaries;
    Value frame = op->getResult(0);
    while (true) {
        QueryExtraction e(op, boundaries);
        auto columns = e.relation(frame);
        if (!columns || !e.taken.contains(op))
            return false;
        Operations own{op};
        Operations needed = neededElsewhere(e, own);
        if (!needed.empty()) {
            boundaries.insert(needed.begin(), needed.end());
            continue;
        }
        Uses uses = usesOf(frame, *columns, e);
        if (uses.wholeFrame || (uses.outputs.empty() && uses.lengths.empty())) {
            for (size_t c = 0; c < columns->labels.size(); ++c)
                e.block.outputs.push_back({columns->labels[c], columns->nodes[c]});
            OpBuilder b(op);
            replace(frame, createBlock(op, e), b);
            Operations dead = e.taken;
            eraseUnused(std::move(dead));
            return true;
        }
        for (size_t k = 0; k < uses.nodes.size(); ++k)
            e.block.outputs.push_back({"c" + std::to_string(k), uses.nodes[k]});
        if (uses.nodes.empty()) // only the number of rows is wanted
            e.block.outputs.push_back({"c0", e.block.add({.type = ValueType::SI64})});
        Value result = createBlock(op, e);
        OpBuilder b(op);
        for (size_t k = 0; k < uses.outputs.size(); ++k) {
            Value old = uses.outputs[k];
            Value label = ir::makeConstant(b, op->getLoc(), {.type = ValueType::Str, .s = "c" + std::to_string(k)});
            auto schema = std::make_shared<ops::FrameSchema>();
            schema->labels = {"c" + std::to_string(k)};
            schema->types = {typeOf(old).valueType};
            Value column = ir::createOp(b, op->getLoc(), "extractCol", {result, label},
                                        ir::toIrType(b.getContext(), TypeDesc::frame(schema, -1, 1)))
                               ->getResult(0);
            TypeDesc type = TypeDesc::matrix(typeOf(old).valueType, -1, 1);
            NamedAttribute attributes[] = {
                b.getNamedAttr(ir::kTargetKind, b.getI64IntegerAttr(static_cast<int64_t>(ops::Kind::Matrix))),
                b.getNamedAttr(ir::kValue, b.getI64IntegerAttr(static_cast<int64_t>(ValueType::Unknown)))};
            Value cells = ir::createOp(b, op->getLoc(), "cast", column, ir::toIrType(b.getContext(), type), attributes)
                              ->getResult(0);
            if (cells.getType() != old.getType())
                cells = ir::createOp(b, op->getLoc(), "adapt", cells, old.getType())->getResult(0);
            old.replaceUsesWithIf(cells, [&](OpOperand &use) { return !uses.expressions.contains(use.getOwner()); });
        }
        for (Operation *length : uses.lengths)
            length->setOperand(0, result);
        Operations dead = e.taken;
        dead.insert(uses.expressions.begin(), uses.expressions.end());
        for (Operation *length : uses.lengths)
            dead.erase(length);
        eraseUnused(std::move(dead));
        return true;
    }
}

// -------------------------------------------------------------------- columns

/// The column that a made frame has under a label; null if that is not known.
Value columnOfMade(Value frame, StringRef label) {
    DaphneOp made = definedBy(withoutAdapt(frame), "createFrame");
    if (!made || made->getNumOperands() % 2 != 0)
        return {};
    unsigned n = made->getNumOperands() / 2;
    for (unsigned c = 0; c < n; ++c)
        if (auto text = textConstant(made->getOperand(n + c)); text && *text == label)
            return made->getOperand(c);
    return {};
}

/// Whether the columns are those of one block, so that making a frame of them cannot fail.
bool isMadeOfOneBlock(DaphneOp made) {
    unsigned n = made->getNumOperands() / 2;
    Value block;
    llvm::DenseSet<StringRef> labels;
    for (unsigned c = 0; c < n; ++c) {
        DaphneOp cast = definedBy(withoutAdapt(made->getOperand(c)), "cast");
        DaphneOp column = cast ? definedBy(withoutAdapt(cast->getOperand(0)), "extractCol") : DaphneOp();
        Value from = column ? withoutAdapt(column->getOperand(0)) : Value();
        auto label = ir::asOp(made->getOperand(n + c).getDefiningOp(), "constant");
        if (!from || !label || !definedBy(from, "queryBlock") || (block && block != from))
            return false;
        block = from;
        auto text = dyn_cast<StringAttr>(label->getAttr(ir::kValue));
        if (!text || !labels.insert(text.getValue()).second)
            return false;
    }
    return n > 0 && made->getNumOperands() == 2 * n;
}

/// Columns that go from a query to matrix operations need no frame in between.
void forwardColumns(ModuleOp module) {
    SmallVector<DaphneOp> frames;
    module.walk([&](DaphneOp op) {
        if (op.is("createFrame") && op.hint().empty() && isMadeOfOneBlock(op))
            frames.push_back(op);
    });
    for (DaphneOp frame : frames) {
        Operations dead;
        for (Operation *user : llvm::to_vector(frame->getResult(0).getUsers())) {
            if (ir::asOp(user, "numRows"))
                user->setOperand(0, frame->getOperand(0));
            DaphneOp column = ir::asOp(user, "extractCol");
            auto label = column ? textConstant(column->getOperand(1)) : std::nullopt;
            Value cells = label ? columnOfMade(frame->getResult(0), *label) : Value();
            if (!cells)
                continue;
            for (Operation *cast : llvm::to_vector(user->getUsers()))
                if (ir::asOp(cast, "cast") && typeOf(cast->getResult(0)).isMatrix())
                    cast->setOperand(0, cells);
            dead.insert(user);
        }
        dead.insert(frame);
        eraseUnused(std::move(dead));
    }
}

} // namespace

void planQueries(ModuleOp module) {
    eliminateDeadOps(module); // what nobody uses must not keep frames alive
    // Users first: they take what they need into their blocks.
    for (bool changed = true; changed;) {
        changed = false;
        SmallVector<DaphneOp> open;
        module.walk([&](DaphneOp op) {
            if (op.hint().empty() && (isGroup(op) || QueryExtraction::makesRows(op)))
                open.push_back(op);
        });
        for (DaphneOp op : llvm::reverse(open)) {
            if (isGroup(op) ? planGroup(op) : planRows(op)) {
                changed = true;
                break; // others may be gone
            }
        }
    }
    forwardColumns(module);
}

} // namespace daphne::transforms
