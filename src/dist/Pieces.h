// SPDX-License-Identifier: Apache-2.0
/// A dense matrix that several machines have computed together and all of them
/// need as a whole: everybody sends its rows to everybody, and puts together what
/// comes. Which machine had which rows, and in which order they come, does not
/// matter.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "data/Value.h"
#include "dist/Message.h"

namespace daphne::dist {

/// Numbers of such objects have this bit.
constexpr uint64_t kInPieces = uint64_t(1) << 63;

/// Some cells of such an object, in frames of at most so many bytes of them.
void eachPieceFrame(ObjectPiece piece, uint64_t chunkBytes, const std::function<void(Bytes)> &send);

/// What has come of them to one machine. Throws WireError for whatever does not fit.
class Pieces {
  public:
    /// The object, if nothing of it is missing any more. mostBytes: that are left for a new one.
    std::optional<Value> add(const ObjectPiece &piece, uint64_t mostBytes);
    /// The object is not wanted: what has come is dropped, and so is the rest, when it comes.
    void disregard(uint64_t object);
    /// Of all that are not complete.
    uint64_t announcedBytes() const { return bytes; }
    size_t size() const { return objects.size(); }

  private:
    struct Object {
        ObjectPiece shape{}; ///< of the first piece
        bool isKnown = false, isDisregarded = false;
        Ref<Dense> matrix;
        uint64_t missing = 0;                ///< cells
        std::map<uint64_t, uint64_t> ranges; ///< of cells that are here: begin to end
    };
    static void start(Object &object, const ObjectPiece &piece, uint64_t mostBytes);
    static void insert(Object &object, uint64_t begin, uint64_t end);

    std::map<uint64_t, Object> objects;
    uint64_t bytes = 0;
};

} // namespace daphne::dist
