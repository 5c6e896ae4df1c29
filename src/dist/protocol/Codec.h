// SPDX-License-Identifier: Apache-2.0
/// Values as bytes and back, bit by bit.
///
///     u8 version = 1, u8 data type (1 dense, 2 CSR, 3 frame, 4 scalar), u64 rows, u64 columns
///     matrix: u8 value type, u64 u64 block index (0, 0), u32 rows, u32 columns, u8 block type (1 dense, 2 CSR)
///     dense:  u8 value type, cells row by row                              (45 bytes before the cells)
///     CSR:    u8 value type, u64 stored cells, u8 flags (1 wide columns, 2 no values, 4 shown as CSR),
///             u64 row offsets from 0, columns, values
///     frame:  per column u8 value type, label, cells
///     scalar: u8 value type, 8 bytes or a text
///
/// A text is u32 length and bytes. Large arrays are neither copied to send them nor to receive them.
#pragma once

#include <functional>
#include <optional>

#include "data/Value.h"
#include "dist/protocol/Wire.h"

namespace daphne::dist {

/// A value as pieces of memory, valid as long as the value lives unchanged.
struct Encoded {
    Value value;
    Bytes own; ///< heads and whatever has no array of its own
    std::vector<std::span<const std::byte>> pieces;
    uint64_t totalBytes = 0;
};

/// Cells of a dense matrix that the receiver has already, as bytes behind the head; and its number for them.
struct KnownCells {
    uint64_t object = 0, begin = 0, end = 0;
};

/// Matrices, frames and scalars; lists are not sent. Throws Error (status 3) for more than 2^32 - 1 rows or columns.
Encoded encode(const Value &value);

/// Where the cells of an expected dense matrix go, instead of into a new one.
struct Destination {
    ValueType type = ValueType::F64;
    uint64_t cells = 0;
    std::byte *data = nullptr;
};

/// An array in memory that is here already, and where in it the bytes of the value begin.
struct FoundArray {
    BufferRef buffer;
    uint64_t bytes = 0, begin = 0; ///< bytes: of the buffer
};
/// Of a sparse matrix; a matrix of ones has no values.
struct FoundArrays {
    FoundArray columns, values;
};

/// Puts a value together from its bytes, which may be cut anywhere. Sizes are checked against the announced total
/// before anything is allocated; throws WireError.
class Decoder {
  public:
    explicit Decoder(uint64_t totalBytes) : total(totalBytes) {}
    Decoder(uint64_t totalBytes, Destination destination) : total(totalBytes), destination(destination) {}
    /// What the arrays of a sparse matrix hold is not added.
    Decoder(uint64_t totalBytes, FoundArrays arrays) : total(totalBytes), found(std::move(arrays)) {}

    void add(std::span<const std::byte> bytes);
    /// All that is missing behind the head, which has been added: `copy` writes the next bytes to where they belong.
    void fill(const std::function<void(std::span<std::byte>)> &copy);
    bool isComplete() const { return received == total; }
    /// The complete value; none if there was a destination.
    Value take();

  private:
    struct Room {
        std::byte *data;
        size_t size;
    };
    bool startBody();
    void startDense(class ByteReader &head, uint64_t rows, uint64_t cols);
    void startCsr(class ByteReader &head, uint64_t rows, uint64_t cols);
    void checkContent();

    uint64_t total, received = 0;
    Destination destination;
    std::optional<FoundArrays> found;
    uint64_t stored = 0, firstStored = 0; ///< cells of a sparse matrix, and of its arrays before them
    Bytes head;                           ///< until it is known what follows; all of a small value
    bool hasBody = false, isCollected = false;
    std::vector<Room> rooms;
    size_t room = 0;
    Value value;
};

} // namespace daphne::dist
