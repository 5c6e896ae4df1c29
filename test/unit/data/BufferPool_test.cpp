// SPDX-License-Identifier: Apache-2.0
#include "data/BufferPool.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

#include "data/Dense.h"

namespace daphne {
namespace {

constexpr size_t kBlock = size_t(16) << 20;

TEST(BufferPool, ABlockThatWasFreedIsUsedAgain) {
    PooledBlock a = allocatePooled(kBlock);
    std::memset(a.data, 1, kBlock);
    freePooled(a.data);
    PooledBlock b = allocatePooled(kBlock - 5000);
    EXPECT_EQ(a.data, b.data);
    EXPECT_FALSE(b.zeroed);
    freePooled(b.data);
}

TEST(BufferPool, BlocksAreAlignedToHugePages) {
    PooledBlock a = allocatePooled(kBlock);
    EXPECT_EQ(reinterpret_cast<size_t>(a.data) % (size_t(2) << 20), 0u);
    freePooled(a.data);
}

TEST(BufferPool, BlocksOfLessThanAHugePageAreUsedAgain) {
    constexpr size_t kSmall = 1'600'000;
    PooledBlock a = allocatePooled(kSmall);
    std::memset(a.data, 1, kSmall);
    size_t inUse = bufferPoolState().inUse;
    freePooled(a.data);
    EXPECT_LE(inUse - bufferPoolState().inUse, kSmall + (size_t(64) << 10));
    PooledBlock b = allocatePooled(kSmall);
    EXPECT_EQ(a.data, b.data);
    freePooled(b.data);
}

TEST(BufferPool, WhatItKeepsNeverExceedsThePeakOfUse) {
    for (size_t n = 1; n <= 8; ++n) {
        PooledBlock a = allocatePooled(n * kBlock), b = allocatePooled(kBlock);
        freePooled(a.data);
        BufferPoolState now = bufferPoolState();
        EXPECT_LE(now.inUse + now.kept, now.peakInUse);
        freePooled(b.data);
    }
}

TEST(BufferPool, SharedBlocksAreMappedByOthersAndStayAsTheyAre) {
    EXPECT_EQ(allocateShared(kLeastShared - 1), nullptr);
    EXPECT_EQ(allocateShared(~size_t(0)), nullptr);
    BufferPoolState start = bufferPoolState();
    struct {
        std::byte *data;
    } a{allocateShared(kBlock)};
    ASSERT_TRUE(a.data);
    EXPECT_EQ(bufferPoolState().inUse, start.inUse + kBlock);
    EXPECT_LE(bufferPoolState().inUse + bufferPoolState().kept, bufferPoolState().peakInUse);
    PooledBlock later = allocatePooled(kBlock);
    EXPECT_FALSE(sharedPlaceOf(later.data));
    EXPECT_FALSE(sharedPlaceOf(a.data - 1));
    EXPECT_FALSE(sharedPlaceOf(a.data + kBlock));
    std::memset(a.data, 3, kBlock);
    std::optional<SharedPlace> place = sharedPlaceOf(a.data + 4711);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset, 4711u);
    std::optional<ForeignBlock> foreign = mapForeign(place->file);
    ASSERT_TRUE(foreign);
    EXPECT_EQ(foreign->size, kBlock);
    EXPECT_FALSE(sharedPlaceOf(foreign->data)); // somebody else's
    EXPECT_NE(foreign->data, a.data);
    // Both sides begin where huge pages can.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data) % (size_t(2) << 20), 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(foreign->data) % (size_t(2) << 20), 0u);
    a.data[4711] = std::byte(5);
    EXPECT_EQ(foreign->data[4711], std::byte(5));
    BufferPoolState before = bufferPoolState();
    freePooled(a.data);
    EXPECT_EQ(bufferPoolState().kept, before.kept);
    EXPECT_EQ(bufferPoolState().inUse, before.inUse - kBlock);
    // Nobody writes to what the other side sees.
    PooledBlock next = allocatePooled(kBlock);
    std::memset(next.data, 9, kBlock);
    EXPECT_EQ(foreign->data[4711], std::byte(5));
    EXPECT_EQ(foreign->data[4712], std::byte(3));
    for (std::byte *data : {foreign->data, next.data, later.data})
        freePooled(data);
}

TEST(BufferPool, FilesThatMayShrinkAreNotMapped) {
    FILE *file = std::tmpfile();
    ASSERT_TRUE(file);
    ASSERT_EQ(ftruncate(fileno(file), static_cast<off_t>(kBlock)), 0);
    EXPECT_FALSE(mapForeign(fileno(file)));
    std::fclose(file);
    EXPECT_FALSE(mapForeign(-1));
}

TEST(BufferPool, ZeroedMatricesAreZeroInRecycledMemory) {
    auto dirty = Dense::create(ValueType::F64, 1024, 1024);
    std::fill_n(dirty->mutableView<double>().data, dirty->cells(), 3.0);
    dirty = {};
    auto m = Dense::create(ValueType::F64, 1024, 1024, Buffer::Init::Zero);
    EXPECT_EQ(m->view<double>()(1000, 17), 0.0);
    EXPECT_EQ(m->view<double>()(0, 0), 0.0);
}

TEST(BufferPool, ImpossibleSizesThrow) {
    EXPECT_THROW(allocatePooled(~size_t(0) - 10), std::bad_alloc);
    EXPECT_THROW(allocatePooled(size_t(1) << 62), std::bad_alloc);
}

} // namespace
} // namespace daphne
