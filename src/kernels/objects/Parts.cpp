// SPDX-License-Identifier: Apache-2.0
/// Cells, rows and columns as elements of lists, and results for them put
/// together again: for builtins that call a function where only the run time
/// knows the types.
#include <algorithm>

#include "base/Cancellable.h"
#include "data/Sequence.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

/// The cells of a matrix, row by row; a list is what it is.
Value elementsOf(KernelCall &, const Value &x) {
    if (x.isList())
        return x;
    if (!x.isMatrix())
        throw executionError("elements of a list or cells of a matrix are needed here, this is " + describe(x));
    auto result = Ref<Sequence>::make();
    result->elements.reserve(x.dense().cells());
    withValueType(x.dense().type(), [&]<class T>(TypeTag<T>) {
        auto view = x.dense().view<T>();
        for (size_t r : cancellableRows(view))
            for (size_t c = 0; c < view.cols; ++c) {
                if constexpr (std::is_same_v<T, std::string>)
                    result->elements.push_back(Value::string(view(r, c)));
                else
                    result->elements.push_back(Value::scalar(T(view(r, c)), x.dense().type()));
            }
    });
    return makeList(std::move(result));
}

Value lineOf(const Value &x, size_t i, bool isRow) {
    if (x.isMatrix())
        return isRow ? Dense::window(x.dense(), i, i + 1, 0, x.dense().cols())
                     : Dense::window(x.dense(), 0, x.dense().rows(), i, i + 1);
    const Frame &f = x.frame();
    auto line = Ref<Frame>::make(isRow ? 1 : f.rows());
    for (size_t c = isRow ? 0 : i; c < (isRow ? f.cols() : i + 1); ++c)
        line->addColumn(f.labels[c], isRow ? Dense::window(*f.columns[c], i, i + 1, 0, 1) : f.columns[c]);
    return line;
}

/// linesOf(x, axis): rows (0) or columns (1) of a matrix or frame; the rows of a list are its elements.
Value linesOf(KernelCall &, const Value &x, int64_t axis) {
    const bool isRow = axis == 0;
    if (x.isList() && isRow)
        return x;
    if (!x.isMatrix() && !x.isFrame())
        throw executionError(std::string(isRow ? "a list, matrix or frame" : "a matrix or frame") +
                             " is needed here, this is " + describe(x));
    size_t rows = x.isFrame() ? x.frame().rows() : x.dense().rows();
    size_t cols = x.isFrame() ? x.frame().cols() : x.dense().cols();
    auto result = Ref<Sequence>::make();
    for (size_t i : cancellable(isRow ? rows : cols))
        result->elements.push_back(lineOf(x, i, isRow));
    return makeList(std::move(result));
}

/// The most general type of what becomes cells; `otherwise` if there are none.
ValueType commonType(std::span<const Value> values, ValueType otherwise) {
    if (values.empty())
        return otherwise;
    ValueType type = values[0].valueType();
    for (const Value &v : values) {
        if ((type == ValueType::Str) != (v.valueType() == ValueType::Str))
            throw executionError("the function yields " + describe(values[0]) + " once and " + describe(v) +
                                 " another time: strings and numbers have no type in common");
        type = mostGeneral(type, v.valueType());
    }
    return type;
}

/// Cell (row, col) of a matrix of T, from a scalar or the cell at `from` of a vector.
template <class T> T cellOf(const Value &v, size_t from) {
    if constexpr (std::is_same_v<T, std::string>) {
        if (v.isScalar())
            return v.text();
        auto view = v.dense().view<std::string>();
        return view.rows == 1 ? view(0, from) : view(from, 0);
    } else {
        if (v.isScalar())
            return v.as<T>();
        return withNumericType(v.dense().type(), [&]<class S>(TypeTag<S>) {
            auto view = v.dense().view<S>();
            return convertNumber<T>(view.rows == 1 ? view(0, from) : view(from, 0));
        });
    }
}

/// cellsLike(results, x): a matrix of the shape of x; for a list x the results as they are.
Value cellsLike(KernelCall &call, AnyValue results, AnyValue x) {
    if (!x.value.isMatrix())
        return results.value;
    std::span<const Value> cells = sequenceOf(call.args[0]).elements;
    for (const Value &v : cells)
        if (!v.isScalar())
            throw executionError("the function must yield a number or a string for each cell, this is " + describe(v));
    const Matrix &like = x.value.matrix();
    ValueType type = commonType(cells, like.type());
    auto result = Dense::create(type, like.rows(), like.cols());
    withValueType(type, [&]<class T>(TypeTag<T>) {
        auto view = result->mutableView<T>();
        size_t next = 0;
        for (size_t r : cancellableRows(view))
            for (size_t c = 0; c < view.cols; ++c)
                view(r, c) = cellOf<T>(cells[next++], 0);
    });
    return result;
}

size_t lengthOfLine(const Value &v) {
    if (v.isScalar())
        return 1;
    if (!v.isMatrix() || (v.dense().rows() != 1 && v.dense().cols() != 1))
        throw executionError("results must be numbers, strings, rows or columns, this is " + describe(v));
    return v.dense().cells();
}

/// bindLines(results, axis): numbers, strings or vectors of one length as the rows (0) or columns (1) of a matrix.
Value bindLines(KernelCall &call, AnyValue, int64_t axis) {
    std::vector<Value> lines = sequenceOf(call.args[0]).elements;
    for (Value &line : lines)
        if (line.isCsr())
            line = toDense(line.csr());
    size_t length = lines.empty() ? 1 : lengthOfLine(lines[0]);
    for (const Value &line : lines)
        if (size_t n = lengthOfLine(line); n != length)
            throw executionError("results must have one length, got " + std::to_string(length) + " and " +
                                 std::to_string(n));
    const bool isRow = axis == 0;
    ValueType type = commonType(lines, ValueType::F64);
    auto result = Dense::create(type, isRow ? lines.size() : length, isRow ? length : lines.size());
    withValueType(type, [&]<class T>(TypeTag<T>) {
        auto view = result->mutableView<T>();
        for (size_t r : cancellableRows(view))
            for (size_t c = 0; c < view.cols; ++c)
                view(r, c) = cellOf<T>(lines[isRow ? r : c], isRow ? c : r);
    });
    return result;
}

} // namespace

void addParts(KernelTable &t) {
    t.add<&elementsOf>("elementsOf");
    t.add<&linesOf>("linesOf");
    t.add<&cellsLike>("cellsLike");
    t.add<&bindLines>("bindLines");
}

} // namespace daphne
