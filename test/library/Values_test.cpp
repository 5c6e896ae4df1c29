// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>

#include "Library.h"

/// As Arrow's specification defines them.
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *out);
    int (*get_next)(ArrowArrayStream *, ArrowArray *out);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};

using namespace daphne;
using namespace daphne::test;

namespace {

/// The identity: what goes in comes out.
Value passedThrough(const Value &x) {
    static const Engine engine;
    return engine.compile("Y = X;", {Input::like("X", x)}, {"Y"}).run({x})["Y"];
}

TEST(DenseValues, AreBorrowedAndReturnedWithoutACopy) {
    std::vector<double> cells(1 << 20, 1.0);
    std::atomic<int> released{0};
    {
        Value x = Value::borrow(cells.data(), 1 << 10, 1 << 10, [&] { ++released; });
        EXPECT_EQ(x.dense().data, cells.data());
        Value y = passedThrough(x);
        EXPECT_EQ(y.dense().data, cells.data());
        x = Value();
        EXPECT_EQ(released, 0);
    }
    EXPECT_EQ(released, 1);
}

TEST(DenseValues, OfTheHostAreNeverWritten) {
    Engine engine;
    std::vector<double> cells(1000, 2.0);
    Program p =
        engine.compile("X = X + 1.0; X = X * 2.0; X[0, 0] = [100.0]; s = sum(X);", {Input::matrix("X")}, {"s", "X"});
    Results r = p.run({Value::borrow(cells.data(), 100, 10)});
    EXPECT_EQ(r["s"].number<double>(), 999 * 6.0 + 100.0);
    EXPECT_EQ(std::count(cells.begin(), cells.end(), 2.0), 1000);
    EXPECT_NE(r["X"].dense().data, cells.data());
}

TEST(DenseValues, MayHaveGapsBetweenRowsAndAnyAlignment) {
    std::vector<double> cells(60);
    for (size_t i = 0; i < cells.size(); ++i)
        cells[i] = double(i);
    Value window = Value::borrow(cells.data() + 2, 5, 3, {}, 12 * sizeof(double));
    EXPECT_EQ(window.dense().data, cells.data() + 2);
    EXPECT_EQ(window.cell<double>(4, 2), 52);
    static const Engine engine;
    EXPECT_EQ(engine.compile("s = sum(X);", {Input::matrix("X")}, {"s"}).run({window})["s"].number<double>(),
              5 * 3 * (2 + 3 + 4) / 3.0 + 3 * 12 * (0 + 1 + 2 + 3 + 4));
    alignas(8) char bytes[1 + 4 * sizeof(double)];
    for (int i = 0; i < 4; ++i) {
        double x = i + 0.5;
        std::memcpy(bytes + 1 + size_t(i) * sizeof x, &x, sizeof x);
    }
    std::atomic<int> released{0};
    Value copied = Value::borrow(reinterpret_cast<const double *>(bytes + 1), 2, 2, [&] { ++released; });
    EXPECT_EQ(released, 1) << "what is copied is released at once";
    EXPECT_EQ(copied.cell<double>(1, 1), 3.5);
}

template <class T> void expectRoundTrip(std::vector<T> cells) {
    Value y = passedThrough(Value::borrow(cells.data(), 1, cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
        EXPECT_EQ(std::memcmp(static_cast<const T *>(y.dense().data) + i, &cells[i], sizeof(T)), 0) << i;
}

TEST(DenseValues, OfEveryTypeGoThroughUnchanged) {
    double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    expectRoundTrip<double>({0, -0.0, inf, -inf, nan, 1e-310});
    expectRoundTrip<float>({1.5f, -2});
    expectRoundTrip<int8_t>({-128, 127});
    expectRoundTrip<uint8_t>({0, 255});
    expectRoundTrip<int32_t>({INT32_MIN, INT32_MAX});
    expectRoundTrip<uint32_t>({0, UINT32_MAX});
    expectRoundTrip<int64_t>({INT64_MIN, INT64_MAX});
    expectRoundTrip<uint64_t>({0, UINT64_MAX});
    const bool truth[] = {true, false, true};
    Value b = passedThrough(Value::borrow(truth, 3, 1));
    EXPECT_TRUE(b.cell<bool>(2, 0));
    EXPECT_FALSE(b.cell<bool>(1, 0));
}

TEST(DenseValues, MayBeEmpty) {
    EXPECT_EQ(passedThrough(Value::borrow(static_cast<const double *>(nullptr), 0, 3)).describe().cols, 3);
}

TEST(DenseValues, ThatMakeNoSenseAreRefused) {
    double x = 1;
    uint8_t notBool = 7;
    daphne_error *error = nullptr;
    daphne_value *value = nullptr;
    auto status = [&](daphne_dense view) {
        int s = daphne_value_dense(&view, nullptr, nullptr, &value, &error);
        daphne_error_free(std::exchange(error, nullptr));
        return s;
    };
    daphne_dense good{sizeof good, DAPHNE_F64, &x, 1, 1, 0, 0};
    auto with = [&](auto change) {
        daphne_dense view = good;
        change(view);
        return status(view);
    };
    EXPECT_EQ(with([](auto &v) { v.type = DAPHNE_STR; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([](auto &v) { v.type = 99; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([](auto &v) { v.data = nullptr; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([](auto &v) { v.rows = v.cols = uint64_t(1) << 40; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([](auto &v) { v.rows = 2, v.cols = 4, v.row_bytes = 8; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([](auto &v) { v.size = 0; }), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(with([&](auto &v) { v.type = DAPHNE_BOOL, v.data = &notBool; }), DAPHNE_USAGE_ERROR);
}

struct Sparse {
    std::vector<uint64_t> offsets{0, 2, 2, 3};
    std::vector<uint32_t> columns{0, 3, 1};
    std::vector<double> values{5, 6, 7};
    daphne_csr view() const {
        return {sizeof(daphne_csr), DAPHNE_F64,    64, 32, offsets.data(),
                columns.data(),     values.data(), 3,  4,  DAPHNE_CANONICAL};
    }
};

TEST(SparseValues, AreBorrowedAndReturnedWithoutACopy) {
    Sparse s;
    std::atomic<int> released{0};
    {
        Value x = Value::borrow(s.view(), [&] { ++released; });
        EXPECT_EQ(x.csr().values, s.values.data());
        EXPECT_EQ(x.csr().columns, s.columns.data());
        Value y = passedThrough(x);
        EXPECT_EQ(y.csr().offsets, s.offsets.data());
        EXPECT_EQ(y.kind(), DAPHNE_CSR);
    }
    EXPECT_EQ(released, 1);
}

TEST(SparseValues, WithNarrowOffsetsShareTheRest) {
    Sparse s;
    std::vector<uint32_t> offsets{0, 2, 2, 3};
    std::atomic<int> released{0};
    {
        daphne_csr view = s.view();
        view.offset_bits = 32;
        view.offsets = offsets.data();
        view.flags = 0;
        Value x = Value::borrow(view, [&] { ++released; });
        EXPECT_EQ(x.csr().values, s.values.data());
        EXPECT_EQ(x.csr().columns, s.columns.data());
        EXPECT_EQ(static_cast<const uint64_t *>(x.csr().offsets)[3], 3u);
        EXPECT_EQ(released, 0);
        Engine engine;
        EXPECT_EQ(engine.compile("s = sum(X);", {Input::matrix("X")}, {"s"}).run({x})["s"].number<double>(), 18);
    }
    EXPECT_EQ(released, 1);
}

TEST(SparseValues, WithNarrowOffsetsUnsortedOrDoubleColumnsAndZerosAreTidiedUp) {
    Engine engine;
    Program p = engine.compile("s = sum(X); r = sum(X, 0); n = nrow(X);", {Input::matrix("X")}, {"s", "r"});
    std::vector<uint32_t> offsets{0, 4, 4, 6};
    std::vector<uint64_t> columns{3, 0, 3, 1, 2, 0};
    std::vector<double> values{1, 2, 3, 0, 5, 6};
    daphne_csr view{sizeof view, DAPHNE_F64, 32, 64, offsets.data(), columns.data(), values.data(), 3, 4, 0};
    Value x = Value::borrow(view);
    daphne_csr tidy = x.csr();
    EXPECT_EQ(static_cast<const uint64_t *>(tidy.offsets)[3], 4u);
    Results r = p.run({x});
    EXPECT_EQ(r["s"].number<double>(), 17);
    EXPECT_EQ(r["r"].cell<double>(0, 0), 6);
    EXPECT_EQ(r["r"].cell<double>(2, 0), 11);
}

TEST(SparseValues, ThatAreBrokenAreRefused) {
    for (auto breakIt : std::vector<std::function<void(Sparse &, daphne_csr &)>>{
             [](Sparse &s, daphne_csr &) { s.offsets[1] = 9; },
             [](Sparse &s, daphne_csr &) { s.columns[1] = 4; },
             [](Sparse &s, daphne_csr &) { s.offsets[0] = 1; },
             [](Sparse &, daphne_csr &v) { v.offset_bits = 16; },
             [](Sparse &, daphne_csr &v) { v.offsets = nullptr; },
         }) {
        Sparse s;
        daphne_csr view = s.view();
        view.flags = 0; // not promised
        breakIt(s, view);
        EXPECT_EQ(failureOf([&] { Value::borrow(view); }).status(), DAPHNE_USAGE_ERROR);
    }
}

TEST(SparseValues, ThatAreRowsOfOthersComeOutWhole) {
    Engine engine;
    Sparse s;
    Value y = engine.compile("Y = X[2:3, ];", {Input::matrix("X")}, {"Y"}).run({Value::borrow(s.view())})["Y"];
    if (y.kind() == DAPHNE_CSR)
        EXPECT_EQ(*static_cast<const uint64_t *>(y.csr().offsets), 0u);
    EXPECT_EQ(engine.compile("s = sum(X);", {Input::like("X", y)}, {"s"}).run({y})["s"].number<double>(), 7);
}

TEST(Numbers, OfEveryTypeGoThrough) {
    EXPECT_EQ(passedThrough(Value::number(int8_t(-3))).number<int>(), -3);
    EXPECT_EQ(passedThrough(Value::number(uint8_t(200))).number<int>(), 200);
    EXPECT_EQ(passedThrough(Value::number(UINT64_MAX)).number<uint64_t>(), UINT64_MAX);
    EXPECT_EQ(passedThrough(Value::number(1.5f)).number<double>(), 1.5);
    EXPECT_EQ(passedThrough(Value::number(true)).number<bool>(), true);
    EXPECT_EQ(passedThrough(Value::text("Grüße\n")).text(), "Grüße\n");
}

TEST(Frames, AreMadeOfColumnsAndTakenApart) {
    Engine engine;
    Value f =
        Value::frame({"a", "b"}, {Value::matrix<int64_t>({1, 2, 3}, 3, 1), Value::matrix<double>({1.5, 2, 3}, 3, 1)});
    Value g = engine
                  .compile("registerView(\"f\", F); G = sql(\"SELECT f.a, f.b * 2.0 AS c FROM f WHERE f.a > 1;\");",
                           {Input::frame("F")}, {"G"})
                  .run({f})["G"];
    ASSERT_EQ(g.labels().size(), 2u);
    EXPECT_EQ(g.part(1).cell<double>(1, 0), 6);
    EXPECT_FALSE(g.part(2));
    EXPECT_NE(failureOf([&] { Value::frame({"a", "a"}, {f.part(0), f.part(0)}); }).status(), 0);
}

TEST(Lists, AreMadeOfAnyValuesAndTakenApart) {
    Value l = passedThrough(Value::list({Value::matrix<double>({1}, 1, 1), Value::matrix<double>({2, 3}, 2, 1)}));
    ASSERT_EQ(l.length(), 2u);
    EXPECT_EQ(l.part(1).cell<double>(1, 0), 3);
    Value mixed = passedThrough(Value::list({Value::number(1.5), Value::list({}), Value::matrix<float>({1}, 1, 1)}));
    ASSERT_EQ(mixed.length(), 3u);
    EXPECT_EQ(mixed.part(0).number<double>(), 1.5);
    EXPECT_EQ(mixed.part(1).kind(), DAPHNE_LIST);
    EXPECT_EQ(mixed.part(1).length(), 0u);
    EXPECT_EQ(mixed.part(2).kind(), DAPHNE_DENSE);
}

TEST(Functions, BelongToTheProgramThatMadeThem) {
    const Engine engine;
    Value f = engine.compile("f = x -> x + 1;", {}, {"f"}).run({})["f"];
    EXPECT_EQ(f.kind(), DAPHNE_FUNCTION);
    auto other = engine.compile("g = x -> x * 100; l = list(g); g = f; y = g(1);", {Input::like("f", f)}, {"y"});
    EXPECT_NE(failureOf([&] { other.run({f}); }).message().find("no function of the program"), std::string::npos);
}

TEST(ArrowStreams, OfFramesShareNumbersAndComeBack) {
    std::vector<double> cells{1.5, 2.5, 3.5};
    std::vector<std::string> names{"x", "", "a longer name"};
    Value f;
    {
        const char *texts[] = {"x", "", "a longer name"};
        daphne_value *strings = nullptr;
        ASSERT_EQ(daphne_value_strings(texts, 3, 1, &strings, nullptr), 0);
        const bool truth[] = {true, false, true};
        f = Value::frame({"number", "name", "truth"},
                         {Value::borrow(cells.data(), 3, 1), Value(strings), Value::borrow(truth, 3, 1)});
    }
    ArrowArrayStream stream{};
    f.stream(&stream);
    ArrowArray batch{};
    ArrowArrayStream copy{};
    f.stream(&copy);
    ASSERT_EQ(copy.get_next(&copy, &batch), 0);
    EXPECT_EQ(batch.children[0]->buffers[1], cells.data()) << "numbers are not copied";
    batch.release(&batch);
    copy.release(&copy);
    Value g = Value::take(&stream);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_EQ(g.labels(), (std::vector<std::string>{"number", "name", "truth"}));
    EXPECT_EQ(g.part(0).dense().data, cells.data()) << "neither on the way back";
    EXPECT_EQ(g.part(1).text(2, 0), "a longer name");
    EXPECT_TRUE(g.part(2).cell<bool>(2, 0));
    f = Value();
    EXPECT_EQ(g.part(0).cell<double>(2, 0), 3.5);
}

} // namespace

// ---- since 1.1

TEST(DenseValues, AreExclusiveWhereNobodyElseSeesTheCells) {
    Engine engine;
    std::vector<double> cells{1, 2, 3, 4};
    Value x = Value::borrow(cells.data(), 2, 2);
    std::optional<Results> r = engine.compile("A = X + 1; C = X;", {Input::matrix("X")}, {"A", "C"}).run({x});
    Value a = (*r)["A"], c = (*r)["C"];
    EXPECT_FALSE(a.dense().flags & DAPHNE_EXCLUSIVE); // the results have it, too
    r.reset();
    EXPECT_TRUE(a.dense().flags & DAPHNE_EXCLUSIVE);
    {
        Value other = a;
        EXPECT_FALSE(a.dense().flags & DAPHNE_EXCLUSIVE); // another handle
    }
    EXPECT_TRUE(a.dense().flags & DAPHNE_EXCLUSIVE);
    EXPECT_FALSE(c.dense().flags & DAPHNE_EXCLUSIVE); // cells of the caller
}

TEST(DenseValues, OfCallersThatKnowTheFirstVersionOnly) {
    struct {
        daphne_dense view;
        uint64_t canary;
    } old{};
    old.view.flags = old.canary = 7;
    Engine engine;
    Value x = engine.compile("A = fill(1.0, 2, 2);", {}, {"A"}).run({})["A"];
    ASSERT_EQ(daphne_get_dense(x.get(), &old.view, nullptr), DAPHNE_OK);
    EXPECT_EQ(old.view.rows, 2u);
    EXPECT_EQ(old.view.flags, 7u);
    EXPECT_EQ(old.canary, 7u);
}

namespace {

Value packed(const std::string &bytes, const std::vector<int64_t> &offsets, uint64_t rows, uint64_t cols) {
    daphne_value *value = nullptr;
    daphne_error *error = nullptr;
    if (daphne_value_packed_strings(bytes.data(), offsets.data(), rows, cols, &value, &error))
        throw Error(error);
    return Value(value);
}

std::vector<std::string> unpacked(const Value &value, size_t cells) {
    const char *bytes = nullptr;
    const int64_t *offsets = nullptr;
    daphne_error *error = nullptr;
    if (daphne_get_packed_strings(value.get(), &bytes, &offsets, &error))
        throw Error(error);
    std::vector<std::string> all;
    for (size_t i = 0; i < cells; ++i)
        all.emplace_back(bytes + offsets[i], bytes + offsets[i + 1]);
    return all;
}

} // namespace

TEST(Strings, ComeAndGoPacked) {
    std::string bytes("ab\0c\xc3\xa4", 6);
    Value x = packed(bytes, {0, 2, 2, 4, 6}, 2, 2);
    EXPECT_EQ(x.text(0, 0), "ab");
    EXPECT_EQ(x.text(0, 1), "");
    EXPECT_EQ(unpacked(x, 4), (std::vector<std::string>{"ab", "", std::string("\0c", 2), "\xc3\xa4"}));
    EXPECT_EQ(unpacked(packed("", {0}, 0, 3), 0), std::vector<std::string>{});
    EXPECT_EQ(failureOf([] { packed("ab", {0, 2, 1}, 2, 1); }).status(), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(failureOf([] { unpacked(Value::number(1.0), 1); }).status(), DAPHNE_USAGE_ERROR);
}

TEST(Strings, HaveCodes) {
    Value x = packed("yesnoyes", {0, 3, 5, 8}, 3, 1);
    daphne_dense codes{};
    codes.size = sizeof codes;
    daphne_value *strings = nullptr;
    ASSERT_EQ(daphne_get_codes(x.get(), &codes, &strings, nullptr), DAPHNE_OK);
    Value distinct(strings);
    EXPECT_EQ(codes.type, static_cast<uint32_t>(DAPHNE_UI32));
    auto *numbers = static_cast<const uint32_t *>(codes.data);
    EXPECT_EQ(distinct.text(numbers[0]), "yes");
    EXPECT_EQ(distinct.text(numbers[1]), "no");
    EXPECT_EQ(numbers[0], numbers[2]);
    EXPECT_EQ(distinct.describe().rows, 2);
    EXPECT_EQ(daphne_get_codes(Value::number(1.0).get(), &codes, &strings, nullptr), DAPHNE_USAGE_ERROR);
}

namespace {

/// A stream of one batch with one column of strings by views: a short one and one in a buffer of its own.
struct ViewedStrings {
    const char text[17] = "and a longer one";
    char views[2][16] = {};
    const void *buffers[4] = {nullptr, views, text, nullptr};
    ArrowSchema column{}, *columns = &column;
    ArrowArray cells{}, *children = &cells;
    bool isDone = false;
    ViewedStrings() {
        const int32_t shortLength = 3, longLength = 16, none = 0;
        std::memcpy(views[0], &shortLength, 4);
        std::memcpy(views[0] + 4, "abc", 3);
        std::memcpy(views[1], &longLength, 4);
        std::memcpy(views[1] + 4, text, 4);
        std::memcpy(views[1] + 8, &none, 4);
        std::memcpy(views[1] + 12, &none, 4);
    }
    ArrowArrayStream stream() {
        ArrowArrayStream made{};
        made.private_data = this;
        made.get_schema = [](ArrowArrayStream *s, ArrowSchema *out) {
            auto *self = static_cast<ViewedStrings *>(s->private_data);
            self->column.format = "vu";
            self->column.name = "s";
            *out = {};
            out->format = "+s";
            out->n_children = 1;
            out->children = &self->columns;
            out->release = [](ArrowSchema *schema) { schema->release = nullptr; };
            return 0;
        };
        made.get_next = [](ArrowArrayStream *s, ArrowArray *out) {
            auto *self = static_cast<ViewedStrings *>(s->private_data);
            *out = {};
            if (std::exchange(self->isDone, true))
                return 0;
            self->cells.length = out->length = 2;
            self->cells.n_buffers = 4;
            self->cells.buffers = self->buffers;
            out->n_children = 1;
            out->children = &self->children;
            out->release = [](ArrowArray *array) { array->release = nullptr; };
            return 0;
        };
        made.get_last_error = [](ArrowArrayStream *) -> const char * { return nullptr; };
        made.release = [](ArrowArrayStream *s) { s->release = nullptr; };
        return made;
    }
};

} // namespace

TEST(ArrowStreams, MayHaveStringsByViews) {
    ViewedStrings source;
    ArrowArrayStream stream = source.stream();
    Value f = Value::take(&stream);
    EXPECT_EQ(f.part(0).text(0, 0), "abc");
    EXPECT_EQ(f.part(0).text(1, 0), "and a longer one");
}
