// SPDX-License-Identifier: Apache-2.0
/// Operations that move cells without computing with them.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

Types transpose(const InferCall &call) {
    needMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::matrix(valueTypeOf(x), x.cols, x.rows, x.sparsity)};
}

bool matrixMayFail(const InferCall &call) { return !call.type(0).isMatrix(); }

/// Shared by both binds: the common dimension must agree.
void needEqual(const InferCall &call, int64_t a, int64_t b, const char *dimension) {
    if (a >= 0 && b >= 0 && a != b)
        throw wrongAtRunTime(call, std::string("needs equal numbers of ") + dimension + ", got " +
                                       call.type(0).shapeText() + " and " + call.type(1).shapeText());
}

/// Matrices bind with matrices, frames with frames.
void needSameKind(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    needMatrixOrFrame(call, 1);
    const TypeDesc &l = call.type(0), &r = call.type(1);
    if (!l.isUnknown() && !r.isUnknown() && l.kind != r.kind)
        throw wrong(call, "cannot bind a matrix with a frame, got " + l.text() + " and " + r.text())
            .withHint("convert one of them with as.frame or as.matrix");
}

int64_t plus(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : a + b; }

/// Unknown unless both sides are frames or both are matrices.
bool bindsFrames(const InferCall &call) { return call.type(0).isFrame() || call.type(1).isFrame(); }
bool kindsUnknown(const InferCall &call) { return call.type(0).isUnknown() && call.type(1).isUnknown(); }

int64_t either(int64_t a, int64_t b) { return a >= 0 ? a : b; }

Types colBind(const InferCall &call) {
    needSameKind(call);
    const TypeDesc &l = call.type(0), &r = call.type(1);
    needEqual(call, l.rows, r.rows, "rows");
    if (kindsUnknown(call))
        return {TypeDesc::unknown()};
    int64_t rows = either(l.rows, r.rows), cols = plus(l.cols, r.cols);
    if (!bindsFrames(call))
        return {TypeDesc::matrix(generalise(call, {0, 1}), rows, cols)};
    if (!l.schema || !r.schema)
        return {TypeDesc::frame(nullptr, rows, cols)};
    auto schema = std::make_shared<FrameSchema>(*l.schema);
    schema->types.insert(schema->types.end(), r.schema->types.begin(), r.schema->types.end());
    if (l.schema->labels.size() == l.schema->types.size() && r.schema->labels.size() == r.schema->types.size())
        schema->labels.insert(schema->labels.end(), r.schema->labels.begin(), r.schema->labels.end());
    else
        schema->labels.clear();
    return {TypeDesc::frame(schema, rows, cols)};
}

Types rowBind(const InferCall &call) {
    needSameKind(call);
    const TypeDesc &l = call.type(0), &r = call.type(1);
    needEqual(call, l.cols, r.cols, "columns");
    if (kindsUnknown(call))
        return {TypeDesc::unknown()};
    int64_t rows = plus(l.rows, r.rows), cols = either(l.cols, r.cols);
    if (!bindsFrames(call))
        return {TypeDesc::matrix(generalise(call, {0, 1}), rows, cols)};
    return {TypeDesc::frame(l.schema ? l.schema : r.schema, rows, cols)};
}

/// Frames may clash in labels; matrices only in shapes.
bool bindMayFail(const InferCall &call) {
    return !call.type(0).isMatrix() || !call.type(1).isMatrix() || !allShapesKnown(call);
}

Types reshape(const InferCall &call) {
    needMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    int64_t rows = sizeOperand(call, 1), cols = sizeOperand(call, 2);
    if (x.hasShape() && rows >= 0 && cols >= 0) {
        int64_t cells = 0;
        if (__builtin_mul_overflow(rows, cols, &cells) || cells != x.rows * x.cols)
            throw wrong(call, "cannot reshape " + x.shapeText() + " (" + std::to_string(x.rows * x.cols) +
                                  " cells) to " + std::to_string(rows) + "x" + std::to_string(cols));
    }
    return {TypeDesc::matrix(valueTypeOf(x), rows, cols, x.sparsity)};
}

bool reshapeMayFail(const InferCall &call) {
    return !allShapesKnown(call) || sizeOperand(call, 1) < 0 || sizeOperand(call, 2) < 0;
}

Types reverse(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    return {withoutSparsity(call.type(0))};
}

bool reverseMayFail(const InferCall &call) { return call.type(0).isUnknown(); }

/// order(arg, k column positions, k ascending flags, returnIdxs)
Types order(const InferCall &call) {
    size_t n = call.args.size();
    if (n < 4 || n % 2 != 0)
        throw Error(Stage::Parse, "order needs the data, k column positions, k ascending flags and returnIdxs; got " +
                                      std::to_string(n) + " arguments");
    needMatrixOrFrame(call, 0);
    for (size_t i = 1; i < n; ++i)
        needNumericScalar(call, i);
    const TypeDesc &x = call.type(0);
    auto positions = flagOperand(call, n - 1);
    if (!positions)
        return {TypeDesc::unknown()};
    return {*positions ? TypeDesc::matrix(ValueType::Size, x.rows, 1) : withoutSparsity(x)};
}

bool orderMayFail(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    if ((!x.isMatrix() && !x.isFrame()) || x.cols < 0)
        return true;
    for (size_t k = 1; k < call.args.size() / 2; ++k) {
        int64_t column = call.dimension(k);
        if (column < 0 || column >= x.cols)
            return true;
    }
    return false;
}

Types replace(const InferCall &call) {
    needMatrix(call, 0);
    needScalar(call, 1);
    needScalar(call, 2);
    ValueType g = generalise(call, {0, 1, 2});
    bool strings = false, numbers = false;
    for (const Arg &a : call.args) {
        strings |= a.type.valueType == ValueType::Str;
        numbers |= !a.type.isUnknown() && isNumeric(a.type.valueType);
    }
    if (strings && numbers)
        throw wrong(call, "cannot mix strings and numbers, got " + call.type(0).typeText() + ", " +
                              call.type(1).typeText() + " and " + call.type(2).typeText());
    return {TypeDesc::matrix(g, call.type(0).rows, call.type(0).cols)};
}

bool replaceMayFail(const InferCall &call) { return generalise(call, {0, 1, 2}) == ValueType::Unknown; }

void needSquare(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    if (x.hasShape() && x.rows != x.cols)
        throw wrongAtRunTime(call, "needs a square matrix, got " + x.shapeText());
}

/// tri(arg, upper, diag, values)
Types tri(const InferCall &call) {
    needNumericMatrix(call, 0);
    for (size_t i = 1; i < call.args.size(); ++i) // a call of lowerTri or upperTri has one argument less
        needNumericScalar(call, i);
    needSquare(call);
    TypeDesc result = call.type(0).isMatrix() ? call.type(0) : TypeDesc::matrix(ValueType::Unknown);
    if (result.sparsity >= 0)
        result.sparsity /= 2;
    return {result};
}

bool squareMayFail(const InferCall &call) { return !allShapesKnown(call) || !call.type(0).isMatrix(); }
bool triMayFail(const InferCall &call) { return squareMayFail(call) || !numericMatrix(call.type(0)); }

Types diagMatrix(const InferCall &call) {
    needMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    if (x.cols >= 0 && x.cols != 1)
        throw wrong(call, "needs a matrix with one column, got " + x.shapeText());
    double sparsity = x.rows > 0 ? (x.sparsity >= 0 ? x.sparsity : 1.0) / static_cast<double>(x.rows) : -1;
    return {TypeDesc::matrix(valueTypeOf(x), x.rows, x.rows, sparsity)};
}

bool diagMatrixMayFail(const InferCall &call) { return !call.type(0).isMatrix() || call.type(0).cols != 1; }

Types diagVector(const InferCall &call) {
    needMatrix(call, 0);
    needSquare(call);
    return {TypeDesc::matrix(valueTypeOf(call.type(0)), either(call.type(0).rows, call.type(0).cols), 1)};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "transpose", .infer = transpose, .mayFail = matrixMayFail},
    {.mnemonic = "colBind", .minArgs = 2, .maxArgs = 2, .infer = colBind, .mayFail = bindMayFail},
    {.mnemonic = "rowBind", .minArgs = 2, .maxArgs = 2, .infer = rowBind, .mayFail = bindMayFail},
    {.mnemonic = "reshape", .minArgs = 3, .maxArgs = 3, .infer = reshape, .mayFail = reshapeMayFail},
    {.mnemonic = "reverse", .infer = reverse, .mayFail = reverseMayFail, .reusable = 1},
    {.mnemonic = "order", .minArgs = 4, .maxArgs = kVariadic, .infer = order, .mayFail = orderMayFail},
    {.mnemonic = "replace", .minArgs = 3, .maxArgs = 3, .infer = replace, .mayFail = replaceMayFail, .reusable = 1},
    {.mnemonic = "tri", .minArgs = 4, .maxArgs = 4, .infer = tri, .mayFail = triMayFail, .reusable = 1},
    {.mnemonic = "diagMatrix", .infer = diagMatrix, .mayFail = diagMatrixMayFail},
    {.mnemonic = "diagVector", .infer = diagVector, .mayFail = squareMayFail},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "transpose(arg)", .op = "transpose", .doc = "Matrix with rows and columns exchanged.",
     .example = "print(transpose([1, 2, 3]));", .expect = "DenseMatrix(1x3, int64_t)\n1 2 3\n"},
    {.signature = "t(arg)", .op = "transpose", .doc = "Matrix with rows and columns exchanged.",
     .example = "print(t([1, 2, 3, 4](2, 2)));", .expect = "DenseMatrix(2x2, int64_t)\n1 3\n2 4\n"},
    {.signature = "cbind(lhs, rhs[, more...])", .op = "colBind", .chains = true,
     .doc = "Columns of lhs followed by those of rhs and of all others: matrices or frames with equally many rows.",
     .example = "print(cbind([1, 2], [3, 4]));", .expect = "DenseMatrix(2x2, int64_t)\n1 3\n2 4\n"},
    {.signature = "rbind(lhs, rhs[, more...])", .op = "rowBind", .chains = true,
     .doc = "Rows of lhs followed by those of rhs and of all others: matrices with equally many columns, or frames with "
            "equal labels and types.",
     .example = "print(rbind([1, 2], [3.5]));", .expect = "DenseMatrix(3x1, double)\n1\n2\n3.5\n"},
    {.signature = "reshape(arg, numRows, numCols)", .op = "reshape",
     .doc = "The same cells, row by row, in another shape.",
     .example = "print(reshape(seq(1, 6), 2, 3));", .expect = "DenseMatrix(2x3, int64_t)\n1 2 3\n4 5 6\n"},
    {.signature = "reverse(arg)", .op = "reverse", .doc = "Rows in reverse order.",
     .example = "print(reverse([1, 2, 3]));", .expect = "DenseMatrix(3x1, int64_t)\n3\n2\n1\n"},
    {.signature = "order(arg, args...)", .op = "order", .positionalOnly = true,
     .doc = "order(arg, colIdx1, ..., colIdxK, asc1, ..., ascK, returnIdxs): rows sorted by the given columns, each "
            "ascending or descending; ties keep their order, NaN comes last. Yields the row positions if returnIdxs, "
            "else the sorted rows.",
     .example = "print(order([3, 1, 2], 0, true, true));", .expect = "DenseMatrix(3x1, uint64_t)\n1\n2\n0\n"},
    {.signature = "replace(arg, pattern, replacement)", .op = "replace",
     .doc = "Every cell equal to pattern becomes replacement; the pattern nan matches NaN cells.",
     .example = "print(replace([1.0, nan, 3.0], nan, 0));", .expect = "DenseMatrix(3x1, double)\n1\n0\n3\n"},
    {.signature = "lowerTri(arg, diag, values)", .op = "tri",
     .doc = "Lower triangle of a square matrix, with the diagonal if diag; kept non-zero cells become 1 unless values.",
     .example = "print(lowerTri([1, 2, 3, 4](2, 2), false, true));", .expect = "DenseMatrix(2x2, int64_t)\n0 0\n3 0\n"},
    {.signature = "upperTri(arg, diag, values)", .op = "tri",
     .doc = "Upper triangle of a square matrix, with the diagonal if diag; kept non-zero cells become 1 unless values.",
     .example = "print(upperTri([1, 2, 3, 4](2, 2), true, false));", .expect = "DenseMatrix(2x2, int64_t)\n1 1\n0 1\n"},
    {.signature = "diagMatrix(arg)", .op = "diagMatrix",
     .doc = "Square matrix with the one column of arg on the diagonal and zeros elsewhere.",
     .example = "print(diagMatrix([1, 2]));", .expect = "DenseMatrix(2x2, int64_t)\n1 0\n0 2\n"},
    {.signature = "diagVector(arg)", .op = "diagVector", .doc = "Diagonal of a square matrix as a column.",
     .example = "print(diagVector([1, 2, 3, 4](2, 2)));", .expect = "DenseMatrix(2x1, int64_t)\n1\n4\n"},
};
// clang-format on

} // namespace

void addReorganisation(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
