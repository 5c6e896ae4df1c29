// SPDX-License-Identifier: Apache-2.0
#include "data/CsrEntries.h"

#include <gtest/gtest.h>

#include "base/Error.h"

namespace daphne {
namespace {

Ref<Dense> denseOf(size_t rows, size_t cols, std::initializer_list<double> cells) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    std::copy(cells.begin(), cells.end(), m->mutableView<double>().data);
    return m;
}

std::vector<double> cellsOf(const Csr &m) {
    auto dense = toDense(m);
    auto v = dense->view<double>();
    return {v.data, v.data + dense->cells()};
}

TEST(Csr, ConversionsThereAndBackKeepTheCellsAndStoreNoZeros) {
    auto m = toCsr(*denseOf(2, 3, {0, 1.5, 0, -2, -0.0, 4}));
    m->check();
    EXPECT_EQ(m->nonZeros(), 3u);
    EXPECT_EQ(cellsOf(*m), (std::vector<double>{0, 1.5, 0, -2, 0, 4}));
}

TEST(Csr, RowWindowsShareTheCells) {
    auto m = toCsr(*denseOf(3, 2, {1, 2, 0, 3, 4, 0}));
    auto window = Csr::rowWindow(*m, 1, 3);
    window->check();
    EXPECT_EQ(window->nonZeros(), 2u);
    EXPECT_EQ(window->offsets()[0], 2u);
    EXPECT_EQ(window->values<double>(), m->values<double>());
    EXPECT_EQ(cellsOf(*window), (std::vector<double>{0, 3, 4, 0}));
    m = {};
    EXPECT_EQ(cellsOf(*window), (std::vector<double>{0, 3, 4, 0}));
}

TEST(Csr, ColumnNumbersAreNarrowWhereTheyFit) {
    EXPECT_FALSE(Csr::create(ValueType::F64, 1, size_t(1) << 32, 0)->hasWideIndex());
    EXPECT_TRUE(Csr::create(ValueType::F64, 1, (size_t(1) << 32) + 1, 0)->hasWideIndex());
}

TEST(Csr, ShapesWhoseCellsCannotBeCountedAreRefused) {
    EXPECT_THROW(Csr::create(ValueType::F64, size_t(1) << 40, size_t(1) << 40, 0), Error);
    EXPECT_THROW(Csr::create(ValueType::F64, 1, 1, size_t(1) << 62), Error);
}

TEST(Csr, StoredZerosAreDropped) {
    auto m = toCsr(*denseOf(2, 2, {1, 2, 3, 4}));
    m->mutableValues<double>()[1] = 0;
    m->mutableValues<double>()[2] = -0.0;
    EXPECT_THROW(m->check(), Error);
    auto clean = withoutZeros(m);
    clean->check();
    EXPECT_EQ(cellsOf(*clean), (std::vector<double>{1, 0, 0, 4}));
}

TEST(Csr, PatternsAreOnes) {
    Entries<double> entries;
    entries.add(1, 2);
    entries.add(0, 1);
    auto m = csrFromEntries(entries, ValueType::F64, 2, 3, SamePlace::LastCounts);
    m->check();
    EXPECT_TRUE(m->isPattern());
    EXPECT_EQ(cellsOf(*m), (std::vector<double>{0, 1, 0, 0, 0, 1}));
    auto stored = withValues(*m);
    EXPECT_FALSE(stored->isPattern());
    EXPECT_EQ(cellsOf(*stored), cellsOf(*m));
}

TEST(CsrEntries, AnyOrderAndRepeatedPlaces) {
    Entries<double> entries;
    entries.add(1, 2, 5);
    entries.add(0, 1, 7);
    entries.add(1, 0, 1);
    entries.add(1, 2, 6);
    entries.add(0, 0, 0);
    auto last = csrFromEntries(entries, ValueType::F64, 2, 3, SamePlace::LastCounts);
    last->check();
    EXPECT_EQ(cellsOf(*last), (std::vector<double>{0, 7, 0, 1, 0, 6}));
    auto added = csrFromEntries(entries, ValueType::F64, 2, 3, SamePlace::Add);
    EXPECT_EQ(cellsOf(*added), (std::vector<double>{0, 7, 0, 1, 0, 11}));
}

TEST(CsrEntries, SumsThatCancelAreNotStored) {
    Entries<double> entries;
    entries.add(0, 0, 5);
    entries.add(0, 0, -5);
    auto m = csrFromEntries(entries, ValueType::F64, 1, 1, SamePlace::Add);
    m->check();
    EXPECT_EQ(m->nonZeros(), 0u);
}

} // namespace
} // namespace daphne
