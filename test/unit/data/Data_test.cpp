// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/Error.h"
#include "data/Value.h"

using namespace daphne;

namespace {

/// Tells when it is destroyed.
class Witness final : public Object {
  public:
    explicit Witness(std::atomic<int> &destroyed) : Object(ObjectKind::String), destroyed(destroyed) {}

  private:
    ~Witness() override { ++destroyed; }
    std::atomic<int> &destroyed;
};

TEST(Objects, AreFreedWithTheirLastReference) {
    std::atomic<int> destroyed{0};
    auto first = Ref<Witness>::make(destroyed);
    EXPECT_TRUE(first->unique());
    {
        Ref<Witness> second = first;
        EXPECT_FALSE(first->unique());
    }
    EXPECT_TRUE(first->unique());
    EXPECT_EQ(destroyed, 0);
    first = {};
    EXPECT_EQ(destroyed, 1);
}

TEST(Objects, MayBeMadeOnOneThreadAndDieOnAnother) {
    std::atomic<int> destroyed{0};
    std::vector<std::thread> threads;
    {
        auto shared = Ref<Witness>::make(destroyed);
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([shared]() mutable {
                for (int i = 0; i < 10000; ++i)
                    Ref<Witness> copy = shared;
                shared = {};
            });
    }
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(destroyed, 1);
}

TEST(DenseMatrices, WindowsShareCellsAndForbidUpdates) {
    auto m = Dense::create(ValueType::SI64, 3, 4, Buffer::Init::Zero);
    m->mutableView<int64_t>()(1, 2) = 7;
    EXPECT_TRUE(m->isExclusive());
    auto w = Dense::window(*m, 1, 3, 2, 4);
    EXPECT_EQ(w->rows(), 2u);
    EXPECT_EQ(w->view<int64_t>()(0, 0), 7);
    EXPECT_FALSE(w->contiguous());
    EXPECT_FALSE(m->isExclusive());
    auto c = w->copy();
    EXPECT_TRUE(c->contiguous());
    EXPECT_EQ(c->view<int64_t>()(0, 0), 7);
}

TEST(DenseMatrices, CellsAreAlignedWhateverTheirNumber) {
    for (size_t n : {0, 1, 7, 128, 129, 5000}) {
        auto m = Dense::create(ValueType::F64, n, 1);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(m->view<double>().data) % 64, 0u) << n;
    }
}

TEST(DenseMatrices, ImpossibleSizesAreErrorsNotCrashes) {
    EXPECT_THROW(Dense::create(ValueType::F64, ~size_t(0) / 2, 3), Error);
    EXPECT_THROW(Dense::create(ValueType::F64, size_t(1) << 45, size_t(1) << 10), Error);
}

TEST(DenseMatrices, StringCellsStartEmpty) {
    auto m = Dense::create(ValueType::Str, 100, 1);
    EXPECT_EQ(m->view<std::string>()(99, 0), "");
}

TEST(Values, KeepTheirBits) {
    EXPECT_EQ(Value::scalar<int8_t>(-3).as<int64_t>(), -3);
    EXPECT_EQ(Value::scalar<uint8_t>(200).as<int64_t>(), 200);
    EXPECT_EQ(Value::scalar(1.5f).as<double>(), 1.5);
    EXPECT_EQ(Value::scalar(true).as<double>(), 1.0);
    EXPECT_EQ(Value::size(~uint64_t(0)).as<uint64_t>(), ~uint64_t(0));
    EXPECT_EQ(Value::size(5).scalarType(), ValueType::Size);
    EXPECT_TRUE(Value::string("a").isObject());
    EXPECT_FALSE(Value::scalar(1.0).isObject());
}

TEST(Conversions, TruncateSaturateAndWrap) {
    double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(convertNumber<int64_t>(-1.9), -1);
    EXPECT_EQ(convertNumber<int64_t>(std::nan("")), 0);
    EXPECT_EQ(convertNumber<int64_t>(inf), INT64_MAX);
    EXPECT_EQ(convertNumber<int64_t>(-inf), INT64_MIN);
    EXPECT_EQ(convertNumber<uint64_t>(1e19), 10000000000000000000ull);
    EXPECT_EQ(convertNumber<uint64_t>(-1.0), ~uint64_t(0));
    EXPECT_EQ(convertNumber<int8_t>(int64_t(300)), 44);
    EXPECT_EQ(convertNumber<bool>(0.5), true);
}

TEST(Frames, RejectDuplicateLabelsAndWrongLengths) {
    Ref<Frame> f = Ref<Frame>::make(size_t(2));
    f->addColumn("a", Dense::create(ValueType::F64, 2, 1));
    EXPECT_THROW(f->addColumn("a", Dense::create(ValueType::F64, 2, 1)), Error);
    EXPECT_THROW(f->addColumn("b", Dense::create(ValueType::F64, 3, 1)), Error);
    EXPECT_THROW(f->addColumn("b", Dense::create(ValueType::F64, 2, 2)), Error);
    EXPECT_EQ(f->find("a"), 0u);
    EXPECT_EQ(f->find("zz"), Frame::npos);
}

} // namespace
