// SPDX-License-Identifier: Apache-2.0
/// MatrixMarket files, read only: coordinate and array, real, integer and
/// pattern, general, symmetric and skew-symmetric. Errors (status 3) name file
/// and line.
#pragma once

#include <string>
#include <string_view>

#include "io/Format.h"

namespace daphne::io {

struct MatrixMarketHeader {
    bool coordinate = false;
    enum class Field { Real, Integer, Pattern } field = Field::Real;
    enum class Symmetry { General, Symmetric, Skew } symmetry = Symmetry::General;
    size_t rows = 0, cols = 0, numEntries = 0; ///< entries only for coordinate files
    /// f64 for real, si64 otherwise.
    ValueType valueType() const { return field == Field::Real ? ValueType::F64 : ValueType::SI64; }
};

MatrixMarketHeader readMatrixMarketHeader(std::string_view text, const std::string &path);
/// The matrix with cells of a numeric type; Unknown: as the header says. Coordinates become a Csr if the request says
/// so or prefers it: then nothing as large as the dense form is ever allocated.
Value readMatrixMarket(const std::string &path, ValueType type, const MatrixRequest &request);

} // namespace daphne::io
