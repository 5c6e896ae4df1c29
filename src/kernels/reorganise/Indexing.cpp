// SPDX-License-Identifier: Apache-2.0
/// Right indexing and filtering: slices are windows on the argument, the rest
/// copies the selected cells. The rows of a list are its elements.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/Cancellable.h"
#include "base/NoColumn.h"
#include "kernels/KernelTable.h"
#include "kernels/objects/Lists.h"
#include "kernels/reorganise/Selection.h"
#include "ops/Range.h"
#include "ops/WholeNumber.h"

namespace daphne {

Ref<Dense> pickRows(const Dense &m, std::span<const size_t> positions) {
    if (m.isCoded() && m.cols() == 1) {
        auto in = m.codes();
        BufferRef codes(Buffer::create(ValueType::UI32, positions.size(), Buffer::Init::None));
        for (size_t k : cancellable(positions.size()))
            codes.as<uint32_t>()[k] = in.view(positions[k], 0);
        return Dense::coded(in.dictionary, codes.detach(), positions.size());
    }
    auto result = Dense::create(m.type(), positions.size(), m.cols());
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        auto out = result->mutableView<T>();
        for (size_t k : cancellable(positions.size(), in.cols))
            std::copy_n(in.row(positions[k]), in.cols, out.row(k));
    });
    return result;
}

Ref<Dense> pickCols(const Dense &m, std::span<const size_t> positions) {
    auto result = Dense::create(m.type(), m.rows(), positions.size());
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        auto out = result->mutableView<T>();
        for (size_t r : cancellable(in.rows, positions.size()))
            for (size_t k = 0; k < positions.size(); ++k)
                out(r, k) = in(r, positions[k]);
    });
    return result;
}

Ref<Frame> pickRows(const Frame &f, std::span<const size_t> positions) {
    auto result = Ref<Frame>::make(positions.size());
    for (size_t c = 0; c < f.cols(); ++c)
        result->addColumn(f.labels[c], pickRows(*f.columns[c], positions));
    return result;
}

ops::Range rangeIn(int64_t lo, int64_t hi, size_t n, const char *dimension) {
    auto range = ops::normalise(lo, hi, static_cast<int64_t>(n));
    if (!range)
        throw executionError(ops::outOfRangeText(lo, hi, static_cast<int64_t>(n), dimension));
    return *range;
}

namespace {

template <class T> size_t positionIn(T value, size_t n, const char *dimension) {
    if constexpr (std::is_floating_point_v<T>)
        if (!ops::isWhole(value))
            throw executionError(ops::notWholeText(value)).withHint(std::string(ops::kWholeNumberHint));
    auto p = ops::normalisePosition(convertNumber<int64_t>(value), static_cast<int64_t>(n));
    // Beyond int64 an unsigned value would look like a position from the end.
    if constexpr (std::is_same_v<T, uint64_t>)
        if (value > static_cast<uint64_t>(INT64_MAX))
            p.reset();
    if (!p)
        throw executionError(ops::outOfRangeText(convertNumber<int64_t>(value), static_cast<int64_t>(n), dimension));
    return static_cast<size_t>(*p);
}

} // namespace

std::vector<size_t> positionsIn(const KernelCall &call, size_t n, const char *dimension) {
    const Value &p = call.args[1];
    if ((!p.isScalar() && !p.isMatrix()) || p.valueType() == ValueType::Str)
        wrongArgument(call, 1, "a number or a numeric matrix with one column");
    if (p.isMatrix() && p.valueType() == ValueType::Bool)
        return keptIn(call, 1, n, dimension);
    return withNumericType(p.valueType(), [&]<class T>(TypeTag<T>) -> std::vector<size_t> {
        if (p.isScalar())
            return {positionIn(p.as<T>(), n, dimension)};
        if (p.dense().cols() != 1)
            throw executionError("an index matrix must have one column, got " + p.dense().shapeText());
        auto cells = p.dense().view<T>();
        std::vector<size_t> positions(cells.rows);
        for (size_t k : cancellableRows(cells))
            positions[k] = positionIn(cells(k, 0), n, dimension);
        return positions;
    });
}

std::vector<size_t> keptIn(const KernelCall &call, size_t i, size_t n, const char *dimension) {
    const Value &bits = call.args[i];
    if (!bits.isMatrix() || bits.valueType() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix with one column");
    const Dense &m = bits.dense();
    if (m.cols() != 1)
        throw executionError("a filter must have one column, got " + m.shapeText());
    if (m.rows() != n)
        throw executionError(std::string("a ") + dimension + " filter needs one entry per " + dimension + ", got " +
                             std::to_string(m.rows()) + " entries for " + std::to_string(n) + " " + dimension + "s");
    std::vector<size_t> positions;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto cells = m.view<T>();
        for (size_t r : cancellable(n))
            if (cells(r, 0) != T(0))
                positions.push_back(r);
    });
    return positions;
}

namespace {

Value position(KernelCall &, int64_t p) { return Value::scalar(p); }

/// The elements of a list are its rows.
size_t numRows(const Value &x) {
    if (x.isList())
        return sequenceOf(x).elements.size();
    return x.isFrame() ? x.frame().rows() : x.dense().rows();
}
size_t numCols(const Value &x) { return x.isFrame() ? x.frame().cols() : x.dense().cols(); }

void needRows(const KernelCall &call) {
    const Value &x = call.args[0];
    if (!x.isMatrix() && !x.isFrame() && !x.isList())
        wrongArgument(call, 0, "a matrix, frame or list");
}

void needMatrixOrFrame(const KernelCall &call) {
    if (!call.args[0].isMatrix() && !call.args[0].isFrame())
        wrongArgument(call, 0, "a matrix or frame");
}

/// Columns of a frame in the given order; a column taken again gets a default label.
Ref<Frame> pickCols(const Frame &f, std::span<const size_t> positions) {
    auto result = Ref<Frame>::make(f.rows());
    std::vector<bool> taken(f.cols());
    for (size_t k = 0; k < positions.size(); ++k) {
        size_t c = positions[k];
        result->addColumn(taken[c] ? "col_" + std::to_string(k) : f.labels[c], f.columns[c]);
        taken[c] = true;
    }
    return result;
}

Value sliceRow(KernelCall &call, const Value &x, int64_t lo, int64_t hi) {
    needRows(call);
    ops::Range range = rangeIn(lo, hi, numRows(x), x.isList() ? "element" : "row");
    auto first = static_cast<size_t>(range.lo), last = static_cast<size_t>(range.hi);
    if (x.isList()) {
        std::vector<size_t> positions(last - first);
        std::iota(positions.begin(), positions.end(), first);
        return pickElements(sequenceOf(x), positions);
    }
    if (x.isMatrix())
        return Dense::window(x.dense(), first, last, 0, x.dense().cols());
    auto result = Ref<Frame>::make(last - first);
    for (size_t c = 0; c < x.frame().cols(); ++c)
        result->addColumn(x.frame().labels[c], Dense::window(*x.frame().columns[c], first, last, 0, 1));
    return result;
}

Value sliceCol(KernelCall &call, const Value &x, int64_t lo, int64_t hi) {
    needMatrixOrFrame(call);
    ops::Range range = rangeIn(lo, hi, numCols(x), "column");
    auto first = static_cast<size_t>(range.lo), last = static_cast<size_t>(range.hi);
    if (x.isMatrix())
        return Dense::window(x.dense(), 0, x.dense().rows(), first, last);
    std::vector<size_t> positions(last - first);
    std::iota(positions.begin(), positions.end(), first);
    return pickCols(x.frame(), positions);
}

/// One position selects an element of a list, but a row of anything else.
Value extractRow(KernelCall &call, const Value &x, const Value &p) {
    needRows(call);
    if (x.isList() && p.isScalar() && !p.isString())
        return elementAt(sequenceOf(x), p.as<int64_t>());
    auto positions = positionsIn(call, numRows(x), x.isList() ? "element" : "row");
    if (x.isList())
        return pickElements(sequenceOf(x), positions);
    if (x.isFrame())
        return pickRows(x.frame(), positions);
    return pickRows(x.dense(), positions);
}

/// Columns selected by a label, or by "prefix.*": all whose label has the prefix before its first dot.
std::vector<size_t> positionsOfLabel(const Frame &f, const std::string &label) {
    if (size_t c = f.find(label); c != Frame::npos)
        return {c};
    std::vector<size_t> positions;
    if (label.ends_with(".*"))
        for (size_t c = 0; c < f.cols(); ++c)
            if (f.labels[c].substr(0, f.labels[c].find('.') + 1) == label.substr(0, label.size() - 1))
                positions.push_back(c);
    if (!positions.empty())
        return positions;
    throw noColumn(Stage::Execute, label, f.labels);
}

Value extractCol(KernelCall &call, const Value &x, const Value &p) {
    needMatrixOrFrame(call);
    if (x.isFrame())
        return pickCols(x.frame(), p.isString() ? positionsOfLabel(x.frame(), p.text())
                                                : positionsIn(call, x.frame().cols(), "column"));
    if (p.isString())
        throw executionError("a label selects columns of a frame, not of a matrix");
    return pickCols(x.dense(), positionsIn(call, x.dense().cols(), "column"));
}

Value filterRow(KernelCall &call, const Value &x, const Value &) {
    needRows(call);
    auto positions = keptIn(call, 1, numRows(x), x.isList() ? "element" : "row");
    if (x.isList())
        return pickElements(sequenceOf(x), positions);
    if (x.isFrame())
        return pickRows(x.frame(), positions);
    return pickRows(x.dense(), positions);
}

Value filterCol(KernelCall &call, const Value &x, const Value &) {
    needMatrixOrFrame(call);
    auto positions = keptIn(call, 1, numCols(x), "column");
    if (x.isFrame())
        return pickCols(x.frame(), positions);
    return pickCols(x.dense(), positions);
}

} // namespace

void addIndexing(KernelTable &t) {
    t.add<&position>("position");
    t.add<&sliceRow>("sliceRow");
    t.add<&sliceCol>("sliceCol");
    t.add<&extractRow>("extractRow");
    t.add<&extractCol>("extractCol");
    t.add<&filterRow>("filterRow");
    t.add<&filterCol>("filterCol");
}

} // namespace daphne
