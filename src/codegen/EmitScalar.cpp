// SPDX-License-Identifier: Apache-2.0
/// Native code for scalars. Semantics are those of the kernels (language 4.1):
/// integers wrap, division truncates and checks for zero, comparisons yield 0/1
/// in the operands' type, float to integer saturates.
#include "codegen/Emitter.h"

#include "codegen/CellArithmetic.h"

namespace daphne::codegen {

using ir::DaphneOp;
using llvm::StringRef;
using ops::TypeDesc;

namespace {
bool isNumber(const TypeDesc &t) { return t.isScalar() && isNumeric(t.valueType); }
} // namespace

llvm::Type *Emitter::numberType(ValueType type) { return CellArithmetic(b).type(type); }

llvm::Value *Emitter::constant(const ops::Constant &c) {
    if (isFloat(c.type))
        return llvm::ConstantFP::get(numberType(c.type), c.d);
    return llvm::ConstantInt::get(numberType(storedType(c.type)), static_cast<uint64_t>(c.i), isSigned(c.type));
}

llvm::Value *Emitter::isTrue(llvm::Value *v, ValueType type) { return CellArithmetic(b).isTrue(v, type); }

llvm::Value *Emitter::fromBool(llvm::Value *v, ValueType type) { return CellArithmetic(b).fromBool(v, type); }

llvm::Value *Emitter::convert(llvm::Value *v, ValueType from, ValueType to) {
    return CellArithmetic(b).convert(v, from, to);
}

llvm::Value *Emitter::mathCall(StringRef name, llvm::ArrayRef<llvm::Value *> args, ValueType type) {
    std::string symbol = name.str() + (type == ValueType::F32 ? "f" : "");
    return callRuntime(symbol.c_str(), args[0]->getType(), args);
}

llvm::Value *Emitter::nativeUnary(ops::OpName name, llvm::Value *v, ValueType type) {
    if (ops::isOneOf(name, {"ewNot", "ewMinus", "ewAbs"}))
        return CellArithmetic(b).unary(name, v, type);
    bool fp = isFloat(type);
    if (type == ValueType::Bool)
        return nullptr;
    if (name == "ewFloor" || name == "ewCeil" || name == "ewRound")
        return fp ? mathCall(llvm::StringRef(name).drop_front(2).lower(), {v}, type) : v;
    if (fp && ops::isOneOf(name, {"ewExp", "ewSin", "ewCos", "ewTan", "ewSinh", "ewCosh", "ewTanh", "ewAtan"}))
        return mathCall(llvm::StringRef(name).drop_front(2).lower(), {v}, type);
    return nullptr;
}

llvm::Value *Emitter::integerDivision(bool remainder, llvm::Value *x, llvm::Value *y, ValueType type,
                                      mlir::Location loc) {
    auto *zero = llvm::ConstantInt::get(y->getType(), 0);
    if (!llvm::isa<llvm::ConstantInt>(y) || llvm::cast<llvm::ConstantInt>(y)->isZero()) {
        llvm::BasicBlock *fault = newBlock("zero"), *go = newBlock("divide");
        b.CreateCondBr(b.CreateICmpEQ(y, zero), fault, go);
        b.SetInsertPoint(fault);
        setCallSite(loc, remainder ? ops::OpName("ewMod") : ops::OpName("ewDiv"));
        callRuntime("daphne_division_by_zero", b.getVoidTy(), {contextArg});
        b.CreateUnreachable();
        b.SetInsertPoint(go);
    }
    if (!isSigned(type))
        return remainder ? b.CreateURem(x, y) : b.CreateUDiv(x, y);
    // The smallest number divided by -1 would trap: it wraps like every overflow.
    auto *minusOne = llvm::ConstantInt::get(y->getType(), -1, true);
    auto *negates = b.CreateICmpEQ(y, minusOne);
    auto *safe = b.CreateSelect(negates, llvm::ConstantInt::get(y->getType(), 1), y);
    if (remainder)
        return b.CreateSelect(negates, zero, b.CreateSRem(x, safe));
    return b.CreateSelect(negates, b.CreateNeg(x), b.CreateSDiv(x, safe));
}

/// x as si64; a fraction or nan is an error.
llvm::Value *Emitter::position(llvm::Value *x, ValueType type, mlir::Location loc) {
    llvm::Value *p = convert(x, type, ValueType::SI64);
    if (!isFloat(type))
        return p;
    llvm::BasicBlock *fault = newBlock("fraction"), *go = newBlock("whole");
    b.CreateCondBr(b.CreateFCmpOEQ(x, b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x)), go, fault);
    b.SetInsertPoint(fault);
    setCallSite(loc, ops::OpName("position"));
    callRuntime("daphne_not_whole", b.getVoidTy(), {contextArg, convert(x, type, ValueType::F64)});
    b.CreateUnreachable();
    b.SetInsertPoint(go);
    return p;
}

/// Arithmetic in type g; null if there is no native form.
llvm::Value *Emitter::arithmetic(ops::OpName name, llvm::Value *x, llvm::Value *y, ValueType g, mlir::Location loc) {
    bool fp = isFloat(g);
    if (name == "ewDiv" && !fp)
        return integerDivision(false, x, y, g, loc);
    if (name == "ewMod")
        return fp ? mathCall("fmod", {x, y}, g) : integerDivision(true, x, y, g, loc);
    if (name == "ewPow" && g == ValueType::F64)
        return mathCall("pow", {x, y}, g);
    return CellArithmetic(b).binary(name, x, y, g);
}

/// Iterations of for(i in from : to : step); bounds are inclusive, a step of 0 or away from `to` gives none.
llvm::Value *Emitter::tripCount(llvm::Value *from, llvm::Value *to, llvm::Value *step) {
    auto *zero = b.getInt64(0), *one = b.getInt64(1);
    auto *up = b.CreateICmpSGT(step, zero);
    auto *distance = b.CreateSelect(up, b.CreateSub(to, from), b.CreateSub(from, to));
    auto *towards = b.CreateSelect(up, b.CreateICmpSLE(from, to), b.CreateICmpSGE(from, to));
    auto *isZero = b.CreateICmpEQ(step, zero);
    auto *width = b.CreateSelect(isZero, one, b.CreateSelect(up, step, b.CreateNeg(step)));
    auto *count = b.CreateAdd(b.CreateUDiv(distance, width), one);
    return b.CreateSelect(b.CreateAnd(towards, b.CreateNot(isZero)), count, zero);
}

bool Emitter::emitNativeBinary(DaphneOp op, const TypeDesc &a, const TypeDesc &c, const TypeDesc &result) {
    ops::OpName name = op.mnemonic();
    llvm::Value *x = get(op->getOperand(0)).bits, *y = get(op->getOperand(1)).bits;
    ValueType g = mostGeneral(a.valueType, c.valueType);
    llvm::Value *v = nullptr;
    if (name == "ewAnd" || name == "ewOr") {
        llvm::Value *p = isTrue(x, a.valueType), *q = isTrue(y, c.valueType);
        v = fromBool(name == "ewAnd" ? b.CreateAnd(p, q) : b.CreateOr(p, q), result.valueType);
    } else if (CellArithmetic::isComparison(name)) {
        llvm::Value *truth = CellArithmetic(b).compare(name, convert(x, a.valueType, g), convert(y, c.valueType, g), g);
        v = fromBool(truth, result.valueType);
    } else {
        // Two bools compute in the result type.
        ValueType type = g == ValueType::Bool ? result.valueType : g;
        if (type != result.valueType || type == ValueType::Bool)
            return false;
        v = arithmetic(name, convert(x, a.valueType, type), convert(y, c.valueType, type), type, op.getLoc());
    }
    if (v)
        bind(op->getResult(0), {v});
    return v != nullptr;
}

bool Emitter::emitNativeConditional(DaphneOp op) {
    TypeDesc c = ir::toTypeDesc(op->getOperand(0).getType());
    mlir::Type type = op->getResult(0).getType();
    bool sameTypes = op->getOperand(1).getType() == type && op->getOperand(2).getType() == type;
    if (!isNumber(c) || !sameTypes || mlir::isa<ir::UnknownType>(type))
        return false;
    llvm::Value *truth = isTrue(get(op->getOperand(0)).bits, c.valueType);
    Lowered v{b.CreateSelect(truth, get(op->getOperand(1)).bits, get(op->getOperand(2)).bits)};
    if (ir::isReference(type))
        retain(v, type);
    bindOwned(op->getResult(0), v);
    // The result has a reference of its own, whichever operand it is.
    for (uint64_t rest = handOverConsumed(op); rest; rest &= rest - 1) {
        mlir::Value operand = op->getOperand(static_cast<unsigned>(__builtin_ctzll(rest)));
        release(get(operand), operand.getType());
    }
    return true;
}

bool Emitter::emitInternal(DaphneOp op) {
    ops::OpName name = op.mnemonic();
    if (name == "constant") {
        ops::Constant c = *ir::constantOf(op->getResult(0));
        if (c.type == ValueType::Str)
            bindOwned(op->getResult(0), literal(Value::string(c.s), op->getResult(0).getType()));
        else
            bind(op->getResult(0), {constant(c)});
    } else if (name == "undef") {
        bindReceived(op->getResult(0), undef(op->getResult(0).getType()));
    } else if (name == "retain") {
        retain(get(op->getOperand(0)), op->getOperand(0).getType());
        ++further[op->getOperand(0)];
    } else if (name == "release") {
        handOver(op->getOperand(0));
        release(get(op->getOperand(0)), op->getOperand(0).getType());
    } else if (name == "adapt") {
        emitAdapt(op);
    } else if (name == "fail") {
        emitFail(op);
    } else if (name == "try") {
        emitTry(op);
    } else if (name == "keep") {
        emitKeep(op);
    } else if (name == "map") {
        emitMap(op);
    } else if (name == "tripCount") {
        bind(op->getResult(0),
             {tripCount(get(op->getOperand(0)).bits, get(op->getOperand(1)).bits, get(op->getOperand(2)).bits)});
    } else if (name == "matrixConstant" && op->hasAttr(ir::kCells)) {
        emitLiteral(op);
    } else {
        return false;
    }
    return true;
}

bool Emitter::emitNative(DaphneOp op) {
    if (emitInternal(op))
        return true;
    if (!op.hint().empty() || op->getNumResults() != 1)
        return false;
    if (op.is("cond"))
        return emitNativeConditional(op);
    TypeDesc result = ir::toTypeDesc(op->getResult(0).getType());
    if (!isNumber(result))
        return false;
    std::vector<TypeDesc> types;
    for (mlir::Value v : op->getOperands()) {
        types.push_back(ir::toTypeDesc(v.getType()));
        if (!isNumber(types.back()))
            return false;
    }
    if (types.size() == 2)
        return emitNativeBinary(op, types[0], types[1], result);
    if (types.size() != 1)
        return false;
    llvm::Value *x = get(op->getOperand(0)).bits;
    llvm::Value *v = nullptr;
    if (op.is("condition"))
        v = isTrue(x, types[0].valueType);
    else if (op.is("cast"))
        v = convert(x, types[0].valueType, result.valueType);
    else if (op.is("position"))
        v = position(x, types[0].valueType, op.getLoc());
    else if (op.info().family == ops::Family::EwUnary)
        // Functions such as exp compute in their result type.
        v = nativeUnary(op.mnemonic(), convert(x, types[0].valueType, result.valueType), result.valueType);
    if (v)
        bind(op->getResult(0), {v});
    return v != nullptr;
}

} // namespace daphne::codegen
