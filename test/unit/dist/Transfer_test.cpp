// SPDX-License-Identifier: Apache-2.0
/// Frames that travel together, and the clock that knows what overlaps.
#include <gtest/gtest.h>

#include "dist/coordinator/TransferClock.h"
#include "dist/protocol/ObjectStream.h"

namespace daphne::dist {

namespace {

/// Keeps what is sent.
class Recorder : public Transport {
  public:
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return "nobody"; }
    void send(uint32_t, Bytes frame) override { sent.push_back(std::move(frame)); }
    std::optional<Received> receive(std::chrono::milliseconds, Listener) override { return std::nullopt; }
    void attend(bool) override {}
    void disconnect(uint32_t) override {}
    uint64_t usualChunkBytes() const override { return 1 << 20; }
    bool survivesLoss() const override { return true; }
    std::vector<Bytes> sent;
};

std::vector<MessageType> typesOf(const Recorder &transport) {
    std::vector<MessageType> types;
    for (const Bytes &together : transport.sent)
        for (std::span<const std::byte> rest = together; !rest.empty();) {
            std::span<const std::byte> body;
            types.push_back(openFrame(takeFrame(rest), body).type);
        }
    return types;
}

TEST(FrameBatch, ShortMessagesTravelTogetherInTheirOrder) {
    Recorder transport;
    {
        FrameBatch batch(transport, 0, 1 << 20);
        batch.add(ObjectBegin{.object = 1}, encode(Value::scalar(1.5)));
        batch.add(frameOf(Transfer{1}));
        batch.add(frameOf(Free{{1}}));
        EXPECT_EQ(transport.sent.size(), 0u);
    }
    EXPECT_EQ(transport.sent.size(), 1u);
    EXPECT_EQ(typesOf(transport), (std::vector{MessageType::ObjectBegin, MessageType::ObjectChunk,
                                               MessageType::Transfer, MessageType::Free}));
}

TEST(FrameBatch, NothingIsLongerThanAChunkMayBe) {
    Recorder transport;
    auto m = Dense::create(ValueType::F64, 50, 1, Buffer::Init::Zero);
    uint64_t bytes;
    {
        FrameBatch batch(transport, 0, 100);
        batch.add(ObjectBegin{.object = 1}, encode(Value(m)));
        batch.add(frameOf(Transfer{1}));
        bytes = batch.bytes();
    }
    for (const Bytes &frame : transport.sent) {
        EXPECT_LE(frame.size(), 100 + kChunkOverhead);
        bytes -= frame.size();
    }
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(typesOf(transport).size(), 1 + (45 + 50 * 8 + 99) / 100 + 1u);
}

TEST(FrameBatch, ObjectsInManyPiecesArriveAsTheyWere) {
    auto m = Dense::create(ValueType::F64, 300, 7);
    for (size_t i = 0; i < m->cells(); ++i)
        m->mutableView<double>().data[i] = static_cast<double>(i);
    Value window = Dense::window(*m, 3, 290, 1, 5);
    for (uint64_t chunk : {100, 1000, 1 << 20}) {
        Recorder transport;
        FrameBatch(transport, 0, chunk).add(ObjectBegin{.object = 1}, encode(window));
        Arrivals arrivals(1 << 20);
        std::optional<ObjectBegin> complete;
        for (const Bytes &together : transport.sent)
            for (std::span<const std::byte> rest = together; !rest.empty();) {
                std::span<const std::byte> body;
                if (openFrame(takeFrame(rest), body).type == MessageType::ObjectBegin)
                    arrivals.begin(read<ObjectBegin>(body));
                else
                    complete = arrivals.add(read<ObjectChunk>(body));
            }
        ASSERT_TRUE(complete);
        Value back = arrivals.take(1);
        for (size_t r = 0; r < 287; ++r)
            for (size_t c = 0; c < 4; ++c)
                ASSERT_EQ(back.dense().view<double>()(r, c), m->view<double>()(r + 3, c + 1));
    }
}

TEST(Frames, WhatIsNoFrameIsTakenAsItIs) {
    Bytes frame = frameOf(Transfer{1});
    Bytes cut(frame.begin(), frame.end() - 1);
    std::span<const std::byte> rest = cut, body;
    EXPECT_THROW(openFrame(takeFrame(rest), body), WireError);
    EXPECT_TRUE(rest.empty());
    Bytes longer = frame;
    longer.push_back(std::byte(7));
    rest = longer;
    openFrame(takeFrame(rest), body);
    EXPECT_EQ(rest.size(), 1u);
    EXPECT_THROW(openFrame(takeFrame(rest), body), WireError);
}

class Clock : public ::testing::Test {
  protected:
    TransferClock::Time at(int ms) const { return start + std::chrono::milliseconds(ms); }
    double transferMs() const { return clock.transferNs() / 1e6; }
    double overlappedMs() const { return clock.overlappedNs() / 1e6; }
    TransferClock::Time start = std::chrono::steady_clock::now();
    TransferClock clock{2};
};

TEST_F(Clock, CountsTransfersWhileTheCoordinatorComputes) {
    clock.sent(0, 1, at(0));
    clock.computingHere(true, at(10));
    clock.stored(0, 1, at(30));
    clock.computingHere(false, at(100));
    EXPECT_DOUBLE_EQ(transferMs(), 30);
    EXPECT_DOUBLE_EQ(overlappedMs(), 20);
}

TEST_F(Clock, AWorkerIsAtWorkWhenWhatItNeedsIsThere) {
    clock.sent(0, 1, at(0));
    clock.asked(0, 7, at(1)); // begins at 10
    clock.sent(1, 2, at(5));
    clock.stored(0, 1, at(10));
    clock.stored(1, 2, at(25));
    clock.answered(0, 7, at(40));
    EXPECT_DOUBLE_EQ(transferMs(), 25);
    EXPECT_DOUBLE_EQ(overlappedMs(), 15);
}

TEST_F(Clock, TheNextObjectsMayComeWhileAWorkerComputes) {
    clock.asked(0, 7, at(0));
    clock.sent(0, 2, at(5));
    clock.asked(0, 8, at(6));
    clock.stored(0, 2, at(20));
    clock.answered(0, 7, at(30));
    clock.arriving(true, at(40)); // loop 8 is at work
    clock.arriving(false, at(45));
    clock.answered(0, 8, at(50));
    clock.arriving(true, at(60));
    clock.arriving(false, at(70));
    EXPECT_DOUBLE_EQ(transferMs(), 15 + 5 + 10);
    EXPECT_DOUBLE_EQ(overlappedMs(), 15 + 5);
}

TEST_F(Clock, LostWorkersTakeTheirObjectsWithThem) {
    clock.sent(0, 1, at(0));
    clock.asked(0, 7, at(0));
    clock.lost(0, at(10));
    clock.sent(1, 2, at(50));
    clock.stored(1, 2, at(60));
    clock.stored(0, 1, at(70)); // too late
    EXPECT_DOUBLE_EQ(transferMs(), 20);
    EXPECT_DOUBLE_EQ(overlappedMs(), 0);
}

TEST(Arrivals, WhatIsDisregardedLeavesNoTrace) {
    Recorder transport;
    auto m = Dense::create(ValueType::F64, 300, 7, Buffer::Init::Zero);
    Bytes room(300 * 7 * 8, std::byte(1));
    FrameBatch(transport, 0, 1000).add(ObjectBegin{.object = 1}, encode(Value(m)));
    Arrivals arrivals(1 << 20);
    size_t numFrames = 0;
    for (const Bytes &together : transport.sent)
        for (std::span<const std::byte> rest = together; !rest.empty();) {
            std::span<const std::byte> body;
            if (openFrame(takeFrame(rest), body).type == MessageType::ObjectBegin) {
                auto begin = read<ObjectBegin>(body);
                arrivals.begin(begin, Decoder(begin.totalBytes, {ValueType::F64, 2100, room.data()}));
            } else {
                EXPECT_TRUE(arrivals.isUnderWay(1));
                EXPECT_FALSE(arrivals.add(read<ObjectChunk>(body)));
            }
            if (++numFrames == 5)
                arrivals.disregard(1);
        }
    EXPECT_FALSE(arrivals.isUnderWay(1));
    EXPECT_EQ(arrivals.announcedBytes(), 0u);
    EXPECT_EQ(room.front(), std::byte(0)); // came before
    EXPECT_EQ(room.back(), std::byte(1));
}

} // namespace

} // namespace daphne::dist
