// SPDX-License-Identifier: Apache-2.0
/// All-gather: several machines have computed the rows of a dense matrix, and each
/// of them needs all rows. Each machine sends its rows to all others and puts
/// together what it receives. Which machine had which rows, and in which order they
/// arrive, does not matter.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "data/Value.h"
#include "dist/protocol/Message.h"

namespace daphne::dist {

/// Numbers of gathered objects have this bit.
constexpr uint64_t kGathered = uint64_t(1) << 63;

/// Sends some cells of a gathered object, in frames with at most chunkBytes of them.
void eachPieceFrame(ObjectPiece piece, uint64_t chunkBytes, const std::function<void(Bytes)> &send);

/// The gathered objects of one machine that are not complete. Cells may arrive more than once, because two machines may
/// have computed them. Throws WireError for pieces that do not fit.
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
