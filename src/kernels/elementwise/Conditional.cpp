// SPDX-License-Identifier: Apache-2.0
/// c ? t : e and conditions of control flow.
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/RawCells.h"
#include "kernels/elementwise/Broadcast.h"

namespace daphne {

namespace {

/// Truth value of a number or a single numeric cell; NaN is true.
Value condition(KernelCall &, const Value &x) {
    bool oneCell = x.isScalar() || (x.isMatrix() && x.dense().rows() == 1 && x.dense().cols() == 1);
    if (!oneCell || x.valueType() == ValueType::Str)
        throw executionError("a condition must be a number or a numeric 1x1 matrix, got " + describe(x));
    if (x.isScalar())
        return Value::scalar(x.as<bool>());
    return Value::scalar(loadScalar(x.valueType(), rawCells(x.dense()).data).as<bool>());
}

bool sameType(const Value &a, const Value &b) {
    if (a.kind() != b.kind())
        return false;
    if (!a.isFrame())
        return a.valueType() == b.valueType();
    const Frame &f = a.frame(), &g = b.frame();
    if (f.cols() != g.cols())
        return false;
    for (size_t i = 0; i < f.cols(); ++i)
        if (f.columns[i]->type() != g.columns[i]->type())
            return false;
    return true;
}

[[noreturn]] void differentTypes(const Value &a, const Value &b) {
    throw executionError("'?:' needs two values of the same type, got " + describe(a) + " and " + describe(b))
        .withHint("convert one of them, for example with as.f64(...)");
}

/// result[i] = mask[i] ? t[i] : e[i]; T is any type of the size of the cells.
template <class T> void selectCells(const bool *mask, Operand::Cells t, Operand::Cells e, void *result, size_t n) {
    const T *yes = static_cast<const T *>(t.data), *no = static_cast<const T *>(e.data);
    T *out = static_cast<T *>(result);
    auto run = [&](auto thenCell, auto elseCell) {
#pragma GCC ivdep
        for (size_t i = 0; i < n; ++i)
            out[i] = mask[i] ? thenCell(i) : elseCell(i);
    };
    auto each = [](const T *cells) { return [cells](size_t i) { return cells[i]; }; };
    auto single = [](const T *cells) { return [x = *cells](size_t) { return x; }; };
    if (t.single)
        e.single ? run(single(yes), single(no)) : run(single(yes), each(no));
    else
        e.single ? run(each(yes), single(no)) : run(each(yes), each(no));
}

void selectNumbers(const Value &c, const Value &t, const Value &e, MatrixShape shape, Dense &result) {
    bool flat = Operand::isFlat(c, shape) && Operand::isFlat(t, shape) && Operand::isFlat(e, shape);
    MatrixShape walked = flat ? MatrixShape{1, shape.cells()} : shape;
    Operand mask(c, ValueType::Bool, walked), yes(t, result.type(), walked), no(e, result.type(), walked);
    auto out = mutableRawCells(result);
    bool staging = mask.needsStaging() || yes.needsStaging() || no.needsStaging();
    forEachChunk(walked, staging, [&](const Chunk &chunk) {
        const bool *m = static_cast<const bool *>(mask.at(chunk).data);
        Operand::Cells y = yes.at(chunk), n = no.at(chunk);
        std::byte *to = out.data + (chunk.row * walked.cols + chunk.col) * out.cellBytes;
        switch (out.cellBytes) {
        case 1: return selectCells<uint8_t>(m, y, n, to, chunk.numCells);
        case 4: return selectCells<uint32_t>(m, y, n, to, chunk.numCells);
        default: return selectCells<uint64_t>(m, y, n, to, chunk.numCells);
        }
    });
}

void selectStrings(const Value &c, const Value &t, const Value &e, Dense &result) {
    Ref<Dense> mask = convertMatrix(c.dense(), ValueType::Bool);
    auto cell = [](const Value &v, size_t row, size_t col) -> const std::string & {
        return v.isScalar() ? v.text() : v.dense().view<std::string>()(row, col);
    };
    auto out = result.mutableView<std::string>();
    for (size_t row : cancellableRows(out))
        for (size_t col = 0; col < out.cols; ++col)
            out(row, col) = cell(mask->view<bool>()(row, col) ? t : e, row, col);
}

/// Cell by cell, branches being matrices of the shape of the condition or scalars.
Value select(KernelCall &call, const Value &c, const Value &t, const Value &e) {
    MatrixShape shape = shapeOf(c);
    for (size_t i : {1, 2}) {
        const Value &v = call.args[i];
        if (!v.isScalar() && !v.isMatrix())
            wrongArgument(call, i, "a scalar or a matrix (the condition is a matrix)");
        if (v.isMatrix() && !(shapeOf(v) == shape))
            throw executionError("'?:' needs branches of the shape of the condition, " + c.dense().shapeText() +
                                 ", got " + v.dense().shapeText());
    }
    if (t.valueType() != e.valueType())
        differentTypes(t, e);
    ValueType type = t.valueType();
    if (type == ValueType::Str) {
        auto result = Dense::create(type, shape.rows, shape.cols);
        selectStrings(c, t, e, *result);
        return result;
    }
    bool takeThen = call.canTake(1) && t.dense().contiguous();
    auto result = call.reuseOrCreate(takeThen ? 1 : 2, type, shape.rows, shape.cols);
    if (shape.cells() > 0)
        selectNumbers(c, t, e, shape, *result);
    return result;
}

Value cond(KernelCall &call, const Value &c, const Value &t, const Value &e) {
    if ((!c.isScalar() && !c.isMatrix()) || c.valueType() == ValueType::Str)
        wrongArgument(call, 0, "a number or a numeric matrix");
    if (c.isMatrix())
        return select(call, c, t, e);
    if (!sameType(t, e))
        differentTypes(t, e);
    return c.as<bool>() ? t : e;
}

} // namespace

void addConditional(KernelTable &t) {
    t.add<&condition>("condition");
    t.add<&cond>("cond");
}

} // namespace daphne
