// SPDX-License-Identifier: Apache-2.0
#include "dist/samehost/Neighbour.h"

#include <algorithm>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "data/BufferPool.h"

namespace daphne::dist {

namespace {

constexpr size_t kMostPieces = 4096;
/// More than the head of any object; what is behind it is copied to where it belongs.
constexpr size_t kHeadBytes = 64;
/// Of one call; the system takes no more than 2 GiB.
constexpr size_t kMostPerCall = 1 << 30;

/// Whether all bytes could be read.
bool readMemory(uint64_t process, uint64_t address, std::span<std::byte> to) {
    while (!to.empty()) {
        iovec here{to.data(), std::min(to.size(), kMostPerCall)};
        iovec there{reinterpret_cast<void *>(address), here.iov_len};
        ssize_t n = process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
        if (n <= 0)
            return false;
        to = to.subspan(static_cast<size_t>(n));
        address += static_cast<uint64_t>(n);
    }
    return true;
}

/// Reads pieces one after the other.
class PieceCursor {
  public:
    PieceCursor(uint64_t process, const std::vector<LentPiece> &pieces, const Neighbour::OwnCells &own)
        : process(process), pieces(pieces), own(own) {}
    void read(std::span<std::byte> to) {
        while (!to.empty()) {
            const LentPiece &piece = pieces[index];
            size_t n = std::min<uint64_t>(to.size(), piece.bytes - offset);
            readPiece(piece, to.first(n));
            to = to.subspan(n);
            offset += n;
            if (offset == piece.bytes)
                ++index, offset = 0;
        }
    }

  private:
    void readPiece(const LentPiece &piece, std::span<std::byte> to) const {
        if (piece.ownObject != 0) {
            std::span<const std::byte> cells = own(piece.ownObject);
            if (piece.address > cells.size() || piece.bytes > cells.size() - piece.address)
                throw WireError("more cells than an object has");
            std::memcpy(to.data(), cells.data() + piece.address + offset, to.size());
        } else if (!readMemory(process, piece.address + offset, to)) {
            throw WireError("memory that was lent cannot be read");
        }
    }

    uint64_t process;
    const std::vector<LentPiece> &pieces;
    const Neighbour::OwnCells &own;
    size_t index = 0;
    uint64_t offset = 0;
};

} // namespace

Neighbour::Neighbour() : written(std::make_unique<Challenge>()) {
    std::random_device source;
    for (std::byte &b : own)
        b = static_cast<std::byte>(source());
}

MemoryOffer Neighbour::offer() const {
    return {static_cast<uint64_t>(getpid()), reinterpret_cast<uint64_t>(written.get()), own};
}

void Neighbour::meet(const MemoryOffer &offered) {
    theirs = offered;
    *written = theirs.challenge;
}

void Neighbour::leave() {
    explicit_bzero(written->data(), written->size());
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool Neighbour::isReadable() const {
    Challenge found;
    return theirs.process != 0 && theirs.process <= 0x7fffffff && readMemory(theirs.process, theirs.address, found) &&
           found == own;
}

void Neighbour::copy(const std::vector<LentPiece> &pieces, uint64_t totalBytes, Decoder &into,
                     const OwnCells &own) const {
    uint64_t sum = 0;
    for (const LentPiece &piece : pieces)
        if (piece.bytes == 0 || __builtin_add_overflow(sum, piece.bytes, &sum))
            throw WireError("pieces of memory that are none");
    if (sum != totalBytes)
        throw WireError("an object of " + std::to_string(totalBytes) + " bytes in " + std::to_string(sum) +
                        " bytes of memory");
    PieceCursor cursor(theirs.process, pieces, own);
    std::array<std::byte, kHeadBytes> head;
    auto first = std::span(head).first(std::min<uint64_t>(kHeadBytes, totalBytes));
    cursor.read(first);
    into.add(first);
    into.fill([&](std::span<std::byte> to) { cursor.read(to); });
    if (!isReadable())
        throw WireError("memory that was lent is gone");
}

std::optional<FoundArrays> Neighbour::findArrays(const std::vector<LentPiece> &pieces) {
    // The head, columns and values.
    if (pieces.size() < 2 || pieces.size() > 3)
        return std::nullopt;
    FoundArrays arrays;
    for (size_t i = 1; i < pieces.size(); ++i) {
        std::optional<FoundArray> array = findArray(pieces[i]);
        if (!array)
            return std::nullopt;
        (i == 1 ? arrays.columns : arrays.values) = std::move(*array);
    }
    return arrays;
}

std::optional<FoundArray> Neighbour::findArray(const LentPiece &piece) {
    if (!piece.in.isGiven() || piece.ownObject != 0)
        return std::nullopt;
    auto it = mapped.find(piece.in.inode);
    if (it == mapped.end()) {
        int file = openMemoryFile(theirs.process, piece.in, O_RDONLY);
        std::optional<ForeignBlock> block = file < 0 ? std::nullopt : mapForeign(file);
        if (file >= 0)
            close(file);
        if (!block)
            return std::nullopt;
        BufferRef buffer(Buffer::adopt(ValueType::UI8, block->data, block->size));
        it = mapped.emplace(piece.in.inode, Mapped{std::move(buffer), block->size}).first;
    }
    return FoundArray{it->second.buffer, it->second.bytes, piece.offset};
}

std::optional<ClaimBoard> Neighbour::openBoard(const MemoryFile &place) const {
    return ClaimBoard::open(theirs.process, place);
}

void Neighbour::sweep() {
    std::erase_if(mapped, [](const auto &entry) { return entry.second.buffer.unique(); });
}

bool Loans::wants(const Encoded &object) const {
    return object.totalBytes >= leastBytes && object.pieces.size() <= kMostPieces;
}

std::vector<LentPiece> Loans::lend(uint64_t number, Encoded object, const std::vector<KnownCells> &known) {
    std::vector<LentPiece> pieces;
    for (std::span<const std::byte> piece : object.pieces) {
        LentPiece &lent = pieces.emplace_back(reinterpret_cast<uint64_t>(piece.data()), piece.size());
        if (object.value.isCsr())
            if (std::optional<SharedPlace> place = sharedPlaceOf(piece.data())) {
                lent.in = {place->file, place->inode};
                lent.offset = place->offset;
            }
    }
    // A head and cells in one piece: what the borrower has of them is left out.
    if (pieces.size() == 2 && !known.empty()) {
        uint64_t cells = pieces.back().address, bytes = pieces.back().bytes;
        pieces.pop_back();
        uint64_t at = 0;
        for (const KnownCells &part : known) {
            if (part.begin > at)
                pieces.push_back({cells + at, part.begin - at});
            pieces.push_back({0, part.end - part.begin, part.object});
            at = part.end;
        }
        if (at < bytes)
            pieces.push_back({cells + at, bytes - at});
    }
    std::lock_guard lock(mutex);
    if (auto [it, isNew] = objects.try_emplace(number, std::move(object)); !isNew) {
        ended.push_back(std::move(it->second));
        it->second = std::move(object);
    }
    return pieces;
}

void Loans::end(uint64_t number) {
    std::lock_guard lock(mutex);
    if (auto node = objects.extract(number); !node.empty())
        ended.push_back(std::move(node.mapped()));
}

bool Loans::isEmpty() const {
    std::lock_guard lock(mutex);
    return objects.empty();
}

void Loans::endAll() {
    std::lock_guard lock(mutex);
    for (auto &[number, object] : objects)
        ended.push_back(std::move(object));
    objects.clear();
}

void Loans::sweep() {
    std::vector<Encoded> released;
    std::lock_guard lock(mutex);
    released.swap(ended);
}

} // namespace daphne::dist
