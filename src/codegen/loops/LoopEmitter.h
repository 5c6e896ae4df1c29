// SPDX-License-Identifier: Apache-2.0
/// LLVM IR for one fused loop; private to src/codegen.
///
/// Cells are treated kLanes at a time, what is left of a row one at a time, and
/// rows of less than LoopProgram::kNarrow cells at once. Sums have the order of
/// the kernels (kernels/aggregates/Reduction.h): lanes, blocks, pairs of blocks.
#pragma once

#include <map>
#include <set>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "codegen/CellArithmetic.h"
#include "codegen/loops/NanFacts.h"
#include "exec/LoopProgram.h"

namespace daphne::codegen {

class LoopEmitter {
  public:
    LoopEmitter(llvm::Module &module, const exec::LoopProgram &program, const std::string &name);
    void emit();

    /// Functions of the runtime that the code calls, by symbol: see loopSymbol().
    const std::set<std::string> &symbols() const { return called; }

    static constexpr unsigned kLanes = 8;
    static constexpr unsigned kStrip = 4;

  private:
    using Node = exec::LoopNode;
    using Values = std::map<size_t, llvm::Value *>;

    /// Where the code of cells is being put: so many lanes, from this cell (or stored cell) on.
    struct Place {
        unsigned lanes = 1;
        llvm::Value *index = nullptr;  ///< column, flat cell, or position among the stored cells
        llvm::Value *column = nullptr; ///< of a stored cell, or of as many as there are lanes
        Values *cached = nullptr;
    };
    /// A loop-carried result of a sweep.
    struct Accumulator {
        exec::Reduce how = exec::Reduce::Sum;
        size_t node = 0; ///< the value that is reduced
        ValueType type = ValueType::F64;
        bool neverNan = false;                            ///< it is a minimum or maximum of numbers
        size_t reduceNode = 0;                            ///< ReduceRow node, or
        int param = -1;                                   ///< aggregate of a flat program
        llvm::Value *lanes = nullptr, *ordered = nullptr; ///< ordered: from left to right
        llvm::Value *tail = nullptr;                      ///< the cells that do not fill all lanes, and zeros
        /// Its order is that of the kernels. Stored cells of sparse rows, and products of them, have orders of their
        /// own.
        bool isRounded() const { return how != exec::Reduce::DotSparse && propertiesOf(how).rounds && isFloat(type); }
    };

    // ---- LoopEmitter.cpp: structure
    void emitFlat();
    void emitRows();
    void emitRow(llvm::Value *row);
    void emitColumnValues(unsigned level);
    void emitDenseSweep(unsigned level);
    void emitSparseSweep(unsigned level);
    /// How long it takes to get cells of a vector at the columns of stored cells.
    enum class Gathers { Near, Far };
    llvm::Value *gathersFar();
    void emitSparseCells(std::vector<Accumulator> &accumulators, llvm::Value *from, llvm::Value *to, Gathers gathers);
    void emitSparseSteps(std::vector<Accumulator> &accumulators, llvm::Value *from, llvm::Value *to, unsigned together,
                         Gathers gathers);
    llvm::Value *emitSparseLanes(std::vector<Accumulator> &accumulators, llvm::Value *from, llvm::Value *count);
    void prefetchGathers(llvm::Value *k);
    llvm::Value *storedColumn(llvm::Value *k, unsigned lanes);
    std::vector<Accumulator> accumulatorsOf(unsigned level);
    bool hasWork(unsigned level, const std::vector<Accumulator> &accumulators) const;
    /// All cells of [from, to): lanes first, then one by one.
    void emitBlock(llvm::Value *from, llvm::Value *to, std::vector<Accumulator> &accumulators, unsigned level);
    /// As Fold::finish in kernels/folds/Folds.h.
    llvm::Value *finished(const Accumulator &a, llvm::Value *total);
    llvm::Value *acrossLanes(const Accumulator &a, llvm::Value *lanes);
    llvm::Value *finishBlock(Accumulator &a, llvm::Value *count);
    void emitCells(Place place, unsigned level, const std::vector<Accumulator> &accumulators);
    llvm::Value *neutral(const Accumulator &a, unsigned lanes);
    llvm::Value *combine(const Accumulator &a, llvm::Value *x, llvm::Value *y, unsigned lanes);

    // ---- NarrowRows.cpp: rows that are one vector, and their products with matrices
    void emitNarrowRow(std::vector<Accumulator> &accumulators, unsigned level);
    llvm::Value *combineNeighbours(Accumulator a, llvm::Value *cells);
    llvm::Value *bitsOf(llvm::Value *lanes);
    bool hasProducts() const;
    /// Rows kStrip at a time: a Packed matrix is loaded once for all of them.
    void emitStrips();
    void multiplyStrip(size_t node, llvm::Value *strip);
    llvm::Value *product(size_t node);
    /// Adds the outer product of the current row and that of a Side.
    void addOuter(size_t param, llvm::Value *cells);
    template <class Factor> void addMultiples(size_t param, llvm::Value *side, llvm::Value *used, Factor factor);
    void addMultipleOfSide(const exec::LoopParam &param, llvm::Value *factor, llvm::Value *sums, llvm::Value *side);
    llvm::Value *isFiniteRow(const exec::LoopParam &param, llvm::Value *side);
    /// x * y + z, rounded as the kernels do.
    llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z);

    // ---- CellValues.cpp: values
    llvm::Value *value(size_t node, const Place &place);
    llvm::Value *compute(size_t node, const Place &place);
    llvm::Value *binary(size_t node, const Place &place);
    /// A value that is 0 or 1 everywhere, as i1; null for others.
    llvm::Value *truth(size_t node, const Place &place);
    llvm::Value *divideTruth(size_t node, const Place &place);
    llvm::Value *input(const Node &n, const Place &place);
    llvm::Value *operand(const Node &n, size_t k, ValueType as, const Place &place);
    llvm::Value *callCells(const std::string &symbol, llvm::ArrayRef<llvm::Value *> operands, ValueType t,
                           ValueType result, unsigned lanes);
    void leaveDomain(llvm::Value *outside);
    llvm::Value *loadCells(ValueType t, llvm::Value *address, llvm::Value *index, unsigned lanes);
    llvm::Value *gatherCells(ValueType t, llvm::Value *address, llvm::Value *columns, unsigned lanes);
    void storeCells(ValueType t, llvm::Value *v, llvm::Value *address, llvm::Value *index, unsigned lanes);
    llvm::Value *rowAddress(size_t param, ValueType t);
    llvm::Value *splat(llvm::Value *v, unsigned lanes);
    llvm::Type *memoryType(ValueType t, unsigned lanes = 1);
    llvm::Value *word(size_t param, size_t k) { return words[{param, k}]; }
    llvm::Value *room(llvm::Type *type);

    llvm::BasicBlock *newBlock(const char *name);
    /// for (i = from; i < to; i += step) body(i); leaves the builder behind the loop. carried: loop-carried values,
    /// which the body replaces.
    template <class Body>
    void countedLoop(llvm::Value *from, llvm::Value *to, uint64_t step, std::vector<llvm::Value *> &carried, Body body);
    /// if (condition) then(); `from` is the value without it.
    template <class Then> llvm::Value *conditional(llvm::Value *condition, llvm::Value *otherwise, Then then);

    const exec::LoopProgram &program;
    NanFacts nan;
    llvm::Module &module;
    llvm::LLVMContext &context;
    llvm::IRBuilder<> b;
    llvm::Function *function = nullptr;
    llvm::Type *i64, *ptr;
    std::map<std::pair<size_t, size_t>, llvm::Value *> words; ///< words of parameters
    llvm::Value *columns = nullptr, *faultFlag = nullptr, *limit = nullptr;
    llvm::Value *begin = nullptr, *end = nullptr, *currentRow = nullptr;
    Values scalars, rowValues;              ///< one number each: for the loop, for the current row
    Values narrowRow;                       ///< all values of the current row, if it is narrow
    std::map<size_t, llvm::Value *> strips; ///< by Product: rows of results, padded
    llvm::Value *stripBegin = nullptr;
    struct TwoValued {
        llvm::Value *isFirst, *first, *second;
    };
    std::map<size_t, TwoValued> twoValued; ///< cells of the narrow row that are one of two numbers
    std::map<size_t, llvm::Value *> rows;  ///< address of the current row by parameter
    std::map<size_t, unsigned> keptIn;     ///< Full values stored by a parameter: its number
    llvm::Value *anyFault = nullptr;       ///< alloca i8
    unsigned currentLevel = 0;
    std::set<std::string> called;
};

template <class Body>
void LoopEmitter::countedLoop(llvm::Value *from, llvm::Value *to, uint64_t step, std::vector<llvm::Value *> &carried,
                              Body body) {
    auto *before = b.GetInsertBlock(), *loop = newBlock("loop"), *exit = newBlock("end");
    b.CreateCondBr(b.CreateICmpULT(from, to), loop, exit);
    b.SetInsertPoint(loop);
    auto *index = b.CreatePHI(i64, 2);
    index->addIncoming(from, before);
    std::vector<llvm::PHINode *> phis;
    std::vector<llvm::Value *> inits = carried;
    for (llvm::Value *&v : carried) {
        phis.push_back(b.CreatePHI(v->getType(), 2));
        phis.back()->addIncoming(v, before);
        v = phis.back();
    }
    body(index);
    llvm::Value *next = b.CreateAdd(index, b.getInt64(step), "", true, true);
    auto *latch = b.GetInsertBlock();
    index->addIncoming(next, latch);
    for (size_t i = 0; i < phis.size(); ++i)
        phis[i]->addIncoming(carried[i], latch);
    b.CreateCondBr(b.CreateICmpULT(next, to), loop, exit);
    b.SetInsertPoint(exit);
    for (size_t i = 0; i < carried.size(); ++i) {
        auto *result = b.CreatePHI(carried[i]->getType(), 2);
        result->addIncoming(inits[i], before);
        result->addIncoming(carried[i], latch);
        carried[i] = result;
    }
}

template <class Then> llvm::Value *LoopEmitter::conditional(llvm::Value *condition, llvm::Value *otherwise, Then then) {
    auto *before = b.GetInsertBlock(), *yes = newBlock("then"), *join = newBlock("join");
    b.CreateCondBr(condition, yes, join);
    b.SetInsertPoint(yes);
    llvm::Value *v = then();
    auto *last = b.GetInsertBlock();
    b.CreateBr(join);
    b.SetInsertPoint(join);
    auto *phi = b.CreatePHI(otherwise->getType(), 2);
    phi->addIncoming(otherwise, before);
    phi->addIncoming(v, last);
    return phi;
}

} // namespace daphne::codegen
