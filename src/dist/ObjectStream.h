// SPDX-License-Identifier: Apache-2.0
/// Objects on a connection: cut into chunks by the sender, checked and put
/// together by the receiver. Objects of one connection may be interleaved.
#pragma once

#include <map>

#include "dist/Codec.h"
#include "dist/Message.h"
#include "dist/Transport.h"

namespace daphne::dist {

/// Messages on their way to one peer, in order. Short ones travel together, as one frame of the transport: a hop of a
/// message costs as much as some ten thousand bytes of it.
class FrameBatch {
  public:
    /// chunkBytes: largest payload of a chunk. Nothing longer is put together, either.
    FrameBatch(Transport &transport, uint32_t peer, uint64_t chunkBytes)
        : transport(transport), peer(peer), chunkBytes(chunkBytes) {}
    ~FrameBatch() { flush(); }
    FrameBatch(const FrameBatch &) = delete;
    FrameBatch &operator=(const FrameBatch &) = delete;

    void add(Bytes frame);
    /// Announcement and chunks.
    void add(ObjectBegin begin, const Encoded &object);
    void flush();
    /// What has been added so far, envelopes included.
    uint64_t bytes() const { return total; }

  private:
    Transport &transport;
    uint32_t peer;
    uint64_t chunkBytes, total = 0;
    Bytes pending;
};

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
    void drop(uint64_t object) { objects.erase(object); }

  private:
    struct Arrival {
        ObjectBegin begin;
        Decoder decoder;
        uint32_t nextSequence = 0;
    };
    uint64_t mostBytes;
    std::map<uint64_t, Arrival> objects;
};

} // namespace daphne::dist
