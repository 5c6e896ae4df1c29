// SPDX-License-Identifier: Apache-2.0
#include "dist/ObjectStream.h"

#include <algorithm>

namespace daphne::dist {

namespace {

/// A chunk's frame, written in place: the payload is copied once.
Bytes chunkFrame(uint64_t object, uint32_t sequence, bool isLast, const Bytes &payload) {
    ObjectChunk chunk{object, sequence, isLast, crc32c(payload), {}};
    Bytes head = headOf(chunk);
    ByteWriter w;
    w.out.reserve(kEnvelopeBytes + head.size() + payload.size());
    w.number(kMagic).number(kProtocolVersion).number(MessageType::ObjectChunk).number(uint64_t(0)).number(uint64_t(0));
    w.number(static_cast<uint64_t>(head.size() + payload.size())).raw(head).raw(payload);
    return std::move(w.out);
}

} // namespace

uint64_t sendObject(Transport &transport, uint32_t peer, ObjectBegin begin, const Encoded &object,
                    uint64_t chunkBytes) {
    begin.totalBytes = object.totalBytes;
    Bytes frame = frameOf(begin);
    uint64_t sent = frame.size();
    transport.send(peer, std::move(frame));
    Bytes payload;
    payload.reserve(std::min(chunkBytes, object.totalBytes));
    uint64_t left = object.totalBytes;
    uint32_t sequence = 0;
    auto flush = [&] {
        left -= payload.size();
        Bytes chunk = chunkFrame(begin.object, sequence++, left == 0, payload);
        sent += chunk.size();
        transport.send(peer, std::move(chunk));
        payload.clear();
    };
    for (auto piece : object.pieces)
        while (!piece.empty()) {
            size_t n = std::min<uint64_t>(piece.size(), chunkBytes - payload.size());
            payload.insert(payload.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(n));
            piece = piece.subspan(n);
            if (payload.size() == chunkBytes)
                flush();
        }
    if (!payload.empty())
        flush();
    return sent;
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

void Arrivals::drop(uint64_t object) {
    auto node = objects.extract(object);
    if (!node.empty())
        bytes -= node.mapped().begin.totalBytes;
}

} // namespace daphne::dist
