// SPDX-License-Identifier: Apache-2.0
#include "data/Value.h"

#include <algorithm>

#include "base/Error.h"
#include "data/Sequence.h"

namespace daphne {

Value Value::string(std::string text) {
    return adopt({slotTag(ValueKind::Scalar, ValueType::Str),
                  reinterpret_cast<uint64_t>(static_cast<Object *>(new StringObject(std::move(text))))});
}

Value::Value(Ref<Matrix> m)
    : slot{slotTag(ValueKind::Matrix), reinterpret_cast<uint64_t>(static_cast<Object *>(m.detach()))} {}
Value::Value(Ref<Frame> f)
    : slot{slotTag(ValueKind::Frame), reinterpret_cast<uint64_t>(static_cast<Object *>(f.detach()))} {}

ValueType Value::valueType() const {
    switch (kind()) {
    case ValueKind::Scalar: return scalarType();
    case ValueKind::Matrix: return matrix().type();
    case ValueKind::List: return sequenceOf(*this).matrixType();
    default: return ValueType::Unknown;
    }
}

void Frame::addColumn(std::string label, Ref<Dense> column) {
    if (column->cols() != 1)
        throw executionError("column \"" + label + "\" of a frame must be a matrix with one column, got " +
                             column->shapeText());
    if (column->rows() != numRows)
        throw executionError("columns of a frame need equal numbers of rows, got " + std::to_string(numRows) + " and " +
                             std::to_string(column->rows()) + " for \"" + label + "\"");
    if (find(label) != npos)
        throw executionError("duplicate frame label \"" + label + "\"");
    labels.push_back(std::move(label));
    columns.push_back(std::move(column));
}

size_t Frame::find(std::string_view label) const {
    auto it = std::find(labels.begin(), labels.end(), label);
    return it == labels.end() ? npos : static_cast<size_t>(it - labels.begin());
}

} // namespace daphne
