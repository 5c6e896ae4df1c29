// SPDX-License-Identifier: Apache-2.0
/// Objects are copied from the memory of processes that have proved to be who they say, and of nobody else.
#include "dist/samehost/Neighbour.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/BufferPool.h"

namespace daphne::dist {

namespace {

void introduce(Neighbour &a, Neighbour &b) {
    a.meet(b.offer());
    b.meet(a.offer());
}

std::span<const std::byte> nothingOwn(uint64_t) { throw WireError("nothing here"); }

/// Where the system does not let processes read each other's memory, nobody is a neighbour.
class NeighbourMemory : public testing::Test {
  protected:
    void SetUp() override {
        Neighbour a, b;
        introduce(a, b);
        if (!a.isReadable())
            GTEST_SKIP() << "memory of processes cannot be read here";
    }
};

/// As it comes out at the other side.
Value borrowed(const Value &v) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    Loans loans;
    Encoded object = encode(v);
    uint64_t bytes = object.totalBytes;
    Decoder decoder(bytes);
    borrower.copy(loans.lend(1, std::move(object)), bytes, decoder, nothingOwn);
    return decoder.take();
}

Bytes bytesOf(const Value &v) {
    Encoded e = encode(v);
    Bytes all;
    for (auto piece : e.pieces)
        all.insert(all.end(), piece.begin(), piece.end());
    return all;
}

Ref<Dense> someNumbers(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < m->cells(); ++i)
        m->mutableView<double>().data[i] = 0.5 * static_cast<double>(i);
    return m;
}

TEST_F(NeighbourMemory, EverySortOfValueIsBorrowedAsItIs) {
    auto m = someNumbers(300, 7);
    auto frame = Ref<Frame>::make(2);
    auto texts = Dense::create(ValueType::Str, 2, 1);
    texts->mutableView<std::string>().data[0] = "a text that is longer than the usual head of an object is, by far";
    frame->addColumn("text", texts);
    auto csr = Csr::create(ValueType::F64, 2, 3, 2, Csr::Values::Stored);
    csr->mutableOffsets()[0] = 0, csr->mutableOffsets()[1] = 1, csr->mutableOffsets()[2] = 2;
    csr->mutableColumns<uint32_t>()[0] = 2, csr->mutableColumns<uint32_t>()[1] = 0;
    csr->mutableValues<double>()[0] = 1.5, csr->mutableValues<double>()[1] = -2;
    for (const Value &v : {Value(m), Value(Dense::window(*m, 3, 290, 1, 5)), Value(someNumbers(1, 1)), Value(texts),
                           Value(frame), Value(csr), Value::scalar(1.5), Value::string("short")})
        EXPECT_EQ(bytesOf(borrowed(v)), bytesOf(v));
}

TEST_F(NeighbourMemory, CellsGoToWhereTheyAreExpected) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    auto from = someNumbers(100, 1), to = Dense::create(ValueType::F64, 100, 1, Buffer::Init::Zero);
    Loans loans;
    Encoded object = encode(Value(from));
    uint64_t bytes = object.totalBytes;
    Decoder decoder(bytes, {ValueType::F64, 100, reinterpret_cast<std::byte *>(to->mutableView<double>().data)});
    borrower.copy(loans.lend(1, std::move(object)), bytes, decoder, nothingOwn);
    EXPECT_TRUE(decoder.isComplete());
    EXPECT_EQ(bytesOf(to), bytesOf(from));
}

TEST_F(NeighbourMemory, CellsThatTheBorrowerHasAreItsOwn) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    auto lent = someNumbers(1000, 1), own = Dense::create(ValueType::F64, 300, 1);
    std::fill_n(own->mutableView<double>().data, 300, -1.0);
    auto ownCells = [&](uint64_t object) -> std::span<const std::byte> {
        if (object != 7)
            throw WireError("nothing here");
        return std::as_bytes(std::span(own->view<double>().data, 300));
    };
    auto copied = [&](const std::vector<KnownCells> &known) {
        Loans loans;
        Encoded object = encode(Value(lent));
        uint64_t bytes = object.totalBytes;
        Decoder decoder(bytes);
        borrower.copy(loans.lend(1, std::move(object), known), bytes, decoder, ownCells);
        return decoder.take();
    };
    // At the begin, in the middle, at the end, twice.
    for (const std::vector<KnownCells> &known :
         {std::vector<KnownCells>{{7, 0, 2400}}, {{7, 1600, 4000}}, {{7, 5600, 8000}}, {{7, 0, 800}, {7, 800, 1600}}}) {
        Value v = copied(known);
        for (size_t i = 0; i < 1000; ++i) {
            bool isOwn = std::ranges::any_of(known, [&](auto &k) { return k.begin <= 8 * i && 8 * i < k.end; });
            ASSERT_EQ(v.dense().view<double>().data[i], isOwn ? -1.0 : 0.5 * static_cast<double>(i)) << i;
        }
    }
    EXPECT_THROW(copied({{8, 0, 800}}), WireError);
    EXPECT_THROW(copied({{7, 0, 2408}}), WireError); // more than there are
}

/// A band matrix, in memory that others can map.
Ref<Csr> sharedBand(size_t rows, size_t width, Csr::Values values) {
    SharedAllocations shared;
    auto m = Csr::create(ValueType::F64, rows, rows + width, rows * width, values);
    for (size_t r = 0; r < rows; ++r) {
        m->mutableOffsets()[r + 1] = (r + 1) * width;
        for (size_t k = r * width; k < (r + 1) * width; ++k) {
            m->mutableColumns<uint32_t>()[k] = static_cast<uint32_t>(k - r * width + r);
            if (values == Csr::Values::Stored)
                m->mutableValues<double>()[k] = 1.0 + static_cast<double>(k);
        }
    }
    return m;
}

TEST_F(NeighbourMemory, SparseMatricesInSharedMemoryAreMapped) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    for (Csr::Values values : {Csr::Values::Stored, Csr::Values::AllOnes}) {
        auto m = sharedBand(20000, 20, values);
        std::vector<Value> found;
        for (auto [first, last] : {std::pair(0, 20000), {0, 5000}, {5000, 5001}, {7000, 20000}, {300, 300}}) {
            Value window = Csr::rowWindow(*m, static_cast<size_t>(first), static_cast<size_t>(last));
            Loans loans;
            Encoded object = encode(window);
            uint64_t bytes = object.totalBytes;
            std::vector<LentPiece> pieces = loans.lend(1, std::move(object));
            std::optional<FoundArrays> arrays = borrower.findArrays(pieces);
            ASSERT_EQ(arrays.has_value(), first < last); // nothing is nowhere
            Decoder decoder = arrays ? Decoder(bytes, *arrays) : Decoder(bytes);
            borrower.copy(pieces, bytes, decoder, nothingOwn);
            found.push_back(decoder.take());
            EXPECT_EQ(bytesOf(found.back()), bytesOf(window));
            EXPECT_NE(found.back().csr().columns<uint32_t>(), m->columns<uint32_t>());
        }
        // All are the same memory, and stay after the lender has forgotten it.
        EXPECT_EQ(found[0].csr().columns<uint32_t>(), found[3].csr().columns<uint32_t>());
        m = {};
        borrower.sweep();
        EXPECT_EQ(found[3].csr().columns<uint32_t>()[found[3].csr().offsets()[0]], 7000u);
    }
    auto own = Csr::create(ValueType::F64, 20000, 10, 400000, Csr::Values::AllOnes);
    Loans loans;
    EXPECT_FALSE(borrower.findArrays(loans.lend(1, encode(Value(own)))));
}

TEST_F(NeighbourMemory, ArraysThatAreNotThoseOfTheMatrixAreRejected) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    auto m = sharedBand(20000, 20, Csr::Values::Stored);
    Encoded object = encode(Value(Csr::rowWindow(*m, 100, 20000)));
    uint64_t bytes = object.totalBytes;
    Loans loans;
    const std::vector<LentPiece> pieces = loans.lend(1, std::move(object));
    auto take = [&](const std::vector<LentPiece> &given) {
        std::optional<FoundArrays> arrays = borrower.findArrays(given);
        Decoder decoder = arrays ? Decoder(bytes, *arrays) : Decoder(bytes);
        borrower.copy(given, bytes, decoder, nothingOwn);
        return decoder.take();
    };
    EXPECT_EQ(bytesOf(take(pieces)), bytesOf(Value(Csr::rowWindow(*m, 100, 20000))));
    // Another file, or none, is copied.
    auto other = pieces;
    other[1].in.inode += 1000;
    EXPECT_EQ(bytesOf(take(other)), bytesOf(take(pieces)));
    other[1].in.file = -1;
    EXPECT_EQ(bytesOf(take(other)), bytesOf(take(pieces)));
    for (uint64_t offset : {uint64_t(0), pieces[1].offset + 4, pieces[1].offset + 1, ~uint64_t(0) - 3}) {
        auto moved = pieces;
        moved[1].offset = offset;
        EXPECT_THROW(take(moved), WireError) << offset;
        moved = pieces;
        moved[2].offset = offset;
        EXPECT_THROW(take(moved), WireError) << offset;
    }
    auto swapped = pieces;
    std::swap(swapped[1].in, swapped[2].in);
    EXPECT_THROW(take(swapped), WireError); // columns are checked
}

TEST_F(NeighbourMemory, TruthValuesAreCheckedBeforeTheyLandInAProgram) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    auto from = Dense::create(ValueType::Bool, 200, 1, Buffer::Init::Zero);
    from->mutableView<std::byte>().data[150] = std::byte(7);
    Bytes to(200, std::byte(1));
    Loans loans;
    Encoded object = encode(Value(from));
    uint64_t bytes = object.totalBytes;
    Decoder decoder(bytes, {ValueType::Bool, 200, to.data()});
    EXPECT_THROW(borrower.copy(loans.lend(1, std::move(object)), bytes, decoder, nothingOwn), WireError);
    EXPECT_EQ(std::ranges::count(to, std::byte(7)), 0);
}

TEST_F(NeighbourMemory, OnlyAProcessThatAnswersTheChallengeIsBelieved) {
    Neighbour a, b;
    EXPECT_FALSE(a.isReadable()); // has met nobody
    a.meet(b.offer());
    EXPECT_FALSE(a.isReadable()); // b has not written down what a wants to see
    b.meet(a.offer());
    EXPECT_TRUE(a.isReadable());
    EXPECT_TRUE(b.isReadable());
    for (uint64_t process : {uint64_t(0), uint64_t(1) << 32 | uint64_t(getpid()), uint64_t(0x7fffffff)}) {
        MemoryOffer wrong = b.offer();
        wrong.process = process;
        a.meet(wrong);
        EXPECT_FALSE(a.isReadable()) << process;
    }
    for (uint64_t address : {uint64_t(0), ~uint64_t(0), ~uint64_t(0) - 15, b.offer().address + 1}) {
        MemoryOffer wrong = b.offer();
        wrong.address = address;
        a.meet(wrong);
        EXPECT_FALSE(a.isReadable()) << address;
    }
}

TEST_F(NeighbourMemory, PiecesThatAreNoneAreRejected) {
    Neighbour lender, borrower;
    introduce(lender, borrower);
    Bytes object = bytesOf(someNumbers(100, 1));
    auto address = reinterpret_cast<uint64_t>(object.data());
    uint64_t size = object.size();
    auto rejects = [&](const std::vector<LentPiece> &pieces, uint64_t bytes) {
        Decoder decoder(bytes);
        EXPECT_THROW(borrower.copy(pieces, bytes, decoder, nothingOwn), WireError);
    };
    rejects({}, size);
    rejects({{address, size}}, size + 1);
    rejects({{address, size}}, size - 1);
    rejects({{address, size - 1}, {address, 0}, {address + size - 1, 1}}, size);
    rejects({{address, ~uint64_t(0)}, {address, size + 1}}, size);
    rejects({{16, size}}, size);
    rejects({{address, 60}, {16, size - 60}}, size);
    rejects({{address, 10}}, 10); // not even a head
    Decoder decoder(size);
    borrower.copy({{address, 60}, {address + 60, size - 60}}, size, decoder, nothingOwn);
    EXPECT_EQ(bytesOf(decoder.take()), object);
}

TEST_F(NeighbourMemory, AProcessThatHasDiedIsNoticed) {
    // The child lends memory of its own, which parent and child have at the same address.
    Bytes object = bytesOf(someNumbers(1000, 1));
    Neighbour parent, child;
    introduce(parent, child);
    pid_t process = fork();
    if (process == 0) {
        pause();
        _exit(0);
    }
    MemoryOffer offer = child.offer();
    offer.process = static_cast<uint64_t>(process);
    parent.meet(offer);
    EXPECT_TRUE(parent.isReadable());
    std::vector<LentPiece> pieces{{reinterpret_cast<uint64_t>(object.data()), object.size()}};
    Decoder alive(object.size()), dead(object.size());
    parent.copy(pieces, object.size(), alive, nothingOwn);
    EXPECT_EQ(bytesOf(alive.take()), object);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    EXPECT_FALSE(parent.isReadable());
    EXPECT_THROW(parent.copy(pieces, object.size(), dead, nothingOwn), WireError);
}

TEST_F(NeighbourMemory, WhoHasLeftLendsNothing) {
    // Its process lives on, and what it had lent is now something else.
    Neighbour lender, borrower;
    introduce(lender, borrower);
    Bytes object = bytesOf(someNumbers(1000, 1));
    std::vector<LentPiece> pieces{{reinterpret_cast<uint64_t>(object.data()), object.size()}};
    Decoder before(object.size()), after(object.size());
    borrower.copy(pieces, object.size(), before, nothingOwn);
    lender.leave();
    EXPECT_THROW(borrower.copy(pieces, object.size(), after, nothingOwn), WireError);
    EXPECT_FALSE(borrower.isReadable());
}

TEST(Loans, SmallObjectsAndThoseInManyPiecesAreSent) {
    Loans loans;
    Encoded large = encode(Value(someNumbers(100000, 1)));
    EXPECT_FALSE(loans.wants(large));
    loans.beginAt(kUsuallyLent);
    EXPECT_TRUE(loans.wants(large));
    EXPECT_FALSE(loans.wants(encode(Value(someNumbers(100, 1)))));
    EXPECT_FALSE(loans.wants(encode(Value(Dense::window(*someNumbers(100000, 2), 0, 100000, 0, 1)))));
    loans.beginAt(kNeverLent);
    EXPECT_FALSE(loans.wants(large));
}

TEST(Loans, AreKeptUntilTheyEndAndReleasedByTheirOwnThread) {
    auto m = someNumbers(10, 10);
    Loans loans;
    EXPECT_TRUE(m->unique());
    loans.lend(1, encode(Value(m)));
    loans.lend(2, encode(Value(m)));
    loans.lend(2, encode(Value(m)));
    std::thread([&] { loans.end(1); }).join();
    EXPECT_FALSE(m->unique());
    loans.sweep();
    EXPECT_FALSE(m->unique());
    loans.end(1);
    loans.end(2);
    EXPECT_FALSE(m->unique());
    loans.sweep();
    EXPECT_TRUE(m->unique());
    loans.lend(3, encode(Value(m)));
    loans.endAll();
    loans.sweep();
    EXPECT_TRUE(m->unique());
}

} // namespace

} // namespace daphne::dist
