// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/ElementwiseBinary.h"

#include "base/Cancellable.h"
#include "kernels/RawCells.h"
#include "kernels/objects/CellText.h"
#include "ops/ListHints.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

/// The sign of a NaN depends on who computed it and is not shown.
std::string cellText(ValueType t, const void *cell) {
    return withNumericType(t, [&]<class T>(TypeTag<T>) -> std::string {
        T x = *static_cast<const T *>(cell);
        return x != x ? "nan" : printedText(x);
    });
}

std::string placeText(size_t row, size_t col) {
    return " at row " + std::to_string(row) + ", column " + std::to_string(col);
}

/// The storage of an operand if it may be overwritten, else a fresh matrix.
Ref<Dense> resultFor(KernelCall &call, ValueType type, MatrixShape s) {
    const Value &lhs = call.args[0];
    bool left = call.canTake(0) && shapeOf(lhs) == s && lhs.valueType() == type && lhs.dense().contiguous();
    return call.reuseOrCreate(left ? 0 : 1, type, s.rows, s.cols);
}

size_t runLoop(const BinaryLoops &loops, Operand::Cells a, Operand::Cells b, void *out, size_t n) {
    if (a.single == b.single)
        return loops.cells(a.data, b.data, out, n);
    return (a.single ? loops.leftSingle : loops.rightSingle)(a.data, b.data, out, n);
}

Value combineScalars(const CellFunction &f, const BinaryLoops &loops, const Value &lhs, const Value &rhs) {
    alignas(8) std::byte a[8], b[8], out[8];
    storeScalar(lhs, loops.compute, a);
    storeScalar(rhs, loops.compute, b);
    if (loops.cells(a, b, out, 1) != 1)
        domainError(f, loops, a, b, "");
    return loadScalar(loops.result, out);
}

struct Pair {
    const Value &lhs, &rhs;
    ValueType general() const { return mostGeneral(lhs.valueType(), rhs.valueType()); }
};

std::string_view userName(const KernelCall &call) { return ops::userName(call.mnemonic()); }

Value combineNumbers(KernelCall &call, const CellFunction &f, Pair p) {
    BinaryLoops loops = f.binary(p.general());
    if (p.lhs.isScalar() && p.rhs.isScalar())
        return combineScalars(f, loops, p.lhs, p.rhs);
    MatrixShape shape = broadcastShape(userName(call), shapeOf(p.lhs), shapeOf(p.rhs));
    Ref<Dense> result = resultFor(call, loops.result, shape);
    if (shape.cells() > 0)
        combineCells(f, loops, p.lhs, p.rhs, shape, *result);
    return result;
}

// -------------------------------------------------------------------- strings

/// A string scalar or matrix under broadcasting.
class TextOperand {
  public:
    TextOperand(const Value &v, MatrixShape result) {
        if (v.isScalar()) {
            owned = convertScalar(v, ValueType::Str);
            first = &owned.text();
            return;
        }
        owned = convertMatrix(v.dense(), ValueType::Str);
        auto view = owned.dense().view<std::string>();
        first = view.data;
        rowStep = view.rows == result.rows ? view.skip : 0;
        colStep = view.cols == result.cols ? 1 : 0;
    }
    const std::string &operator()(size_t r, size_t c) const { return first[r * rowStep + c * colStep]; }

  private:
    Value owned;
    const std::string *first = nullptr;
    size_t rowStep = 0, colStep = 0;
};

Value combineStrings(KernelCall &call, const TextFunction &f, Pair p) {
    MatrixShape shape = broadcastShape(userName(call), shapeOf(p.lhs), shapeOf(p.rhs));
    TextOperand a(p.lhs, shape), b(p.rhs, shape);
    bool scalars = p.lhs.isScalar() && p.rhs.isScalar();
    if (scalars && f.combine)
        return Value::string(f.combine(a(0, 0), b(0, 0)));
    if (scalars)
        return Value::scalar(int64_t(f.compare(a(0, 0), b(0, 0))));
    auto result = Dense::create(f.combine ? ValueType::Str : ValueType::SI64, shape.rows, shape.cols);
    auto each = [&](auto out, auto combine) {
        for (size_t r : cancellableRows(shape))
            for (size_t c = 0; c < shape.cols; ++c)
                out(r, c) = combine(a(r, c), b(r, c));
    };
    if (f.combine)
        each(result->mutableView<std::string>(), f.combine);
    else
        each(result->mutableView<int64_t>(), f.compare);
    return result;
}

// --------------------------------------------------------------------- values

Value combine(KernelCall &call, const CellFunction &f, Pair p) {
    if (worksOnStrings(call, f, p.lhs.valueType(), p.rhs.valueType()))
        return combineStrings(call, f.text, p);
    return combineNumbers(call, f, p);
}

/// Every column is combined with the scalar and keeps its own value type and label.
Value combineFrame(KernelCall &call, const CellFunction &f, Pair p) {
    bool frameLeft = p.lhs.isFrame();
    const Frame &frame = (frameLeft ? p.lhs : p.rhs).frame();
    const Value &scalar = frameLeft ? p.rhs : p.lhs;
    if (!scalar.isScalar() || scalar.isString() || !f.binary)
        wrongArgument(call, frameLeft ? 1 : 0, "a number beside a frame");
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t i = 0; i < frame.cols(); ++i) {
        Value column(frame.columns[i]);
        Value args[] = {frameLeft ? column : scalar, frameLeft ? scalar : column}, none[1];
        KernelCall inner{call.context, call.kernel, args, none};
        Value combined = combine(inner, f, {args[0], args[1]});
        result->addColumn(frame.labels[i], convertMatrix(combined.dense(), frame.columns[i]->type()));
    }
    return result;
}

[[noreturn]] void wrongKind(const KernelCall &call, size_t i) {
    try {
        wrongArgument(call, i, "a scalar, matrix or frame");
    } catch (Error &error) {
        if (call.args[i].isList())
            error.withHint(std::string(ops::hintForList(call.mnemonic())));
        throw;
    }
}

Value elementwise(KernelCall &call, const Value &lhs, const Value &rhs) {
    for (size_t i : {0, 1})
        if (!call.args[i].isScalar() && !call.args[i].isMatrix() && !call.args[i].isFrame())
            wrongKind(call, i);
    if (lhs.isFrame() || rhs.isFrame())
        return combineFrame(call, *call.kernel.cells, {lhs, rhs});
    return combine(call, *call.kernel.cells, {lhs, rhs});
}

} // namespace

void combineCells(const CellFunction &f, const BinaryLoops &loops, const Value &lhs, const Value &rhs,
                  MatrixShape shape, Dense &result) {
    // Without strides and vectors the matrix is one long row.
    bool flat = Operand::isFlat(lhs, shape) && Operand::isFlat(rhs, shape);
    MatrixShape walked = flat ? MatrixShape{1, shape.cells()} : shape;
    Operand a(lhs, loops.compute, walked), b(rhs, loops.compute, walked);
    auto out = mutableRawCells(result);
    forEachChunk(walked, a.needsStaging() || b.needsStaging(), [&](const Chunk &chunk) {
        Operand::Cells left = a.at(chunk), right = b.at(chunk);
        size_t first = chunk.row * walked.cols + chunk.col;
        size_t done = runLoop(loops, left, right, out.data + first * out.cellBytes, chunk.numCells);
        if (done == chunk.numCells)
            return;
        size_t bytes = cellSize(loops.compute), at = first + done;
        auto cell = [&](Operand::Cells c) {
            return static_cast<const std::byte *>(c.data) + (c.single ? 0 : done * bytes);
        };
        domainError(f, loops, cell(left), cell(right), placeText(at / shape.cols, at % shape.cols));
    });
}

void domainError(const CellFunction &f, const BinaryLoops &loops, const void *lhs, const void *rhs,
                 std::string_view place) {
    std::string a = cellText(loops.compute, lhs), b = cellText(loops.compute, rhs);
    std::string name(ops::userName(f.op->mnemonic));
    bool isInfix = ops::operatorMnemonic(name) == f.op->mnemonic;
    std::string pair = isInfix ? a + " " + name + " " + b : name + "(" + a + ", " + b + ")";
    Error error = executionError(std::string(loops.outside) + ": " + pair + std::string(place));
    throw loops.hint ? error.withHint(loops.hint) : error;
}

bool worksOnStrings(const KernelCall &call, const CellFunction &f, ValueType a, ValueType b) {
    bool left = a == ValueType::Str, right = b == ValueType::Str;
    if (f.text.joins && (left || right || !f.binary))
        return true;
    if (!left && !right)
        return false;
    if (!f.text.exists())
        wrongArgument(call, left ? 0 : 1, "numbers");
    if (left != right)
        wrongArgument(call, left ? 1 : 0, "a string, like the other argument,");
    return true;
}

void addElementwiseBinary(KernelTable &t) {
    for (const ops::OpInfo *op : ops::Registry::get().ops())
        if (const CellFunction *f = CellTable::get().of(*op); f && op->family == ops::Family::EwBinary)
            t.add<&elementwise>(op->mnemonic, *f);
    t.add<&elementwise>("colCalcSub", cellFunction("ewSub")); // of columns
    t.add<&elementwise>("colCalcMul", cellFunction("ewMul"));
}

} // namespace daphne
