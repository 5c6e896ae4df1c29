// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/ObjectStream.h"

#include <algorithm>

namespace daphne::dist {

namespace {

/// Messages up to this size wait for others.
constexpr size_t kShortBytes = 64 << 10;
/// Where the checksum of a chunk is, from the begin of its frame.
constexpr size_t kCrcPosition = kChunkOverhead - sizeof(uint32_t);

/// Cuts the pieces of an object into payloads.
class PieceReader {
  public:
    explicit PieceReader(const Encoded &object) : object(object), left(object.totalBytes) {}
    uint64_t bytesLeft() const { return left; }
    void appendTo(Bytes &out, uint64_t n) {
        for (left -= n; n > 0;) {
            auto piece = object.pieces[index].subspan(offset);
            size_t part = std::min<uint64_t>(piece.size(), n);
            out.insert(out.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(part));
            n -= part;
            offset += part;
            if (part == piece.size())
                ++index, offset = 0;
        }
    }

  private:
    const Encoded &object;
    uint64_t left;
    size_t index = 0, offset = 0;
};

/// A chunk's frame, written in place: the payload is copied once, its checksum is filled in afterwards.
Bytes chunkFrame(uint64_t object, uint32_t sequence, PieceReader &from, uint64_t payload) {
    bool isLast = payload == from.bytesLeft();
    Bytes head = headOf(ObjectChunk{object, sequence, isLast, 0, {}});
    ByteWriter w;
    w.out.reserve(kEnvelopeBytes + head.size() + payload);
    writeEnvelope(w, {MessageType::ObjectChunk}, head.size() + payload);
    w.raw(head);
    from.appendTo(w.out, payload);
    uint32_t crc = crc32c(std::span<const std::byte>(w.out).subspan(kChunkOverhead));
    std::memcpy(w.out.data() + kCrcPosition, &crc, sizeof crc);
    return std::move(w.out);
}

} // namespace

void FrameBatch::add(Bytes frame) {
    sent += frame.size();
    uint64_t most = std::min<uint64_t>(kShortBytes, chunkBytes);
    if (pending.size() + frame.size() > most)
        flush();
    if (frame.size() > most)
        return transport.send(peer, std::move(frame));
    if (pending.empty())
        pending = std::move(frame);
    else
        pending.insert(pending.end(), frame.begin(), frame.end());
}

void FrameBatch::add(ObjectBegin begin, Encoded &object, const std::vector<KnownCells> &known) {
    begin.totalBytes = object.totalBytes;
    if (loans && loans->wants(object)) {
        std::vector<LentPiece> pieces = loans->lend(begin.object, std::move(object), known);
        for (const LentPiece &piece : pieces)
            lent += piece.ownObject ? 0 : piece.bytes;
        return add(frameOf(ObjectLent{begin, std::move(pieces)}));
    }
    eachFrame(begin, object, chunkBytes, [&](Bytes frame) { add(std::move(frame)); });
}

void eachFrame(ObjectBegin begin, const Encoded &object, uint64_t chunkBytes, const std::function<void(Bytes)> &send) {
    begin.totalBytes = object.totalBytes;
    send(frameOf(begin));
    PieceReader pieces(object);
    for (uint32_t sequence = 0; pieces.bytesLeft() > 0; ++sequence)
        send(chunkFrame(begin.object, sequence, pieces, std::min(pieces.bytesLeft(), chunkBytes)));
}

void FrameBatch::flush() {
    if (!pending.empty())
        transport.send(peer, std::exchange(pending, {}));
}

void Arrivals::begin(const ObjectBegin &message, Decoder decoder) {
    if (message.totalBytes == 0 || message.totalBytes > mostBytes)
        throw WireError("an object of " + std::to_string(message.totalBytes) + " bytes; at most " +
                        std::to_string(mostBytes) + " are allowed");
    if (!objects.try_emplace(message.object, Arrival{message, std::move(decoder)}).second)
        throw WireError("object " + std::to_string(message.object) + " is announced twice");
    bytes += message.totalBytes;
}

std::optional<ObjectBegin> Arrivals::add(const ObjectChunk &chunk) {
    auto it = objects.find(chunk.object);
    if (it == objects.end())
        throw WireError("a chunk of object " + std::to_string(chunk.object) + ", which was not announced");
    Arrival &arrival = it->second;
    if (chunk.sequence != arrival.nextSequence++)
        throw WireError("chunk " + std::to_string(chunk.sequence) + " of object " + std::to_string(chunk.object) +
                        " came where " + std::to_string(arrival.nextSequence - 1) + " was expected");
    if (chunk.crc != crc32c(chunk.payload))
        throw WireError("the checksum of a chunk of object " + std::to_string(chunk.object) + " is wrong");
    if (arrival.isDisregarded) {
        if (chunk.isLast)
            drop(chunk.object);
        return std::nullopt;
    }
    arrival.decoder.add(chunk.payload);
    if (chunk.isLast != arrival.decoder.isComplete())
        throw WireError("object " + std::to_string(chunk.object) + " is shorter or longer than announced");
    return chunk.isLast ? std::optional(arrival.begin) : std::nullopt;
}

Value Arrivals::take(uint64_t object) {
    auto node = objects.extract(object);
    bytes -= node.mapped().begin.totalBytes;
    return node.mapped().decoder.take();
}

void Arrivals::disregard(uint64_t object) {
    if (auto it = objects.find(object); it != objects.end())
        it->second.isDisregarded = true;
}

void Arrivals::drop(uint64_t object) {
    auto node = objects.extract(object);
    if (!node.empty())
        bytes -= node.mapped().begin.totalBytes;
}

} // namespace daphne::dist
