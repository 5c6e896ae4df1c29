// SPDX-License-Identifier: Apache-2.0
/// The protocol between coordinator and workers: one envelope and a handful of
/// bodies, the same over every transport.
///
/// Families: BM and DM move objects (ObjectBegin, then chunks), CM is Compute,
/// RM everything that synchronises. Objects are numbered by the coordinator, so
/// a Compute may name objects that are still on their way: messages of one
/// connection keep their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "dist/protocol/FileState.h"
#include "dist/protocol/Wire.h"
#include "dist/samehost/CpuShare.h"
#include "dist/samehost/MemoryFile.h"
#include "kernels/folds/Reduce.h"

namespace daphne::dist {

enum class MessageType : uint16_t {
    Hello,       ///< RM, coordinator: who I am, the secret, what to use
    Welcome,     ///< RM, worker: what I have
    Neighbour,   ///< RM: who shares a host, and how
    ObjectBegin, ///< BM or DM: an object follows in chunks
    ObjectChunk,
    ObjectLent,  ///< BM or DM: an object in the memory of a neighbour
    ObjectPiece, ///< BM, also from worker to worker: some cells of an object that several machines have
    ObjectAck,   ///< RM: stored
    Compute,     ///< CM
    Ready,       ///< RM: computed
    Failure,     ///< RM: what went wrong
    Transfer,    ///< RM: send me this object
    Free,        ///< RM: these objects are not needed any more
    Heartbeat,
    FileQuery,  ///< RM: can you read these files?
    FileAnswer, ///< RM
    ReadRows,   ///< DM: rows of files are an object
    Cancel,     ///< RM: the results of this request are not wanted; from a worker: it has not begun
    Detach,     ///< RM: the program has ended
};

constexpr uint32_t kMagic = 0x4e485044; // "DPHN"
constexpr uint16_t kProtocolVersion = 12;
constexpr size_t kEnvelopeBytes = 32;
/// What a chunk adds to its payload.
constexpr size_t kChunkOverhead = kEnvelopeBytes + 17;
/// A frame without an object's bytes in it is never longer.
constexpr uint64_t kMostControlBytes = 4 << 20;

/// Names of files are never longer.
constexpr size_t kMostPath = 4096;

/// Objects of at least so many bytes are acknowledged at once, others with the next answer.
constexpr uint64_t kPromptAckBytes = 256 << 10;

/// Below, borrowing costs more than a message, which several short objects share; and no object has so many bytes.
constexpr uint64_t kUsuallyLent = 8 << 10, kNeverLent = ~uint64_t(0);

struct Envelope {
    MessageType type = MessageType::Heartbeat;
    uint64_t request = 0;  ///< echoed in the answer
    uint64_t pipeline = 0; ///< 0: none
};

/// What a frame begins with.
void writeEnvelope(ByteWriter &w, const Envelope &envelope, uint64_t bodyBytes);
/// The frame of a message.
Bytes frameOf(const Envelope &envelope, const Bytes &body);
/// Takes the first frame off what a transport has delivered: messages may travel together. What is no frame comes as
/// it is; opening it tells what is wrong.
std::span<const std::byte> takeFrame(std::span<const std::byte> &delivered);
/// Checks magic, version, type and length; `body` points into the frame.
Envelope openFrame(std::span<const std::byte> frame, std::span<const std::byte> &body);

using Challenge = std::array<std::byte, 16>;

/// Where to look for the number that the receiver has sent, and the number to be found at the receiver.
struct MemoryOffer {
    uint64_t process = 0; ///< 0: memory cannot be read
    uint64_t address = 0;
    Challenge challenge{};
};

/// Bytes in the memory of whoever tells about them.
struct LentPiece {
    uint64_t address = 0, bytes = 0;
    /// 0: the lender's memory. Else an object that the borrower has; the address counts from its first cell.
    uint64_t ownObject = 0;
    /// The same bytes, where the borrower may map them instead of copying them.
    MemoryFile in{};
    uint64_t offset = 0;
};

struct Hello {
    static constexpr MessageType kType = MessageType::Hello;
    std::string build;                ///< version of the program
    std::string token;                ///< "" for none
    uint64_t chunkBytes;              ///< largest payload of a chunk
    uint32_t heartbeatMs;             ///< 0: no heartbeats
    uint32_t workerId;                ///< from 1
    std::vector<std::string> options; ///< scheduling, as on the command line
    MemoryOffer memory{};
};

struct Welcome {
    static constexpr MessageType kType = MessageType::Welcome;
    std::string host, build;
    uint64_t process, memoryBytes;
    uint32_t threads;
    Seat seat{};
    MemoryOffer memory{};
    std::string blas; ///< the loops of its products of matrices
};

struct Neighbourhood {
    static constexpr MessageType kType = MessageType::Neighbour;
    bool canRead;        ///< the memory of the receiver
    uint64_t leastBytes; ///< objects that the coordinator wants to be lent have so many
    CpuShare cpus{};     ///< that the worker should use
    MemoryFile board{};  ///< of the coordinator (ClaimBoard.h); the worker answers with it if it sees it, too
};

struct ObjectBegin {
    static constexpr MessageType kType = MessageType::ObjectBegin;
    enum class Kind : uint8_t { Broadcast, Part, Result };
    uint64_t object, version;
    Kind kind;
    uint64_t first, count; ///< cells (of a sparse matrix: rows) of the whole that this is
    uint64_t totalBytes;
};

struct ObjectChunk {
    static constexpr MessageType kType = MessageType::ObjectChunk;
    uint64_t object;
    uint32_t sequence;
    bool isLast;
    uint32_t crc;
    std::span<const std::byte> payload;
};

/// Cells of a matrix that comes in pieces from several machines (AllGather.h).
struct ObjectPiece {
    static constexpr MessageType kType = MessageType::ObjectPiece;
    uint64_t object;
    ValueType type;
    uint64_t rows, cols;   ///< of the matrix
    uint64_t first, count; ///< cells
    uint32_t crc;
    std::span<const std::byte> payload;
};

/// Stays as it is until it is acknowledged.
struct ObjectLent {
    static constexpr MessageType kType = MessageType::ObjectLent;
    ObjectBegin begin;
    std::vector<LentPiece> pieces;
};

struct ObjectAck {
    static constexpr MessageType kType = MessageType::ObjectAck;
    uint64_t object, version, rows, cols, bytes;
};

struct Compute {
    static constexpr MessageType kType = MessageType::Compute;
    /// Awaited: an object that may still come in pieces. Result: stays at the worker; Shared: stays and is sent, too;
    /// Exchanged: and becomes a piece of a matrix that others need. Folded: blocks of a column are folded, the results
    /// are collected.
    enum class Role : uint8_t { Number, Object, Awaited, Result, Shared, Exchanged, Collected, Folded, Kept };
    struct Operand {
        Role role = Role::Number;
        uint64_t number = 0;       ///< the bits, or the object
        uint64_t whole = 0;        ///< Exchanged: the object that it is a piece of
        Reduce fold = Reduce::Sum; ///< Folded
    };
    uint64_t hash;
    std::string program; ///< "" if the worker has it already
    uint64_t rows, cols;
    double serialNs, nsPerStored;
    std::string site;
    std::vector<Operand> operands;  ///< by parameter of the program
    bool isOffered = false;         ///< it is to be run only if it can be claimed on the board
    bool isFollowed = false;        ///< by another one, with which its answer may travel
    uint64_t allRows = 0;           ///< of the loop, on all machines
    std::vector<uint32_t> audience; ///< workers that need what is exchanged
    uint64_t firstRow = 0;          ///< of all rows of the loop: sums of groups are added up as far as these rows go
};

struct Ready {
    static constexpr MessageType kType = MessageType::Ready;
    bool fault;                          ///< a cell lies outside of an operation's domain
    double computeNs, waitNs, compileNs; ///< wait: since the message before was done
    uint64_t objects, objectBytes;       ///< what the worker holds now
    uint64_t rows;                       ///< that were computed
    uint64_t residentBytes;              ///< memory of the worker's process
    double load;                         ///< of its machine: mean number of busy threads
    uint64_t bytesToWorkers;             ///< that went to other workers for it
};

struct Failure {
    static constexpr MessageType kType = MessageType::Failure;
    enum class Code : uint8_t { Refused, Protocol, Execution };
    Code code;
    std::string message;
};

struct Transfer {
    static constexpr MessageType kType = MessageType::Transfer;
    uint64_t object;
};

struct FileQuery {
    static constexpr MessageType kType = MessageType::FileQuery;
    std::vector<std::string> paths; ///< begin at the root
};

/// What a worker knows of a file whose rows it may read.
struct SeenFile {
    /// Rows one by one, or of a matrix that has to be read as a whole (io/Rows.h).
    enum class Access : uint8_t { None, Rows, Whole };
    Access access = Access::None;
    FileState state;
    uint64_t rows = 0, cols = 0;
    ValueType type = ValueType::F64;
};

struct FileAnswer {
    static constexpr MessageType kType = MessageType::FileAnswer;
    std::vector<SeenFile> files; ///< in the order of the question
};

/// A matrix in a file, as a part of a larger one.
struct FilePiece {
    std::string path;
    FileState state;   ///< that it must have
    uint64_t row, col; ///< where its first cell belongs
};

struct ReadRows {
    static constexpr MessageType kType = MessageType::ReadRows;
    uint64_t object, version;
    uint64_t cols;                 ///< of the larger matrix
    uint64_t first, count;         ///< cells of it, row by row; of a sparse matrix: rows
    std::vector<FilePiece> pieces; ///< together they have these cells; a sparse matrix is one piece
    bool isSparse = false;
    ValueType type = ValueType::F64;      ///< that cells of a sparse matrix are to have
    bool isPattern = false;               ///< all of them are 1, and no values are stored
    uint64_t stored = 0, storedInAll = 0; ///< cells of a sparse matrix, in these rows and in all
};

struct Free {
    static constexpr MessageType kType = MessageType::Free;
    std::vector<uint64_t> objects;
};

Bytes bodyOf(const Hello &m);
Bytes bodyOf(const Welcome &m);
Bytes bodyOf(const ObjectBegin &m);
Bytes bodyOf(const Neighbourhood &m);
Bytes bodyOf(const ObjectLent &m);
Bytes bodyOf(const ObjectAck &m);
Bytes bodyOf(const Compute &m);
Bytes bodyOf(const Ready &m);
Bytes bodyOf(const Failure &m);
Bytes bodyOf(const Transfer &m);
Bytes bodyOf(const FileQuery &m);
Bytes bodyOf(const FileAnswer &m);
Bytes bodyOf(const ReadRows &m);
Bytes bodyOf(const Free &m);
/// The head of a chunk or piece; the payload follows.
Bytes headOf(const ObjectChunk &m);
Bytes headOf(const ObjectPiece &m);

/// Reads a body of type M completely; throws WireError.
template <class M> M read(std::span<const std::byte> body);

template <class M> Bytes frameOf(const M &message, uint64_t request = 0, uint64_t pipeline = 0) {
    return frameOf({M::kType, request, pipeline}, bodyOf(message));
}

/// Of the text of a loop program.
uint64_t hashOf(std::string_view text);

} // namespace daphne::dist
