// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/AllGather.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "base/Error.h"

namespace daphne::dist {

namespace {

constexpr uint64_t kObject = kGathered | 7, kRows = 50, kCols = 3, kRoom = 1 << 20;

std::vector<double> numbers() {
    std::vector<double> cells(kRows * kCols);
    for (size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<double>(i) * 0.5;
    return cells;
}

/// Frames of cells [begin, end).
std::vector<Bytes> frames(const std::vector<double> &cells, uint64_t begin, uint64_t end, uint64_t chunkBytes = 64,
                          uint64_t object = kObject) {
    std::vector<Bytes> result;
    ObjectPiece piece{object, ValueType::F64, kRows, kCols,
                      begin,  end - begin,    0,     std::as_bytes(std::span(cells).subspan(begin, end - begin))};
    eachPieceFrame(piece, chunkBytes, [&](Bytes frame) { result.push_back(std::move(frame)); });
    return result;
}

std::optional<Value> add(AllGather &pieces, const Bytes &frame, uint64_t room = kRoom) {
    std::span<const std::byte> body;
    EXPECT_EQ(openFrame(frame, body).type, MessageType::ObjectPiece);
    return pieces.add(read<ObjectPiece>(body), room);
}

} // namespace

TEST(AllGather, InAnyOrderAreTheObject) {
    std::vector<double> cells = numbers();
    for (uint64_t seed = 0; seed < 20; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Bytes> all;
        for (uint64_t begin = 0; begin < cells.size();) {
            uint64_t end = std::min<uint64_t>(cells.size(), begin + 1 + random() % 40);
            std::ranges::move(frames(cells, begin, end, 8 + random() % 200), std::back_inserter(all));
            begin = end;
        }
        std::ranges::shuffle(all, random);
        AllGather pieces;
        for (size_t i = 0; i + 1 < all.size(); ++i) {
            EXPECT_FALSE(add(pieces, all[i]));
            EXPECT_EQ(pieces.announcedBytes(), cells.size() * sizeof(double));
        }
        std::optional<Value> whole = add(pieces, all.back());
        ASSERT_TRUE(whole);
        EXPECT_EQ(whole->matrix().rows(), kRows);
        EXPECT_EQ(whole->matrix().cols(), kCols);
        EXPECT_TRUE(std::equal(cells.begin(), cells.end(), whole->dense().view<double>().data));
        EXPECT_EQ(pieces.announcedBytes(), 0u);
        EXPECT_EQ(pieces.size(), 0u);
    }
}

TEST(AllGather, OfWhatHasEndedAreDropped) {
    std::vector<double> cells = numbers();
    std::vector<Bytes> first = frames(cells, 0, 70), rest = frames(cells, 70, cells.size());
    for (bool isEarly : {false, true}) {
        AllGather pieces;
        if (isEarly)
            pieces.end(kObject);
        for (const Bytes &frame : first)
            EXPECT_FALSE(add(pieces, frame, isEarly ? 0 : kRoom)); // takes no room
        pieces.end(kObject);
        EXPECT_TRUE(pieces.hasEnded(kObject));
        for (const Bytes &frame : rest)
            EXPECT_FALSE(add(pieces, frame, 0));
        EXPECT_EQ(pieces.announcedBytes(), 0u);
        EXPECT_EQ(pieces.size(), 0u);
    }
    AllGather pieces;
    for (uint64_t i = 0; i < 100000; ++i)
        pieces.end(kGathered | i);
    EXPECT_TRUE(pieces.hasEnded(kGathered | 99999));
    EXPECT_FALSE(pieces.hasEnded(kGathered | 0)) << "memory of them is limited";
}

TEST(AllGather, MayComeTwice) {
    std::vector<double> cells = numbers();
    AllGather pieces;
    for (const Bytes &frame : frames(cells, 32, 96))
        add(pieces, frame);
    for (const Bytes &frame : frames(cells, 32, 96))
        EXPECT_FALSE(add(pieces, frame));
    for (const Bytes &frame : frames(cells, 96, cells.size()))
        EXPECT_FALSE(add(pieces, frame));
    std::vector<Bytes> last = frames(cells, 0, 32);
    for (size_t i = 0; i + 1 < last.size(); ++i)
        EXPECT_FALSE(add(pieces, last[i]));
    std::optional<Value> whole = add(pieces, last.back());
    ASSERT_TRUE(whole);
    EXPECT_TRUE(std::equal(cells.begin(), cells.end(), whole->dense().view<double>().data));
    EXPECT_FALSE(add(pieces, last[0])) << "nor does a late one begin another";
    EXPECT_EQ(pieces.size(), 0u);
}

TEST(AllGather, ThatDoNotFitAreRejected) {
    std::vector<double> cells = numbers();
    Bytes good = frames(cells, 0, 8)[0];
    {
        AllGather pieces;
        add(pieces, good);
        EXPECT_THROW(add(pieces, frames(cells, 4, 12)[0]), WireError) << "overlaps the end";
        add(pieces, frames(cells, 16, 24)[0]);
        EXPECT_THROW(add(pieces, frames(cells, 12, 20)[0]), WireError) << "overlaps the beginning";
        EXPECT_FALSE(add(pieces, frames(cells, 8, 16)[0]));
    }
    AllGather pieces;
    Bytes damaged = good;
    damaged.back() ^= std::byte(1);
    EXPECT_THROW(add(pieces, damaged), WireError);
    EXPECT_THROW(add(pieces, frames(cells, 0, 8, 64, 7)[0]), WireError) << "an ordinary object";
    EXPECT_THROW(add(pieces, good, 100), Error) << "no room for the whole";
    auto rejects = [](auto change) {
        std::vector<double> some = numbers();
        ObjectPiece piece{kObject, ValueType::F64, kRows, kCols, 0, 2, 0, std::as_bytes(std::span(some)).first(16)};
        change(piece);
        Bytes whole = headOf(piece);
        whole.insert(whole.end(), piece.payload.begin(), piece.payload.end());
        Bytes frame = frameOf({MessageType::ObjectPiece}, whole);
        std::span<const std::byte> body;
        openFrame(frame, body);
        EXPECT_THROW(read<ObjectPiece>(body), WireError);
    };
    rejects([](ObjectPiece &p) { p.first = kRows * kCols - 1; });
    rejects([](ObjectPiece &p) { p.first = ~uint64_t(0); });
    rejects([](ObjectPiece &p) { p.count = 3; });
    rejects([](ObjectPiece &p) { p.rows = ~uint64_t(0); });
    rejects([](ObjectPiece &p) { p.rows = 0; });
    rejects([](ObjectPiece &p) { p.type = ValueType::Str; });
    rejects([](ObjectPiece &p) { p.type = ValueType::Bool, p.count = 16; });
}

} // namespace daphne::dist
