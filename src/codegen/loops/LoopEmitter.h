// SPDX-License-Identifier: Apache-2.0
/// LLVM IR for one fused loop; private to src/codegen.
///
/// Cells are treated kLanes at a time, what is left of a row one at a time, and
/// rows of less than LoopProgram::kNarrow cells at once. Sums have the order of
/// the kernels (kernels/Reduction.h): lanes, blocks, pairs of blocks.
#pragma once

#include <map>
#include <set>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "codegen/CellArithmetic.h"
#include "exec/LoopProgram.h"

namespace daphne::codegen {

class LoopEmitter {
  public:
    LoopEmitter(llvm::Module &module, const exec::LoopProgram &program, const std::string &name);
    void emit();

    /// Functions of the runtime that the code calls, by symbol: see loopSymbol().
    const std::set<std::string> &symbols() const { return called; }

    static constexpr unsigned kLanes = 8;

  private:
    using Node = exec::LoopNode;
    using Values = std::map<size_t, llvm::Value *>;

    /// Where the code of cells is being put: so many lanes, from this cell (or stored cell) on.
    struct Place {
        unsigned lanes = 1;
        llvm::Value *index = nullptr;  ///< column, flat cell, or position among the stored cells
        llvm::Value *column = nullptr; ///< of a stored cell
        Values *cached = nullptr;
    };
    /// A loop-carried result of a sweep.
    struct Accumulator {
        exec::Reduce how = exec::Reduce::Sum;
        size_t node = 0; ///< the value that is reduced
        ValueType type = ValueType::F64;
        size_t reduceNode = 0;                            ///< ReduceRow node, or
        int param = -1;                                   ///< aggregate of a flat program
        llvm::Value *lanes = nullptr, *ordered = nullptr; ///< ordered: from left to right
        llvm::Value *tail = nullptr;                      ///< array of the cells that do not fill all lanes
        bool isFloatSum() const { return how == exec::Reduce::Sum && isFloat(type); }
    };

    // ---- LoopEmitter.cpp: structure
    void emitFlat();
    void emitRows();
    void emitRow(llvm::Value *row);
    void emitColumnValues(unsigned level);
    void emitDenseSweep(unsigned level);
    void emitSparseSweep(unsigned level);
    llvm::Value *emitSparseCells(std::vector<Accumulator> &accumulators, llvm::Value *from, llvm::Value *to,
                                 unsigned together);
    llvm::Value *firstCellIfNan(const Accumulator &a, llvm::Value *best, llvm::Value *from, llvm::Value *to);
    void prefetchGathers(llvm::Value *k);
    llvm::Value *storedColumn(llvm::Value *k);
    std::vector<Accumulator> accumulatorsOf(unsigned level);
    bool hasWork(unsigned level, const std::vector<Accumulator> &accumulators) const;
    /// All cells of [from, to): lanes first, then one by one.
    void emitBlock(llvm::Value *from, llvm::Value *to, std::vector<Accumulator> &accumulators, unsigned level);
    void emitNarrowRow(std::vector<Accumulator> &accumulators, unsigned level);
    llvm::Value *finishBlock(Accumulator &a, llvm::Value *count);
    void emitCells(Place place, unsigned level, const std::vector<Accumulator> &accumulators);
    llvm::Value *neutral(const Accumulator &a, unsigned lanes);
    llvm::Value *combine(const Accumulator &a, llvm::Value *x, llvm::Value *y, unsigned lanes);

    // ---- CellValues.cpp: values
    llvm::Value *value(size_t node, const Place &place);
    llvm::Value *compute(const Node &n, const Place &place);
    llvm::Value *binary(const Node &n, const Place &place);
    llvm::Value *input(const Node &n, const Place &place);
    llvm::Value *operand(const Node &n, size_t k, ValueType as, const Place &place);
    llvm::Value *callCells(const std::string &symbol, llvm::ArrayRef<llvm::Value *> operands, ValueType t,
                           ValueType result, unsigned lanes);
    void leaveDomain(llvm::Value *outside);
    llvm::Value *loadCells(ValueType t, llvm::Value *address, llvm::Value *index, unsigned lanes);
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
    llvm::Module &module;
    llvm::LLVMContext &context;
    llvm::IRBuilder<> b;
    llvm::Function *function = nullptr;
    llvm::Type *i64, *ptr;
    std::map<std::pair<size_t, size_t>, llvm::Value *> words; ///< words of parameters
    llvm::Value *columns = nullptr, *faultFlag = nullptr, *limit = nullptr;
    llvm::Value *begin = nullptr, *end = nullptr, *currentRow = nullptr;
    Values scalars, rowValues;            ///< one number each: for the loop, for the current row
    std::map<size_t, llvm::Value *> rows; ///< address of the current row by parameter
    std::map<size_t, unsigned> keptIn;    ///< Full values stored by a parameter: its number
    llvm::Value *anyFault = nullptr;      ///< alloca i8
    unsigned currentLevel = 0;
    std::set<std::string> called;
};

} // namespace daphne::codegen
