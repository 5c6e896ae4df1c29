// SPDX-License-Identifier: Apache-2.0
/// Rows of a few cells: one vector, whose values stay in registers from level to
/// level. Products of rows with matrices are computed for some rows together.
#include "codegen/loops/LoopEmitter.h"

#include "llvm/IR/MDBuilder.h"

namespace daphne::codegen {

using exec::LoopParam;
using exec::Reduce;
using llvm::Value;

/// Floating-point sums are formed from left to right.
void LoopEmitter::emitNarrowRow(std::vector<Accumulator> &accumulators, unsigned level) {
    Place place{program.narrow, b.getInt64(0), nullptr, &narrowRow};
    emitCells(place, level, accumulators);
    for (Accumulator &a : accumulators) {
        CellArithmetic one(b);
        // Sums of zeros and ones are exact in any order.
        if (Value *isOne = a.how == Reduce::Sum ? truth(a.node, place) : nullptr) {
            Value *count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bitsOf(isOne));
            a.ordered = one.convert(count, ValueType::SI64, a.type);
        } else if (a.isRounded()) {
            Value *cells = value(a.node, place);
            a.ordered = neutral(a, 1);
            for (unsigned l = 0; l < program.narrow; ++l)
                a.ordered = combine(a, b.CreateExtractElement(cells, uint64_t(l)), a.ordered, 1);
        } else {
            a.ordered = combineNeighbours(a, value(a.node, place));
        }
    }
}

/// As from left to right, but with a short chain of operations: of equal cells the left one stays. Where NaN wins, all
/// cells are tested for it at once instead of in every step.
Value *LoopEmitter::combineNeighbours(Accumulator a, Value *cells) {
    Value *anyNan = nullptr;
    if (propertiesOf(a.how).orders && isFloat(a.type) && !a.neverNan)
        anyNan = b.CreateOrReduce(b.CreateFCmpUNO(cells, cells));
    a.neverNan |= anyNan != nullptr;
    cells = combine(a, cells, neutral(a, program.narrow), program.narrow);
    std::vector<Value *> left;
    for (unsigned l = 0; l < program.narrow; ++l)
        left.push_back(b.CreateExtractElement(cells, uint64_t(l)));
    while (left.size() > 1) {
        std::vector<Value *> next;
        for (size_t i = 0; i + 1 < left.size(); i += 2)
            next.push_back(combine(a, left[i + 1], left[i], 1));
        if (left.size() % 2)
            next.push_back(left.back());
        left = std::move(next);
    }
    Value *best = left.front();
    return anyNan ? b.CreateSelect(anyNan, llvm::ConstantFP::getQNaN(best->getType()), best) : best;
}

/// A bit per lane. Comparisons of f64 are masks of 64 bits; the signs of four of them are one instruction.
Value *LoopEmitter::bitsOf(Value *lanes) {
    unsigned count = llvm::cast<llvm::FixedVectorType>(lanes->getType())->getNumElements();
    Value *bits = b.getInt64(0);
    Value *masks = b.CreateSExt(lanes, llvm::FixedVectorType::get(i64, count));
    for (unsigned first = 0; first < count; first += 4) {
        llvm::SmallVector<int> piece;
        for (unsigned l = 0; l < 4; ++l)
            piece.push_back(first + l < count ? static_cast<int>(first + l) : static_cast<int>(count));
        Value *zeros = llvm::Constant::getNullValue(masks->getType());
        Value *four = b.CreateShuffleVector(masks, zeros, piece);
        Value *isSet = b.CreateICmpSLT(four, llvm::Constant::getNullValue(four->getType()));
        bits = b.CreateOr(bits, b.CreateShl(b.CreateZExt(b.CreateBitCast(isSet, b.getIntNTy(4)), i64), first));
    }
    return bits;
}

Value *LoopEmitter::multiplyAdd(Value *x, Value *y, Value *z) {
    if (program.multiplyAdd)
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    return b.CreateFAdd(b.CreateFMul(x, y), z);
}

// ---- rows times a matrix

bool LoopEmitter::hasProducts() const {
    for (const Node &n : program.nodes)
        if (n.kind == Node::Kind::Product)
            return true;
    return false;
}

void LoopEmitter::emitStrips() {
    for (size_t i = 0; i < program.nodes.size(); ++i)
        if (const Node &n = program.nodes[i]; n.kind == Node::Kind::Product)
            strips[i] = room(llvm::ArrayType::get(memoryType(n.type), kStrip * program.packedColumns(n.type)));
    std::vector<Value *> none;
    countedLoop(begin, end, kStrip, none, [&](Value *strip) {
        for (auto &[node, results] : strips)
            multiplyStrip(node, strip);
        stripBegin = strip;
        Value *next = b.CreateAdd(strip, b.getInt64(kStrip));
        Value *stop = b.CreateSelect(b.CreateICmpULT(next, end), next, end);
        std::vector<Value *> nothing;
        countedLoop(strip, stop, 1, nothing, [&](Value *row) { emitRow(row); });
    });
}

void LoopEmitter::multiplyStrip(size_t node, Value *strip) {
    const Node &n = program.nodes[node];
    unsigned columns = static_cast<unsigned>(program.packedColumns(n.type));
    unsigned lanes = static_cast<unsigned>(32 / cellSize(n.type)), numVectors = columns / lanes;
    // Rows behind the last one are the last one again.
    Value *last = b.CreateSub(end, b.getInt64(1));
    Value *rowsOfSide[kStrip];
    for (unsigned s = 0; s < kStrip; ++s) {
        Value *row = b.CreateAdd(strip, b.getInt64(s));
        row = b.CreateSelect(b.CreateICmpULT(row, last), row, last);
        rowsOfSide[s] = b.CreateInBoundsGEP(memoryType(n.type), word(n.param, 0), b.CreateMul(row, word(n.param, 1)));
    }
    std::vector<Value *> sums(kStrip * numVectors, llvm::Constant::getNullValue(memoryType(n.type, lanes)));
    countedLoop(b.getInt64(0), b.getInt64(n.depth), 1, sums, [&](Value *k) {
        Value *at = b.CreateMul(k, b.getInt64(columns));
        std::vector<Value *> factors;
        for (unsigned v = 0; v < numVectors; ++v)
            factors.push_back(loadCells(n.type, word(n.packed, 0), b.CreateAdd(at, b.getInt64(v * lanes)), lanes));
        for (unsigned s = 0; s < kStrip; ++s) {
            Value *x = splat(loadCells(n.type, rowsOfSide[s], k, 1), lanes);
            for (unsigned v = 0; v < numVectors; ++v)
                sums[s * numVectors + v] = multiplyAdd(x, factors[v], sums[s * numVectors + v]);
        }
    });
    for (unsigned i = 0; i < sums.size(); ++i)
        storeCells(n.type, sums[i], strips.at(node), b.getInt64(i * lanes), lanes);
}

Value *LoopEmitter::product(size_t node) {
    const Node &n = program.nodes[node];
    Value *at = b.CreateMul(b.CreateSub(currentRow, stripBegin), b.getInt64(program.packedColumns(n.type)));
    return loadCells(n.type, strips.at(node), at, program.narrow);
}

// ---- sums of outer products

/// Zeros of the row add nothing to the sums, unless a cell of the other row is infinite or NaN.
void LoopEmitter::addOuter(size_t p, Value *cells) {
    const LoopParam &param = program.params[p];
    Value *side = rowAddress(param.side, param.type), *isFinite = isFiniteRow(param, side);
    Value *zero = llvm::Constant::getNullValue(memoryType(param.type)), *all = b.getInt64((1u << program.narrow) - 1);
    auto general = [&] {
        Value *isUsed = b.CreateFCmpUNE(cells, llvm::Constant::getNullValue(cells->getType()));
        Value *factors = room(llvm::ArrayType::get(memoryType(param.type), program.narrow));
        storeCells(param.type, cells, factors, b.getInt64(0), program.narrow);
        addMultiples(p, side, b.CreateSelect(isFinite, bitsOf(isUsed), all),
                     [&](Value *cell) { return loadCells(param.type, factors, cell, 1); });
    };
    auto two = twoValued.find(param.node);
    if (two == twoValued.end())
        return general();
    // One number and zeros, as expected: where to add does not have to wait for the number.
    auto &[isFirst, first, second] = two->second;
    Value *bits = bitsOf(isFirst);
    Value *isUsual = b.CreateAnd(b.CreateFCmpUNE(first, zero), b.CreateFCmpOEQ(second, zero));
    auto *usual = newBlock("usual"), *other = newBlock("other"), *join = newBlock("join");
    b.CreateCondBr(b.CreateAnd(isUsual, isFinite), usual, other, llvm::MDBuilder(context).createBranchWeights(1000, 1));
    b.SetInsertPoint(usual);
    addMultiples(p, side, bits, [&](Value *) { return first; });
    b.CreateBr(join);
    b.SetInsertPoint(other);
    general();
    b.CreateBr(join);
    b.SetInsertPoint(join);
}

/// sums(cell, ...) += factor(cell) * side for the cells whose bits are set.
template <class Factor> void LoopEmitter::addMultiples(size_t p, Value *side, Value *used, Factor factor) {
    const LoopParam &param = program.params[p];
    auto *before = b.GetInsertBlock(), *loop = newBlock("outer"), *exit = newBlock("added");
    b.CreateCondBr(b.CreateICmpNE(used, b.getInt64(0)), loop, exit);
    b.SetInsertPoint(loop);
    auto *left = b.CreatePHI(i64, 2);
    left->addIncoming(used, before);
    Value *cell = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue());
    Value *sums = b.CreateInBoundsGEP(memoryType(param.type), word(p, 0), b.CreateMul(cell, b.getInt64(param.width)));
    addMultipleOfSide(param, factor(cell), sums, side);
    Value *rest = b.CreateAnd(left, b.CreateSub(left, b.getInt64(1)));
    left->addIncoming(rest, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt64(0)), loop, exit);
    b.SetInsertPoint(exit);
}

namespace {

/// f(first, lanes) for pieces of [0, count): as many lanes as fit.
template <class F> void forPieces(unsigned count, unsigned lanes, F f) {
    for (unsigned first = 0; first < count;) {
        while (lanes > count - first)
            lanes /= 2;
        f(first, lanes);
        first += lanes;
    }
}

} // namespace

void LoopEmitter::addMultipleOfSide(const LoopParam &param, Value *factor, Value *sums, Value *side) {
    forPieces(param.width, kLanes, [&](unsigned first, unsigned lanes) {
        Value *at = b.getInt64(first);
        Value *x = loadCells(param.type, side, at, lanes), *sum = loadCells(param.type, sums, at, lanes);
        storeCells(param.type, multiplyAdd(splat(factor, lanes), x, sum), sums, at, lanes);
    });
}

/// Only finite numbers times zero are zero.
Value *LoopEmitter::isFiniteRow(const LoopParam &param, Value *side) {
    // A product of the same row has done just that, if there are zeros behind its columns.
    for (auto &[node, results] : strips) {
        const Node &n = program.nodes[node];
        uint64_t columns = program.packedColumns(n.type);
        if (n.param != param.side || columns == program.narrow)
            continue;
        Value *at = b.CreateMul(b.CreateSub(currentRow, stripBegin), b.getInt64(columns));
        Value *padding = loadCells(n.type, results, b.CreateAdd(at, b.getInt64(program.narrow)), 1);
        return b.CreateFCmpORD(padding, padding);
    }
    std::map<unsigned, Value *> sums; // by the number of lanes
    forPieces(param.width, 4, [&](unsigned first, unsigned lanes) {
        Value *x = loadCells(param.type, side, b.getInt64(first), lanes);
        Value *zero = llvm::Constant::getNullValue(x->getType());
        auto [it, isNew] = sums.try_emplace(lanes, zero);
        it->second = multiplyAdd(x, zero, it->second);
    });
    Value *isFinite = b.getTrue();
    for (auto &[lanes, sum] : sums) {
        Value *ok = b.CreateFCmpORD(sum, sum);
        isFinite = b.CreateAnd(isFinite, lanes == 1 ? ok : b.CreateAndReduce(ok));
    }
    return isFinite;
}

} // namespace daphne::codegen
