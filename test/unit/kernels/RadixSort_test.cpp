// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "kernels/Run.h"
#include "kernels/reorganise/RadixSort.h"

namespace daphne::test {
namespace {

/// Cells in which everything occurs: ties, the limits of the type, zeros of both signs, infinities, NaNs.
template <class T> T anyCell(std::mt19937_64 &source) {
    switch (source() % 8) {
    case 0: return static_cast<T>(source() % 3);
    case 1: return std::numeric_limits<T>::lowest();
    case 2: return std::numeric_limits<T>::max();
    case 3: return std::is_signed_v<T> ? static_cast<T>(-0.0) : T(0);
    default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
        switch (source() % 6) {
        case 0: return std::numeric_limits<T>::quiet_NaN();
        case 1: return -std::numeric_limits<T>::quiet_NaN();
        case 2: return std::numeric_limits<T>::infinity();
        case 3: return -std::numeric_limits<T>::infinity();
        default: return static_cast<T>(std::ldexp(static_cast<double>(source() % 1000) - 500, int(source() % 40) - 20));
        }
    } else {
        return static_cast<T>(source());
    }
}

template <class T> bool comesBefore(T a, T b, bool ascending) {
    if (a != a || b != b)
        return a == a;
    return ascending ? a < b : b < a;
}

template <class T> std::vector<uint64_t> expectedOrder(const std::vector<T> &cells, bool ascending) {
    std::vector<uint64_t> order(cells.size());
    std::iota(order.begin(), order.end(), uint64_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](uint64_t a, uint64_t b) { return comesBefore<T>(cells[a], cells[b], ascending); });
    return order;
}

template <class T> class RadixSort : public testing::Test {};
using Numbers = testing::Types<bool, int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(RadixSort, Numbers);

template <class T> std::vector<T> columnOf(const Value &m, size_t c) {
    auto view = m.dense().view<T>();
    std::vector<T> result;
    for (size_t r = 0; r < view.rows; ++r)
        result.push_back(view(r, c));
    return result;
}

template <class T> Value randomMatrix(size_t rows, size_t cols, uint64_t seed) {
    std::mt19937_64 source(seed);
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->template mutableView<T>().data[i] = anyCell<T>(source);
    return m;
}

TYPED_TEST(RadixSort, OrdersLikeAStableSort) {
    using T = TypeParam;
    for (size_t n : {size_t(0), size_t(1), size_t(2), size_t(700), size_t(5000)}) {
        Value m = randomMatrix<T>(n, 2, n);
        for (bool ascending : {true, false}) {
            std::vector<uint64_t> found(n);
            auto view = m.dense().view<T>();
            RunContext context;
            radixOrder(context, valueTypeOf<T>(), view.data + 1, view.skip, n, ascending, found.data());
            EXPECT_EQ(found, expectedOrder(columnOf<T>(m, 1), ascending)) << n;
        }
    }
}

TYPED_TEST(RadixSort, SortsCellsAsTheirOrderSays) {
    using T = TypeParam;
    Value m = randomMatrix<T>(3000, 1, 42);
    std::vector<T> cells = columnOf<T>(m, 0);
    for (bool ascending : {true, false}) {
        Value sorted = run("order", {m, number(int64_t(0)), number(ascending), number(false)});
        std::vector<uint64_t> order = expectedOrder(cells, ascending);
        for (size_t i = 0; i < cells.size(); ++i) {
            T expected = cells[order[i]], found = sorted.dense().view<T>()(i, 0);
            ASSERT_EQ(std::memcmp(&expected, &found, sizeof(T)), 0) << i;
        }
    }
}

TYPED_TEST(RadixSort, RefinesRunsOfEqualRows) {
    using T = TypeParam;
    Value m = randomMatrix<T>(4000, 2, 7);
    auto view = m.dense().mutableView<T>();
    for (size_t r = 0; r < view.rows; ++r)
        view(r, 0) = static_cast<T>(r % 2);
    Value found =
        run("order", {windowed(m), number(int64_t(0)), number(int64_t(1)), number(false), number(true), number(true)});
    std::vector<uint64_t> order(view.rows);
    std::iota(order.begin(), order.end(), uint64_t(0));
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
        return view(a, 0) == view(b, 0) ? comesBefore<T>(view(a, 1), view(b, 1), true) : view(b, 0) < view(a, 0);
    });
    EXPECT_EQ(cells<uint64_t>(found), order);
}

} // namespace
} // namespace daphne::test
