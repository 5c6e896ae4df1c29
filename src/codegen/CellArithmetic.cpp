// SPDX-License-Identifier: Apache-2.0
#include "codegen/CellArithmetic.h"

#include <bit>
#include <cmath>
#include <limits>

#include "llvm/IR/Intrinsics.h"

#include "base/WideVectors.h"
#include "kernels/elementwise/Exponential.h"

namespace daphne::codegen {

using llvm::Value;

llvm::Type *CellArithmetic::spread(llvm::Type *t) const {
    return lanes == 1 ? t : llvm::FixedVectorType::get(t, lanes);
}

llvm::Type *CellArithmetic::type(ValueType t) const {
    switch (t) {
    case ValueType::Bool: return spread(b.getInt1Ty());
    case ValueType::F32: return spread(b.getFloatTy());
    case ValueType::F64: return spread(b.getDoubleTy());
    default: return spread(b.getIntNTy(static_cast<unsigned>(8 * cellSize(t))));
    }
}

Value *CellArithmetic::number(ValueType t, double x) const {
    if (isFloat(t))
        return llvm::ConstantFP::get(type(t), x);
    return llvm::ConstantInt::get(type(t), static_cast<uint64_t>(static_cast<int64_t>(x)), isSigned(t));
}

Value *CellArithmetic::isTrue(Value *v, ValueType t) const {
    if (t == ValueType::Bool)
        return v;
    if (isFloat(t))
        return b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0.0));
    return b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
}

Value *CellArithmetic::fromBool(Value *v, ValueType t) const {
    if (t == ValueType::Bool)
        return v;
    return isFloat(t) ? b.CreateUIToFP(v, type(t)) : b.CreateZExt(v, type(t));
}

Value *CellArithmetic::convert(Value *v, ValueType from, ValueType to) const {
    if (type(from) == type(to))
        return v;
    if (to == ValueType::Bool)
        return isTrue(v, from);
    if (isFloat(from)) {
        if (isFloat(to))
            return b.CreateFPCast(v, type(to));
        llvm::Type *i64 = spread(b.getInt64Ty());
        Value *asSigned = b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {i64, v->getType()}, {v});
        if (to == ValueType::UI64 || to == ValueType::Size) {
            // Beyond the signed range the unsigned conversion; negative numbers wrap.
            Value *asUnsigned = b.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {i64, v->getType()}, {v});
            Value *large = b.CreateFCmpOGE(v, llvm::ConstantFP::get(v->getType(), 9223372036854775808.0));
            return b.CreateSelect(large, asUnsigned, asSigned);
        }
        return b.CreateTrunc(asSigned, type(to));
    }
    if (isFloat(to))
        return isSigned(from) ? b.CreateSIToFP(v, type(to)) : b.CreateUIToFP(v, type(to));
    return b.CreateIntCast(v, type(to), isSigned(from));
}

namespace {

using P = llvm::CmpInst::Predicate;
struct Comparison {
    ops::OpName function;
    P fp, sint, uint;
};
constexpr Comparison kComparisons[] = {
    {"ewEq", P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ},   {"ewNeq", P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE},
    {"ewLt", P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}, {"ewLe", P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE},
    {"ewGt", P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}, {"ewGe", P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE},
};

} // namespace

bool CellArithmetic::isComparison(ops::OpName function) {
    return llvm::any_of(kComparisons, [&](const Comparison &c) { return c.function == function; });
}

Value *CellArithmetic::compare(ops::OpName function, Value *x, Value *y, ValueType t) const {
    for (const Comparison &c : kComparisons)
        if (c.function == function)
            return b.CreateCmp(isFloat(t) ? c.fp : isSigned(t) ? c.sint : c.uint, x, y);
    return nullptr;
}

struct CellArithmetic::Emitters {
    using Cells = const CellArithmetic &;

    // ---- functions of two numbers; all have a form for every type unless they say so with null

    static Value *add(Cells c, Value *x, Value *y, ValueType t) {
        return isFloat(t) ? c.b.CreateFAdd(x, y) : c.b.CreateAdd(x, y);
    }
    static Value *subtract(Cells c, Value *x, Value *y, ValueType t) {
        return isFloat(t) ? c.b.CreateFSub(x, y) : c.b.CreateSub(x, y);
    }
    static Value *multiply(Cells c, Value *x, Value *y, ValueType t) {
        return isFloat(t) ? c.b.CreateFMul(x, y) : c.b.CreateMul(x, y);
    }
    static Value *divide(Cells c, Value *x, Value *y, ValueType t) {
        return isFloat(t) ? c.b.CreateFDiv(x, y) : nullptr;
    }
    static Value *smaller(Cells c, Value *x, Value *y, ValueType t) {
        return orNan(c, x, y, c.b.CreateSelect(c.compare("ewLt", y, x, t), y, x), t);
    }
    static Value *larger(Cells c, Value *x, Value *y, ValueType t) {
        return orNan(c, x, y, c.b.CreateSelect(c.compare("ewLt", x, y, t), y, x), t);
    }
    /// One and the same NaN where x or y is one.
    static Value *orNan(Cells c, Value *x, Value *y, Value *best, ValueType t) {
        if (!isFloat(t) || c.neverNan)
            return best;
        return c.b.CreateSelect(c.b.CreateFCmpUNO(x, y), llvm::ConstantFP::getQNaN(best->getType()), best);
    }
    /// The number where x or y is NaN, the NaN where both are; else what `function` gives.
    template <Value *(*function)(Cells, Value *, Value *, ValueType)>
    static Value *ofNumbers(Cells c, Value *x, Value *y, ValueType t) {
        if (!isFloat(t) || c.neverNan)
            return function(c, x, y, t);
        Value *both = function(c, x, y, t);
        Value *isNanX = c.b.CreateFCmpUNO(x, x), *isNanY = c.b.CreateFCmpUNO(y, y);
        Value *only = c.b.CreateSelect(isNanY, llvm::ConstantFP::getQNaN(y->getType()), y);
        return c.b.CreateSelect(isNanX, only, c.b.CreateSelect(isNanY, x, both));
    }
    template <llvm::Instruction::BinaryOps Logic> static Value *logical(Cells c, Value *x, Value *y, ValueType t) {
        return c.fromBool(c.b.CreateBinOp(Logic, c.isTrue(x, t), c.isTrue(y, t)), t);
    }

    struct Binary {
        ops::OpName function;
        Value *(*emit)(Cells, Value *x, Value *y, ValueType t);
    };
    static constexpr Binary kBinary[] = {
        {"ewAdd", add},
        {"ewSub", subtract},
        {"ewMul", multiply},
        {"ewDiv", divide},
        {"ewMin", smaller},
        {"ewMax", larger},
        {"ewFmin", ofNumbers<smaller>},
        {"ewFmax", ofNumbers<larger>},
        {"ewAnd", logical<llvm::Instruction::And>},
        {"ewOr", logical<llvm::Instruction::Or>},
        {"outerXor", logical<llvm::Instruction::Xor>},
    };

    // ---- functions of one number

    static Value *itself(Cells, Value *x, ValueType) { return x; }
    static Value *negate(Cells c, Value *x, ValueType t) { return isFloat(t) ? c.b.CreateFNeg(x) : c.b.CreateNeg(x); }
    static Value *absolute(Cells c, Value *x, ValueType t) { return c.absolute(x, t); }
    static Value *sign(Cells c, Value *x, ValueType t) { return c.sign(x, t); }
    static Value *isNan(Cells c, Value *x, ValueType t) { return c.fromBool(c.b.CreateFCmpUNO(x, x), t); }
    static Value *isNumber(Cells c, Value *x, ValueType t) { return c.fromBool(c.b.CreateFCmpORD(x, x), t); }
    static Value *nanToZero(Cells c, Value *x, ValueType t) {
        return c.b.CreateSelect(c.b.CreateFCmpORD(x, x), x, c.number(t, 0));
    }
    static Value *zero(Cells c, Value *, ValueType t) { return c.number(t, 0); }
    static Value *one(Cells c, Value *, ValueType t) { return c.number(t, 1); }
    template <llvm::Intrinsic::ID Id> static Value *intrinsic(Cells c, Value *x, ValueType) {
        return c.b.CreateUnaryIntrinsic(Id, x);
    }
    /// f32 is computed as f64.
    template <Value *(CellArithmetic::*F)(Value *) const> static Value *inDouble(Cells c, Value *x, ValueType t) {
        return c.convert((c.*F)(c.convert(x, t, ValueType::F64)), ValueType::F64, t);
    }

    struct Unary {
        ops::OpName function;
        Value *(*ofFloats)(Cells, Value *x, ValueType t);
        Value *(*ofIntegers)(Cells, Value *x, ValueType t);
    };
    static constexpr Unary kUnary[] = {
        {"ewMinus", negate, negate},
        {"ewAbs", absolute, absolute},
        {"ewSign", sign, sign},
        {"ewIsnan", isNan, zero},
        {"ewNanToZero", nanToZero, itself},
        {"ewNotNan", isNumber, one},
        {"ewFloor", intrinsic<llvm::Intrinsic::floor>, itself},
        {"ewCeil", intrinsic<llvm::Intrinsic::ceil>, itself},
        {"ewRound", nullptr, itself},
        {"ewSqrt", intrinsic<llvm::Intrinsic::sqrt>, nullptr},
        {"ewExp", inDouble<&CellArithmetic::exponential>, nullptr},
        {"ewTanh", inDouble<&CellArithmetic::hyperbolicTangent>, nullptr},
        {"ewLn", inDouble<&CellArithmetic::naturalLogarithm>, nullptr},
    };
};

Value *CellArithmetic::binary(ops::OpName function, Value *x, Value *y, ValueType t) const {
    for (const auto &row : Emitters::kBinary)
        if (row.function == function)
            return row.emit(*this, x, y, t);
    Value *truth = compare(function, x, y, t);
    return truth ? fromBool(truth, t) : nullptr;
}

Value *CellArithmetic::absolute(Value *x, ValueType t) const {
    if (isFloat(t))
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    auto *zero = llvm::ConstantInt::get(x->getType(), 0);
    return isSigned(t) ? b.CreateSelect(b.CreateICmpSLT(x, zero), b.CreateNeg(x), x) : x;
}

Value *CellArithmetic::sign(Value *x, ValueType t) const {
    Value *zero = llvm::Constant::getNullValue(x->getType()), *one = number(t, 1);
    Value *above = compare("ewGt", x, zero, t), *below = compare("ewLt", x, zero, t);
    if (!isFloat(t))
        return b.CreateSub(b.CreateZExt(above, type(t)), b.CreateZExt(below, type(t)));
    Value *number_ = b.CreateSelect(above, one, b.CreateSelect(below, number(t, -1), zero));
    return b.CreateSelect(b.CreateFCmpUNO(x, x), x, number_);
}

Value *CellArithmetic::unary(ops::OpName function, Value *x, ValueType t) const {
    if (function == "ewNot")
        return fromBool(b.CreateNot(isTrue(x, t)), t);
    if (t == ValueType::Bool)
        return nullptr;
    for (const auto &row : Emitters::kUnary)
        if (row.function == function) {
            auto emit = isFloat(t) ? row.ofFloats : row.ofIntegers;
            return emit ? emit(*this, x, t) : nullptr;
        }
    return nullptr;
}

Value *CellArithmetic::fixedPower(int twice, Value *x, ValueType t) const {
    Value *v = convert(x, t, ValueType::F64), *power;
    if (twice == 4) {
        power = b.CreateFMul(v, v);
    } else if (twice == 6) {
        power = b.CreateFMul(b.CreateFMul(v, v), v);
    } else if (twice == -2) {
        power = b.CreateFDiv(real(1), v);
    } else {
        double infinity = std::numeric_limits<double>::infinity();
        Value *base = b.CreateSelect(b.CreateFCmpOEQ(v, real(-infinity)), real(infinity), b.CreateFAdd(v, real(0)));
        power = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, base);
        if (twice == 3 || twice == -3)
            power = b.CreateFMul(base, power);
        if (twice < 0)
            power = b.CreateFDiv(real(1), power);
    }
    return convert(power, ValueType::F64, t);
}

// ---- the algorithms of kernels/elementwise/Exponential.h, operation by operation

Value *CellArithmetic::word(uint64_t x) const { return llvm::ConstantInt::get(spread(b.getInt64Ty()), x); }
Value *CellArithmetic::wordsOf(Value *x) const { return b.CreateBitCast(x, spread(b.getInt64Ty())); }
Value *CellArithmetic::realOf(Value *words) const { return b.CreateBitCast(words, spread(b.getDoubleTy())); }
Value *CellArithmetic::multiplyAdd(Value *x, Value *y, Value *z) const {
    if (!fusesMultiplyAdd())
        return b.CreateFAdd(b.CreateFMul(x, y), z);
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}
Value *CellArithmetic::linear(double c0, double c1, Value *x) const { return multiplyAdd(x, real(c1), real(c0)); }

CellArithmetic::PowerOfE CellArithmetic::powerOfE(Value *x) const {
    using daphne::detail::kLn2High, daphne::detail::kLn2Low, daphne::detail::kRounder;
    Value *shifted = multiplyAdd(x, real(0x1.71547652b82fep0), real(kRounder));
    Value *k = b.CreateFSub(shifted, real(kRounder));
    Value *r = multiplyAdd(k, real(-kLn2Low), multiplyAdd(k, real(-kLn2High), x));
    Value *r2 = b.CreateFMul(r, r), *r4 = b.CreateFMul(r2, r2);
    Value *c2 = linear(1.0 / 2, 1.0 / 6, r), *c4 = linear(1.0 / 24, 1.0 / 120, r);
    Value *c6 = linear(1.0 / 720, 1.0 / 5040, r), *c8 = linear(1.0 / 40320, 1.0 / 362880, r);
    Value *c10 = linear(1.0 / 3628800, 1.0 / 39916800, r), *c12 = linear(1.0 / 479001600, 1.0 / 6227020800, r);
    Value *high = multiplyAdd(r4, multiplyAdd(r2, c12, c10), multiplyAdd(r2, c8, c6));
    Value *q = multiplyAdd(r4, high, multiplyAdd(r2, c4, c2));
    return {shifted, multiplyAdd(r2, q, r)};
}

Value *CellArithmetic::exponential(Value *x) const {
    x = b.CreateSelect(b.CreateFCmpOGT(x, real(710.0)), real(710.0), x);
    x = b.CreateSelect(b.CreateFCmpOLT(x, real(-746.0)), real(-746.0), x);
    PowerOfE power = powerOfE(x);
    constexpr uint64_t kOffset = 2048, kBias = 1023;
    uint64_t rounder = std::bit_cast<uint64_t>(daphne::detail::kRounder);
    Value *offsetK = b.CreateAdd(wordsOf(power.shifted), word(kOffset - rounder));
    Value *half = b.CreateLShr(offsetK, word(1)), *rest = b.CreateSub(offsetK, half);
    Value *first = realOf(b.CreateShl(b.CreateAdd(half, word(kBias - kOffset / 2)), word(52)));
    Value *second = realOf(b.CreateShl(b.CreateAdd(rest, word(kBias - kOffset / 2)), word(52)));
    return b.CreateFMul(b.CreateFMul(b.CreateFAdd(real(1.0), power.fraction), first), second);
}

Value *CellArithmetic::hyperbolicTangent(Value *x) const {
    Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    size = b.CreateSelect(b.CreateFCmpOGT(size, real(22.0)), real(22.0), size);
    PowerOfE power = powerOfE(b.CreateFMul(real(2), size));
    uint64_t rounder = std::bit_cast<uint64_t>(daphne::detail::kRounder);
    Value *scale = realOf(b.CreateShl(b.CreateAdd(wordsOf(power.shifted), word(1023 - rounder)), word(52)));
    Value *minusOne = multiplyAdd(scale, power.fraction, b.CreateFSub(scale, real(1.0)));
    Value *ratio = b.CreateFDiv(minusOne, b.CreateFAdd(minusOne, real(2.0)));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, ratio, x);
}

Value *CellArithmetic::naturalLogarithm(Value *x) const {
    constexpr uint64_t kOffset = 1024, kRootOfHalf = 0x3fe6a09e667f3bcd;
    constexpr double kInteger = 0x1p52, kInfinity = std::numeric_limits<double>::infinity();
    Value *tiny = b.CreateFCmpOLT(x, real(std::numeric_limits<double>::min()));
    Value *scaled = b.CreateSelect(tiny, b.CreateFMul(x, real(0x1p54)), x);
    Value *bits = wordsOf(scaled);
    Value *offsetK = b.CreateLShr(b.CreateAdd(bits, word((kOffset << 52) - kRootOfHalf)), word(52));
    Value *mantissa = b.CreateSub(bits, b.CreateShl(b.CreateSub(offsetK, word(kOffset)), word(52)));
    Value *f = b.CreateFSub(realOf(mantissa), real(1.0));
    Value *k =
        b.CreateFSub(realOf(b.CreateOr(offsetK, word(std::bit_cast<uint64_t>(kInteger)))), real(kInteger + kOffset));
    k = b.CreateSelect(tiny, b.CreateFSub(k, real(54)), k);
    Value *s = b.CreateFDiv(f, b.CreateFAdd(real(2.0), f));
    Value *z = b.CreateFMul(s, s), *z2 = b.CreateFMul(z, z), *z4 = b.CreateFMul(z2, z2);
    Value *low = multiplyAdd(z2, linear(2.0 / 7, 2.0 / 9, z), linear(2.0 / 3, 2.0 / 5, z));
    Value *high = multiplyAdd(z2, linear(2.0 / 15, 2.0 / 17, z), linear(2.0 / 11, 2.0 / 13, z));
    Value *highest = linear(2.0 / 19, 2.0 / 21, z);
    Value *series = b.CreateFMul(z, multiplyAdd(z4, multiplyAdd(z4, highest, high), low));
    Value *halfSquare = b.CreateFMul(b.CreateFMul(real(0.5), f), f);
    Value *kLow = b.CreateFMul(k, real(daphne::detail::kLn2Low));
    Value *correction = b.CreateFSub(halfSquare, multiplyAdd(s, b.CreateFAdd(halfSquare, series), kLow));
    Value *result = multiplyAdd(k, real(daphne::detail::kLn2High), b.CreateFSub(f, correction));
    result = b.CreateSelect(b.CreateFCmpOEQ(x, real(0)), real(-kInfinity), result);
    result = b.CreateSelect(b.CreateFCmpOEQ(x, real(kInfinity)), real(kInfinity), result);
    return b.CreateSelect(b.CreateFCmpOGE(x, real(0)), result, real(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace daphne::codegen
