// SPDX-License-Identifier: Apache-2.0
/// Memory of a process on the same host. Coordinator and worker that can read
/// each other's memory are neighbours: large objects are not sent between them
/// but lent, and the borrower copies them, once, from where they lie.
///
/// Neither side believes the process number in a message. Each draws a random
/// number, which the other one writes at the place it has named, and looks for it
/// there: before the first object and after each of them, so that it notices a
/// process that has died in between.
///
/// Columns and values of sparse matrices may be in memory that can be mapped
/// (data/BufferPool.h). Then they are not even copied.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "dist/protocol/Codec.h"
#include "dist/protocol/Message.h"
#include "dist/samehost/ClaimBoard.h"

namespace daphne::dist {

/// One side's view of the other.
class Neighbour {
  public:
    Neighbour();
    MemoryOffer offer() const;
    /// Writes down what the other side wants to find here.
    void meet(const MemoryOffer &theirs);
    /// Before memory that was lent goes although nobody has said that it has been copied: who copies it notices.
    void leave();
    /// Whether the memory of the other side can be read, and is its own. After meet().
    bool isReadable() const;
    /// The cells of an object of one's own; throws WireError if there are none.
    using OwnCells = std::function<std::span<const std::byte>(uint64_t object)>;
    /// Puts the object together; throws WireError if the pieces are no object of that size, or cannot be read.
    void copy(const std::vector<LentPiece> &pieces, uint64_t totalBytes, Decoder &into, const OwnCells &own) const;

    /// The arrays of a sparse matrix that can be mapped; nothing if it has to be copied.
    std::optional<FoundArrays> findArrays(const std::vector<LentPiece> &pieces);
    /// A board that the other side has made; nothing if it cannot be seen.
    std::optional<ClaimBoard> openBoard(const MemoryFile &place) const;
    /// Gives back arrays that nobody uses any more.
    void sweep();

  private:
    std::optional<FoundArray> findArray(const LentPiece &piece);
    struct Mapped {
        BufferRef buffer;
        uint64_t bytes;
    };
    std::map<uint64_t, Mapped> mapped; ///< by the number of the file

    std::unique_ptr<Challenge> written; ///< for the other side to be found; does not move
    Challenge own;
    MemoryOffer theirs;
};

/// Objects that are lent to a neighbour, kept unchanged until it has them. Any thread may lend and end; values are
/// released by sweep(), because they belong to the thread that made them.
class Loans {
  public:
    /// Objects of so many bytes are lent, if they are not in too many pieces.
    void beginAt(uint64_t bytes) { leastBytes = bytes; }
    bool wants(const Encoded &object) const;
    /// known: ascending, without overlaps.
    std::vector<LentPiece> lend(uint64_t number, Encoded object, const std::vector<KnownCells> &known = {});
    void end(uint64_t number);
    void endAll();
    bool isEmpty() const;
    /// Releases what has ended. For the thread that made the values.
    void sweep();

  private:
    std::atomic<uint64_t> leastBytes{kNeverLent};
    mutable std::mutex mutex;
    std::map<uint64_t, Encoded> objects;
    std::vector<Encoded> ended;
};

} // namespace daphne::dist
