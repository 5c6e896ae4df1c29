// SPDX-License-Identifier: Apache-2.0
/// Values of cells: inputs, operations, what leaves its domain.
#include "codegen/loops/LoopEmitter.h"

#include "codegen/loops/LoopSymbols.h"

namespace daphne::codegen {

using exec::Space;
using llvm::Value;

llvm::Type *LoopEmitter::memoryType(ValueType t, unsigned lanes) {
    llvm::Type *cell = t == ValueType::Bool ? b.getInt8Ty() : CellArithmetic(b).type(t);
    return lanes == 1 ? cell : llvm::FixedVectorType::get(cell, lanes);
}

Value *LoopEmitter::splat(Value *v, unsigned lanes) { return lanes == 1 ? v : b.CreateVectorSplat(lanes, v); }

/// Room on the stack, for the whole call.
Value *LoopEmitter::room(llvm::Type *type) {
    llvm::IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().getFirstInsertionPt());
    return b.CreateAlloca(type);
}

Value *LoopEmitter::loadCells(ValueType t, Value *address, Value *index, unsigned lanes) {
    Value *at = b.CreateInBoundsGEP(memoryType(t), address, index);
    Value *v = b.CreateAlignedLoad(memoryType(t, lanes), at, llvm::Align(cellSize(t)));
    if (t != ValueType::Bool)
        return v;
    return b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

/// Lane by lane: where it was tried (Zen 3), the processor's own instruction for it took longer.
Value *LoopEmitter::gatherCells(ValueType t, Value *address, Value *columns, unsigned lanes) {
    if (lanes == 1)
        return loadCells(t, address, columns, 1);
    Value *cells = nullptr;
    for (unsigned l = 0; l < lanes; ++l) {
        Value *cell = loadCells(t, address, b.CreateExtractElement(columns, uint64_t(l)), 1);
        if (!cells)
            cells = llvm::PoisonValue::get(llvm::FixedVectorType::get(cell->getType(), lanes));
        cells = b.CreateInsertElement(cells, cell, uint64_t(l));
    }
    return cells;
}

void LoopEmitter::storeCells(ValueType t, Value *v, Value *address, Value *index, unsigned lanes) {
    if (t == ValueType::Bool)
        v = b.CreateZExt(v, memoryType(t, lanes));
    Value *at = b.CreateInBoundsGEP(memoryType(t), address, index);
    b.CreateAlignedStore(v, at, llvm::Align(cellSize(t)));
}

/// Address of the current row of an array parameter.
Value *LoopEmitter::rowAddress(size_t param, ValueType t) {
    Value *&address = rows[param];
    if (!address)
        address = b.CreateInBoundsGEP(memoryType(t), word(param, 0), b.CreateMul(currentRow, word(param, 1)));
    return address;
}

Value *LoopEmitter::value(size_t node, const Place &place) {
    const Node &n = program.nodes[node];
    // One number for all lanes.
    if (n.space == Space::Scalar)
        return splat(scalars.at(node), place.lanes);
    if (n.space == Space::Column && !program.flat) {
        if (auto it = rowValues.find(node); it != rowValues.end())
            return splat(it->second, place.lanes);
        return compute(node, place); // place is the row
    }
    if (auto it = place.cached->find(node); it != place.cached->end())
        return it->second;
    if (n.kind == Node::Kind::Product)
        return (*place.cached)[node] = product(node);
    auto kept = keptIn.find(node);
    Value *v = kept != keptIn.end() && n.level < currentLevel
                   ? loadCells(n.type, rows.at(kept->second), place.index, place.lanes)
               : n.kind == Node::Kind::Input ? input(n, place)
                                             : compute(node, place);
    (*place.cached)[node] = v;
    return v;
}

Value *LoopEmitter::input(const Node &n, const Place &place) {
    using P = exec::LoopParam::Kind;
    switch (program.params[n.param].kind) {
    case P::Csr:
        if (program.csrPattern)
            return splat(CellArithmetic(b).number(n.type, 1), place.lanes);
        return loadCells(n.type, word(n.param, 2), place.index, place.lanes);
    case P::Row:
        if (place.column)
            return gatherCells(n.type, word(n.param, 0), place.column, place.lanes);
        return loadCells(n.type, word(n.param, 0), place.index, place.lanes);
    case P::Column: // flat
        return loadCells(n.type, word(n.param, 0), place.index, place.lanes);
    default: return loadCells(n.type, rows.at(n.param), place.index, place.lanes);
    }
}

Value *LoopEmitter::operand(const Node &n, size_t k, ValueType as, const Place &place) {
    size_t o = n.operands[k];
    return CellArithmetic(b, place.lanes).convert(value(o, place), program.nodes[o].type, as);
}

void LoopEmitter::leaveDomain(Value *outside) {
    Value *any = outside->getType()->isVectorTy() ? b.CreateOrReduce(outside) : outside;
    Value *byte = b.CreateZExt(any, b.getInt8Ty());
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt8Ty(), anyFault), byte), anyFault);
}

/// Through memory: symbol(operands..., result, lanes) as the loops of the kernels; returns how many cells were done.
Value *LoopEmitter::callCells(const std::string &symbol, llvm::ArrayRef<Value *> operands, ValueType t,
                              ValueType result, unsigned lanes) {
    called.insert(symbol);
    llvm::SmallVector<Value *> args;
    llvm::SmallVector<llvm::Type *> types;
    auto area = [&](ValueType type) {
        Value *a = room(llvm::ArrayType::get(memoryType(type), std::max(lanes, kLanes)));
        args.push_back(a);
        types.push_back(ptr);
        return a;
    };
    Value *zero = b.getInt64(0);
    for (Value *v : operands)
        storeCells(t, v, area(t), zero, lanes);
    Value *out = area(result);
    args.push_back(b.getInt64(lanes));
    types.push_back(i64);
    auto callee = module.getOrInsertFunction(symbol, llvm::FunctionType::get(i64, types, false));
    Value *done = b.CreateCall(callee, args);
    if (program.faults)
        leaveDomain(b.CreateICmpNE(done, b.getInt64(lanes)));
    return loadCells(result, out, zero, lanes);
}

Value *LoopEmitter::truth(size_t node, const Place &place) {
    const Node &n = program.nodes[node];
    if (n.space != Space::Full)
        return nullptr;
    if (n.type == ValueType::Bool)
        return value(node, place);
    if (n.kind == Node::Kind::Convert)
        return truth(n.operands[0], place);
    bool compares = n.kind == Node::Kind::Binary && CellArithmetic::isComparison(n.cells->op->mnemonic);
    if (!compares || n.compute == ValueType::Bool)
        return nullptr;
    Value *x = operand(n, 0, n.compute, place), *y = operand(n, 1, n.compute, place);
    return CellArithmetic(b, place.lanes).compare(n.cells->op->mnemonic, x, y, n.compute);
}

/// 0 or 1 divided by one number for the whole row: there are just two results.
Value *LoopEmitter::divideTruth(size_t node, const Place &place) {
    const Node &n = program.nodes[node];
    Space divisor = program.nodes[n.operands[1]].space;
    bool isSingle = divisor == Space::Scalar || (divisor == Space::Column && !program.flat);
    if (!n.applies("ewDiv") || !isFloat(n.compute) || !isSingle || place.lanes == 1)
        return nullptr;
    Value *isOne = truth(n.operands[0], place);
    if (!isOne)
        return nullptr;
    CellArithmetic one(b);
    Values none;
    Value *y = operand(n, 1, n.compute, {1, nullptr, nullptr, &none});
    auto quotient = [&](double x) {
        Value *q = one.binary("ewDiv", one.number(n.compute, x), y, n.compute);
        return one.convert(q, n.compute, n.type);
    };
    Value *ofOne = quotient(1), *ofZero = quotient(0);
    if (place.cached == &narrowRow)
        twoValued[node] = {isOne, ofOne, ofZero};
    return b.CreateSelect(isOne, splat(ofOne, place.lanes), splat(ofZero, place.lanes));
}

Value *LoopEmitter::binary(size_t node, const Place &place) {
    if (Value *v = divideTruth(node, place))
        return v;
    const Node &n = program.nodes[node];
    CellArithmetic cells(b, place.lanes);
    Value *x = operand(n, 0, n.compute, place), *y = operand(n, 1, n.compute, place);
    bool noNan = nan.isNever(n.operands[0]) && nan.isNever(n.operands[1]);
    if (Value *v = cells.withoutNan(noNan).binary(n.cells->op->mnemonic, x, y, n.compute))
        return cells.convert(v, n.compute, n.type);
    return callCells(cellLoopSymbol(*n.cells, program.generalType(n)), {x, y}, n.compute, n.type, place.lanes);
}

Value *LoopEmitter::compute(size_t node, const Place &place) {
    const Node &n = program.nodes[node];
    CellArithmetic cells(b, place.lanes);
    switch (n.kind) {
    case Node::Kind::Unary: {
        Value *x = operand(n, 0, n.compute, place);
        Value *v = cells.unary(n.cells->op->mnemonic, x, n.compute);
        if (!v)
            return callCells(cellLoopSymbol(*n.cells, n.compute), {x}, n.compute, n.type, place.lanes);
        const ops::Domain &domain = n.cells->op->domain;
        if (domain.low != ops::Domain().low)
            leaveDomain(b.CreateFCmpOLT(x, cells.number(n.compute, domain.low)));
        if (domain.high != ops::Domain().high)
            leaveDomain(b.CreateFCmpOGT(x, cells.number(n.compute, domain.high)));
        return v;
    }
    case Node::Kind::Binary: return binary(node, place);
    case Node::Kind::PowFixed:
        return cells.fixedPower(static_cast<int8_t>(n.function), operand(n, 0, n.compute, place), n.compute);
    case Node::Kind::Convert: return operand(n, 0, n.type, place);
    case Node::Kind::Cond:
        return b.CreateSelect(operand(n, 0, ValueType::Bool, place), operand(n, 1, n.type, place),
                              operand(n, 2, n.type, place));
    default: return nullptr;
    }
}

} // namespace daphne::codegen
