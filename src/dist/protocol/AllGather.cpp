// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/AllGather.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne::dist {

namespace {

/// Objects that have ended are known for so long; pieces that come later than that would begin a new one.
constexpr size_t kMostEndings = 4096;
/// Parts of one object that are here and not adjacent.
constexpr size_t kMostRanges = 1 << 20;

uint64_t bytesOf(const Dense &m) { return m.cells() * cellSize(m.type()); }

} // namespace

void eachPieceFrame(ObjectPiece piece, uint64_t chunkBytes, const std::function<void(Bytes)> &send) {
    size_t cell = cellSize(piece.type);
    uint64_t most = std::max<uint64_t>(1, chunkBytes / cell), end = piece.first + piece.count;
    for (std::span<const std::byte> rest = piece.payload; piece.first < end; piece.first += piece.count) {
        piece.count = std::min(most, end - piece.first);
        piece.payload = rest.first(piece.count * cell);
        rest = rest.subspan(piece.count * cell);
        piece.crc = crc32c(piece.payload);
        Bytes head = headOf(piece);
        ByteWriter w;
        w.out.reserve(kEnvelopeBytes + head.size() + piece.payload.size());
        writeEnvelope(w, {MessageType::ObjectPiece}, head.size() + piece.payload.size());
        w.raw(head).raw(piece.payload);
        send(std::move(w.out));
    }
}

AllGather::Object &AllGather::objectOf(const ObjectPiece &piece, uint64_t mostBytes) {
    if (auto it = objects.find(piece.object); it != objects.end())
        return it->second;
    uint64_t cells = piece.rows * piece.cols; // a piece of more than there can be is none
    if (cells > mostBytes / cellSize(piece.type))
        throw executionError("a matrix of " + std::to_string(piece.rows) + "x" + std::to_string(piece.cols) +
                             " cells exceeds the memory of the worker");
    Ref<Dense> matrix = Dense::create(piece.type, piece.rows, piece.cols);
    bytes += bytesOf(*matrix);
    return objects.emplace(piece.object, Object{std::move(matrix), cells, {}}).first->second;
}

/// False if these cells are here.
bool AllGather::insert(Object &object, uint64_t begin, uint64_t end) {
    std::map<uint64_t, uint64_t> &ranges = object.ranges;
    auto next = ranges.upper_bound(begin);
    auto before = next == ranges.begin() ? ranges.end() : std::prev(next);
    if (before != ranges.end() && end <= before->second)
        return false;
    if ((before != ranges.end() && begin < before->second) || (next != ranges.end() && next->first < end))
        throw WireError("a piece of which some cells are here");
    object.missing -= end - begin;
    if (next != ranges.end() && next->first == end) {
        end = next->second;
        ranges.erase(next);
    }
    if (before != ranges.end() && before->second == begin)
        before->second = end;
    else
        ranges.emplace(begin, end);
    if (ranges.size() > kMostRanges)
        throw WireError("an object in too many pieces");
    return true;
}

std::optional<Value> AllGather::add(const ObjectPiece &piece, uint64_t mostBytes) {
    if (!(piece.object & kGathered))
        throw WireError("a piece of an object that does not come in pieces");
    if (crc32c(piece.payload) != piece.crc)
        throw WireError("a piece that was damaged on its way");
    if (hasEnded(piece.object))
        return std::nullopt;
    Object &object = objectOf(piece, mostBytes);
    const Dense &m = *object.matrix;
    if (piece.type != m.type() || piece.rows != m.rows() || piece.cols != m.cols())
        throw WireError("pieces of an object that are not of the same shape and type");
    if (insert(object, piece.first, piece.first + piece.count))
        std::ranges::copy(piece.payload, object.matrix->mutableStorage() + piece.first * cellSize(piece.type));
    if (object.missing > 0)
        return std::nullopt;
    Value whole(object.matrix);
    end(piece.object);
    return whole;
}

void AllGather::end(uint64_t number) {
    if (auto it = objects.find(number); it != objects.end()) {
        bytes -= bytesOf(*it->second.matrix);
        objects.erase(it);
    }
    if (!ended.insert(number).second)
        return;
    endings.push_back(number);
    if (endings.size() > kMostEndings) {
        ended.erase(endings.front());
        endings.pop_front();
    }
}

} // namespace daphne::dist
