// SPDX-License-Identifier: Apache-2.0
#include "data/Matrix.h"

#include "base/Error.h"

namespace daphne {

void throwOutOfMemory(ValueType type, size_t rows, size_t cols) {
    throw executionError("out of memory: a " + std::to_string(rows) + "x" + std::to_string(cols) + " matrix of " +
                         std::string(dslName(type)) + " cannot be allocated");
}

void throwCellsElsewhere(const Matrix &matrix) {
    throw internalError("cells of a " + matrix.shapeText() + " matrix are read while they are elsewhere");
}

} // namespace daphne
