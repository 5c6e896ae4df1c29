// SPDX-License-Identifier: Apache-2.0
/// Casts and what can be asked about a value: its type, shape and sparsity.
#include "base/Error.h"
#include "ops/Registry.h"
#include "ops/Rules.h"

namespace daphne::ops {

namespace {

using namespace rule;
using Types = std::vector<TypeDesc>;

/// Frames with more columns are described without their schema.
constexpr int64_t kMaxSchemaColumns = 4096;

/// Value type a frame has when all its columns become one: that of the first column.
ValueType firstColumnType(const TypeDesc &frame) {
    return frame.schema && !frame.schema->types.empty() ? frame.schema->types[0] : ValueType::Unknown;
}

ValueType sourceType(const TypeDesc &t) { return t.isFrame() ? firstColumnType(t) : t.valueType; }

TypeDesc frameOf(const TypeDesc &t) {
    if (t.isFrame())
        return t;
    int64_t rows = t.isScalar() ? 1 : t.rows, cols = t.isScalar() ? 1 : t.cols;
    if (t.valueType == ValueType::Unknown || cols < 0 || cols > kMaxSchemaColumns)
        return TypeDesc::frame(nullptr, rows, cols);
    auto schema = std::make_shared<FrameSchema>();
    for (int64_t i = 0; i < cols; ++i) {
        schema->labels.push_back("col_" + std::to_string(i));
        schema->types.push_back(t.valueType);
    }
    return TypeDesc::frame(schema, rows, cols);
}

/// as.vt(x) keeps the data type.
TypeDesc converted(const InferCall &call, ValueType wanted) {
    const TypeDesc &t = call.type(0);
    if (t.isFrame())
        throw compileError({}, "a frame cannot be cast to " + std::string(dslName(wanted)) +
                                   " because each column has its own type")
            .withHint("write as.matrix<" + std::string(dslName(wanted)) + ">(...)");
    if (t.isScalar())
        return TypeDesc::scalar(wanted);
    return t.isMatrix() ? TypeDesc::matrix(wanted, t.rows, t.cols) : TypeDesc::unknown();
}

Types cast(const InferCall &call) {
    const TypeDesc &t = call.type(0), &target = call.castTarget;
    if (t.isList())
        throw compileError({}, "a list cannot be cast");
    ValueType vt = target.valueType == ValueType::Unknown ? sourceType(t) : target.valueType;
    switch (target.kind) {
    case Kind::Scalar: return {TypeDesc::scalar(vt)};
    case Kind::Matrix: return {t.isScalar() ? TypeDesc::matrix(vt, 1, 1) : TypeDesc::matrix(vt, t.rows, t.cols)};
    case Kind::Frame: return {frameOf(t)};
    case Kind::List: throw compileError({}, "nothing can be cast to a list");
    case Kind::Unknown: break;
    }
    return {target.valueType == ValueType::Unknown ? t : converted(call, vt)};
}

bool holdsStrings(const TypeDesc &t) {
    if (!t.isFrame())
        return t.valueType == ValueType::Str;
    for (ValueType column : t.schema->types)
        if (column == ValueType::Str)
            return true;
    return false;
}

/// Strings may not parse; only one cell can become a scalar.
bool castMayFail(const InferCall &call) {
    const TypeDesc &t = call.type(0), &target = call.castTarget;
    if (!t.isComplete())
        return true;
    if (target.kind == Kind::Scalar && !t.isScalar() && !(t.rows == 1 && t.cols == 1))
        return true;
    if (target.kind == Kind::Matrix && t.isFrame() && t.schema->types.empty())
        return true;
    ValueType vt = target.valueType == ValueType::Unknown ? sourceType(t) : target.valueType;
    return target.kind != Kind::Frame && vt != ValueType::Str && holdsStrings(t);
}

Types size(const InferCall &call) {
    const TypeDesc &t = call.type(0);
    if (!t.isUnknown() && !t.isMatrix() && !t.isFrame())
        wrongOperand(call, 0, "a matrix or frame");
    return {TypeDesc::scalar(ValueType::Size)};
}

bool ifKindUnknown(const InferCall &call) { return call.type(0).isUnknown(); }

Types decides(const InferCall &) { return {TypeDesc::scalar(ValueType::Bool)}; }

Types typeOf(const InferCall &) { return {TypeDesc::scalar(ValueType::Str)}; }

Types sparsity(const InferCall &call) {
    needMatrix(call, 0);
    return {TypeDesc::scalar(ValueType::F64)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "cast", .infer = cast, .mayFail = castMayFail, .effects = Effect::KeepsStored},
    {.mnemonic = "densify", .infer = sameAsFirst},
    {.mnemonic = "typeOf", .infer = typeOf},
    // decides(x, truth): x is a number with this truth value.
    {.mnemonic = "decides", .minArgs = 2, .maxArgs = 2, .infer = decides},
    {.mnemonic = "numRows", .infer = size, .mayFail = ifKindUnknown},
    {.mnemonic = "numCols", .infer = size, .mayFail = ifKindUnknown},
    {.mnemonic = "numCells", .infer = size, .mayFail = ifKindUnknown},
    {.mnemonic = "sparsity", .infer = sparsity, .mayFail = ifKindUnknown},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "typeOf(arg)", .op = "typeOf", .doc = "The type as text, for matrices and frames with the shape.",
     .example = "print(typeOf([1.5, 2.5])); print(typeOf(1));", .expect = "DenseMatrix(2x1, double)\nint64_t\n"},
    {.signature = "nrow(arg)", .op = "numRows", .doc = "Number of rows of a matrix or frame.",
     .example = "print(nrow([1, 2, 3]));", .expect = "3\n"},
    {.signature = "ncol(arg)", .op = "numCols", .doc = "Number of columns of a matrix or frame.",
     .example = "print(ncol([1, 2, 3, 4](2, 2)));", .expect = "2\n"},
    {.signature = "ncell(arg)", .op = "numCells", .doc = "Number of cells of a matrix or frame.",
     .example = "print(ncell([1, 2, 3, 4](2, 2)));", .expect = "4\n"},
    {.signature = "sparsity(arg)", .op = "sparsity",
     .doc = "Fraction of non-zero cells: the compiler's estimate if it has one, else counted.",
     .example = "print(sparsity([0.0, 1.0, 0.0, 4.0]));", .expect = "0.5\n"},
};
// clang-format on

} // namespace

void addConversion(Registry &registry) {
    registry.add(kOps);
    registry.add(kBuiltins);
}

} // namespace daphne::ops
