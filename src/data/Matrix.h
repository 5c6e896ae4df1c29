// SPDX-License-Identifier: Apache-2.0
/// What all representations of a matrix have in common: value type and shape.
/// The representation never changes what a matrix means: a Csr and a Dense with
/// equal cells are the same matrix.
#pragma once

#include <cstddef>
#include <string>

#include "base/ValueType.h"
#include "data/Object.h"

namespace daphne {

class Matrix : public Object {
  public:
    ValueType type() const { return valueType; }
    size_t rows() const { return numRows; }
    size_t cols() const { return numCols; }
    size_t cells() const { return numRows * numCols; }
    bool isCsr() const { return csr; }
    /// Changes the tag between types with the same cells: Size and UI64, times and what they are stored as.
    void retag(ValueType type) { valueType = type; }
    std::string shapeText() const { return std::to_string(numRows) + "x" + std::to_string(numCols); }

  protected:
    enum class Form : bool { Dense, Csr };
    Matrix(Form form, ValueType type, size_t rows, size_t cols)
        : Object(ObjectKind::Matrix), csr(form == Form::Csr), valueType(type), numRows(rows), numCols(cols) {}

  private:
    const bool csr;
    ValueType valueType;
    const size_t numRows, numCols;
};

/// "out of memory: a 3x4 matrix of f64 cannot be allocated", status 3.
[[noreturn]] void throwOutOfMemory(ValueType type, size_t rows, size_t cols);
/// Somebody reads cells without having asked for them: our bug.
[[noreturn]] void throwCellsElsewhere(const Matrix &matrix);

} // namespace daphne
