// SPDX-License-Identifier: Apache-2.0
/// What every format must do, for every row of the table: values of all types,
/// both representations, special values and odd shapes come back as they were
/// written; damaged files are errors.
#include <cmath>
#include <limits>
#include <random>

#include "data/CopyCells.h"
#include "io/FormatTable.h"
#include "io/TempDir.h"

namespace daphne::test {
namespace {

constexpr ValueType kTypes[] = {ValueType::Bool, ValueType::SI8,  ValueType::UI8, ValueType::SI32, ValueType::UI32,
                                ValueType::SI64, ValueType::UI64, ValueType::F32, ValueType::F64,  ValueType::Str};

/// Cells with the limits and special values of their type first.
Ref<Dense> sample(ValueType type, size_t rows, size_t cols, bool sparse = false) {
    auto m = Dense::create(type, rows, cols, Buffer::Init::Zero);
    withValueType(type, [&]<class T>(TypeTag<T>) {
        std::vector<T> values;
        if constexpr (std::is_same_v<T, std::string>) {
            values = {"",        "plain", "a,b", "say \"x\"", "two\nlines", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                      " blank ", "7"};
        } else {
            using Limits = std::numeric_limits<T>;
            values = {T(0), T(1), Limits::max(), Limits::lowest(), T(7)};
            if constexpr (std::is_floating_point_v<T>)
                values = {T(0.1),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::max(),
                          Limits::denorm_min(),
                          T(-2.5),
                          T(1) / T(3)};
        }
        auto out = m->mutableView<T>();
        for (size_t i = 0; i < m->cells(); ++i)
            if (!sparse || i % 7 == 0)
                out.data[i] = values[(i / (sparse ? 7 : 1)) % values.size()];
    });
    return m;
}

void expectEqual(const Dense &a, const Dense &b, const std::string &what) {
    ASSERT_EQ(a.shapeText(), b.shapeText()) << what;
    ASSERT_EQ(dslName(a.type()), dslName(b.type())) << what;
    withValueType(a.type(), [&]<class T>(TypeTag<T>) {
        auto x = cellsOf<T>(a), y = cellsOf<T>(b);
        for (size_t i = 0; i < x.size(); ++i) {
            bool nan = false;
            if constexpr (std::is_floating_point_v<T>)
                nan = std::isnan(x[i]) && std::isnan(y[i]);
            ASSERT_TRUE(nan || x[i] == y[i]) << what << ", cell " << i;
        }
    });
}

class EveryFormat : public InTempDir {
  protected:
    static bool holdsStrings(const io::Format &f) { return f.extension != "mtx" && f.extension != "dbdf"; }
};

constexpr std::pair<size_t, size_t> kShapes[] = {{3, 4}, {1, 9}, {9, 1}, {1, 1}, {0, 3}, {3, 0}, {0, 0}};

TEST_F(EveryFormat, ReturnsMatricesOfAllTypesAndShapes) {
    for (const io::Format &f : io::FormatTable::get().all()) {
        if (!f.writeMatrix)
            continue;
        for (ValueType type : kTypes)
            for (auto [rows, cols] : kShapes) {
                if (type == ValueType::Str && !holdsStrings(f))
                    continue;
                std::string name = path("m." + std::string(f.extension));
                std::string what = std::string(f.extension) + " " + std::string(dslName(type)) + " " +
                                   std::to_string(rows) + "x" + std::to_string(cols);
                auto m = sample(type, rows, cols);
                ASSERT_EQ(failureOf([&] { io::write(m, name); }), "") << what;
                Value again;
                ASSERT_EQ(failureOf([&] { again = io::readMatrix(name); }), "") << what;
                expectEqual(*m, again.dense(), what);
                // A part of a larger matrix.
                if (rows == 3 && cols == 4) {
                    auto part = Dense::window(*m, 1, 3, 1, 3);
                    io::write(part, name);
                    expectEqual(*part, io::readMatrix(name).dense(), what + " window");
                }
            }
    }
}

TEST_F(EveryFormat, ReturnsSparseMatrices) {
    for (const io::Format &f : io::FormatTable::get().all())
        for (ValueType type : kTypes) {
            if (!f.writeMatrix || type == ValueType::Str)
                continue;
            std::string name = path("s." + std::string(f.extension));
            auto m = toCsr(*sample(type, 20, 15, true));
            for (auto part : {m, Csr::rowWindow(*m, 3, 17)}) {
                io::write(part, name);
                Value again = io::readMatrix(name, {.csr = f.extension != "csv"});
                if (again.isCsr())
                    again.csr().check();
                expectEqual(*toDense(*part), again.isCsr() ? *toDense(again.csr()) : again.dense(),
                            std::string(f.extension) + " " + std::string(dslName(type)));
            }
        }
}

TEST_F(EveryFormat, ReturnsFrames) {
    for (const io::Format &f : io::FormatTable::get().all()) {
        if (!f.writeFrame)
            continue;
        for (size_t rows : {0, 1, 8}) {
            auto frame = Ref<Frame>::make(rows);
            for (ValueType type : kTypes)
                frame->addColumn("c_" + std::string(dslName(type)), sample(type, rows, 1));
            std::string name = path("f." + std::string(f.extension)), what = std::string(f.extension);
            ASSERT_EQ(failureOf([&] { io::write(frame, name); }), "") << what;
            Value again;
            ASSERT_EQ(failureOf([&] { again = io::readFrame(name); }), "") << what;
            ASSERT_EQ(again.frame().cols(), frame->cols()) << what;
            EXPECT_EQ(again.frame().labels, frame->labels) << what;
            for (size_t c = 0; c < frame->cols(); ++c) {
                auto column = converted(*again.frame().columns[c], frame->columns[c]->type());
                expectEqual(*frame->columns[c], *column, what + " " + frame->labels[c]);
            }
        }
    }
}

TEST_F(EveryFormat, WorksCompressed) {
    auto m = sample(ValueType::F64, 300, 5);
    for (const io::Format &f : io::FormatTable::get().all())
        for (const char *ending : {".gz", ".zst"}) {
            std::string name = path("c." + std::string(f.extension) + ending);
            if (!f.writeMatrix)
                continue;
            if (!f.compressible) {
                EXPECT_NE(failureOf([&] { io::write(m, name); }), "");
                continue;
            }
            io::write(m, name);
            expectEqual(*m, io::readMatrix(name).dense(), name);
            std::string bytes = content("c." + std::string(f.extension) + ending);
            put("c." + std::string(f.extension) + ending, bytes.substr(0, bytes.size() / 2));
            EXPECT_NE(failureOf([&] { io::readMatrix(name); }), "") << name;
        }
}

TEST_F(EveryFormat, IsReadFromItsOwnHeaderWithoutMetadata) {
    for (const io::Format &f : io::FormatTable::get().all()) {
        if (!f.writeMatrix)
            continue;
        auto m = sample(ValueType::F64, 3, 4);
        std::string name = "m." + std::string(f.extension);
        io::write(m, path(name));
        std::filesystem::remove(path(name + ".meta"));
        expectEqual(*m, io::readMatrix(path(name)).dense(), name);
        if (f.describe) {
            auto info = io::inspect(path(name), false);
            ASSERT_TRUE(info) << name;
            EXPECT_EQ(info->rows, 3);
            EXPECT_EQ(info->cols, 4);
        }
    }
}

TEST_F(EveryFormat, SurvivesDamagedFiles) {
    std::mt19937_64 random(11);
    auto frame = Ref<Frame>::make(3);
    frame->addColumn("a", sample(ValueType::SI64, 3, 1));
    frame->addColumn("b", sample(ValueType::Str, 3, 1));
    Value values[] = {sample(ValueType::F64, 6, 4), toCsr(*sample(ValueType::SI32, 6, 4, true)), frame};
    for (const io::Format &f : io::FormatTable::get().all()) {
        if (f.title == "NetCDF" || f.title == "HDF5" || f.extension == "parquet" || f.extension == "arrow" ||
            f.extension == "feather")
            continue; // their libraries are others' work
        for (const Value &value : values) {
            if (value.isFrame() ? !f.writeFrame : !f.writeMatrix)
                continue;
            std::string name = "d." + std::string(f.extension);
            io::write(value, path(name));
            std::string good = content(name);
            for (int i = 0; i < 300; ++i) {
                std::string bad = good;
                if (i % 3 == 0)
                    bad.resize(random() % bad.size());
                for (size_t k = random() % 4; k > 0 && !bad.empty(); --k)
                    bad[random() % bad.size()] =
                        static_cast<char>(i % 2 ? random() : "0919-.,\n\"{}x\0\xff"[random() % 15]);
                put(name, bad);
                if (i % 2)
                    std::filesystem::remove(path(name + ".meta"));
                try {
                    value.isFrame() ? io::readFrame(path(name)) : io::readMatrix(path(name));
                } catch (const Error &e) {
                    EXPECT_EQ(e.stage, Stage::Execute);
                    EXPECT_NE(e.message.find(name), std::string::npos) << e.message;
                }
            }
        }
    }
}

TEST_F(EveryFormat, LeavesTheOldFileIfWritingFails) {
    auto strings = sample(ValueType::Str, 2, 2);
    for (const char *name : {"x.mtx", "x.dbdf"}) {
        io::write(sample(ValueType::F64, 2, 2), path(name));
        std::string before = content(name);
        EXPECT_NE(failureOf([&] { io::write(strings, path(name)); }), "");
        EXPECT_EQ(content(name), before);
    }
    EXPECT_EQ(numFiles(), 4u) << "no temporary files";
}

TEST_F(EveryFormat, OfALibraryThatIsMissingSaysSo) {
    put("x.parquet", "PAR1");
    if (!io::FormatTable::get().find("parquet")->missingLibrary.empty()) {
        std::string message = failureOf([&] { io::readMatrix(path("x.parquet")); });
        EXPECT_NE(message.find("Arrow C++"), std::string::npos) << message;
    }
}

TEST_F(EveryFormat, DbdfIsWhatTheFormatDescriptionSays) {
    auto m = Dense::create(ValueType::F64, 1, 2);
    m->mutableView<double>().data[0] = 1, m->mutableView<double>().data[1] = 2;
    io::write(m, path("b.dbdf"));
    std::string expected("\1\1\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\7", 19);
    expected += std::string(16, '\0') + std::string("\1\0\0\0\2\0\0\0\1\7", 10);
    expected += std::string("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16);
    EXPECT_EQ(content("b.dbdf"), expected);
    io::write(toCsr(*m), path("b.dbdf"));
    EXPECT_EQ(content("b.dbdf").substr(0, 2), std::string("\1\2", 2));
    EXPECT_EQ(content("b.dbdf").size(), 45u + 8 + 16 + 16 + 16);
}

TEST_F(EveryFormat, DbdfBlocksOfEveryKindAreRead) {
    auto m = sample(ValueType::SI64, 10, 3);
    for (Value v : {Value(m), Value(toCsr(*m))}) {
        io::WriteRequest blocks;
        blocks.blockRows = 4;
        io::write(v, path("b.dbdf"), blocks);
        expectEqual(*m, io::readMatrix(path("b.dbdf")).dense(), "blocks");
    }
    auto header = [](char kind) {
        return std::string("\1\2\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0", 19) + std::string(16, '\0') +
               std::string("\2\0\0\0\2\0\0\0", 8) + kind + std::string(1, '\0');
    };
    put("e.dbdf", header(0));
    EXPECT_EQ(cellsOf<int8_t>(io::readMatrix(path("e.dbdf")).dense()), (std::vector<int8_t>{0, 0, 0, 0}));
    put("u.dbdf", header(3) + std::string("\1\0\0\0\1\0\0\0\0\0\0\0\5", 13));
    EXPECT_EQ(cellsOf<int8_t>(io::readMatrix(path("u.dbdf")).dense()), (std::vector<int8_t>{0, 0, 5, 0}));
}

} // namespace
} // namespace daphne::test
