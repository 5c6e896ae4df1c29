// SPDX-License-Identifier: Apache-2.0
#include "kernels/strings/TextCells.h"

#include <cmath>

#include "ops/Registry.h"

namespace daphne {

Value cellsOfArgument(const KernelCall &call, size_t i) {
    const Value &v = call.args[i];
    if (v.isFrame() && v.frame().cols() == 1)
        return v.frame().columns[0];
    if (!v.isScalar() && !v.isMatrix())
        wrongArgument(call, i, "a scalar, a matrix or a frame with one column");
    return v;
}

MatrixShape spreadShape(const KernelCall &call, std::span<const Value> args) {
    std::optional<MatrixShape> shape;
    for (const Value &v : args)
        if (v.isMatrix())
            shape = shape ? broadcastShape(ops::userName(call.mnemonic()), *shape, shapeOf(v)) : shapeOf(v);
    return shape.value_or(MatrixShape{});
}

void addPlace(Error &error, size_t row, size_t col) {
    error.message += " at row " + std::to_string(row) + ", column " + std::to_string(col);
}

CellsFor<std::string_view>::CellsFor(const KernelCall &call, size_t i, const Value &v, MatrixShape result) {
    if (v.valueType() != ValueType::Str)
        wrongArgument(call, i, "a string, a matrix or a column of strings");
    if (v.isScalar()) {
        texts = &v.text();
        return;
    }
    const Dense &m = v.dense();
    if (m.isCoded()) {
        codes = m.codes();
        steps = {m, codes->view.skip, result};
    } else {
        texts = m.view<std::string>().data;
        steps = {m, m.skip(), result};
    }
}

CellsFor<int64_t>::CellsFor(const KernelCall &call, size_t i, const Value &v, MatrixShape result) {
    auto needWhole = [&](auto x) {
        if constexpr (std::is_floating_point_v<decltype(x)>)
            if (std::floor(x) != x || !std::isfinite(x))
                throw executionError(std::string(ops::userName(call.mnemonic())) + ": argument " +
                                     std::to_string(i + 1) + " must be a whole number")
                    .withHint("floor(...) rounds down");
    };
    if (v.valueType() == ValueType::Str)
        wrongArgument(call, i, "a number or a numeric matrix");
    if (v.isScalar()) {
        withNumericType(v.scalarType(), [&]<class T>(TypeTag<T>) { needWhole(v.as<T>()); });
        single = v.as<int64_t>();
        return;
    }
    const Dense &m = v.dense();
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto cells = m.view<T>();
        if constexpr (std::is_floating_point_v<T>)
            for (size_t r : cancellableRows(cells))
                for (size_t c = 0; c < cells.cols; ++c)
                    needWhole(cells(r, c));
    });
    auto integers = convertMatrix(m, ValueType::SI64);
    numbers = integers->view<int64_t>().data;
    steps = {m, integers->skip(), result};
    converted = std::move(integers);
}

Value detail::columnOfCodes(const Dense::Codes &codes, const std::function<void(std::string &, std::string_view)> &f) {
    size_t rows = codes.view.rows;
    auto dictionary = std::make_shared<Dictionary>();
    BufferRef buffer(Buffer::create(ValueType::UI32, rows, Buffer::Init::None));
    uint32_t *out = buffer.as<uint32_t>();
    std::vector<uint32_t> codeOf(codes.dictionary->size(), Dictionary::kNone);
    std::string text;
    for (size_t r : cancellable(rows)) {
        uint32_t code = codes.view(r, 0);
        if (codeOf[code] == Dictionary::kNone) {
            text.clear();
            try {
                f(text, (*codes.dictionary)[code]);
            } catch (Error &error) {
                addPlace(error, r, 0);
                throw;
            }
            codeOf[code] = dictionary->insert(text);
        }
        out[r] = codeOf[code];
    }
    return Dense::coded(std::move(dictionary), buffer.detach(), rows);
}

} // namespace daphne
