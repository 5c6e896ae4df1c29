// SPDX-License-Identifier: Apache-2.0
/// Reading and overwriting what matrices of marks select: a mark is a cell that
/// is not zero.
#include <numeric>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/KernelTable.h"
#include "kernels/reorganise/Insertion.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

/// Positions of the marked rows or columns; marks that are a scalar select all of them.
std::vector<size_t> markedIn(const KernelCall &call, size_t i, size_t n, const char *dimension) {
    if (!call.args[i].isScalar())
        return keptIn(call, i, n, dimension);
    std::vector<size_t> all(n);
    std::iota(all.begin(), all.end(), size_t(0));
    return all;
}

void needSelectedShape(const Value &y, size_t rows, size_t cols) {
    needPartShape({wholeRange(rows), wholeRange(cols)}, y);
}

/// What is put into cells: a scalar, or a matrix converted to their type.
template <class T> class Source {
  public:
    explicit Source(const Value &y) {
        if (y.isScalar()) {
            single = cellOf<T>(y);
        } else {
            matrix = converted(y.dense(), valueTypeOf<T>());
            cells = matrix->template view<T>();
        }
    }
    const T &operator()(size_t r, size_t c) const { return matrix ? cells(r, c) : single; }

  private:
    Ref<Dense> matrix;
    DenseView<const T> cells = {};
    T single = {};
};

void overwriteMarked(Dense &x, const Value &y, const std::vector<size_t> &rows, const std::vector<size_t> &cols) {
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        Source<T> from(y);
        auto out = x.mutableView<T>();
        for (size_t r : cancellable(rows.size(), cols.size()))
            for (size_t c = 0; c < cols.size(); ++c)
                out(rows[r], cols[c]) = from(r, c);
    });
}

/// insertMarked(x, y, rowMarks, colMarks)
Value insertMarked(KernelCall &call, const Value &x, const Value &given, const Value &, const Value &) {
    needInsertable(call);
    Value y = given;
    if (x.isMatrix()) {
        auto rows = markedIn(call, 2, x.dense().rows(), "row"), cols = markedIn(call, 3, x.dense().cols(), "column");
        needSelectedShape(y, rows.size(), cols.size());
        Ref<Dense> result = ownMatrix(call);
        overwriteMarked(*result, y, rows, cols);
        return result;
    }
    auto rows = markedIn(call, 2, x.frame().rows(), "row"), cols = markedIn(call, 3, x.frame().cols(), "column");
    needSelectedShape(y, rows.size(), cols.size());
    if (y.isFrame())
        for (size_t k = 0; k < cols.size(); ++k)
            needEqualColumnTypes(x.frame(), cols[k], y.frame(), k);
    else
        for (size_t c : cols)
            needWidening(x.frame().columns[c]->type(), y.valueType());
    Ref<Frame> result = ownFrame(call);
    for (size_t k = 0; k < cols.size(); ++k)
        overwriteMarked(ownColumn(*result, cols[k]), columnToInsert(y, k), rows, {0});
    return result;
}

void needSameShape(const Dense &x, const Dense &marks) {
    if (x.rows() != marks.rows() || x.cols() != marks.cols())
        throw executionError("the matrix that marks cells must have the shape " + x.shapeText() +
                             " of the matrix they are in, got " + marks.shapeText());
}

const Dense &numericMarks(const KernelCall &call, size_t i) {
    if (!call.args[i].isMatrix() || call.args[i].valueType() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
    return call.args[i].dense();
}

/// Calls f(row, column) for the marked cells row by row.
template <class F> void forEachMarked(const Dense &marks, F &&f) {
    withNumericType(marks.type(), [&]<class M>(TypeTag<M>) {
        auto in = marks.view<M>();
        for (size_t r : cancellableRows(in))
            for (size_t c = 0; c < in.cols; ++c)
                if (in(r, c) != M(0))
                    f(r, c);
    });
}

size_t numMarked(const Dense &marks) {
    size_t n = 0;
    forEachMarked(marks, [&](size_t, size_t) { ++n; });
    return n;
}

/// filterCells(x, marks): a column.
Value filterCells(KernelCall &call, const Dense &x, const Value &) {
    const Dense &marks = numericMarks(call, 1);
    needSameShape(x, marks);
    auto result = Dense::create(x.type(), numMarked(marks), 1);
    withValueType(x.type(), [&]<class T>(TypeTag<T>) {
        auto in = x.view<T>();
        T *out = result->mutableView<T>().data;
        forEachMarked(marks, [&](size_t r, size_t c) { *out++ = in(r, c); });
    });
    return result;
}

/// insertCells(x, y, marks)
Value insertCells(KernelCall &call, const Dense &x, const Value &given, const Value &) {
    needInsertable(call);
    Value y = given;
    // Marks may be the matrix itself, which is overwritten while they are read.
    Value held = call.args[2];
    const Dense &marks = numericMarks(call, 2);
    needSameShape(x, marks);
    if (!y.isScalar())
        needSelectedShape(y, numMarked(marks), 1);
    Ref<Dense> result = ownMatrix(call);
    withValueType(result->type(), [&]<class T>(TypeTag<T>) {
        Source<T> from(y);
        auto out = result->mutableView<T>();
        size_t k = 0;
        forEachMarked(marks, [&](size_t r, size_t c) { out(r, c) = from(k++, 0); });
    });
    return result;
}

} // namespace

void addMarkedCells(KernelTable &t) {
    t.add<&insertMarked>("insertMarked");
    t.add<&filterCells>("filterCells");
    t.add<&insertCells>("insertCells");
}

} // namespace daphne
