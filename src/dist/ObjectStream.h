// SPDX-License-Identifier: Apache-2.0
/// Objects on a connection: cut into chunks by the sender, checked and put
/// together by the receiver. Objects of one connection may be interleaved.
#pragma once

#include <map>

#include "dist/Codec.h"
#include "dist/Message.h"
#include "dist/Transport.h"

namespace daphne::dist {

/// Sends announcement and chunks; returns the bytes that went out, envelopes included.
uint64_t sendObject(Transport &transport, uint32_t peer, ObjectBegin begin, const Encoded &object, uint64_t chunkBytes);

/// Objects that are arriving from one peer. Throws WireError for whatever does not fit.
class Arrivals {
  public:
    /// mostBytes: of one object.
    explicit Arrivals(uint64_t mostBytes) : mostBytes(mostBytes) {}

    void begin(const ObjectBegin &message) { begin(message, Decoder(message.totalBytes)); }
    void begin(const ObjectBegin &message, Decoder decoder);
    /// The announcement of the object if this was its last chunk: take() it then.
    std::optional<ObjectBegin> add(const ObjectChunk &chunk);
    Value take(uint64_t object);
    void drop(uint64_t object);
    size_t size() const { return objects.size(); }
    /// Of all objects that are on their way, complete or not.
    uint64_t announcedBytes() const { return bytes; }

  private:
    struct Arrival {
        ObjectBegin begin;
        Decoder decoder;
        uint32_t nextSequence = 0;
    };
    uint64_t mostBytes, bytes = 0;
    std::map<uint64_t, Arrival> objects;
};

} // namespace daphne::dist
