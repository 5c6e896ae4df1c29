// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <limits>
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
    daphne_dense good{sizeof good, DAPHNE_F64, &x, 1, 1, 0};
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

TEST(Times, HaveCodesOfTheirOwn) {
    Engine engine;
    Results r = engine
                    .compile("d = date([\"1970-01-02\", \"\"]); t = timestamp(\"1970-01-01T00:00:01\"); e = hours(-1);",
                             {}, {"d", "t", "e"})
                    .run({});
    EXPECT_EQ(r["d"].describe().type, DAPHNE_DATE);
    EXPECT_EQ(r["d"].cell<int32_t>(0, 0), 1);
    EXPECT_EQ(r["d"].cell<int32_t>(1, 0), std::numeric_limits<int32_t>::min()) << "nat";
    EXPECT_EQ(r["t"].describe().type, DAPHNE_TIMESTAMP);
    EXPECT_EQ(r["t"].number<int64_t>(), 1'000'000);
    EXPECT_EQ(r["e"].describe().type, DAPHNE_DURATION);
    EXPECT_EQ(r["e"].number<int64_t>(), -3'600'000'000);
}

TEST(Times, ComeFromTheHost) {
    const int32_t days[] = {0, 59, std::numeric_limits<int32_t>::min()};
    daphne_dense view{sizeof view, DAPHNE_DATE, days, 3, 1, 0};
    daphne_value *value = nullptr;
    ASSERT_EQ(daphne_value_dense(&view, nullptr, nullptr, &value, nullptr), 0);
    Value dates(value);
    EXPECT_EQ(passedThrough(dates).describe().type, DAPHNE_DATE);
    Engine engine;
    Printed printed;
    engine.compile("print(D + 1);", {Input::like("D", dates)}).run({dates}, printed.options());
    EXPECT_EQ(printed.out, "DenseMatrix(3x1, date)\n1970-01-02\n1970-03-02\nnat\n");
    ASSERT_EQ(daphne_value_number(DAPHNE_DURATION, 1'500'000, &value, nullptr), 0);
    Value second(value);
    Printed text;
    engine.compile("print(x);", {Input::like("x", second)}).run({second}, text.options());
    EXPECT_EQ(text.out, "PT1.5S\n");
}

TEST(Times, ThatMakeNoSenseAreRefused) {
    const int32_t days[] = {0, 5'000'000};
    daphne_value *value = nullptr;
    daphne_dense view{sizeof view, DAPHNE_DATE, days, 2, 1, 0};
    EXPECT_EQ(daphne_value_dense(&view, nullptr, nullptr, &value, nullptr), DAPHNE_USAGE_ERROR)
        << "beyond the year 9999";
    EXPECT_EQ(daphne_value_number(DAPHNE_TIMESTAMP, uint64_t(1) << 62, &value, nullptr), DAPHNE_USAGE_ERROR);
    EXPECT_EQ(daphne_value_number(15, 0, &value, nullptr), DAPHNE_USAGE_ERROR);
    const uint64_t offsets[] = {0, 1};
    const uint32_t columns[] = {0};
    const int64_t cells[] = {1};
    daphne_csr sparse{sizeof sparse, DAPHNE_DURATION, 64, 32, offsets, columns, cells, 1, 1, DAPHNE_CANONICAL};
    EXPECT_EQ(daphne_value_csr(&sparse, nullptr, nullptr, &value, nullptr), DAPHNE_USAGE_ERROR);
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

/// A table with one column "t" of one number.
struct OneNumber {
    const char *format;
    int64_t number;
    int state = 0;
    ArrowSchema column{};
    ArrowArray cells{};
    ArrowSchema *columns[1] = {&column};
    ArrowArray *arrays[1] = {&cells};
    const void *buffers[2] = {nullptr, &number};
    const void *none[1] = {nullptr};

    ArrowArrayStream stream() {
        ArrowArrayStream s{};
        s.private_data = this;
        s.get_schema = [](ArrowArrayStream *s, ArrowSchema *out) {
            auto *self = static_cast<OneNumber *>(s->private_data);
            self->column = {
                self->format, "t", nullptr, 2, 0, nullptr, nullptr, [](ArrowSchema *c) { c->release = nullptr; },
                nullptr};
            *out = {"+s",   "", nullptr, 0, 1, self->columns, nullptr, [](ArrowSchema *c) { c->release = nullptr; },
                    nullptr};
            return 0;
        };
        s.get_next = [](ArrowArrayStream *s, ArrowArray *out) {
            auto *self = static_cast<OneNumber *>(s->private_data);
            *out = {};
            if (self->state++ > 0)
                return 0;
            auto release = [](ArrowArray *a) { a->release = nullptr; };
            self->cells = {1, 0, 0, 2, 0, self->buffers, nullptr, nullptr, release, nullptr};
            *out = {1, 0, 0, 1, 1, self->none, self->arrays, nullptr, release, nullptr};
            return 0;
        };
        s.get_last_error = [](ArrowArrayStream *) { return ""; };
        s.release = [](ArrowArrayStream *s) { s->release = nullptr; };
        return s;
    }
    Value taken() {
        ArrowArrayStream s = stream();
        return Value::take(&s).part(0);
    }
};

TEST(ArrowStreams, OfOtherUnitsAreConverted) {
    struct Case {
        const char *format;
        int64_t number;
        daphne_type type;
        int64_t wanted;
    };
    for (const Case &c : {Case{"tss:", 2, DAPHNE_TIMESTAMP, 2'000'000},
                          {"tsm:UTC", -1, DAPHNE_TIMESTAMP, -1'000},
                          {"tsu:Europe/Berlin", 7, DAPHNE_TIMESTAMP, 7},
                          {"tsn:", 3'000, DAPHNE_TIMESTAMP, 3},
                          {"tDs", 1, DAPHNE_DURATION, 1'000'000},
                          {"tDn", -4'000, DAPHNE_DURATION, -4}}) {
        Value column = OneNumber{c.format, c.number}.taken();
        EXPECT_EQ(column.describe().type, c.type) << c.format;
        EXPECT_EQ(column.cell<int64_t>(0, 0), c.wanted) << c.format;
    }
    Value days = OneNumber{"tdm", 2 * int64_t(86'400'000)}.taken();
    EXPECT_EQ(days.describe().type, DAPHNE_DATE);
    EXPECT_EQ(days.cell<int32_t>(0, 0), 2);
    for (OneNumber bad : {OneNumber{"tsn:", 1'500}, {"tdm", 1}, {"tss:", int64_t(1) << 62}, {"tsu:", int64_t(1) << 62}})
        EXPECT_NE(std::string(failureOf([&] { bad.taken(); }).what()).find("column \"t\", row 0"), std::string::npos);
}

TEST(ArrowStreams, CarryTimes) {
    Engine engine;
    Value f =
        engine
            .compile("F = {\"d\": date([\"1970-01-02\", \"\"]), \"t\": timestamp([\"1970-01-01\", \"1970-01-02\"]), "
                     "\"e\": hours([1, 2])};",
                     {}, {"F"})
            .run({})["F"];
    ArrowArrayStream stream{}, again{};
    f.stream(&stream);
    ArrowSchema schema{};
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.children[0]->format, "tdD");
    EXPECT_STREQ(schema.children[1]->format, "tsu:");
    EXPECT_STREQ(schema.children[2]->format, "tDu");
    schema.release(&schema);
    stream.release(&stream);
    f.stream(&again);
    Value g = Value::take(&again);
    EXPECT_EQ(g.labels(), (std::vector<std::string>{"d", "t", "e"})) << "nat needs no indicator";
    EXPECT_EQ(g.part(0).describe().type, DAPHNE_DATE);
    EXPECT_EQ(g.part(0).cell<int32_t>(1, 0), std::numeric_limits<int32_t>::min());
    EXPECT_EQ(g.part(1).cell<int64_t>(1, 0), 86'400'000'000);
    EXPECT_EQ(g.part(2).describe().type, DAPHNE_DURATION);
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
