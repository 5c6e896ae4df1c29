// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/QueryExtraction.h"

#include <algorithm>

#include "base/Calendar.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::QueryBlock;
using ops::TypeDesc;
using Kind = QueryBlock::NodeKind;
using Node = QueryBlock::Node;

namespace {

std::optional<std::string> textConstant(Value v) {
    auto c = ir::constantOf(v);
    return c && c->type == ValueType::Str ? std::optional(c->s) : std::nullopt;
}

bool is64BitUnsigned(ValueType t) { return t == ValueType::UI64 || t == ValueType::Size; }

/// Numbers of both types compare in a block as they do after promotion.
bool areComparable(ValueType a, ValueType b) {
    if (a == ValueType::Unknown || b == ValueType::Unknown || (a == ValueType::Str) != (b == ValueType::Str))
        return false;
    if (a == b)
        return !is64BitUnsigned(a);
    if (isTime(a) || isTime(b))
        return false;
    if (is64BitUnsigned(a) || is64BitUnsigned(b))
        return false;
    // An integer promoted to f32 may be rounded.
    return mostGeneral(a, b) != ValueType::F32;
}

/// Comparisons that hold for bits: keys of joins.
bool areKeys(ValueType a, ValueType b) { return areComparable(a, b) || (a == b && is64BitUnsigned(a)); }

bool isComparison(std::string_view mnemonic) {
    return ops::isOneOf(mnemonic, {"ewEq", "ewNeq", "ewLt", "ewLe", "ewGt", "ewGe"});
}

} // namespace

Value withoutAdapt(Value v) {
    while (DaphneOp adapt = ir::asOp(v.getDefiningOp(), "adapt"))
        v = adapt->getOperand(0);
    return v;
}

bool QueryExtraction::makesRows(Operation *op) {
    auto daphne = dyn_cast_or_null<DaphneOp>(op);
    if (!daphne || !daphne.hint().empty() || op->getNumResults() != 1 || !typeOf(op->getResult(0)).isFrame())
        return false;
    return daphne.is("filterRow") || daphne.is("innerJoin") || daphne.is("thetaJoin") || daphne.is("cartesian");
}

std::optional<size_t> QueryExtraction::Columns::find(StringRef label) const {
    auto found = std::find(labels.begin(), labels.end(), label);
    return found == labels.end() ? std::nullopt : std::optional(nodes[static_cast<size_t>(found - labels.begin())]);
}

void QueryExtraction::restore(State s) {
    block = std::move(s.block);
    sources.truncate(s.numSources);
    scalars.truncate(s.numScalars);
    taken = std::move(s.taken);
}

// --------------------------------------------------------------------- frames

std::optional<QueryExtraction::Columns> QueryExtraction::source(Value frame) {
    TypeDesc type = typeOf(frame);
    if (!type.isFrame() || !type.schema || type.schema->labels.size() != type.schema->types.size())
        return std::nullopt;
    Columns columns;
    for (size_t c = 0; c < type.schema->labels.size(); ++c) {
        if (type.schema->types[c] == ValueType::Unknown)
            return std::nullopt;
        columns.labels.push_back(type.schema->labels[c]);
        columns.nodes.push_back(block.add({.kind = Kind::Column,
                                           .type = type.schema->types[c],
                                           .name = type.schema->labels[c],
                                           .source = sources.size()}));
    }
    block.sources.push_back(alias.empty() ? "table" + std::to_string(sources.size()) : alias);
    sources.push_back(frame);
    return columns;
}

std::optional<QueryExtraction::Columns> QueryExtraction::relation(Value frame) {
    auto op = dyn_cast_or_null<DaphneOp>(withoutAdapt(frame).getDefiningOp());
    if (op && op.hint().empty() && !boundaries.contains(op) && op->getBlock() == root->getBlock()) {
        State before = state();
        if (auto columns = made(op)) {
            if (makesRows(op) && before.taken.contains(op))
                twice.insert(op);
            taken.insert(op);
            return columns;
        }
        restore(std::move(before));
    }
    return source(frame);
}

std::optional<QueryExtraction::Columns> QueryExtraction::made(DaphneOp op) {
    if (op.is("createFrame"))
        return projection(op);
    if (!makesRows(op))
        return std::nullopt;
    return op.is("filterRow") ? filter(op) : join(op);
}

namespace {

/// The frame whose columns an expression is about; null if there is none or more than one. Operations in `seen` have
/// been asked already.
Value frameOf(Value v, llvm::DenseSet<Operation *> &seen) {
    v = withoutAdapt(v);
    auto op = dyn_cast_or_null<DaphneOp>(v.getDefiningOp());
    if (!op || !seen.insert(op).second)
        return {};
    if (op.is("extractCol") || op.is("numRows"))
        return op->getOperand(0);
    if (op.is("queryBlock") || op.is("group") || QueryExtraction::makesRows(op) || op.is("createFrame"))
        return {};
    Value frame;
    for (Value operand : op->getOperands())
        if (Value other = frameOf(operand, seen)) {
            if (frame && withoutAdapt(frame) != withoutAdapt(other))
                return {};
            frame = other;
        }
    return frame;
}

} // namespace

/// Columns computed from those of one frame, under other labels.
std::optional<QueryExtraction::Columns> QueryExtraction::projection(DaphneOp op) {
    size_t n = op->getNumOperands() / 2;
    if (op->getNumOperands() != 2 * n || n == 0)
        return std::nullopt;
    Value frame;
    llvm::DenseSet<Operation *> seen;
    for (size_t c = 0; c < n; ++c)
        if (Value other = frameOf(op->getOperand(c), seen)) {
            if (frame && withoutAdapt(frame) != withoutAdapt(other))
                return std::nullopt;
            frame = other;
        }
    if (!frame || !typeOf(frame).isFrame())
        return std::nullopt;
    auto firstLabel = textConstant(op->getOperand(n));
    if (firstLabel && firstLabel->find('.') != std::string::npos)
        alias = firstLabel->substr(0, firstLabel->find('.'));
    auto inner = relation(frame);
    alias.clear();
    if (!inner)
        return std::nullopt;
    Columns columns;
    for (size_t c = 0; c < n; ++c) {
        auto label = textConstant(op->getOperand(n + c));
        auto node = expression(op->getOperand(c), frame, *inner);
        if (!label || !node || columns.find(*label) || typeOf(op->getOperand(c)).isScalar())
            return std::nullopt;
        columns.labels.push_back(*label);
        columns.nodes.push_back(*node);
    }
    return columns;
}

/// A conjunction becomes several conditions.
bool QueryExtraction::addCondition(size_t node) {
    const Node n = block.nodes[node];
    if (n.type == ValueType::Str)
        return false;
    if (n.kind == Kind::Call && ops::isNamed(n.name, "ewAnd"))
        return addCondition(n.operands[0]) && addCondition(n.operands[1]);
    if (!llvm::is_contained(block.conditions, node))
        block.conditions.push_back(node);
    return true;
}

std::optional<QueryExtraction::Columns> QueryExtraction::filter(DaphneOp op) {
    auto columns = relation(op->getOperand(0));
    if (!columns)
        return std::nullopt;
    auto bits = expression(op->getOperand(1), op->getOperand(0), *columns);
    if (!bits || !addCondition(*bits))
        return std::nullopt;
    return columns;
}

std::optional<QueryExtraction::Columns> QueryExtraction::join(DaphneOp op) {
    auto left = relation(op->getOperand(0));
    auto right = left ? relation(op->getOperand(1)) : std::nullopt;
    if (!right)
        return std::nullopt;
    for (const std::string &label : right->labels)
        if (left->find(label))
            return std::nullopt; // fails when it is run
    struct Condition {
        std::optional<std::string> left, compare, right;
    };
    std::vector<Condition> conditions;
    if (op.is("innerJoin"))
        conditions.push_back({textConstant(op->getOperand(2)), "=", textConstant(op->getOperand(3))});
    if (op.is("thetaJoin"))
        for (unsigned i = 2; i + 2 < op->getNumOperands(); i += 3)
            conditions.push_back({textConstant(op->getOperand(i)), textConstant(op->getOperand(i + 1)),
                                  textConstant(op->getOperand(i + 2))});
    static const std::map<std::string, std::string> kMnemonics = {{"=", "ewEq"},   {"==", "ewEq"}, {"<>", "ewNeq"},
                                                                  {"!=", "ewNeq"}, {"<", "ewLt"},  {"<=", "ewLe"},
                                                                  {">", "ewGt"},   {">=", "ewGe"}};
    for (const Condition &c : conditions) {
        if (!c.left || !c.compare || !c.right || !kMnemonics.contains(*c.compare))
            return std::nullopt;
        auto l = left->find(*c.left), r = right->find(*c.right);
        auto node = l && r ? compare(kMnemonics.at(*c.compare), *l, *r) : std::nullopt;
        if (!node || !addCondition(*node))
            return std::nullopt;
    }
    left->labels.insert(left->labels.end(), right->labels.begin(), right->labels.end());
    left->nodes.insert(left->nodes.end(), right->nodes.begin(), right->nodes.end());
    return left;
}

// ---------------------------------------------------------------- expressions

std::optional<size_t> QueryExtraction::scalar(Value v) {
    TypeDesc type = typeOf(v);
    if (type.valueType == ValueType::Unknown || is64BitUnsigned(type.valueType))
        return std::nullopt;
    if (auto constant = ir::constantOf(v))
        return block.add({.kind = Kind::Constant, .type = type.valueType, .constant = *constant});
    // The value must be there where the block is run.
    Operation *definition = v.getDefiningOp();
    if (definition && definition->getBlock() == root->getBlock() && !definition->isBeforeInBlock(root))
        return std::nullopt;
    auto found = llvm::find(scalars, v);
    if (found == scalars.end())
        found = scalars.insert(found, v);
    return block.add(
        {.kind = Kind::Scalar, .type = type.valueType, .operand = static_cast<size_t>(found - scalars.begin())});
}

bool QueryExtraction::isLengthOf(Value rows, Value frame) {
    if (DaphneOp op = definedBy(rows, "numRows"))
        if (withoutAdapt(op->getOperand(0)) == withoutAdapt(frame)) {
            taken.insert(op);
            return true;
        }
    auto constant = ir::constantOf(rows);
    return constant && typeOf(frame).rows >= 0 && constant->asInt() == typeOf(frame).rows;
}

std::optional<size_t> QueryExtraction::expression(Value v, Value frame, const Columns &columns) {
    known.clear();
    return part(v, frame, columns);
}

std::optional<size_t> QueryExtraction::part(Value v, Value frame, const Columns &columns) {
    v = withoutAdapt(v);
    if (typeOf(v).isScalar())
        return scalar(v);
    if (auto found = known.find(v); found != known.end())
        return found->second;
    auto node = newPart(v, frame, columns);
    known[v] = node;
    return node;
}

std::optional<size_t> QueryExtraction::newPart(Value v, Value frame, const Columns &columns) {
    auto op = dyn_cast_or_null<DaphneOp>(v.getDefiningOp());
    if (!op || !op.hint().empty() || !typeOf(v).isMatrix() || op->getBlock() != root->getBlock())
        return std::nullopt;
    std::optional<size_t> node;
    if (op.is("cast")) {
        if (DaphneOp column = definedBy(withoutAdapt(op->getOperand(0)), "extractCol")) {
            auto label = textConstant(column->getOperand(1));
            if (!label || withoutAdapt(column->getOperand(0)) != withoutAdapt(frame))
                return std::nullopt;
            node = columns.find(*label);
            if (node && block.nodes[*node].type != typeOf(v).valueType)
                return std::nullopt;
            if (node)
                taken.insert(column);
        } else if (typeOf(op->getOperand(0)).isMatrix()) {
            node = part(op->getOperand(0), frame, columns);
            ValueType to = typeOf(v).valueType;
            if (node && block.nodes[*node].type != to) {
                ValueType from = block.nodes[*node].type;
                if ((to != ValueType::SI64 && to != ValueType::F64) || !isNumeric(from) || is64BitUnsigned(from))
                    return std::nullopt;
                node = block.add({.kind = Kind::Call, .type = to, .name = "cast", .operands = {*node}});
            }
        }
    } else if (op.is("fill")) {
        auto one = ir::constantOf(op->getOperand(2));
        if (one && one->asInt() == 1 && isLengthOf(op->getOperand(1), frame))
            node = scalar(op->getOperand(0));
        if (node && block.nodes[*node].type == ValueType::Str)
            return std::nullopt;
    } else {
        node = call(op, frame, columns);
    }
    if (node)
        taken.insert(op);
    return node;
}

/// Cells are 0 or 1.
bool QueryExtraction::isTruth(size_t node) const {
    const Node &n = block.nodes[node];
    return n.kind == Kind::Member ||
           (n.kind == Kind::Call && (isComparison(n.name) || ops::isNamed(n.name, "ewAnd") ||
                                     ops::isNamed(n.name, "ewOr") || ops::isNamed(n.name, "like")));
}

std::optional<size_t> QueryExtraction::compare(const std::string &mnemonic, size_t a, size_t b) {
    ValueType ta = block.nodes[a].type, tb = block.nodes[b].type;
    // Truth values of type ui64 are numbers like all others.
    ValueType ca = isTruth(a) ? ValueType::SI64 : ta, cb = isTruth(b) ? ValueType::SI64 : tb;
    bool fits = ops::isNamed(mnemonic, "ewEq") ? areKeys(ca, cb) : areComparable(ca, cb);
    if (!fits)
        return std::nullopt;
    ValueType type = ta == ValueType::Str || isTime(ta) ? ValueType::SI64 : mostGeneral(ta, tb);
    size_t node = block.add({.kind = Kind::Call, .type = type, .name = mnemonic, .operands = {a, b}});
    // Integers of times compare like the times, but for nat, of which nothing holds but that it differs from
    // everything.
    bool isNeq = ops::isNamed(mnemonic, "ewNeq");
    for (size_t operand : {a, b}) {
        const Node &n = block.nodes[operand];
        if (!isTime(n.type) || (n.kind == Kind::Constant && n.constant.i != calendar::natOf(n.type)))
            continue;
        size_t missing = natTest(isNeq ? "ewEq" : "ewNeq", operand);
        node = block.add(
            {.kind = Kind::Call, .type = type, .name = isNeq ? "ewOr" : "ewAnd", .operands = {node, missing}});
    }
    return node;
}

/// Whether the integer of a time is, or is not, that of nat.
size_t QueryExtraction::natTest(const std::string &mnemonic, size_t node) {
    ValueType type = block.nodes[node].type;
    size_t nat =
        block.add({.kind = Kind::Constant, .type = type, .constant = {.type = type, .i = calendar::natOf(type)}});
    return block.add({.kind = Kind::Call, .type = ValueType::SI64, .name = mnemonic, .operands = {node, nat}});
}

std::optional<size_t> QueryExtraction::call(DaphneOp op, Value frame, const Columns &columns) {
    ops::OpName name = op.mnemonic();
    ValueType type = typeOf(op->getResult(0)).valueType;
    bool isLogical = name == "ewAnd" || name == "ewOr";
    bool isArithmetic = name == "ewAdd" || name == "ewSub" || name == "ewMul" || name == "ewDiv";
    bool isKnown = isComparison(name) || isLogical || isArithmetic || name == "ewMinus" || name == "cond" ||
                   name == "like" || name == "isMember" || name == "isNat" || name == "ewIsnan";
    if (!isKnown || type == ValueType::Unknown || type == ValueType::Str)
        return std::nullopt;
    std::vector<size_t> operands;
    size_t numCells = name == "isMember" ? 1 : op->getNumOperands();
    for (size_t i = 0; i < numCells; ++i) {
        auto operand = part(op->getOperand(i), frame, columns);
        if (!operand)
            return std::nullopt;
        operands.push_back(*operand);
    }
    auto typeAt = [&](size_t i) { return block.nodes[operands[i]].type; };
    auto fitsResult = [&](size_t i) {
        return typeAt(i) <= type && (!is64BitUnsigned(typeAt(i)) || isTruth(operands[i]));
    };
    if (name == "isNat" || name == "ewIsnan")
        return isTime(typeAt(0)) ? std::optional(natTest("ewEq", operands[0])) : std::nullopt;
    bool isPlain = type == ValueType::SI64 || type == ValueType::F64;
    if (name == "isMember") {
        Value set = op->getOperand(1);
        TypeDesc setType = typeOf(set);
        Operation *definition = set.getDefiningOp();
        bool isThere =
            definition && definition->getBlock() == root->getBlock() ? definition->isBeforeInBlock(root) : true;
        ValueType a = typeAt(0), b = setType.valueType;
        bool bothInteger = isIntegerLike(a) && isIntegerLike(b) && !is64BitUnsigned(a) && !is64BitUnsigned(b);
        bool fits = bothInteger || (a == b && (a == ValueType::Str || a == ValueType::F64));
        if (!isThere || !fits || (a == ValueType::Str && block.nodes[operands[0]].kind != Kind::Column))
            return std::nullopt;
        auto found = llvm::find(scalars, set);
        if (found == scalars.end())
            found = scalars.insert(found, set);
        return block.add({.kind = Kind::Member,
                          .type = type,
                          .operand = static_cast<size_t>(found - scalars.begin()),
                          .operands = operands});
    }
    if (isComparison(name)) {
        auto node = compare(std::string(name), operands[0], operands[1]);
        return node && block.nodes[*node].type == type ? node : std::nullopt;
    }
    if (name == "like") {
        bool fits = typeAt(0) == ValueType::Str && block.nodes[operands[0]].kind == Kind::Column &&
                    block.nodes[operands[1]].kind != Kind::Column;
        return fits ? std::optional(block.add({.kind = Kind::Call, .type = type, .name = "like", .operands = operands}))
                    : std::nullopt;
    }
    for (size_t i = 0; i < operands.size(); ++i)
        if (typeAt(i) == ValueType::Str || (is64BitUnsigned(typeAt(i)) && !isTruth(operands[i])))
            return std::nullopt;
    if (name == "cond") {
        // Both values as they are: nothing is converted.
        if (!isPlain || typeAt(1) != type || typeAt(2) != type)
            return std::nullopt;
    } else if (!isLogical) {
        bool fits = isPlain;
        for (size_t i = 0; i < operands.size(); ++i)
            fits &= fitsResult(i);
        if (!fits)
            return std::nullopt;
        if (name == "ewDiv" && type == ValueType::SI64) {
            const Node &divisor = block.nodes[operands[1]];
            if (divisor.kind != Kind::Constant || divisor.constant.i == 0 || divisor.constant.i == -1)
                return std::nullopt;
        }
    }
    return block.add({.kind = Kind::Call, .type = type, .name = std::string(name), .operands = operands});
}

} // namespace daphne::transforms
