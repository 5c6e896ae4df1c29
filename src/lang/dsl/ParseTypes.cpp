// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/ParseTypes.h"

#include "base/Error.h"

namespace daphne::lang {

using ops::Arg;
using ops::Constant;
using ops::Kind;
using ops::TypeDesc;

namespace {

Arg boolArg(bool value) {
    return {TypeDesc::scalar(ValueType::Bool), Constant{.type = ValueType::Bool, .i = value, .d = 0, .s = {}}};
}

/// Facts that the parser does not follow.
void dropShape(TypeDesc &t) {
    t.rows = t.cols = -1;
    t.sparsity = -1;
}

/// Types whose operator results depend on kind and value type alone.
bool isPlain(const TypeDesc &t) { return t.kind == Kind::Scalar || t.kind == Kind::Matrix; }

uint64_t keyOf(std::string_view token, const TypeDesc &lhs, const TypeDesc &rhs) {
    uint64_t key = static_cast<unsigned char>(token[0]);
    key = key << 8 | (token.size() > 1 ? static_cast<unsigned char>(token[1]) : 0);
    for (const TypeDesc *t : {&lhs, &rhs})
        key = key << 16 | static_cast<uint64_t>(t->kind) << 8 | static_cast<uint64_t>(t->valueType);
    return key;
}

/// Value type of a matrix made from the value.
ValueType cellType(const TypeDesc &t) {
    if (t.isFrame())
        return t.schema && !t.schema->types.empty() ? t.schema->types[0] : ValueType::Unknown;
    return t.isScalar() || t.isMatrix() ? t.valueType : ValueType::Unknown;
}

} // namespace

std::optional<Constant> literalConstant(const Expr *e) {
    switch (e->kind) {
    case ExprKind::IntLit: return Constant{.type = as<IntLit>(e).type, .i = as<IntLit>(e).value, .d = 0, .s = {}};
    case ExprKind::FloatLit: return Constant{.type = as<FloatLit>(e).type, .i = 0, .d = as<FloatLit>(e).value, .s = {}};
    case ExprKind::BoolLit: return Constant{.type = ValueType::Bool, .i = as<BoolLit>(e).value, .d = 0, .s = {}};
    case ExprKind::StrLit:
        return Constant{.type = ValueType::Str, .i = 0, .d = 0, .s = std::string(as<StrLit>(e).value)};
    case ExprKind::ScriptArg: return literalConstant(as<ScriptArg>(e).value);
    default: return std::nullopt;
    }
}

std::vector<TypeDesc> ParseTypes::infer(const ops::OpInfo *op, const std::vector<Arg> &args) {
    std::vector<TypeDesc> unknown(op ? op->numResults : 1);
    bool fits = op && args.size() >= op->minArgs && (op->maxArgs == ops::kVariadic || args.size() <= op->maxArgs);
    if (!fits || !op->infer)
        return unknown;
    auto attempt = [&](const std::vector<Arg> &operands) {
        std::vector<TypeDesc> results = op->infer({*op, operands, {}});
        for (TypeDesc &t : results)
            dropShape(t);
        return results.size() == op->numResults ? results : unknown;
    };
    try {
        return attempt(args);
    } catch (const Error &) {
        // The compiler will refuse the operands; some results have their type whatever the operands (nrow is a size).
    }
    try {
        return attempt(std::vector<Arg>(args.size()));
    } catch (const Error &) {
        return unknown;
    }
}

TypeDesc ParseTypes::inferBinary(std::string_view token, const TypeDesc &lhs, const TypeDesc &rhs) {
    std::vector<Arg> args{{lhs, {}}, {rhs, {}}};
    if (token == "@") {
        args.push_back(boolArg(false));
        args.push_back(boolArg(false));
    }
    return infer(ops::Registry::get().findOp(ops::operatorMnemonic(token)), args).front();
}

TypeDesc ParseTypes::binary(std::string_view token, const TypeDesc &lhs, const TypeDesc &rhs) {
    if (!isPlain(lhs) || !isPlain(rhs))
        return inferBinary(token, lhs, rhs);
    auto [it, isNew] = binaryResults.try_emplace(keyOf(token, lhs, rhs));
    if (isNew)
        it->second = inferBinary(token, lhs, rhs);
    return it->second;
}

TypeDesc ParseTypes::unary(UnaryOp op, const TypeDesc &operand) {
    if (op == UnaryOp::Plus)
        return operand;
    const auto *info = ops::Registry::get().findOp(op == UnaryOp::Minus ? "ewMinus" : "ewNot");
    return infer(info, {{operand, {}}}).front();
}

TypeDesc ParseTypes::cast(const TypeSpec &target, const TypeDesc &operand) {
    ValueType vt = target.valueType != ValueType::Unknown ? target.valueType : cellType(operand);
    switch (target.dataType) {
    case DataType::Scalar: return TypeDesc::scalar(vt);
    case DataType::Matrix: return TypeDesc::matrix(vt);
    case DataType::None:
        if (operand.isScalar())
            return TypeDesc::scalar(vt);
        return operand.isMatrix() ? TypeDesc::matrix(vt) : TypeDesc::unknown();
    case DataType::Frame:
    case DataType::List:
    case DataType::Function: break;
    }
    if (operand.isFrame())
        return operand;
    if (operand.isScalar() && vt != ValueType::Unknown)
        return TypeDesc::frame(std::make_shared<ops::FrameSchema>(ops::FrameSchema{{"col_0"}, {vt}}));
    return TypeDesc::frame(nullptr);
}

TypeDesc ParseTypes::index(const TypeDesc &base, const IndexPart &cols, const Known &lo, const Known &hi) {
    if (base.isMatrix())
        return TypeDesc::matrix(base.valueType);
    if (!base.isFrame())
        return TypeDesc::unknown();
    if (cols.form == IndexPart::Form::All)
        return base;
    const ops::Registry &registry = ops::Registry::get();
    std::vector<TypeDesc> results;
    // Positions can be followed only where the number of columns is known.
    TypeDesc shaped = base;
    if (base.schema)
        shaped.cols = static_cast<int64_t>(base.schema->types.size());
    if (cols.form == IndexPart::Form::Single) {
        results = infer(registry.findOp("extractCol"), {{shaped, {}}, {lo.type, lo.constant}});
    } else {
        auto constant = [](int64_t n) {
            return Arg{TypeDesc::scalar(ValueType::SI64), Constant{.type = ValueType::SI64, .i = n, .d = 0, .s = {}}};
        };
        Arg first = cols.lo ? Arg{lo.type, lo.constant} : constant(0);
        Arg last = cols.hi ? Arg{hi.type, hi.constant} : Arg{TypeDesc::scalar(ValueType::SI64), std::nullopt};
        if (!cols.hi && base.schema)
            last = constant(shaped.cols);
        results = infer(registry.findOp("sliceCol"), {{shaped, {}}, first, last});
    }
    return results.front().isFrame() ? results.front() : TypeDesc::frame(nullptr);
}

} // namespace daphne::lang
