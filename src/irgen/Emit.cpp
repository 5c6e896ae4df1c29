// SPDX-License-Identifier: Apache-2.0
/// Creating operations: inference, constant folding, kernel hints, failures.
#include "irgen/Generator.h"

#include "kernels/Evaluate.h"
#include "kernels/KernelTable.h"
#include "ops/KernelName.h"
#include "ops/WholeNumber.h"

namespace daphne::irgen {

using namespace mlir;
using ops::Arg;
using ops::Constant;
using ops::InferCall;
using ops::OpInfo;
using ops::TypeDesc;
using IrValue = mlir::Value;

IrValue Generator::boolConstant(bool value, SourceSpan span) {
    return constant({.type = ValueType::Bool, .i = value}, span);
}

IrValue Generator::intConstant(int64_t value, SourceSpan span) {
    return constant({.type = ValueType::SI64, .i = value}, span);
}

IrValue Generator::undef(Type type) {
    return ir::createOp(builder, builder.getUnknownLoc(), "undef", {}, type)->getResult(0);
}

void Generator::raise(Error error) {
    if (certain && error.stage != Stage::Execute)
        throw error;
    std::string text = error.message;
    if (!error.hint.empty())
        text += " (" + error.hint + ")";
    ir::createOp(builder, loc(error.where), "fail", {}, {},
                 builder.getNamedAttr(ir::kMessage, builder.getStringAttr(text)));
    throw DeadCode{};
}

bool Generator::tryFold(const OpInfo &info, ValueRange operands, const TypeDesc &castTarget, ArrayRef<Type> results,
                        SourceSpan span, std::vector<IrValue> &folded) {
    if (results.size() != 1 || !ir::toTypeDesc(results[0]).isScalar())
        return false;
    std::vector<Constant> args;
    for (IrValue v : operands) {
        auto c = ir::constantOf(v);
        if (!c)
            return false;
        args.push_back(std::move(*c));
    }
    std::optional<Constant> result;
    try {
        result = evaluate(info, args, castTarget);
    } catch (Error &e) {
        // Integer division by a constant zero is a compile error where it is certain; other failures wait for their
        // moment.
        if (certain && (info.mnemonic == "ewDiv" || info.mnemonic == "ewMod"))
            raise(compileError(span, e.message));
        return false;
    }
    if (!result || !(TypeDesc::scalar(result->type) == ir::toTypeDesc(results[0])))
        return false;
    folded = {constant(*result, span)};
    return true;
}

namespace {

/// The type a numeric argument has after conversion to the kernel's parameter.
TypeDesc asParameter(const TypeDesc &type, ParamKind param) {
    if (!type.isScalar() || !isNumeric(type.valueType))
        return type;
    switch (param) {
    case ParamKind::Size: return TypeDesc::scalar(ValueType::Size);
    case ParamKind::Integer:
    case ParamKind::Seed: return TypeDesc::scalar(ValueType::SI64);
    case ParamKind::Real: return TypeDesc::scalar(ValueType::F64);
    case ParamKind::Bool: return TypeDesc::scalar(ValueType::Bool);
    case ParamKind::Any: break;
    }
    return type;
}

} // namespace

void Generator::checkHint(const OpInfo &info, std::string_view hint, ValueRange operands,
                          const std::vector<TypeDesc> &results, SourceSpan span) {
    std::vector<TypeDesc> args;
    const Kernel *kernel = KernelTable::get().find(info.mnemonic);
    for (auto [i, v] : llvm::enumerate(operands))
        args.push_back(
            asParameter(typeOf(v), kernel && i < kernel->params.size() ? kernel->params[i] : ParamKind::Any));
    std::string expected = ops::kernelName(info.mnemonic, results, args);
    if (ops::sameKernel(expected, hint))
        return;
    Error e = compileError(span, "there is no kernel \"" + std::string(hint) + "\" for this operation");
    e.withHint("the built-in kernel for these types is \"" + expected + "\"");
    raise(std::move(e));
}

/// Constants with fractions where the kernel takes positions, sizes and counts.
void Generator::checkWholeNumbers(const OpInfo &info, llvm::ArrayRef<Arg> args, const Site &site) {
    for (size_t i = 0; i < args.size(); ++i) {
        const auto &constant = args[i].constant;
        if (!constant || !isFloat(constant->type) || ops::isWhole(constant->d))
            continue;
        const Kernel *kernel = KernelTable::get().find(info.mnemonic);
        if (kernel && i < kernel->params.size() && isWholeNumber(kernel->params[i]))
            raise(compileError(i < site.operands.size() ? site.operands[i] : site.span, ops::notWholeText(constant->d))
                      .withHint(std::string(ops::kWholeNumberHint)));
    }
}

std::vector<TypeDesc> Generator::infer(ops::OpName mnemonic, std::vector<Arg> args, const Site &site,
                                       TypeDesc castTarget) {
    const OpInfo *info = ops::Registry::get().findOp(mnemonic);
    if (!info)
        throw internalError("no operation " + std::string(mnemonic)).at(site.span);
    checkWholeNumbers(*info, args, site);
    try {
        return info->resultTypes(InferCall{*info, args, castTarget});
    } catch (Error &e) {
        e.at(site.span);
        for (size_t i = 0; i < site.operands.size() && i < args.size(); ++i)
            e.withLabel(site.operands[i], args[i].type.isMatrix() && args[i].type.hasShape() ? args[i].type.shapeText()
                                                                                             : args[i].type.typeText());
        raise(std::move(e));
    }
}

std::vector<IrValue> Generator::emitMulti(ops::OpName mnemonic, ValueRange operands, const Site &site,
                                          std::string_view hint, TypeDesc castTarget) {
    std::vector<TypeDesc> types = infer(mnemonic, ir::argsOf(operands), site, castTarget);
    const OpInfo *info = ops::Registry::get().findOp(mnemonic);
    SmallVector<Type> results;
    for (const TypeDesc &t : types)
        results.push_back(irType(t));
    if (!hint.empty()) {
        checkHint(*info, hint, operands, types, site.span);
    } else {
        std::vector<IrValue> folded;
        if (tryFold(*info, operands, castTarget, results, site.span, folded))
            return folded;
    }
    SmallVector<NamedAttribute> attributes;
    if (!hint.empty())
        attributes.push_back(builder.getNamedAttr(ir::kHint, builder.getStringAttr(hint)));
    if (mnemonic == "cast") {
        attributes.push_back(
            builder.getNamedAttr(ir::kTargetKind, builder.getI64IntegerAttr(static_cast<int64_t>(castTarget.kind))));
        attributes.push_back(
            builder.getNamedAttr(ir::kValue, builder.getI64IntegerAttr(static_cast<int64_t>(castTarget.valueType))));
    }
    auto op = ir::createOp(builder, loc(site.span), mnemonic, operands, results, attributes);
    return {op->result_begin(), op->result_end()};
}

IrValue Generator::emitCast(IrValue v, TypeDesc target, SourceSpan span) {
    TypeDesc from = typeOf(v);
    bool sameKind = target.kind == ops::Kind::Unknown || target.kind == from.kind;
    bool sameValue = target.valueType == ValueType::Unknown || target.valueType == from.valueType;
    if (from.isComplete() && sameKind && sameValue)
        return v;
    return emitMulti("cast", v, {span, {}}, {}, target).front();
}

IrValue Generator::adapt(IrValue v, const TypeDesc &type, SourceSpan span) {
    Type wanted = irType(type);
    if (v.getType() == wanted)
        return v;
    if (ir::asOp(v.getDefiningOp(), "undef"))
        return undef(wanted);
    return ir::createOp(builder, loc(span), "adapt", v, wanted)->getResult(0);
}

IrValue Generator::emitCondition(IrValue v, SourceSpan span) {
    if (typeOf(v) == TypeDesc::scalar(ValueType::Bool))
        return v;
    return emit("condition", v, {span, {}});
}

std::optional<bool> Generator::constantBool(IrValue v) {
    if (auto c = ir::constantOf(v))
        return c->i != 0;
    return std::nullopt;
}

} // namespace daphne::irgen
