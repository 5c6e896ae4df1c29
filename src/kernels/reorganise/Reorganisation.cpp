// SPDX-License-Identifier: Apache-2.0
/// Kernels that move cells: transpose, binds, reshape, reverse, replace, tri,
/// diagMatrix, diagVector. Results share storage with the argument where the
/// cells stay in place.
#include <algorithm>
#include <cmath>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/reorganise/Reorganisation.h"
#include "kernels/reorganise/Selection.h"
#include "kernels/reorganise/TransposeCells.h"

namespace daphne {

namespace {

void transposeTexts(const DenseView<const std::string> &in, const DenseView<std::string> &out) {
    for (size_t c = 0; c < in.cols; ++c)
        for (size_t r : cancellableRows(in))
            out(c, r) = in(r, c);
}

} // namespace

Ref<Dense> transposed(RunContext &context, const Dense &x) {
    if (x.contiguous() && (x.rows() == 1 || x.cols() == 1))
        return Dense::reshaped(x, x.cols(), x.rows());
    auto result = Dense::create(x.type(), x.cols(), x.rows());
    if (x.type() == ValueType::Str)
        transposeTexts(x.view<std::string>(), result->mutableView<std::string>());
    else
        transposeCells(context, rawCells(x), mutableRawCells(*result));
    return result;
}

void cannotBind(const char *dimension, const std::string &l, const std::string &r) {
    throw executionError(std::string("binding needs equal numbers of ") + dimension + ", got " + l + " and " + r);
}

namespace {

Value transpose(KernelCall &call, const Dense &x) { return transposed(call.context, x); }

Ref<Dense> bindColumns(const Dense &l, const Dense &r) {
    if (l.rows() != r.rows())
        cannotBind("rows", l.shapeText(), r.shapeText());
    auto result = Dense::create(mostGeneral(l.type(), r.type()), l.rows(), l.cols() + r.cols());
    copyInto(*result, l, 0, 0);
    copyInto(*result, r, 0, l.cols());
    return result;
}

Ref<Dense> bindRows(const Dense &l, const Dense &r) {
    if (l.cols() != r.cols())
        cannotBind("columns", l.shapeText(), r.shapeText());
    auto result = Dense::create(mostGeneral(l.type(), r.type()), l.rows() + r.rows(), l.cols());
    copyInto(*result, l, 0, 0);
    copyInto(*result, r, l.rows(), 0);
    return result;
}

Ref<Frame> bindColumns(const Frame &l, const Frame &r) {
    if (l.rows() != r.rows())
        cannotBind("rows", l.shapeText(), r.shapeText());
    auto result = Ref<Frame>::make(l.rows());
    for (const Frame *f : {&l, &r})
        for (size_t c = 0; c < f->cols(); ++c)
            result->addColumn(f->labels[c], f->columns[c]);
    return result;
}

Ref<Frame> bindRows(const Frame &l, const Frame &r) {
    if (l.cols() != r.cols())
        cannotBind("columns", l.shapeText(), r.shapeText());
    auto result = Ref<Frame>::make(l.rows() + r.rows());
    for (size_t c = 0; c < l.cols(); ++c) {
        if (l.labels[c] != r.labels[c])
            throw executionError("binding rows of frames needs equal labels, got \"" + l.labels[c] + "\" and \"" +
                                 r.labels[c] + "\" for column " + std::to_string(c));
        if (l.columns[c]->type() != r.columns[c]->type())
            throw executionError("binding rows of frames needs equal column types, got " +
                                 std::string(dslName(l.columns[c]->type())) + " and " +
                                 std::string(dslName(r.columns[c]->type())) + " for \"" + l.labels[c] + "\"");
        result->addColumn(l.labels[c], bindRows(*l.columns[c], *r.columns[c]));
    }
    return result;
}

} // namespace

bool areFrames(const KernelCall &call) {
    const Value &l = call.args[0], &r = call.args[1];
    for (size_t i = 0; i < 2; ++i)
        if (!call.args[i].isMatrix() && !call.args[i].isFrame())
            wrongArgument(call, i, "a matrix or frame");
    if (l.kind() != r.kind())
        throw executionError("cannot bind a matrix with a frame, got " + describe(l) + " and " + describe(r));
    return l.isFrame();
}

namespace {

Value colBind(KernelCall &call, const Value &l, const Value &r) {
    if (areFrames(call))
        return bindColumns(l.frame(), r.frame());
    return bindColumns(l.dense(), r.dense());
}

Value rowBind(KernelCall &call, const Value &l, const Value &r) {
    if (areFrames(call))
        return bindRows(l.frame(), r.frame());
    return bindRows(l.dense(), r.dense());
}

} // namespace

void needReshapable(const Matrix &x, size_t rows, size_t cols) {
    size_t cells = 0;
    if (__builtin_mul_overflow(rows, cols, &cells) || cells != x.cells())
        throw executionError("cannot reshape " + x.shapeText() + " (" + std::to_string(x.cells()) + " cells) to " +
                             std::to_string(rows) + "x" + std::to_string(cols));
}

namespace {

Value reshape(KernelCall &, const Dense &x, size_t rows, size_t cols) {
    needReshapable(x, rows, cols);
    return x.contiguous() ? Dense::reshaped(x, rows, cols) : Dense::reshaped(*x.copy(), rows, cols);
}

Ref<Dense> reversed(const Dense &x) {
    auto result = Dense::create(x.type(), x.rows(), x.cols());
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellableRows(in))
            std::copy_n(in.row(in.rows - 1 - r), in.cols, out.row(r));
    });
    return result;
}

void reverseInPlace(Dense &x) {
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto cells = x.mutableView<T>();
        for (size_t r : cancellable(cells.rows / 2, 2 * cells.cols))
            std::swap_ranges(cells.row(r), cells.row(r) + cells.cols, cells.row(cells.rows - 1 - r));
    });
}

Value reverse(KernelCall &call, const Value &x) {
    if (x.isFrame()) {
        auto result = Ref<Frame>::make(x.frame().rows());
        for (size_t c = 0; c < x.frame().cols(); ++c)
            result->addColumn(x.frame().labels[c], reversed(*x.frame().columns[c]));
        return result;
    }
    if (!x.isMatrix())
        wrongArgument(call, 0, "a matrix or frame");
    if (!call.canTake(0))
        return reversed(x.dense());
    reverseInPlace(x.dense());
    return std::move(call.args[0]);
}

/// Cells equal to pattern become replacement, a NaN pattern matches NaN.
template <class T> void replaceCells(Dense &x, const T &pattern, const T &replacement) {
    auto cells = x.mutableView<T>();
    bool patternIsNan = pattern != pattern;
    for (size_t r : cancellableRows(cells))
        for (T *p = cells.row(r), *end = p + cells.cols; p != end; ++p)
            if (patternIsNan ? *p != *p : *p == pattern)
                *p = replacement;
}

} // namespace

ValueType replacedType(const KernelCall &call) {
    const Matrix &x = call.args[0].matrix();
    ValueType g = x.type();
    for (size_t i = 1; i < 3; ++i) {
        const Value &v = call.args[i];
        if (!v.isScalar())
            wrongArgument(call, i, "a scalar");
        if (v.isString() != (x.type() == ValueType::Str))
            throw executionError("cannot mix strings and numbers, got " + describe(call.args[0]) + " and " +
                                 describe(v));
        g = mostGeneral(g, v.scalarType());
    }
    return g;
}

namespace {

Value replace(KernelCall &call, const Dense &x, const Value &pattern, const Value &replacement) {
    ValueType g = replacedType(call);
    Value result;
    if (g == x.type() && call.canTake(0))
        result = std::move(call.args[0]);
    else
        result = g == x.type() ? x.copy() : converted(x, g);
    withValueType(
        g, [&]<class T>(TypeTag<T>) { replaceCells(result.dense(), cellOf<T>(pattern), cellOf<T>(replacement)); });
    return result;
}

} // namespace

void needSquare(const Matrix &x) {
    if (x.rows() != x.cols())
        throw executionError("needs a square matrix, got " + x.shapeText());
}

void needColumn(const Matrix &x) {
    if (x.cols() != 1)
        throw executionError("needs a matrix with one column, got " + x.shapeText());
}

namespace {

/// Cells outside the triangle become 0; without `values` the kept non-zero ones become 1.
template <class T> void keepTriangle(Dense &x, bool upper, bool diag, bool values) {
    auto cells = x.mutableView<T>();
    for (size_t r : cancellableRows(cells))
        for (size_t c = 0; c < cells.cols; ++c) {
            bool keep = c == r ? diag : (c > r) == upper;
            T &cell = cells(r, c);
            if (!keep)
                cell = T(0);
            else if (!values && cell != T(0))
                cell = T(1);
        }
}

Value tri(KernelCall &call, const Dense &x, bool upper, bool diag, bool values) {
    if (x.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    needSquare(x);
    Value result = call.canTake(0) ? std::move(call.args[0]) : Value(x.copy());
    Dense &m = result.dense();
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) { keepTriangle<T>(m, upper, diag, values); });
    return result;
}

/// At most one stored cell per row.
template <class T> Ref<Csr> diagonalCsr(const Dense &x) {
    auto in = x.view<T>();
    auto result = Csr::create(x.type(), in.rows, in.rows, in.rows);
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        uint64_t at = 0;
        for (size_t r : cancellableRows(in)) {
            if (in(r, 0) != T(0)) {
                result->template mutableColumns<I>()[at] = static_cast<I>(r);
                result->template mutableValues<T>()[at++] = in(r, 0);
            }
            result->mutableOffsets()[r + 1] = at;
        }
    });
    return result;
}

Value diagMatrix(KernelCall &call, const Dense &x) {
    needColumn(x);
    if ((call.wantsCsr & 1) ||
        call.context.representation.prefersCsr(x.type(), x.rows(), x.rows(), static_cast<double>(x.rows())))
        return withNumericType(x.type(), [&]<class T>(TypeTag<T>) { return diagonalCsr<T>(x); });
    auto result = Dense::create(x.type(), x.rows(), x.rows(), Buffer::Init::Zero);
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellableRows(in))
            out(r, r) = in(r, 0);
    });
    return result;
}

Value diagVector(KernelCall &, const Dense &x) {
    needSquare(x);
    auto result = Dense::create(x.type(), x.rows(), 1);
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellableRows(in))
            out(r, 0) = in(r, r);
    });
    return result;
}

} // namespace

void addReorganisation(KernelTable &t) {
    t.add<&transpose>("transpose");
    t.add<&colBind>("colBind");
    t.add<&rowBind>("rowBind");
    t.add<&reshape>("reshape");
    t.add<&reverse>("reverse");
    t.add<&replace>("replace");
    t.add<&tri>("tri");
    t.add<&diagMatrix>("diagMatrix");
    t.add<&diagVector>("diagVector");
}

} // namespace daphne
