// SPDX-License-Identifier: Apache-2.0
#include "dist/Pieces.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne::dist {

namespace {

uint64_t bytesOf(const ObjectPiece &piece) { return piece.rows * piece.cols * cellSize(piece.type); }

std::byte *cellsOf(Dense &m) {
    return withNumericType(m.type(),
                           [&]<class T>(TypeTag<T>) { return reinterpret_cast<std::byte *>(m.mutableView<T>().data); });
}

} // namespace

void eachPieceFrame(ObjectPiece piece, uint64_t chunkBytes, const std::function<void(Bytes)> &send) {
    size_t cell = cellSize(piece.type);
    uint64_t most = std::max<uint64_t>(1, chunkBytes / cell), end = piece.first + piece.count;
    for (std::span<const std::byte> rest = piece.payload; piece.first < end; piece.first += piece.count) {
        piece.count = std::min(most, end - piece.first);
        piece.payload = rest.first(piece.count * cell);
        rest = rest.subspan(piece.count * cell);
        piece.crc = crc32c(piece.payload);
        send(frameOf(piece));
    }
}

void Pieces::start(Object &object, const ObjectPiece &piece, uint64_t mostBytes) {
    if (!object.isDisregarded && bytesOf(piece) > mostBytes)
        throw executionError("a matrix of " + std::to_string(piece.rows) + "x" + std::to_string(piece.cols) +
                             " cells exceeds the memory of the worker");
    if (!object.isDisregarded)
        object.matrix = Dense::create(piece.type, piece.rows, piece.cols);
    object.shape = piece;
    object.shape.payload = {};
    object.isKnown = true;
    object.missing = piece.rows * piece.cols;
}

/// Cells come once.
void Pieces::insert(Object &object, uint64_t begin, uint64_t end) {
    auto next = object.ranges.upper_bound(begin);
    bool overlaps = next != object.ranges.end() && next->first < end;
    if (next != object.ranges.begin()) {
        auto before = std::prev(next);
        overlaps |= before->second > begin;
        if (before->second == begin && !overlaps) {
            before->second = end;
            object.missing -= end - begin;
            return;
        }
    }
    if (overlaps)
        throw WireError("cells of an object that are there already");
    object.ranges.emplace(begin, end);
    object.missing -= end - begin;
}

std::optional<Value> Pieces::add(const ObjectPiece &piece, uint64_t mostBytes) {
    if (!(piece.object & kInPieces))
        throw WireError("a piece of an object that does not come in pieces");
    if (crc32c(piece.payload) != piece.crc)
        throw WireError("a piece that was damaged on its way");
    Object &object = objects[piece.object];
    if (!object.isKnown) {
        start(object, piece, mostBytes);
        bytes += object.matrix ? bytesOf(piece) : 0;
    }
    if (piece.type != object.shape.type || piece.rows != object.shape.rows || piece.cols != object.shape.cols)
        throw WireError("pieces of an object that are not of the same shape and type");
    insert(object, piece.first, piece.first + piece.count);
    if (object.matrix)
        std::ranges::copy(piece.payload, cellsOf(*object.matrix) + piece.first * cellSize(piece.type));
    if (object.missing > 0)
        return std::nullopt;
    Ref<Dense> matrix = std::move(object.matrix);
    objects.erase(piece.object);
    if (!matrix)
        return std::nullopt;
    bytes -= bytesOf(piece);
    return Value(std::move(matrix));
}

void Pieces::disregard(uint64_t number) {
    Object &object = objects[number];
    bytes -= object.matrix ? bytesOf(object.shape) : 0;
    object.matrix = {};
    object.isDisregarded = true;
}

} // namespace daphne::dist
