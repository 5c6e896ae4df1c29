// SPDX-License-Identifier: Apache-2.0
/// Projections are pushed into the readers of files: where all users of a frame
/// name their columns, the others are neither stored nor converted. Most readers
/// still look at them, so a file with a mistake is an error whatever is used; of
/// files whose columns lie apart the others are not read at all.
#include "transforms/Passes.h"

#include <set>

#include "ops/QueryBlock.h"
#include "transforms/plan/ColumnSources.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

using Labels = std::set<std::string>;

/// Adds the columns of source `source` of a query block.
void addColumnsOfBlock(DaphneOp op, size_t source, Labels &used) {
    auto block = ops::QueryBlock::parse(*constantText(op->getOperand(0)));
    for (const auto &node : block.nodes)
        if (node.kind == ops::QueryBlock::NodeKind::Column && node.source == source)
            used.insert(node.name);
}

/// Adds the columns that a use of the frame needs; false if it may need all of them.
bool addUsed(OpOperand &use, const Labels &all, Labels &used) {
    auto op = dyn_cast<DaphneOp>(use.getOwner());
    if (!op || !op.hint().empty())
        return false;
    size_t position = use.getOperandNumber();
    if (op.is("numRows"))
        return true;
    if (op.is("extractCol") && position == 0) {
        auto label = constantText(op->getOperand(1));
        if (!label || !all.contains(*label))
            return false;
        used.insert(*label);
        return true;
    }
    auto text = op.is("queryBlock") ? constantText(op->getOperand(0)) : std::nullopt;
    if (!text || position == 0 || position > ops::QueryBlock::parse(*text).sources.size())
        return false;
    addColumnsOfBlock(op, position - 1, used);
    return true;
}

/// The labels of all columns of a read frame, through the check of what is known of it; nothing if they are not known
/// or somebody uses the frame before that.
DaphneOp checkedRead(DaphneOp op) {
    auto isFrame = op->getNumOperands() == 7 ? constantFlag(op->getOperand(1)) : std::nullopt;
    if (!isFrame.value_or(false) || !op->hasOneUse())
        return {};
    DaphneOp check = ir::asOp(*op->getUsers().begin(), "adapt");
    if (!check)
        return {};
    TypeDesc type = typeOf(check->getResult(0));
    bool known = type.isFrame() && type.schema && type.schema->labels.size() == type.schema->types.size();
    return known && type.schema->labels.size() > 1 ? check : DaphneOp();
}

void prune(DaphneOp op) {
    DaphneOp check = checkedRead(op);
    if (!check)
        return;
    TypeDesc type = typeOf(check->getResult(0));
    Labels all(type.schema->labels.begin(), type.schema->labels.end()), used;
    if (all.size() != type.schema->labels.size())
        return; // fails when it is run
    for (OpOperand &use : check->getResult(0).getUses())
        if (!addUsed(use, all, used))
            return;
    if (used.empty()) // some column tells the number of rows
        used.insert(type.schema->labels[0]);
    if (used.size() == all.size())
        return;
    auto schema = std::make_shared<ops::FrameSchema>();
    SmallVector<Value> operands(op->getOperands());
    OpBuilder b(op);
    for (size_t c = 0; c < type.schema->labels.size(); ++c)
        if (const std::string &label = type.schema->labels[c]; used.contains(label)) {
            schema->labels.push_back(label);
            schema->types.push_back(type.schema->types[c]);
            operands.push_back(ir::makeConstant(b, op.getLoc(), {.type = ValueType::Str, .s = label}));
        }
    op->setOperands(operands);
    auto cols = static_cast<int64_t>(schema->labels.size());
    check->getResult(0).setType(ir::toIrType(op->getContext(), TypeDesc::frame(std::move(schema), type.rows, cols)));
}

} // namespace

void pruneReads(ModuleOp module) {
    SmallVector<DaphneOp> reads;
    module.walk([&](DaphneOp op) {
        if (op.is("read") && op.hint().empty())
            reads.push_back(op);
    });
    for (DaphneOp op : reads)
        prune(op);
}

} // namespace daphne::transforms
