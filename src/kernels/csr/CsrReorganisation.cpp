// SPDX-License-Identifier: Apache-2.0
/// Kernels that move the cells of compressed sparse rows: binds, reshape,
/// reverse, replace, tri, diagMatrix, diagVector; isSymmetric; '?:' with whole
/// matrices. Their meaning is that of the dense kernels.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/reorganise/Reorganisation.h"

namespace daphne {

namespace {

double numNonZeros(const Matrix &m) {
    return static_cast<double>(m.isCsr() ? static_cast<const Csr &>(m).nonZeros()
                                         : countNonZeros(static_cast<const Dense &>(m)));
}

/// A matrix of either representation as Csr with cells of a more general type.
Ref<Csr> part(const Matrix &m, ValueType type) {
    if (m.isCsr())
        return converted(static_cast<const Csr &>(m), type);
    return converted(*toCsr(static_cast<const Dense &>(m)), type);
}

/// Whether the bound matrix is to be a Csr. One of two is; a dense one makes the result dense unless it is still sparse
/// and large.
bool bindsToCsr(const KernelCall &call, const Matrix &l, const Matrix &r, size_t rows, size_t cols) {
    ValueType g = mostGeneral(l.type(), r.type());
    if (!isNumeric(g))
        return false;
    if ((l.isCsr() && r.isCsr()) || (call.wantsCsr & 1))
        return true;
    return call.context.representation.prefersCsr(g, rows, cols, numNonZeros(l) + numNonZeros(r));
}

Value colBind(KernelCall &call, AnyValue lhs, AnyValue rhs) {
    areFrames(call); // a frame is an error here
    const Matrix &l = lhs.value.matrix(), &r = rhs.value.matrix();
    if (l.rows() != r.rows())
        cannotBind("rows", l.shapeText(), r.shapeText());
    if (!bindsToCsr(call, l, r, l.rows(), l.cols() + r.cols()))
        return runDense(call);
    ValueType g = mostGeneral(l.type(), r.type());
    return joinCols({part(l, g).get(), part(r, g).get()});
}

Value rowBind(KernelCall &call, AnyValue lhs, AnyValue rhs) {
    areFrames(call); // a frame is an error here
    const Matrix &l = lhs.value.matrix(), &r = rhs.value.matrix();
    if (l.cols() != r.cols())
        cannotBind("columns", l.shapeText(), r.shapeText());
    if (!bindsToCsr(call, l, r, l.rows() + r.rows(), l.cols()))
        return runDense(call);
    ValueType g = mostGeneral(l.type(), r.type());
    auto top = part(l, g), bottom = part(r, g);
    const Csr *parts[] = {top.get(), bottom.get()};
    return joinRows(call.context, parts);
}

/// Numbers the stored cells row by row in the new shape; their order stays.
template <class In, class Out> void renumber(const Csr &x, Csr &result) {
    const uint64_t *o = x.offsets();
    const In *from = x.columns<In>();
    uint64_t *offsets = result.mutableOffsets();
    Out *to = result.mutableColumns<Out>();
    size_t row = 0, n = 0;
    uint64_t rowBegin = 0; // number of the first cell of the new row
    for (size_t r : cancellableRows(x))
        for (uint64_t k = o[r]; k < o[r + 1]; ++k, ++n) {
            uint64_t cell = r * x.cols() + from[k];
            if (cell - rowBegin >= result.cols()) {
                size_t next = cell / result.cols();
                std::fill(offsets + row + 1, offsets + next + 1, n);
                row = next;
                rowBegin = next * result.cols();
            }
            to[n] = static_cast<Out>(cell - rowBegin);
        }
    std::fill(offsets + row + 1, offsets + result.rows() + 1, n);
}

Value reshape(KernelCall &, const Csr &x, size_t rows, size_t cols) {
    needReshapable(x, rows, cols);
    auto result = Csr::create(x.type(), rows, cols, x.nonZeros(), valuesOf(x));
    if (rows == 0)
        return result;
    withIndexType(x.hasWideIndex(), [&]<class In>(TypeTag<In>) {
        withIndexType(result->hasWideIndex(), [&]<class Out>(TypeTag<Out>) { renumber<In, Out>(x, *result); });
    });
    size_t cell = cellSize(x.type());
    if (!x.isPattern() && x.nonZeros() > 0)
        std::memcpy(result->mutableValues<std::byte>(), x.values<std::byte>() + x.offsets()[0] * cell,
                    x.nonZeros() * cell);
    return result;
}

Value reverse(KernelCall &, const Csr &x) {
    std::vector<size_t> positions(x.rows());
    std::iota(positions.rbegin(), positions.rend(), size_t(0));
    return pickRows(x, positions);
}

Value replace(KernelCall &call, const Csr &x, const Value &pattern, const Value &replacement) {
    ValueType g = replacedType(call);
    return withNumericType(g, [&]<class T>(TypeTag<T>) -> Value {
        T from = cellOf<T>(pattern), to = cellOf<T>(replacement);
        if (from == T(0) && to == T(0))
            return converted(x, g);
        if (from == T(0))
            return runDense(call);
        if (x.isPattern() && from != T(1))
            return converted(x, g);
        auto typed = withValues(*converted(x, g));
        BufferRef values(Buffer::create(g, typed->capacity(), Buffer::Init::None));
        const T *in = typed->template values<T>();
        T *out = values.template as<T>();
        bool patternIsNan = from != from;
        for (auto [begin, end] : cancellablePieces(typed->nonZeros()))
            for (uint64_t k = typed->offsets()[0] + begin; k < typed->offsets()[0] + end; ++k)
                out[k] = (patternIsNan ? in[k] != in[k] : in[k] == from) ? to : in[k];
        return withoutZeros(Csr::withStructureOf(*typed, g, std::move(values)));
    });
}

/// In every row the triangle is a run of its cells.
Value tri(KernelCall &, const Csr &x, bool upper, bool diag, bool values) {
    needSquare(x);
    std::vector<uint64_t> borders(x.rows());
    size_t total = 0;
    for (size_t r : cancellableRows(x)) {
        borders[r] = lowerBound(x, r, upper == diag ? r : r + 1); // the first cell behind the lower part
        total += upper ? x.offsets()[r + 1] - borders[r] : borders[r] - x.offsets()[r];
    }
    CsrWriter writer(x.type(), x.rows(), x.cols(), total, values ? valuesOf(x) : Csr::Values::AllOnes);
    for (size_t r : cancellableRows(x)) {
        if (upper)
            writer.append(x, borders[r], x.offsets()[r + 1]);
        else
            writer.append(x, x.offsets()[r], borders[r]);
        writer.endRow();
    }
    return writer.finish();
}

Value diagMatrix(KernelCall &, const Csr &x) {
    needColumn(x);
    CsrWriter writer(x.type(), x.rows(), x.rows(), x.nonZeros(), valuesOf(x));
    for (size_t r : cancellableRows(x)) {
        writer.append(x, x.offsets()[r], x.offsets()[r + 1], static_cast<int64_t>(r));
        writer.endRow();
    }
    return writer.finish();
}

/// Dense: a column takes no more memory than the offsets of x.
Value diagVector(KernelCall &, const Csr &x) {
    needSquare(x);
    auto result = Dense::create(x.type(), x.rows(), 1, Buffer::Init::Zero);
    withIndexType(x.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
            auto in = x.view<T, I>();
            T *out = result->mutableView<T>().data;
            for (size_t r : cancellableRows(in)) {
                uint64_t k = lowerBound(x, r, r);
                if (k < in.offsets[r + 1] && in.columns[k] == r)
                    out[r] = in.value(k);
            }
        });
    });
    return result;
}

/// Cells of x and its transpose agree; NaN differs from itself, but the diagonal is not looked at.
template <class I> bool equalsTranspose(const Csr &x, const Csr &turned) {
    const uint64_t *o = x.offsets(), *p = turned.offsets();
    const I *columns = x.columns<I>(), *turnedColumns = turned.columns<I>();
    for (size_t r : cancellableRows(x))
        if (x.nonZeros(r) != turned.nonZeros(r) ||
            !std::equal(columns + o[r], columns + o[r + 1], turnedColumns + p[r]))
            return false;
    if (x.isPattern())
        return true;
    return withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        const T *values = x.values<T>() + o[0], *others = turned.values<T>();
        for (size_t r : cancellableRows(x))
            for (uint64_t k = p[r]; k < p[r + 1]; ++k)
                if (values[k] != others[k] && turnedColumns[k] != r)
                    return false;
        return true;
    });
}

Value isSymmetric(KernelCall &call, const Csr &x) {
    needSquare(x);
    auto turned = transposed(call.context, x);
    return withIndexType(x.hasWideIndex(),
                         [&]<class I>(TypeTag<I>) { return Value::scalar(equalsTranspose<I>(x, *turned)); });
}

/// A number chooses one of two matrices as it is; a matrix chooses cells, in dense form.
Value cond(KernelCall &call, const Value &c, AnyValue yes, AnyValue no) {
    const Value &t = yes.value, &e = no.value;
    bool fits = t.isMatrix() && e.isMatrix() && t.valueType() == e.valueType();
    if (!c.isScalar() || c.isString() || !fits)
        return runDense(call);
    return c.as<bool>() ? t : e;
}

} // namespace

void addCsrReorganisation(KernelTable &t) {
    t.addSparse<&colBind>("colBind");
    t.addSparse<&rowBind>("rowBind");
    t.addSparse<&reshape>("reshape");
    t.addSparse<&reverse>("reverse");
    t.addSparse<&replace>("replace");
    t.addSparse<&tri>("tri");
    t.addSparse<&diagMatrix>("diagMatrix");
    t.addSparse<&diagVector>("diagVector");
    t.addSparse<&isSymmetric>("isSymmetric");
    t.addSparse<&cond>("cond");
}

} // namespace daphne
