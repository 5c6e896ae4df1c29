// SPDX-License-Identifier: Apache-2.0
#include "ir/TypeStorage.h"

#include "mlir/IR/DialectImplementation.h"

namespace daphne::ir {

using namespace mlir;
using ops::Representation;
using ops::TypeDesc;

MatrixType MatrixType::get(Type element, int64_t rows, int64_t cols, double sparsity, Representation representation) {
    return Base::get(element.getContext(), element, rows, cols, sparsity, representation);
}
Type MatrixType::element() const { return getImpl()->element; }
int64_t MatrixType::rows() const { return getImpl()->rows; }
int64_t MatrixType::cols() const { return getImpl()->cols; }
double MatrixType::sparsity() const { return getImpl()->sparsity; }
Representation MatrixType::representation() const { return getImpl()->representation; }

FrameType FrameType::get(MLIRContext *context, int64_t rows, int64_t cols, ArrayAttr labels, ArrayAttr types) {
    return Base::get(context, rows, cols, labels, types);
}
int64_t FrameType::rows() const { return getImpl()->rows; }
int64_t FrameType::cols() const { return getImpl()->cols; }
ArrayAttr FrameType::labels() const { return getImpl()->labels; }
ArrayAttr FrameType::types() const { return getImpl()->types; }

ListType ListType::get(Type element) { return Base::get(element.getContext(), element); }
Type ListType::element() const { return getImpl()->element; }

Type scalarType(MLIRContext *c, ValueType type) {
    auto integer = [&](unsigned width, IntegerType::SignednessSemantics s) { return IntegerType::get(c, width, s); };
    switch (type) {
    case ValueType::Bool: return IntegerType::get(c, 1);
    case ValueType::SI8: return integer(8, IntegerType::Signed);
    case ValueType::UI8: return integer(8, IntegerType::Unsigned);
    case ValueType::SI32: return integer(32, IntegerType::Signed);
    case ValueType::UI32: return integer(32, IntegerType::Unsigned);
    case ValueType::Size: return IndexType::get(c);
    case ValueType::SI64: return integer(64, IntegerType::Signed);
    case ValueType::UI64: return integer(64, IntegerType::Unsigned);
    case ValueType::F32: return Float32Type::get(c);
    case ValueType::F64: return Float64Type::get(c);
    case ValueType::Str: return StringType::get(c);
    case ValueType::Date: return DateType::get(c);
    case ValueType::Timestamp: return TimestampType::get(c);
    case ValueType::Duration: return DurationType::get(c);
    case ValueType::Unknown: break;
    }
    return UnknownType::get(c);
}

namespace {

ValueType valueTypeOf(Type type) {
    if (type.isF64())
        return ValueType::F64;
    if (type.isF32())
        return ValueType::F32;
    if (type.isIndex())
        return ValueType::Size;
    if (isa<StringType>(type))
        return ValueType::Str;
    if (isa<DateType>(type))
        return ValueType::Date;
    if (isa<TimestampType>(type))
        return ValueType::Timestamp;
    if (isa<DurationType>(type))
        return ValueType::Duration;
    auto i = dyn_cast<IntegerType>(type);
    if (!i)
        return ValueType::Unknown;
    switch (i.getWidth()) {
    case 1: return ValueType::Bool;
    case 8: return i.isUnsigned() ? ValueType::UI8 : ValueType::SI8;
    case 32: return i.isUnsigned() ? ValueType::UI32 : ValueType::SI32;
    default: return i.isUnsigned() ? ValueType::UI64 : ValueType::SI64;
    }
}

FrameType frameType(MLIRContext *c, const TypeDesc &t) {
    ArrayAttr labels, types;
    if (t.schema) {
        SmallVector<Attribute> l, v;
        for (const std::string &label : t.schema->labels)
            l.push_back(StringAttr::get(c, label));
        for (ValueType vt : t.schema->types)
            v.push_back(TypeAttr::get(scalarType(c, vt)));
        labels = ArrayAttr::get(c, l);
        types = ArrayAttr::get(c, v);
    }
    return FrameType::get(c, t.rows, t.cols, labels, types);
}

} // namespace

Type toIrType(MLIRContext *c, const TypeDesc &t) {
    switch (t.kind) {
    case ops::Kind::Unknown: return UnknownType::get(c);
    case ops::Kind::Scalar: return scalarType(c, t.valueType);
    case ops::Kind::Matrix:
        return MatrixType::get(scalarType(c, t.valueType), t.rows, t.cols, t.sparsity, t.representation);
    case ops::Kind::List: return ListType::get(scalarType(c, t.valueType));
    case ops::Kind::Frame: return frameType(c, t);
    }
    return UnknownType::get(c);
}

TypeDesc toTypeDesc(Type type) {
    if (auto m = dyn_cast<MatrixType>(type)) {
        TypeDesc t = TypeDesc::matrix(valueTypeOf(m.element()), m.rows(), m.cols(), m.sparsity());
        t.representation = m.representation();
        return t;
    }
    if (auto f = dyn_cast<FrameType>(type)) {
        std::shared_ptr<ops::FrameSchema> schema;
        if (f.types()) {
            schema = std::make_shared<ops::FrameSchema>();
            for (Attribute a : f.labels())
                schema->labels.push_back(cast<StringAttr>(a).str());
            for (Attribute a : f.types())
                schema->types.push_back(valueTypeOf(cast<TypeAttr>(a).getValue()));
        }
        return TypeDesc::frame(schema, f.rows(), f.cols());
    }
    if (auto l = dyn_cast<ListType>(type))
        return TypeDesc::list(valueTypeOf(l.element()));
    ValueType vt = valueTypeOf(type);
    return vt == ValueType::Unknown ? TypeDesc::unknown() : TypeDesc::scalar(vt);
}

bool isTime(Type type) { return isa<DateType, TimestampType, DurationType>(type); }

bool isReference(Type type) { return isa<StringType, MatrixType, FrameType, ListType, UnknownType>(type); }

// ---- text form

namespace {

void printDimension(AsmPrinter &p, int64_t n) {
    if (n < 0)
        p << "?";
    else
        p << n;
}

/// "?" or a number.
ParseResult parseDimension(AsmParser &parser, int64_t &n) {
    if (succeeded(parser.parseOptionalQuestion())) {
        n = -1;
        return success();
    }
    return parser.parseInteger(n);
}

Type parseMatrix(AsmParser &parser) {
    int64_t rows, cols;
    Type element;
    double sparsity = -1;
    auto representation = Representation::Dense;
    if (parser.parseLess() || parseDimension(parser, rows) || parser.parseComma() || parseDimension(parser, cols) ||
        parser.parseComma() || parser.parseType(element))
        return {};
    while (succeeded(parser.parseOptionalComma())) {
        if (succeeded(parser.parseOptionalKeyword("csr")))
            representation = Representation::Csr;
        else if (parser.parseKeyword("sparsity") || parser.parseEqual() || parser.parseFloat(sparsity))
            return {};
    }
    if (parser.parseGreater())
        return {};
    return MatrixType::get(element, rows, cols, sparsity, representation);
}

Type parseFrame(AsmParser &parser) {
    int64_t rows, cols;
    ArrayAttr labels, types;
    if (parser.parseLess() || parseDimension(parser, rows) || parser.parseComma() || parseDimension(parser, cols))
        return {};
    if (succeeded(parser.parseOptionalComma()))
        if (parser.parseAttribute(labels) || parser.parseComma() || parser.parseAttribute(types))
            return {};
    if (parser.parseGreater())
        return {};
    return FrameType::get(parser.getContext(), rows, cols, labels, types);
}

} // namespace

Type DaphneDialect::parseType(DialectAsmParser &parser) const {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
        return {};
    if (keyword == "str")
        return StringType::get(getContext());
    if (keyword == "date")
        return DateType::get(getContext());
    if (keyword == "timestamp")
        return TimestampType::get(getContext());
    if (keyword == "duration")
        return DurationType::get(getContext());
    if (keyword == "unknown")
        return UnknownType::get(getContext());
    if (keyword == "matrix")
        return parseMatrix(parser);
    if (keyword == "frame")
        return parseFrame(parser);
    if (keyword == "list") {
        Type element;
        if (parser.parseLess() || parser.parseType(element) || parser.parseGreater())
            return {};
        return ListType::get(element);
    }
    parser.emitError(parser.getNameLoc(), "unknown type !daphne.") << keyword;
    return {};
}

void DaphneDialect::printType(Type type, DialectAsmPrinter &p) const {
    if (isa<StringType>(type)) {
        p << "str";
    } else if (isTime(type)) {
        p << (isa<DateType>(type) ? "date" : isa<TimestampType>(type) ? "timestamp" : "duration");
    } else if (isa<UnknownType>(type)) {
        p << "unknown";
    } else if (auto l = dyn_cast<ListType>(type)) {
        p << "list<" << l.element() << ">";
    } else if (auto m = dyn_cast<MatrixType>(type)) {
        p << "matrix<";
        printDimension(p, m.rows());
        p << ", ";
        printDimension(p, m.cols());
        p << ", " << m.element();
        if (m.sparsity() >= 0) {
            p << ", sparsity = ";
            p.printFloat(APFloat(m.sparsity()));
        }
        if (m.representation() == Representation::Csr)
            p << ", csr";
        p << ">";
    } else if (auto f = dyn_cast<FrameType>(type)) {
        p << "frame<";
        printDimension(p, f.rows());
        p << ", ";
        printDimension(p, f.cols());
        if (f.types())
            p << ", " << f.labels() << ", " << f.types();
        p << ">";
    }
}

} // namespace daphne::ir

MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::StringType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::DateType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::TimestampType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::DurationType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::UnknownType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::MatrixType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::FrameType)
MLIR_DEFINE_EXPLICIT_TYPE_ID(daphne::ir::ListType)
