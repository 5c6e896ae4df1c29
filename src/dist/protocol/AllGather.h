// SPDX-License-Identifier: Apache-2.0
/// A dense matrix that several machines have computed together and all of them
/// need as a whole: everybody sends its rows to everybody, and puts together what
/// comes. Which machine had which rows, and in which order they come, does not
/// matter.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "data/Value.h"
#include "dist/protocol/Message.h"

namespace daphne::dist {

/// Numbers of such objects have this bit.
constexpr uint64_t kGathered = uint64_t(1) << 63;

/// Some cells of such an object, in frames of at most so many bytes of them.
void eachPieceFrame(ObjectPiece piece, uint64_t chunkBytes, const std::function<void(Bytes)> &send);

/// What has come of them to one machine. Cells may come more than once, from whoever has computed them. Throws
/// WireError for whatever does not fit.
class AllGather {
  public:
    /// The object, if nothing of it is missing any more. mostBytes: that are left for a new one.
    std::optional<Value> add(const ObjectPiece &piece, uint64_t mostBytes);
    /// The object is complete, not wanted or cannot be stored: what is left of it, and what may still come, is dropped.
    void end(uint64_t object);
    bool hasEnded(uint64_t object) const { return ended.contains(object); }
    /// Of all that are not complete.
    uint64_t announcedBytes() const { return bytes; }
    size_t size() const { return objects.size(); }

  private:
    struct Object {
        Ref<Dense> matrix;
        uint64_t missing = 0;                ///< cells
        std::map<uint64_t, uint64_t> ranges; ///< of cells that are here: begin to end
    };
    Object &objectOf(const ObjectPiece &piece, uint64_t mostBytes);
    static bool insert(Object &object, uint64_t begin, uint64_t end);

    std::map<uint64_t, Object> objects;
    uint64_t bytes = 0;
    std::set<uint64_t> ended; ///< the last ones, and in order:
    std::deque<uint64_t> endings;
};

} // namespace daphne::dist
