// SPDX-License-Identifier: Apache-2.0
/// DAPHNE's binary format, little-endian without padding.
///
///     u8 version = 1, u8 data type (1 dense, 2 CSR, 3 frame), u64 rows, u64 columns
///     matrix: u8 value type, blocks
///     frame:  one u8 value type per column, per column u16 length and label, u64 u64 block index, cells row by row
///     block:  u64 row index, u64 column index, u32 rows, u32 columns, u8 kind, u8 value type, cells
///
/// Blocks are dense (cells row by row), sparse (u64 count, u64 row offsets, u64
/// columns, values), ultra-sparse (u32 count, then u32 row, u32 column if there is
/// more than one, value) or empty. A matrix has one block, or a grid of blocks of
/// which all but the last of a row and of a column are as large as the first. A
/// string is u32 length and bytes; only frames hold strings. bool is stored as ui8.
/// Dates (si32 days), timestamps and durations (si64 microseconds) are ours; programs
/// that do not know their value types refuse them.
#pragma once

#include <limits>

#include "io/FormatTable.h"

namespace daphne::io::dbdf {

inline constexpr uint8_t kVersion = 1;
enum DataType : uint8_t { kDense = 1, kCsr = 2, kFrame = 3 };
enum BlockKind : uint8_t { kEmpty, kDenseBlock, kSparseBlock, kUltraSparseBlock };
inline constexpr ValueType kTypes[] = {ValueType::SI8, ValueType::SI32, ValueType::SI64,
                                       ValueType::UI8, ValueType::UI32, ValueType::UI64,
                                       ValueType::F32, ValueType::F64,  ValueType::Str};
inline constexpr ValueType kTimes[] = {ValueType::Date, ValueType::Timestamp, ValueType::Duration};
inline constexpr uint8_t kFirstTime = 64; ///< the code of the first of them
inline constexpr uint64_t kMostBlockRows = std::numeric_limits<uint32_t>::max();

/// The writing half.
void write(const Matrix &m, WriteJob &job);
void write(const Frame &f, WriteJob &job);

} // namespace daphne::io::dbdf
