// SPDX-License-Identifier: Apache-2.0
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;
using ops::Constant;
using ops::TypeDesc;
using IrValue = mlir::Value;

IrValue Generator::expr(const Expr *e) {
    switch (e->kind) {
    case ExprKind::IntLit: return constant({.type = as<IntLit>(e).type, .i = as<IntLit>(e).value}, e->span);
    case ExprKind::FloatLit: return constant({.type = as<FloatLit>(e).type, .d = as<FloatLit>(e).value}, e->span);
    case ExprKind::BoolLit: return boolConstant(as<BoolLit>(e).value, e->span);
    case ExprKind::StrLit: return constant({.type = ValueType::Str, .s = std::string(as<StrLit>(e).value)}, e->span);
    case ExprKind::ScriptArg: return expr(as<ScriptArg>(e).value);
    case ExprKind::Var: {
        if (IrValue *v = find(as<Var>(e).name))
            return *v;
        return functionNamed(as<Var>(e));
    }
    case ExprKind::Call: {
        std::vector<IrValue> results = call(as<Call>(e));
        if (results.size() != 1)
            throw compileError(e->span, "a call with " + std::to_string(results.size()) +
                                            " results cannot be used inside an expression");
        return results.front();
    }
    case ExprKind::Cast: return castExpr(as<Cast>(e));
    case ExprKind::Index: return indexExpr(as<Index>(e));
    case ExprKind::Filter: return filterExpr(as<Filter>(e));
    case ExprKind::Unary: {
        const auto &u = as<Unary>(e);
        IrValue v = expr(u.operand);
        if (u.op == UnaryOp::Plus)
            return v;
        ops::OpName mnemonic = u.op == UnaryOp::Minus ? ops::OpName("ewMinus") : ops::OpName("ewNot");
        return emit(mnemonic, v, {e->span, {u.operand->span}});
    }
    case ExprKind::Binary: return binary(as<Binary>(e));
    case ExprKind::Cond: return conditional(as<Cond>(e));
    case ExprKind::MatrixLit: return matrixLiteral(as<MatrixLit>(e));
    case ExprKind::FrameColumns: return frameColumns(as<FrameColumns>(e));
    case ExprKind::FrameRows: return frameRows(as<FrameRows>(e));
    case ExprKind::Element: return elementExpr(as<Element>(e));
    case ExprKind::Lambda: return lambda(as<Lambda>(e));
    }
    throw internalError("unknown expression").at(e->span);
}

std::vector<IrValue> Generator::exprMulti(const Expr *e) {
    if (e->kind == ExprKind::Call)
        return call(as<Call>(e));
    return {expr(e)};
}

IrValue Generator::binary(const Binary &e) {
    // Left-associative chains can be very long: walk down their left spine instead of recursing.
    std::vector<const Binary *> chain{&e};
    while (chain.back()->lhs->kind == ExprKind::Binary)
        chain.push_back(&as<Binary>(chain.back()->lhs));
    IrValue value = expr(chain.back()->lhs);
    for (size_t i = chain.size(); i-- > 0;) {
        const Binary &b = *chain[i];
        if (b.op == "&&" || b.op == "||") {
            value = logical(b, value);
            continue;
        }
        IrValue rhs = expr(b.rhs);
        value = combine(b.op, value, rhs, {b.opSpan, {b.lhs->span, b.rhs->span}}, b.hint);
    }
    return value;
}

/// The value of an infix operator.
IrValue Generator::combine(std::string_view op, IrValue lhs, IrValue rhs, const Site &site, std::string_view hint) {
    ops::OpName mnemonic = ops::operatorMnemonic(op);
    bool strings = typeOf(lhs).valueType == ValueType::Str || typeOf(rhs).valueType == ValueType::Str;
    if (mnemonic == "ewAdd" && strings)
        mnemonic = "ewConcat";
    if (mnemonic != "matMul")
        return emit(mnemonic, {lhs, rhs}, site, hint);
    IrValue no = boolConstant(false, site.span);
    return emit(mnemonic, {lhs, rhs, no, no}, site, hint);
}

IrValue Generator::castExpr(const Cast &e) {
    IrValue v = expr(e.operand);
    TypeDesc target;
    target.valueType = e.target.valueType;
    switch (e.target.dataType) {
    case DataType::None: break; // as.f64(matrix) converts the cells, as.f64(scalar) the scalar
    case DataType::Scalar: target.kind = ops::Kind::Scalar; break;
    case DataType::Matrix: target.kind = ops::Kind::Matrix; break;
    case DataType::Frame: target.kind = ops::Kind::Frame; break;
    case DataType::List:
    case DataType::Function: break; // there are no such casts
    }
    if (target.kind == ops::Kind::Frame && typeOf(v).isFrame())
        return v;
    return emitCast(v, target, e.span);
}

} // namespace daphne::irgen
