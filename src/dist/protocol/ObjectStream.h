// SPDX-License-Identifier: Apache-2.0
/// Objects on a connection: cut into chunks by the sender, checked and put
/// together by the receiver. Objects of one connection may be interleaved.
#pragma once

#include <map>

#include "dist/samehost/Neighbour.h"
#include "dist/transports/Transport.h"

namespace daphne::dist {

/// Messages on their way to one peer, in order. Short ones travel together, as one frame of the transport: a hop of a
/// message costs as much as some ten thousand bytes of it.
class FrameBatch {
  public:
    /// chunkBytes: largest payload of a chunk. Nothing longer is put together, either. loans: of a neighbour, which
    /// gets large objects there; null for others.
    FrameBatch(Transport &transport, uint32_t peer, uint64_t chunkBytes, Loans *loans = nullptr)
        : transport(transport), peer(peer), chunkBytes(chunkBytes), loans(loans) {}
    ~FrameBatch() { flush(); }
    FrameBatch(const FrameBatch &) = delete;
    FrameBatch &operator=(const FrameBatch &) = delete;

    void add(Bytes frame);
    /// Announcement and chunks, or where it lies; then it is taken. A neighbour copies only what it does not know.
    void add(ObjectBegin begin, Encoded &object, const std::vector<KnownCells> &known = {});
    void add(ObjectBegin begin, Encoded &&object) { add(begin, object); }
    void flush();
    /// What has been added so far, envelopes included, and what of it was lent.
    uint64_t bytes() const { return sent + lent; }
    uint64_t lentBytes() const { return lent; }

  private:
    Transport &transport;
    uint32_t peer;
    uint64_t chunkBytes, sent = 0, lent = 0;
    Loans *loans;
    Bytes pending;
};

/// The frames of an object: its announcement, then chunks of at most so many bytes.
void eachFrame(ObjectBegin begin, const Encoded &object, uint64_t chunkBytes, const std::function<void(Bytes)> &send);

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
    bool isUnderWay(uint64_t object) const { return objects.contains(object); }
    /// What still comes of it goes nowhere.
    void disregard(uint64_t object);
    size_t size() const { return objects.size(); }
    /// Of all objects that are on their way, complete or not.
    uint64_t announcedBytes() const { return bytes; }

  private:
    struct Arrival {
        ObjectBegin begin;
        Decoder decoder;
        uint32_t nextSequence = 0;
        bool isDisregarded = false;
    };
    uint64_t mostBytes, bytes = 0;
    std::map<uint64_t, Arrival> objects;
};

} // namespace daphne::dist
