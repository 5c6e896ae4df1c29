// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/Codec.h"

#include <gtest/gtest.h>
#include <random>

#include "base/Error.h"
#include "dist/protocol/Message.h"
#include "kernels/SameValue.h"

namespace daphne::dist {

namespace {

Bytes bytesOf(const Value &v) {
    Encoded e = encode(v);
    Bytes all;
    for (auto piece : e.pieces)
        all.insert(all.end(), piece.begin(), piece.end());
    EXPECT_EQ(all.size(), e.totalBytes);
    return all;
}

Value decode(const Bytes &bytes, size_t cut) {
    Decoder decoder(bytes.size());
    for (size_t at = 0; at < bytes.size(); at += cut)
        decoder.add(std::span(bytes).subspan(at, std::min(cut, bytes.size() - at)));
    return decoder.take();
}

/// The same bytes again after any cut.
void expectRoundTrip(const Value &v) {
    Bytes bytes = bytesOf(v);
    for (size_t cut : {size_t(1), size_t(7), size_t(55), bytes.size()})
        EXPECT_EQ(bytesOf(decode(bytes, cut)), bytes);
}

template <class T> Ref<Dense> dense(size_t rows, size_t cols, ValueType type) {
    auto m = Dense::create(type, rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->mutableView<T>().data[i] = static_cast<T>(i % 5 == 0 ? 0 : i);
    return m;
}

TEST(Codec, EveryValueTypeSurvivesDenseAndSparse) {
    for (int t = 0; t < kNumValueTypes - 1; ++t) {
        auto type = static_cast<ValueType>(t);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            for (auto [rows, cols] : {std::pair<size_t, size_t>{0, 0}, {0, 3}, {3, 0}, {1, 1}, {7, 5}}) {
                auto m = dense<T>(rows, cols, type);
                expectRoundTrip(Value(m));
                Value back = decode(bytesOf(Value(m)), 1000);
                EXPECT_EQ(back.matrix().type(), type);
                EXPECT_EQ(back.matrix().shapeText(), m->shapeText());
                expectRoundTrip(Value(toCsr(*m)));
            }
        });
    }
}

TEST(Codec, WindowsAreSentAsWhatTheyShow) {
    auto m = dense<double>(10, 8, ValueType::F64);
    Value window = Dense::window(*m, 2, 7, 1, 4);
    Value back = decode(bytesOf(window), 64);
    EXPECT_EQ(back.matrix().shapeText(), "5x3");
    EXPECT_EQ(back.dense().view<double>()(4, 2), m->view<double>()(6, 3));
    auto sparse = toCsr(*m);
    Value rows = decode(bytesOf(Value(Csr::rowWindow(*sparse, 3, 9))), 64);
    EXPECT_EQ(rows.csr().offsets()[0], 0u);
    EXPECT_EQ(toDense(rows.csr())->view<double>()(5, 7), m->view<double>()(8, 7));
}

TEST(Codec, PatternsAndWhatPrintCallsThemSurvive) {
    auto sparse = toCsr(*dense<double>(6, 6, ValueType::F64));
    auto pattern = Csr::withStructureOf(*sparse, ValueType::F64, BufferRef());
    Value back = decode(bytesOf(Value(Csr::shown(*pattern, true))), 10);
    EXPECT_TRUE(back.csr().isPattern());
    EXPECT_TRUE(back.csr().isShownAsCsr());
}

TEST(Codec, StringsFramesAndScalarsSurvive) {
    auto texts = Dense::create(ValueType::Str, 2, 2);
    texts->mutableView<std::string>().data[1] = "two words";
    texts->mutableView<std::string>().data[3] = std::string("\0x", 2);
    expectRoundTrip(Value(texts));
    auto frame = Ref<Frame>::make(4);
    frame->addColumn("a", dense<int32_t>(4, 1, ValueType::SI32));
    frame->addColumn("b c", Dense::create(ValueType::Str, 4, 1));
    expectRoundTrip(Value(frame));
    expectRoundTrip(Value(Ref<Frame>::make(0)));
    expectRoundTrip(Value::string("text"));
    expectRoundTrip(Value::scalar(-0.0));
    expectRoundTrip(Value::scalar(int8_t(-3)));
    expectRoundTrip(Value::scalar(1.5f));
    expectRoundTrip(Value::size(9));
}

TEST(Codec, ADenseMatrixHas45BytesBeforeItsCells) {
    EXPECT_EQ(bytesOf(Value(dense<double>(3, 4, ValueType::F64))).size(), 45u + 96u);
}

TEST(Codec, InconsistentSizesAreRejectedBeforeAnythingIsAllocated) {
    Bytes bytes = bytesOf(Value(dense<double>(3, 4, ValueType::F64)));
    bytes[2 + 7] = std::byte(0x7f); // rows beyond all memory
    EXPECT_THROW(decode(bytes, 1000), WireError);
    Bytes sparse = bytesOf(Value(toCsr(*dense<double>(3, 4, ValueType::F64))));
    sparse[45 + 6] = std::byte(1); // stored cells
    EXPECT_THROW(decode(sparse, 1000), WireError);
    Bytes frame = bytesOf(Value(Ref<Frame>::make(0)));
    frame[10 + 5] = std::byte(1); // columns
    EXPECT_THROW(decode(frame, 1000), WireError);
    EXPECT_THROW(Decoder(10).add(Bytes(11)), WireError);
    EXPECT_THROW(decode(Bytes(10), 10), WireError);
}

TEST(Codec, ColumnsOutsideOfASparseMatrixAreRejected) {
    auto m = toCsr(*dense<double>(3, 4, ValueType::F64));
    m->mutableColumns<uint32_t>()[0] = 1000;
    EXPECT_THROW(decode(bytesOf(Value(m)), 1000), WireError);
}

TEST(Codec, DamagedBytesNeverCrash) {
    std::mt19937_64 random(3);
    auto numbers = dense<double>(4, 4, ValueType::F64);
    auto frame = Ref<Frame>::make(4);
    frame->addColumn("a", dense<int32_t>(4, 1, ValueType::SI32));
    for (const Value &v : {Value(numbers), Value(toCsr(*numbers)), Value(frame), Value::string("abc"),
                           Value(dense<bool>(4, 4, ValueType::Bool))})
        for (int i = 0; i < 3000; ++i) {
            Bytes bytes = bytesOf(v);
            for (size_t k = 1 + random() % 3; k > 0; --k)
                bytes[random() % bytes.size()] = static_cast<std::byte>(random());
            bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size() + 1);
            try {
                decode(bytes, 1 + random() % 100);
            } catch (const WireError &) {
            } catch (const Error &) { // out of memory, said properly
            }
        }
}

TEST(Codec, ADestinationTakesOnlyWhatBelongsThere) {
    auto m = dense<double>(3, 4, ValueType::F64);
    Bytes bytes = bytesOf(Value(m));
    std::vector<double> room(12);
    Decoder good(bytes.size(), {ValueType::F64, 12, reinterpret_cast<std::byte *>(room.data())});
    good.add(bytes);
    EXPECT_TRUE(good.isComplete());
    EXPECT_EQ(room[11], m->view<double>().data[11]);
    Decoder bad(bytes.size(), {ValueType::F64, 11, reinterpret_cast<std::byte *>(room.data())});
    EXPECT_THROW(bad.add(bytes), WireError);
    Decoder other(bytes.size(), {ValueType::SI64, 12, reinterpret_cast<std::byte *>(room.data())});
    EXPECT_THROW(other.add(bytes), WireError);
}

TEST(Codec, ADestinationTakesNoTruthValuesThatAreNone) {
    Bytes bytes = bytesOf(Value(dense<uint8_t>(1, 2, ValueType::Bool)));
    bytes.back() = std::byte(7);
    std::byte room[2] = {};
    Decoder decoder(bytes.size(), {ValueType::Bool, 2, room});
    EXPECT_THROW(decoder.add(bytes), WireError);
    EXPECT_EQ(room[1], std::byte(0));
}

TEST(Crc, IsTheOneOfCastagnoli) {
    const char text[] = "123456789";
    EXPECT_EQ(crc32c(std::as_bytes(std::span(text, 9))), 0xe3069283u);
}

TEST(Frames, AreCheckedBeforeTheyAreOpened) {
    Bytes frame = frameOf(Transfer{7}, 3, 4);
    std::span<const std::byte> body;
    Envelope e = openFrame(frame, body);
    EXPECT_EQ(e.request, 3u);
    EXPECT_EQ(e.pipeline, 4u);
    EXPECT_EQ(read<Transfer>(body).object, 7u);
    auto rejects = [](Bytes bytes) {
        std::span<const std::byte> rest;
        EXPECT_THROW(openFrame(bytes, rest), WireError);
    };
    for (size_t n = 0; n < frame.size(); ++n)
        rejects(Bytes(frame.begin(), frame.begin() + static_cast<ptrdiff_t>(n)));
    Bytes damaged = frame;
    damaged[0] = std::byte(0);
    rejects(damaged);
    damaged = frame;
    damaged[4] = std::byte(kProtocolVersion + 1);
    rejects(damaged);
    damaged = frame;
    damaged[7] = std::byte(9); // type
    rejects(damaged);
    damaged = frame;
    damaged.push_back(std::byte(0));
    rejects(damaged);
}

TEST(Frames, BodiesMirrorEachOther) {
    Compute compute{1, "text", 2, 3, 4.5, 6.5, "site", {{Compute::Role::Kept, 9}}};
    compute.operands.push_back({Compute::Role::Exchanged, 10, 11});
    compute.isOffered = true;
    compute.allRows = 12, compute.firstRow = 13;
    compute.audience = {0, 3, 14};
    Compute back = read<Compute>(bodyOf(compute));
    EXPECT_EQ(back.operands[1].whole, 11u);
    EXPECT_EQ(back.audience, compute.audience);
    EXPECT_EQ(back.allRows, 12u);
    EXPECT_EQ(back.firstRow, 13u);
    EXPECT_EQ(bodyOf(back), bodyOf(compute));
    Hello hello{"b", "t", 100, 5, 6, {"--x=1"}};
    EXPECT_EQ(bodyOf(read<Hello>(bodyOf(hello))), bodyOf(hello));
    Free free{{1, 2, 3}};
    EXPECT_EQ(read<Free>(bodyOf(free)).objects, free.objects);
    Bytes lie = bodyOf(free);
    lie[2] = std::byte(1); // 65539 objects
    EXPECT_THROW(read<Free>(lie), WireError);
}

} // namespace

} // namespace daphne::dist
