// SPDX-License-Identifier: Apache-2.0
#include "ir/TypeStorage.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallString.h"

#include "base/Calendar.h"
#include "base/Error.h"
#include "ops/InternalOps.h"

namespace daphne::ir {

using namespace mlir;
using ops::Arg;
using ops::Constant;
using ops::InferCall;
using ops::OpInfo;
using ops::OpName;
using ops::TypeDesc;

namespace {

/// Registers one mnemonic for the class DaphneOp. MLIR wants a TypeID for each name: the address of the registry row,
/// which is how infoOf() finds the row again.
struct NamedModel : RegisteredOperationName::Model<DaphneOp> {
    static_assert(alignof(OpInfo) >= 8, "the low bits of a TypeID belong to MLIR");
    NamedModel(Dialect *dialect, const OpInfo &info) : Model(dialect) {
        name = StringAttr::get(dialect->getContext(), "daphne." + std::string(info.mnemonic));
        typeID = TypeID::getFromOpaquePointer(&info);
    }
};

} // namespace

DaphneDialect::DaphneDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<DaphneDialect>()) {
    addTypes<StringType, DateType, TimestampType, DurationType, UnknownType, MatrixType, FrameType, ListType>();
    addOperations<PipelineOp, YieldOp>();
    auto insert = [&](const OpInfo &info) {
        RegisteredOperationName::insert(std::make_unique<NamedModel>(this, info), {});
    };
    for (const OpInfo &info : ops::internalOps())
        insert(info);
    for (const OpInfo *info : ops::Registry::get().ops())
        insert(*info);
}

LogicalResult PipelineOp::verify() {
    if ((*this)->getRegion(0).getBlocks().size() != 1 || !isa<YieldOp>(body().back()))
        return emitOpError("needs one block that ends with daphne.yield");
    if (body().getArgumentTypes() != (*this)->getOperandTypes())
        return emitOpError("passes operands of other types than its block takes");
    if (body().back().getOperandTypes() != (*this)->getResultTypes())
        return emitOpError("yields values of other types than its results");
    return success();
}

const OpInfo &DaphneOp::infoOf(Operation *op) {
    return *static_cast<const OpInfo *>(op->getName().getTypeID().getAsOpaquePointer());
}

StringRef DaphneOp::hint() {
    auto attr = (*this)->getAttrOfType<StringAttr>(kHint);
    return attr ? attr.getValue() : StringRef();
}

LogicalResult DaphneOp::verify() {
    const OpInfo &row = info();
    if (is("matrixConstant") && (*this)->hasAttr(kCells))
        return (*this)->getNumOperands() == 0 ? success() : emitOpError("with cells takes no operands");
    size_t n = (*this)->getNumOperands();
    if (n < row.minArgs || (row.maxArgs != ops::kVariadic && n > row.maxArgs))
        return emitOpError("takes ") << int(row.minArgs) << " to " << int(row.maxArgs) << " operands, got " << n;
    if (row.numResults != ops::kVariadic && (*this)->getNumResults() != row.numResults)
        return emitOpError("has ") << int(row.numResults) << " results, got " << (*this)->getNumResults();
    if (is("constant")) {
        auto value = (*this)->getAttr(kValue);
        if (!value)
            return emitOpError("needs a value");
        return success();
    }
    if (row.infer == ops::noInference)
        return success();
    std::vector<Arg> storage;
    try {
        ops::InferCall call = inferCallOf(*this, storage);
        // Operations whose values let them fail are valid: they fail when they are reached.
        for (Arg &arg : storage)
            arg.constant.reset();
        std::vector<TypeDesc> types = row.resultTypes(call);
        for (auto [inferred, result] : llvm::zip(types, (*this)->getResults()))
            if (!inferred.compatible(toTypeDesc(result.getType())))
                return emitOpError("yields ") << inferred.text() << ", not " << result.getType();
    } catch (const Error &e) {
        return emitOpError(e.message);
    }
    return success();
}

void DaphneOp::print(OpAsmPrinter &p) {
    if (is("constant")) {
        p << " ";
        Constant c = *constantOf((*this)->getResult(0));
        if (isTime(c.type))
            p << '"' << calendar::text(c.i, c.type) << '"';
        else
            p.printAttributeWithoutType((*this)->getAttr(kValue));
        p << " : " << (*this)->getResult(0).getType();
        return;
    }
    if ((*this)->getNumOperands())
        p << " " << (*this)->getOperands();
    p.printOptionalAttrDict((*this)->getAttrs());
    p << " : ";
    p.printFunctionalType(*this);
}

namespace {

/// The integer that stands for a time, whose type is none of MLIR's.
IntegerAttr attributeOf(MLIRContext *context, int64_t stored, ValueType type) {
    return IntegerAttr::get(scalarType(context, storedType(type)), stored);
}

/// "value : type". MLIR reads numbers and strings with their type; after true and false it leaves it to us. Times are
/// strings.
ParseResult parseConstant(OpAsmParser &parser, OperationState &result) {
    Attribute value;
    Type type;
    auto loc = parser.getCurrentLocation();
    if (parser.parseAttribute(value))
        return failure();
    if (auto typed = dyn_cast<TypedAttr>(value); typed && !isa<BoolAttr>(value))
        type = typed.getType();
    else if (parser.parseColonType(type))
        return failure();
    if (auto text = dyn_cast<StringAttr>(value)) {
        value = parser.getBuilder().getStringAttr(text.getValue());
        ValueType valueType = toTypeDesc(type).valueType;
        auto time = isTime(valueType) ? calendar::parse(text.getValue(), valueType) : std::nullopt;
        if (time) {
            result.addAttribute(kValue, attributeOf(parser.getContext(), *time, valueType));
            result.addTypes(type);
            return success();
        }
    }
    bool fits = isa<StringAttr>(value) ? isa<StringType>(type)
                : isa<BoolAttr>(value) ? type.isInteger(1)
                                       : isa<IntegerAttr, FloatAttr>(value);
    if (!fits)
        return parser.emitError(loc, "constant does not fit its type");
    result.addAttribute(kValue, value);
    result.addTypes(type);
    return success();
}

} // namespace

ParseResult DaphneOp::parse(OpAsmParser &parser, OperationState &result) {
    if (ops::isNamed(result.name.stripDialect(), "constant"))
        return parseConstant(parser, result);
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    FunctionType type;
    auto loc = parser.getCurrentLocation();
    if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(result.attributes) ||
        parser.parseColonType(type) || parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
        return failure();
    result.addTypes(type.getResults());
    return success();
}

DaphneOp asOp(Operation *op, OpName mnemonic) {
    auto daphne = dyn_cast_or_null<DaphneOp>(op);
    return daphne && daphne.mnemonic() == mnemonic ? daphne : DaphneOp();
}

DaphneOp definingOp(Value v) { return dyn_cast_or_null<DaphneOp>(v.getDefiningOp()); }

DaphneOp createOp(OpBuilder &b, Location loc, OpName mnemonic, ValueRange operands, TypeRange results,
                  ArrayRef<NamedAttribute> attributes) {
    llvm::SmallString<32> name("daphne.");
    name += StringRef(mnemonic);
    OperationState state(loc, OperationName(name, b.getContext()), operands, results, attributes);
    return cast<DaphneOp>(b.create(state));
}

// ---- constants

std::optional<Constant> constantOf(Value v) {
    DaphneOp op = asOp(v.getDefiningOp(), "constant");
    if (!op)
        return std::nullopt;
    Constant c;
    c.type = toTypeDesc(v.getType()).valueType;
    Attribute value = op->getAttr(kValue);
    if (auto i = dyn_cast<IntegerAttr>(value))
        c.i = c.type == ValueType::Bool || !isSigned(c.type) ? static_cast<int64_t>(i.getValue().getZExtValue())
                                                             : i.getValue().getSExtValue();
    else if (auto f = dyn_cast<FloatAttr>(value))
        c.d = f.getValueAsDouble();
    else if (auto s = dyn_cast<StringAttr>(value))
        c.s = s.getValue().str();
    return c;
}

Value makeConstant(OpBuilder &b, Location loc, const Constant &c) {
    Type type = scalarType(b.getContext(), c.type);
    Attribute value;
    if (c.type == ValueType::Str) {
        value = b.getStringAttr(c.s);
    } else if (isFloat(c.type)) {
        APFloat number(c.d);
        if (c.type == ValueType::F32) {
            bool lossy;
            number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
        }
        value = FloatAttr::get(type, number);
    } else if (isTime(c.type)) {
        value = attributeOf(b.getContext(), c.i, c.type);
    } else {
        unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
        value = IntegerAttr::get(type, APInt(width, static_cast<uint64_t>(c.i), isSigned(c.type)));
    }
    return createOp(b, loc, "constant", {}, type, b.getNamedAttr(kValue, value))->getResult(0);
}

std::vector<Arg> argsOf(ValueRange operands) {
    std::vector<Arg> args;
    args.reserve(operands.size());
    for (Value v : operands)
        args.push_back({toTypeDesc(v.getType()), constantOf(v)});
    return args;
}

TypeDesc castTargetOf(Operation *op) {
    TypeDesc target;
    if (auto kind = op->getAttrOfType<IntegerAttr>(kTargetKind))
        target.kind = static_cast<ops::Kind>(kind.getInt());
    if (auto value = op->getAttrOfType<IntegerAttr>(kValue))
        target.valueType = static_cast<ValueType>(value.getInt());
    return target;
}

InferCall inferCallOf(DaphneOp op, std::vector<Arg> &storage) {
    storage = argsOf(op->getOperands());
    InferCall call{op.info(), storage, {}};
    if (op.is("cast"))
        call.castTarget = castTargetOf(op);
    return call;
}

bool mustKeep(Operation *op) {
    auto daphne = dyn_cast<DaphneOp>(op);
    if (!daphne)
        return true;
    const OpInfo &row = daphne.info();
    if (row.sideEffect || !daphne.hint().empty())
        return true;
    if (daphne.is("adapt"))
        // Dropping facts never fails, adding them may.
        return isReference(op->getOperand(0).getType()) &&
               toTypeDesc(op->getOperand(0).getType()).isComplete() == false;
    bool hasTimes = llvm::any_of(op->getOperandTypes(), [](Type t) {
        auto matrix = dyn_cast<MatrixType>(t);
        return isTime(matrix ? matrix.element() : t);
    });
    if (!row.mayFail && !hasTimes)
        return false;
    std::vector<Arg> storage;
    InferCall call = inferCallOf(daphne, storage);
    try {
        row.resultTypes(call);
    } catch (const Error &) {
        return true; // operands that became known are wrong: it fails when it is reached
    }
    return row.canFail(call);
}

// ---- positions

Location locationOf(MLIRContext *context, SourceSpan span) {
    if (!span.known())
        return UnknownLoc::get(context);
    return FileLineColLoc::get(context, "#" + std::to_string(span.fileId), span.begin, span.end);
}

SourceSpan spanOf(Location loc) {
    auto range = loc->findInstanceOf<FileLineColLoc>();
    if (!range)
        return {};
    StringRef file = range.getFilename().getValue();
    SourceSpan span;
    if (!file.consume_front("#") || file.getAsInteger(10, span.fileId))
        return {};
    span.begin = range.getLine();
    span.end = range.getColumn();
    return span;
}

} // namespace daphne::ir

MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::DaphneOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::PipelineOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::YieldOp)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::DaphneDialect)
