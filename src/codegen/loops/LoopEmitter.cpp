// SPDX-License-Identifier: Apache-2.0
/// Structure of a loop: rows, sweeps, blocks, sums.
#include "codegen/loops/LoopEmitter.h"

#include <numeric>

#include "codegen/loops/LoopSymbols.h"

namespace daphne::codegen {

using exec::LoopArguments;
using exec::LoopParam;
using exec::LoopProgram;
using exec::Reduce;
using exec::Space;
using llvm::Value;

LoopEmitter::LoopEmitter(llvm::Module &module, const LoopProgram &program, const std::string &name)
    : program(program), nan(program), module(module), context(module.getContext()), b(context), i64(b.getInt64Ty()),
      ptr(b.getPtrTy()) {
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, i64}, false);
    function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    // A kernel's cell loop never throws.
    function->setDoesNotThrow();
    function->getArg(0)->addAttr(llvm::Attribute::NoAlias);
    function->getArg(0)->addAttr(llvm::Attribute::ReadOnly);
}

llvm::BasicBlock *LoopEmitter::newBlock(const char *name) { return llvm::BasicBlock::Create(context, name, function); }

void LoopEmitter::emit() {
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    begin = function->getArg(1);
    end = function->getArg(2);
    auto argument = [&](size_t k, llvm::Type *type) {
        return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(i64, function->getArg(0), k));
    };
    columns = argument(LoopArguments::kColumns, i64);
    faultFlag = argument(LoopArguments::kFault, ptr);
    if (program.hasCsr)
        limit = b.CreateSub(argument(LoopArguments::kStoredEnd, i64), b.getInt64(1));
    anyFault = room(b.getInt8Ty());
    b.CreateStore(b.getInt8(0), anyFault);
    for (size_t p = 0; p < program.params.size(); ++p) {
        bool scalar = program.params[p].kind == LoopParam::Kind::Scalar;
        bool csr = program.params[p].kind == LoopParam::Kind::Csr;
        for (size_t k = 0; k < (csr ? 3 : scalar ? 1 : 2); ++k)
            words[{p, k}] = argument(LoopArguments::kHeader + 3 * p + k, scalar || (k == 1 && !csr) ? i64 : ptr);
        if (program.params[p].kind == LoopParam::Kind::OutFull)
            keptIn[program.params[p].node] = static_cast<unsigned>(p);
    }
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const Node &n = program.nodes[i];
        if (n.space != Space::Scalar)
            continue;
        if (n.kind != Node::Kind::Input) {
            Values none;
            scalars[i] = compute(i, {1, nullptr, nullptr, &none});
            continue;
        }
        Value *bits = word(n.param, 0);
        llvm::Type *type = CellArithmetic(b).type(n.type);
        unsigned width = type->getScalarSizeInBits();
        Value *narrow = width == 64 ? bits : b.CreateTrunc(bits, b.getIntNTy(width));
        scalars[i] = type->isIntegerTy() ? narrow : b.CreateBitCast(narrow, type);
    }
    program.flat ? emitFlat() : emitRows();
    if (program.faults) {
        auto *set = newBlock("fault"), *done = newBlock("done");
        b.CreateCondBr(b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), anyFault), b.getInt8(0)), set, done);
        b.SetInsertPoint(set);
        b.CreateStore(b.getInt8(1), faultFlag);
        b.CreateBr(done);
        b.SetInsertPoint(done);
    }
    b.CreateRetVoid();
}

// ---- reductions

Value *LoopEmitter::neutral(const Accumulator &a, unsigned lanes) {
    llvm::Type *type = CellArithmetic(b, lanes).type(a.type);
    return withNumericType(a.type, [&]<class T>(TypeTag<T>) -> Value * {
        T identity = withFold(a.how, [](auto fold) { return decltype(fold)::template identity<T>(); });
        if constexpr (std::is_floating_point_v<T>)
            return llvm::ConstantFP::get(type, identity);
        else
            return llvm::ConstantInt::get(type, static_cast<uint64_t>(identity), std::is_signed_v<T>);
    });
}

Value *LoopEmitter::combine(const Accumulator &a, Value *x, Value *best, unsigned lanes) {
    return CellArithmetic(b, lanes).withoutNan(a.neverNan).binary(propertiesOf(a.how).cells, best, x, a.type);
}

Value *LoopEmitter::finished(const Accumulator &a, Value *total) {
    if (!isFloat(a.type) || propertiesOf(a.how).signOfZero)
        return total;
    return b.CreateFAdd(total, llvm::ConstantFP::get(total->getType(), 0.0));
}

/// The upper half of the lanes to the lower one, until one is left.
Value *LoopEmitter::acrossLanes(const Accumulator &a, Value *v) {
    for (unsigned width = kLanes / 2; width; width /= 2) {
        llvm::SmallVector<int> low, high;
        for (unsigned l = 0; l < width; ++l)
            low.push_back(static_cast<int>(l)), high.push_back(static_cast<int>(l + width));
        v = combine(a, b.CreateShuffleVector(v, high), b.CreateShuffleVector(v, low), width);
    }
    return b.CreateExtractElement(v, b.getInt64(0));
}

/// Result of a block of so many cells from its lanes, its tail and its cells in order.
Value *LoopEmitter::finishBlock(Accumulator &a, Value *count) {
    Value *v = acrossLanes(a, a.isRounded() ? combine(a, a.tail, a.lanes, kLanes) : a.lanes);
    if (!a.isRounded())
        return combine(a, a.ordered, v, 1);
    return b.CreateSelect(b.CreateICmpULT(count, b.getInt64(2 * kLanes)), a.ordered, v);
}

std::vector<LoopEmitter::Accumulator> LoopEmitter::accumulatorsOf(unsigned level) {
    std::vector<Accumulator> found;
    // The neutral element of a minimum or maximum of numbers may be NaN.
    auto neverNan = [&](Reduce how, size_t node) { return propertiesOf(how).orders && nan.isNever(node); };
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const Node &n = program.nodes[i];
        if (n.kind == Node::Kind::ReduceRow && program.nodes[n.operands[0]].level == level)
            found.push_back({.how = n.reduce(),
                             .node = n.operands[0],
                             .type = n.type,
                             .neverNan = neverNan(n.reduce(), n.operands[0]),
                             .reduceNode = i});
    }
    for (size_t p = 0; program.flat && p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        if (!param.isAggregate())
            continue;
        found.push_back({.how = param.fold,
                         .node = param.node,
                         .type = param.type,
                         .neverNan = neverNan(param.fold, param.node),
                         .param = static_cast<int>(p)});
    }
    return found;
}

// ---- cells

/// Outputs of this level at a place. Everything is computed before something is stored: an output may be stored where
/// an input was.
void LoopEmitter::emitCells(Place place, unsigned level, const std::vector<Accumulator> &accumulators) {
    auto isHere = [&](const LoopParam &param) {
        if (program.flat)
            return param.kind == LoopParam::Kind::OutColumn;
        bool cells = param.kind == LoopParam::Kind::OutFull || param.isSumOfRows();
        return cells && program.nodes[param.node].level == level;
    };
    for (const Accumulator &a : accumulators)
        value(a.node, place);
    for (const LoopParam &param : program.params)
        if (isHere(param))
            value(param.node, place);
    for (size_t p = 0; p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        if (!isHere(param) || param.kind == LoopParam::Kind::SumsOfOuter)
            continue;
        if (param.kind == LoopParam::Kind::OutColumn) {
            storeCells(param.type, value(param.node, place), word(p, 0), place.index, place.lanes);
        } else if (param.kind == LoopParam::Kind::OutFull) {
            storeCells(param.type, value(param.node, place), rows.at(p), place.index, place.lanes);
        } else {
            CellArithmetic cells(b, place.lanes);
            Value *sum = loadCells(param.type, word(p, 0), place.index, place.lanes);
            Value *x = value(param.node, place);
            storeCells(param.type, cells.binary("ewAdd", sum, x, param.type), word(p, 0), place.index, place.lanes);
        }
    }
    // Loops of their own: nothing should have to be carried over them.
    for (size_t p = 0; p < program.params.size(); ++p)
        if (isHere(program.params[p]) && program.params[p].kind == LoopParam::Kind::SumsOfOuter)
            addOuter(p, value(program.params[p].node, place));
}

void LoopEmitter::emitBlock(Value *from, Value *to, std::vector<Accumulator> &accumulators, unsigned level) {
    Value *count = b.CreateSub(to, from);
    Value *filled = b.CreateAnd(count, b.getInt64(~uint64_t(kLanes - 1)));
    Value *few = b.CreateICmpULT(count, b.getInt64(2 * kLanes));
    Value *whole = b.CreateAdd(from, b.CreateSelect(few, b.getInt64(0), filled));
    std::vector<Value *> carried;
    for (Accumulator &a : accumulators)
        carried.push_back(neutral(a, kLanes));
    countedLoop(from, whole, kLanes, carried, [&](Value *index) {
        Values cached;
        Place place{kLanes, index, nullptr, &cached};
        emitCells(place, level, accumulators);
        for (size_t i = 0; i < accumulators.size(); ++i)
            carried[i] = combine(accumulators[i], value(accumulators[i].node, place), carried[i], kLanes);
    });
    std::map<size_t, size_t> tails; // accumulator -> carried value
    llvm::SmallVector<uint64_t> numbers(kLanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    Value *laneNumbers = llvm::ConstantDataVector::get(context, numbers);
    for (size_t i = 0; i < accumulators.size(); ++i) {
        Accumulator &a = accumulators[i];
        a.lanes = carried[i];
        carried[i] = neutral(a, 1);
        if (a.isRounded()) {
            tails[i] = carried.size();
            carried.push_back(llvm::Constant::getNullValue(memoryType(a.type, kLanes)));
        }
    }
    countedLoop(whole, to, 1, carried, [&](Value *index) {
        Values cached;
        Place place{1, index, nullptr, &cached};
        emitCells(place, level, accumulators);
        for (size_t i = 0; i < accumulators.size(); ++i) {
            Accumulator &a = accumulators[i];
            Value *x = value(a.node, place);
            carried[i] = combine(a, x, carried[i], 1);
            if (auto it = tails.find(i); it != tails.end()) {
                // In registers: cells stored one by one could not be loaded as a vector without waiting for them.
                Value *isHere = b.CreateICmpEQ(laneNumbers, b.CreateVectorSplat(kLanes, b.CreateSub(index, whole)));
                carried[it->second] = b.CreateSelect(isHere, b.CreateVectorSplat(kLanes, x), carried[it->second]);
            }
        }
    });
    for (size_t i = 0; i < accumulators.size(); ++i)
        accumulators[i].ordered = carried[i];
    for (auto &[i, at] : tails)
        accumulators[i].tail = carried[at];
}

void LoopEmitter::emitFlat() {
    std::vector<Accumulator> accumulators = accumulatorsOf(0);
    emitBlock(begin, end, accumulators, 0);
    Value *count = b.CreateSub(end, begin), *block = b.CreateUDiv(begin, b.getInt64(LoopProgram::kBlock));
    for (Accumulator &a : accumulators)
        storeCells(a.type, finishBlock(a, count), word(static_cast<size_t>(a.param), 0), block, 1);
}

// ---- rows

void LoopEmitter::emitRows() {
    std::vector<Value *> none;
    if (hasProducts())
        return emitStrips();
    countedLoop(begin, end, 1, none, [&](Value *row) { emitRow(row); });
}

void LoopEmitter::emitRow(Value *row) {
    currentRow = row;
    rows.clear();
    rowValues.clear();
    narrowRow.clear();
    twoValued.clear();
    for (size_t p = 0; p < program.params.size(); ++p) {
        auto kind = program.params[p].kind;
        if (kind == LoopParam::Kind::Full || kind == LoopParam::Kind::OutFull)
            rowAddress(p, program.params[p].type);
    }
    for (unsigned level = 0; level < program.numLevels; ++level) {
        emitColumnValues(level);
        currentLevel = level;
        program.hasCsr ? emitSparseSweep(level) : emitDenseSweep(level);
    }
    emitColumnValues(program.numLevels);
    for (size_t p = 0; p < program.params.size(); ++p) {
        const LoopParam &param = program.params[p];
        if (param.kind == LoopParam::Kind::OutColumn)
            storeCells(param.type, rowValues.at(param.node), word(p, 0), b.CreateMul(row, word(p, 1)), 1);
    }
}

void LoopEmitter::emitColumnValues(unsigned level) {
    for (size_t i = 0; i < program.nodes.size(); ++i) {
        const Node &n = program.nodes[i];
        if (n.space != Space::Column || n.level > level || n.kind == Node::Kind::ReduceRow || rowValues.count(i))
            continue;
        if (n.kind == Node::Kind::Input) {
            rowValues[i] = loadCells(n.type, word(n.param, 0), b.CreateMul(currentRow, word(n.param, 1)), 1);
        } else {
            Values none;
            rowValues[i] = compute(i, {1, nullptr, nullptr, &none});
        }
    }
}

bool LoopEmitter::hasWork(unsigned level, const std::vector<Accumulator> &accumulators) const {
    if (!accumulators.empty())
        return true;
    for (const LoopParam &p : program.params) {
        bool cells = p.kind == LoopParam::Kind::OutFull || p.isSumOfRows();
        if (cells && program.nodes[p.node].level == level)
            return true;
    }
    return false;
}

void LoopEmitter::emitDenseSweep(unsigned level) {
    std::vector<Accumulator> accumulators = accumulatorsOf(level);
    if (!hasWork(level, accumulators))
        return;
    Value *zero = b.getInt64(0);
    if (program.narrow) {
        emitNarrowRow(accumulators, level);
        for (Accumulator &a : accumulators)
            rowValues[a.reduceNode] = finished(a, a.ordered);
        return;
    }
    Value *blockCells = b.getInt64(LoopProgram::kBlock);
    Value *several = b.CreateICmpUGT(columns, blockCells);
    std::vector<Value *> totals, states;
    for (Accumulator &a : accumulators) {
        totals.push_back(neutral(a, 1));
        states.push_back(nullptr);
        if (a.isRounded()) {
            states.back() = room(llvm::ArrayType::get(i64, pairwiseBytes(a.type) / 8));
            b.CreateStore(zero, states.back()); // the number of blocks so far
        }
    }
    countedLoop(zero, columns, LoopProgram::kBlock, totals, [&](Value *from) {
        Value *rest = b.CreateSub(columns, from);
        Value *count = b.CreateSelect(b.CreateICmpULT(rest, blockCells), rest, blockCells);
        emitBlock(from, b.CreateAdd(from, count), accumulators, level);
        for (size_t i = 0; i < accumulators.size(); ++i) {
            Accumulator &a = accumulators[i];
            Value *block = finishBlock(a, count);
            if (!a.isRounded()) {
                totals[i] = combine(a, block, totals[i], 1);
                continue;
            }
            totals[i] = conditional(several, block, [&] {
                Value *cell = room(memoryType(a.type));
                b.CreateStore(block, cell);
                std::string symbol = pairwiseAddSymbol(a.how, a.type);
                called.insert(symbol);
                auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr}, false);
                b.CreateCall(module.getOrInsertFunction(symbol, type), {states[i], cell});
                return block;
            });
        }
    });
    for (size_t i = 0; i < accumulators.size(); ++i) {
        Accumulator &a = accumulators[i];
        if (a.isRounded()) {
            totals[i] = combine(a, neutral(a, 1), totals[i], 1);
            totals[i] = conditional(several, totals[i], [&] {
                Value *cell = room(memoryType(a.type));
                std::string symbol = pairwiseTotalSymbol(a.how, a.type);
                called.insert(symbol);
                auto *type = llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr}, false);
                b.CreateCall(module.getOrInsertFunction(symbol, type), {states[i], cell});
                return b.CreateLoad(memoryType(a.type), cell);
            });
        }
        rowValues[a.reduceNode] = finished(a, totals[i]);
    }
}

// ---- stored cells

/// Columns of so many stored cells from k on.
Value *LoopEmitter::storedColumn(Value *k, unsigned lanes) {
    Value *base = word(program.nodes[program.csrNode].param, 1);
    ValueType type = program.csrWide ? ValueType::UI64 : ValueType::UI32;
    return b.CreateZExt(loadCells(type, base, k, lanes), memoryType(ValueType::UI64, lanes));
}

/// What stored cells some steps ahead will gather.
void LoopEmitter::prefetchGathers(Value *k) {
    constexpr uint64_t kAhead = 32;
    Value *column = nullptr;
    for (size_t p = 0; p < program.params.size(); ++p) {
        if (program.params[p].kind != LoopParam::Kind::Row)
            continue;
        if (!column) {
            Value *ahead = b.CreateAdd(k, b.getInt64(kAhead));
            column = storedColumn(b.CreateSelect(b.CreateICmpULT(ahead, limit), ahead, limit), 1);
        }
        Value *at = b.CreateInBoundsGEP(memoryType(program.params[p].type), word(p, 0), column);
        b.CreateIntrinsic(llvm::Intrinsic::prefetch, {ptr}, {at, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
}

/// Stored cells [from, to), `together` at a time. Sums of products have as many parts as that; a.ordered is what was
/// accumulated before and afterwards.
void LoopEmitter::emitSparseSteps(std::vector<Accumulator> &accumulators, Value *from, Value *to, unsigned together,
                                  Gathers gathers) {
    std::vector<Value *> carried;
    auto parts = [&](const Accumulator &a) { return a.how == Reduce::DotSparse ? together : 1; };
    for (Accumulator &a : accumulators)
        for (unsigned q = 0; q < parts(a); ++q)
            carried.push_back(q == 0 ? a.ordered : neutral(a, 1));
    countedLoop(from, to, together, carried, [&](Value *k) {
        for (unsigned q = 0; q < together; ++q) {
            Value *position = b.CreateAdd(k, b.getInt64(q));
            if (gathers == Gathers::Far)
                prefetchGathers(position);
            Values cached;
            Place place{1, position, storedColumn(position, 1), &cached};
            size_t at = 0;
            for (Accumulator &a : accumulators) {
                Value *&sum = carried[at + (parts(a) > 1 ? q : 0)];
                sum = combine(a, value(a.node, place), sum, 1);
                at += parts(a);
            }
        }
    });
    size_t at = 0;
    for (Accumulator &a : accumulators) {
        if (parts(a) == 4)
            a.ordered = combine(a, combine(a, carried[at + 3], carried[at + 2], 1),
                                combine(a, carried[at + 1], carried[at], 1), 1);
        else
            a.ordered = carried[at];
        at += parts(a);
    }
}

/// As many stored cells of a long row as fill lanes; returns where the rest begins. For what may be accumulated in any
/// order.
Value *LoopEmitter::emitSparseLanes(std::vector<Accumulator> &accumulators, Value *from, Value *count) {
    auto *before = b.GetInsertBlock(), *lanes = newBlock("lanes"), *join = newBlock("join");
    b.CreateCondBr(b.CreateICmpUGE(count, b.getInt64(2 * kLanes)), lanes, join);
    b.SetInsertPoint(lanes);
    Value *whole = b.CreateAdd(from, b.CreateAnd(count, b.getInt64(~uint64_t(kLanes - 1))));
    std::vector<Value *> carried;
    for (const Accumulator &a : accumulators)
        carried.push_back(neutral(a, kLanes));
    countedLoop(from, whole, kLanes, carried, [&](Value *k) {
        Values cached;
        Place place{kLanes, k, storedColumn(k, kLanes), &cached};
        for (size_t i = 0; i < accumulators.size(); ++i)
            carried[i] = combine(accumulators[i], value(accumulators[i].node, place), carried[i], kLanes);
    });
    for (size_t i = 0; i < accumulators.size(); ++i)
        carried[i] = acrossLanes(accumulators[i], carried[i]);
    auto *last = b.GetInsertBlock();
    b.CreateBr(join);
    b.SetInsertPoint(join);
    auto joined = [&](Value *filled, Value *otherwise) {
        auto *phi = b.CreatePHI(filled->getType(), 2);
        phi->addIncoming(filled, last);
        phi->addIncoming(otherwise, before);
        return phi;
    };
    Value *rest = joined(whole, from);
    for (size_t i = 0; i < accumulators.size(); ++i)
        accumulators[i].ordered = joined(carried[i], accumulators[i].ordered);
    return rest;
}

/// All stored cells of a row. Gathers that the cache cannot serve are asked for in time; others are too cheap for that.
void LoopEmitter::emitSparseCells(std::vector<Accumulator> &accumulators, Value *from, Value *to, Gathers gathers) {
    constexpr uint64_t kLong = 32;
    Value *count = b.CreateSub(to, from), *start = from;
    bool dots = false, anyOrder = true;
    for (Accumulator &a : accumulators) {
        a.ordered = neutral(a, 1);
        dots |= a.how == Reduce::DotSparse;
        anyOrder &= a.how != Reduce::DotSparse && !a.isRounded();
    }
    if (dots) {
        Value *isLong = b.CreateICmpUGE(count, b.getInt64(kLong));
        Value *filled = b.CreateAnd(count, b.getInt64(~uint64_t(3)));
        start = b.CreateAdd(from, b.CreateSelect(isLong, filled, b.getInt64(0)));
        emitSparseSteps(accumulators, from, start, 4, gathers);
    } else if (anyOrder && gathers == Gathers::Near) {
        start = emitSparseLanes(accumulators, from, count);
    }
    emitSparseSteps(accumulators, start, to, 1, gathers);
}

/// Whether the vectors that are gathered from are so large that it takes long; null if there are none.
Value *LoopEmitter::gathersFar() {
    constexpr uint64_t kNearBytes = uint64_t(4) << 20; // measured: with short rows the other way is faster from here on
    uint64_t bytesPerColumn = 0;
    for (const LoopParam &param : program.params)
        if (param.kind == LoopParam::Kind::Row)
            bytesPerColumn += cellSize(param.type);
    return bytesPerColumn ? b.CreateICmpUGT(columns, b.getInt64(kNearBytes / bytesPerColumn)) : nullptr;
}

void LoopEmitter::emitSparseSweep(unsigned level) {
    std::vector<Accumulator> accumulators = accumulatorsOf(level);
    if (accumulators.empty())
        return;
    Value *offsets = word(program.nodes[program.csrNode].param, 0);
    Value *at = b.CreateInBoundsGEP(i64, offsets, currentRow);
    Value *from = b.CreateLoad(i64, at), *to = b.CreateLoad(i64, b.CreateConstInBoundsGEP1_64(i64, at, 1));
    Value *count = b.CreateSub(to, from);
    if (Value *areFar = gathersFar()) {
        auto *far = newBlock("far"), *near = newBlock("near"), *join = newBlock("join");
        b.CreateCondBr(areFar, far, near);
        std::vector<llvm::PHINode *> results;
        for (auto [block, gathers] : {std::pair(far, Gathers::Far), std::pair(near, Gathers::Near)}) {
            b.SetInsertPoint(block);
            emitSparseCells(accumulators, from, to, gathers);
            auto *last = b.GetInsertBlock();
            b.CreateBr(join);
            b.SetInsertPoint(join);
            for (size_t i = 0; i < accumulators.size(); ++i) {
                if (gathers == Gathers::Far)
                    results.push_back(b.CreatePHI(accumulators[i].ordered->getType(), 2));
                results[i]->addIncoming(accumulators[i].ordered, last);
            }
        }
        for (size_t i = 0; i < accumulators.size(); ++i)
            accumulators[i].ordered = results[i];
    } else {
        emitSparseCells(accumulators, from, to, Gathers::Near);
    }
    for (Accumulator &a : accumulators) {
        Value *result = a.ordered;
        if (!propertiesOf(a.how).skipsZeros) {
            Value *withZero = combine(a, llvm::Constant::getNullValue(result->getType()), result, 1);
            result = b.CreateSelect(b.CreateICmpULT(count, columns), withZero, result);
        }
        rowValues[a.reduceNode] = finished(a, result);
    }
}

} // namespace daphne::codegen
