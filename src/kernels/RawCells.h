// SPDX-License-Identifier: Apache-2.0
/// Cells of a matrix as bytes, for code that moves or converts cells through
/// function pointers and so need not be compiled once per value type.
#pragma once

#include <cstddef>

#include "data/Dense.h"

namespace daphne {

/// Borrowed window; row r starts at row(r), its cells are cellBytes apart.
template <class Byte> struct RawView {
    Byte *data;
    size_t rows, cols, rowBytes, cellBytes;
    Byte *row(size_t r) const { return data + r * rowBytes; }
    Byte *cell(size_t r, size_t c) const { return row(r) + c * cellBytes; }
};

inline RawView<const std::byte> rawCells(const Dense &m) {
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) -> RawView<const std::byte> {
        auto v = m.view<T>();
        return {reinterpret_cast<const std::byte *>(v.data), v.rows, v.cols, v.skip * sizeof(T), sizeof(T)};
    });
}

inline RawView<std::byte> mutableRawCells(Dense &m) {
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) -> RawView<std::byte> {
        auto v = m.mutableView<T>();
        return {reinterpret_cast<std::byte *>(v.data), v.rows, v.cols, v.skip * sizeof(T), sizeof(T)};
    });
}

} // namespace daphne
