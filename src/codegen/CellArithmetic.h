// SPDX-License-Identifier: Apache-2.0
/// LLVM code for the arithmetic of cells, one number or several lanes at a time.
/// Semantics are those of the kernels (language 4.1), to the last bit: integers
/// wrap, comparisons yield 0/1 in the operands' type, float to integer saturates,
/// no multiplication is fused with an addition but inside exponential functions.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include "base/ValueType.h"
#include "kernels/cells/CellTable.h"

namespace daphne::codegen {

class CellArithmetic {
  public:
    explicit CellArithmetic(llvm::IRBuilder<> &builder, unsigned lanes = 1) : b(builder), lanes(lanes) {}

    /// For operands that are known not to be NaN: minima and maxima need not ask for it.
    CellArithmetic withoutNan(bool known = true) const {
        CellArithmetic c = *this;
        c.neverNan = known;
        return c;
    }

    /// Numbers in registers: bool is i1, everything else as in memory.
    llvm::Type *type(ValueType t) const;
    llvm::Value *number(ValueType t, double x) const;
    llvm::Value *isTrue(llvm::Value *v, ValueType t) const; ///< NaN is true
    llvm::Value *fromBool(llvm::Value *v, ValueType t) const;
    llvm::Value *convert(llvm::Value *v, ValueType from, ValueType to) const;
    static bool isComparison(ops::OpName function);
    /// The six comparisons; i1.
    llvm::Value *compare(ops::OpName function, llvm::Value *x, llvm::Value *y, ValueType t) const;

    /// Functions without a domain, both operands and the result of type t; null if there are no instructions for it
    /// (integer division, powers, ...): the loop of the kernels does it. Comparisons and logical operations yield
    /// numbers.
    llvm::Value *binary(ops::OpName function, llvm::Value *x, llvm::Value *y, ValueType t) const;
    /// Likewise; outside of its domain a function gives NaN.
    llvm::Value *unary(ops::OpName function, llvm::Value *x, ValueType t) const;
    /// x ^ (twice / 2), see kernels/elementwise/FixedPower.h; t is a floating-point type.
    llvm::Value *fixedPower(int twice, llvm::Value *x, ValueType t) const;

  private:
    struct Emitters; ///< the functions that have instructions, by name
    llvm::Type *spread(llvm::Type *t) const;
    llvm::Value *absolute(llvm::Value *x, ValueType t) const;
    llvm::Value *sign(llvm::Value *x, ValueType t) const;
    // f64 only: the algorithms of kernels/elementwise/Exponential.h
    struct PowerOfE {
        llvm::Value *shifted, *fraction;
    };
    PowerOfE powerOfE(llvm::Value *x) const;
    llvm::Value *exponential(llvm::Value *x) const;
    llvm::Value *hyperbolicTangent(llvm::Value *x) const;
    llvm::Value *naturalLogarithm(llvm::Value *x) const;
    llvm::Value *real(double x) const { return number(ValueType::F64, x); }
    llvm::Value *word(uint64_t x) const;
    llvm::Value *wordsOf(llvm::Value *x) const;
    llvm::Value *realOf(llvm::Value *words) const;
    llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) const;
    /// c0 + x * c1
    llvm::Value *linear(double c0, double c1, llvm::Value *x) const;

    llvm::IRBuilder<> &b;
    unsigned lanes;
    bool neverNan = false; ///< no operand is
};

} // namespace daphne::codegen
