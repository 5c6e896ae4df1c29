// SPDX-License-Identifier: Apache-2.0
/// One array in NumPy's .npy form: a header (a Python dictionary as text) and the
/// cells. Arrays have up to two dimensions; one dimension is a column. Structured
/// arrays are frames.
#pragma once

#include <string>
#include <vector>

#include "io/files/Bytes.h"

namespace daphne::io {

struct NpyField {
    std::string name; ///< "" for plain arrays
    char kind;        ///< b i u f U S
    size_t size;      ///< bytes of a cell
    bool bigEndian;
    /// Of the matrix it becomes: 16-bit integers become 32-bit ones.
    ValueType type() const;
};

struct NpyHeader {
    std::vector<NpyField> fields; ///< several: a structured array
    bool structured = false;
    bool columnMajor = false;
    size_t rows = 1, cols = 1;
    size_t cellBytes = 0; ///< of all fields together
    Metadata metadata() const;
};

/// The cursor stands at the first cell afterwards, and the cells are there.
NpyHeader readNpyHeader(ByteCursor &in);
Ref<Dense> readNpyMatrix(ByteCursor &in, const NpyHeader &h, ReadJob &job);
Ref<Frame> readNpyFrame(ByteCursor &in, const NpyHeader &h, ReadJob &job);

enum class Dimensions { Two, One };
/// Header and cells. One dimension: only for columns.
void writeNpy(const Dense &m, FileReplacement &file, Dimensions dimensions = Dimensions::Two);
void writeNpy(const Frame &f, FileReplacement &file);

} // namespace daphne::io
