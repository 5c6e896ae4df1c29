// SPDX-License-Identifier: Apache-2.0
/// Parts of files are the rows of the whole.
#include "io/Rows.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "io/TempDir.h"
#include "io/files/SharedLibrary.h"

namespace daphne::test {
namespace {

class Rows : public InTempDir {
  protected:
    static Ref<Dense> numbered(size_t rows, size_t cols) {
        auto m = Dense::create(ValueType::F64, rows, cols);
        for (size_t i = 0; i < rows * cols; ++i)
            m->mutableView<double>().data[i] = std::sqrt(static_cast<double>(i));
        return m;
    }
    void expectRows(const std::string &file, const Dense &whole, size_t first, size_t count) const {
        Ref<Dense> part = io::readRows(file, first, count, nullptr);
        ASSERT_EQ(part->rows(), count);
        ASSERT_EQ(part->cols(), whole.cols());
        ASSERT_EQ(part->type(), whole.type());
        for (size_t r = 0; r < count; ++r)
            for (size_t c = 0; c < whole.cols(); ++c)
                ASSERT_EQ(part->view<double>()(r, c), whole.view<double>()(first + r, c)) << r << ", " << c;
    }
    std::string errorOf(const std::string &file, size_t first, size_t count) const {
        try {
            io::readRows(file, first, count, nullptr);
        } catch (const Error &e) {
            return e.message;
        }
        return "";
    }
};

bool isKnown(const std::string &name) {
    const io::Format *format = io::FormatTable::get().find(io::DataPath(name).extension);
    return format && format->missingLibrary.empty();
}

TEST_F(Rows, OfTextAndBinaryFilesAreThoseOfTheWhole) {
    for (const char *name : {"x.csv", "x.dbdf", "x.npy", "x.h5", "x.hdf5:/a/b"}) {
        if (!isKnown(name))
            continue;
        Ref<Dense> whole = numbered(30000, 3);
        io::write(Value(whole), path(name));
        auto info = io::inspectRows(path(name));
        ASSERT_TRUE(info) << name;
        EXPECT_EQ(info->rows, 30000);
        EXPECT_EQ(info->cols, 3);
        EXPECT_EQ(info->type, ValueType::F64);
        Value read = io::readMatrix(path(name));
        for (auto [first, count] : {std::pair<size_t, size_t>{0, 30000}, {0, 1}, {29999, 1}, {12345, 9876}, {7, 0}})
            expectRows(path(name), read.dense(), first, count);
    }
}

TEST_F(Rows, HaveTheTypeThatTheMetadataTell) {
    for (const char *name : {"x.dbdf", "x.npy", "x.h5"}) {
        if (!isKnown(name))
            continue;
        io::write(Value(numbered(10, 2)), path(name));
        put(std::string(name) + ".meta", R"({"numRows": 10, "numCols": 2, "valueType": "f32"})");
        EXPECT_EQ(io::inspectRows(path(name))->type, ValueType::F32);
        EXPECT_EQ(io::readRows(path(name), 2, 3, nullptr)->type(), ValueType::F32);
    }
}

TEST_F(Rows, HaveAnyNumericType) {
    for (const char *name : {"x.dbdf", "x.npy", "x.h5"})
        for (ValueType type : {ValueType::SI8, ValueType::UI8, ValueType::SI32, ValueType::UI32, ValueType::SI64,
                               ValueType::UI64, ValueType::F32, ValueType::Bool}) {
            if (!isKnown(name))
                continue;
            auto m = Dense::create(type, 100, 3);
            withNumericType(type, [&]<class T>(TypeTag<T>) {
                for (size_t i = 0; i < m->cells(); ++i)
                    m->mutableView<T>().data[i] = static_cast<T>(i % 2);
            });
            io::write(Value(m), path(name));
            EXPECT_EQ(io::inspectRows(path(name))->type, type) << name;
            Value whole = io::readMatrix(path(name));
            auto rows = io::readRows(path(name), 33, 5, nullptr);
            withNumericType(type, [&]<class T>(TypeTag<T>) {
                EXPECT_EQ(cellsOf<T>(*rows), cellsOf<T>(*Dense::window(whole.dense(), 33, 38, 0, 3))) << name;
            });
        }
}

TEST_F(Rows, OfQuotedFieldsAreFound) {
    put("x.csv", "\"1\n1\",2\n3,\"\"\n5,6\n");
    put("x.csv.meta", R"({"numRows": 3, "numCols": 2, "valueType": "f64", "csv": {"lenient": true}})");
    Ref<Dense> part = io::readRows(path("x.csv"), 1, 2, nullptr);
    EXPECT_EQ(part->view<double>()(0, 0), 3);
    EXPECT_EQ(part->view<double>()(1, 0), 5);
}

TEST_F(Rows, OfOtherFilesCannotBeReadOneByOne) {
    put("guessed.csv", "1,2\n3,4\n");
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n");
    auto sparse = Dense::create(ValueType::F64, 100, 100, Buffer::Init::Zero);
    sparse->mutableView<double>().data[7] = 1;
    io::write(Value(toCsr(*sparse)), path("sparse.dbdf"));
    put("text.csv", "a\n");
    put("text.csv.meta", R"({"numRows": 1, "numCols": 1, "valueType": "str"})");
    put("short.dbdf", "\x01");
    put("short.npy", "\x93NUMPY");
    put("no.h5", "no HDF5");
    // Column by column, and longer than the file.
    auto array = [](const std::string &header) {
        std::string text = header + std::string(64 - (10 + header.size()) % 64, ' ');
        return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text;
    };
    put("columns.npy", array("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2)}") + std::string(32, '\0'));
    put("long.npy", array("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}") + std::string(31, '\0'));
    put("strings.npy", array("{'descr': '<U1', 'fortran_order': False, 'shape': (2, 2)}") + std::string(16, '\0'));
    for (const char *name : {"guessed.csv", "m.mtx", "sparse.dbdf", "text.csv", "short.dbdf", "none.csv", "short.npy",
                             "no.h5", "columns.npy", "long.npy", "strings.npy"})
        EXPECT_FALSE(io::inspectRows(path(name))) << name;
    EXPECT_EQ(io::readMatrix(path("columns.npy")).matrix().rows(), 2u);
    EXPECT_NE(errorOf(path("m.mtx"), 0, 1).find("cannot be read one by one"), std::string::npos);
}

TEST_F(Rows, MistakesNameFileLineAndColumn) {
    put("x.csv", "1,2\n3,4\n5\n");
    put("x.csv.meta", R"({"numRows": 3, "numCols": 2, "valueType": "f64"})");
    EXPECT_EQ(errorOf(path("x.csv"), 0, 2), "");
    EXPECT_NE(errorOf(path("x.csv"), 1, 2).find("x.csv"), std::string::npos);
    EXPECT_NE(errorOf(path("x.csv"), 1, 2).find("3"), std::string::npos);
    EXPECT_NE(errorOf(path("x.csv"), 2, 2).find("does not have the rows"), std::string::npos);
    put("x.csv.meta", R"({"numRows": 4, "numCols": 2, "valueType": "f64"})");
    EXPECT_NE(errorOf(path("x.csv"), 0, 1), "");
}

TEST_F(Rows, OfDataSetsThatAreNotThereAreErrors) {
    if (!isKnown("x.h5"))
        GTEST_SKIP();
    io::write(Value(numbered(10, 2)), path("x.h5:/a/b"));
    EXPECT_TRUE(io::inspectRows(path("x.h5:/a/b")));
    EXPECT_FALSE(io::inspectRows(path("x.h5:/a/c")));
    EXPECT_FALSE(io::inspectRows(path("x.h5:/a"))) << "a group";
    EXPECT_NE(errorOf(path("x.h5:/a/c"), 0, 1).find("x.h5"), std::string::npos);
    EXPECT_NE(errorOf(path("x.h5:/a/b"), 9, 2).find("does not have the rows"), std::string::npos);
    std::string text = content("x.h5");
    put("x.h5", text.substr(0, text.size() - 40));
    EXPECT_NE(errorOf(path("x.h5:/a/b"), 0, 10), "") << "the end is missing";
}

/// Calls of the library that Daphne itself does not need.
struct Hdf5 {
    using Id = int64_t;
    io::SharedLibrary lib{"HDF5", {"libhdf5_serial.so.103", "libhdf5_serial.so", "libhdf5.so.103", "libhdf5.so"}};
    Id (*open)(const char *, unsigned, Id) = lib.get<Id(const char *, unsigned, Id)>("H5Fopen");
    int (*close)(Id) = lib.get<int(Id)>("H5Fclose");
    int (*link)(const char *, const char *, Id, const char *, Id,
                Id) = lib.get<int(const char *, const char *, Id, const char *, Id, Id)>("H5Lcreate_external");
    Id (*properties)(Id) = lib.get<Id(Id)>("H5Pcreate");
    int (*setExternal)(Id, const char *, long,
                       uint64_t) = lib.get<int(Id, const char *, long, uint64_t)>("H5Pset_external");
    Id (*space)(int, const uint64_t *,
                const uint64_t *) = lib.get<Id(int, const uint64_t *, const uint64_t *)>("H5Screate_simple");
    Id (*create)(Id, const char *, Id, Id, Id, Id,
                 Id) = lib.get<Id(Id, const char *, Id, Id, Id, Id, Id)>("H5Dcreate2");
    int (*closeData)(Id) = lib.get<int(Id)>("H5Dclose");
    Id variable(const char *name) const { return *lib.get<Id>(name); }
};

TEST_F(Rows, OfDataSetsThatAreInOtherFilesAreNotForOthers) {
    if (!isKnown("x.h5"))
        GTEST_SKIP();
    io::write(Value(numbered(10, 2)), path("secret.h5"));
    io::write(Value(numbered(10, 2)), path("x.h5:/own"));
    put("secret.bin", std::string(160, '\0'));
    Hdf5 h5;
    Hdf5::Id file = h5.open(path("x.h5").c_str(), 1, 0),
             made = h5.properties(h5.variable("H5P_CLS_DATASET_CREATE_ID_g"));
    ASSERT_GE(h5.link(path("secret.h5").c_str(), "/data", file, "linked", 0, 0), 0);
    h5.setExternal(made, path("secret.bin").c_str(), 0, 160);
    uint64_t size[2] = {10, 2};
    Hdf5::Id data =
        h5.create(file, "outside", h5.variable("H5T_NATIVE_DOUBLE_g"), h5.space(2, size, nullptr), 0, made, 0);
    ASSERT_GE(data, 0);
    h5.closeData(data);
    h5.close(file);
    EXPECT_TRUE(io::inspectRows(path("x.h5:/own")));
    for (const char *name : {"x.h5:/linked", "x.h5:/outside"}) {
        EXPECT_EQ(io::readMatrix(path(name)).matrix().rows(), 10u) << "for whoever runs the script it is a matrix";
        EXPECT_FALSE(io::inspectRows(path(name))) << name;
        EXPECT_NE(errorOf(path(name), 0, 1), "") << name;
    }
}

// -------------------------------------------------------------------- of files that are read as a whole

/// All cells, also of windows.
std::string csrText(const Csr &m) {
    m.check();
    std::ostringstream out;
    out << m.shapeText() << (m.isPattern() ? " pattern " : " ") << dslName(m.type()) << ":";
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto v = m.view<T, I>();
            for (size_t r = 0; r < v.rows; ++r)
                for (uint64_t k = v.offsets[r]; k < v.offsets[r + 1]; ++k)
                    out << ' ' << r << ',' << v.columns[k] << '=' << std::hexfloat << double(v.value(k));
        });
    });
    return out.str();
}

class SparseRows : public InTempDir {
  protected:
    /// Some ranges of rows are those of the whole; how many could be read without it.
    size_t expectRows(const std::string &name) const {
        Value whole = io::readMatrix(path(name), {.csr = true});
        EXPECT_EQ(csrText(io::readWhole(path(name), io::Form::Csr, nullptr).csr()), csrText(whole.csr())) << name;
        const Csr &m = whole.csr();
        size_t direct = 0;
        for (auto [first, end] : {std::pair<size_t, size_t>{0, m.rows()},
                                  {0, 1},
                                  {m.rows() - 1, m.rows()},
                                  {m.rows() / 3, m.rows() / 2},
                                  {m.rows() / 2, m.rows()}}) {
            Ref<Csr> window = Csr::rowWindow(m, first, end);
            io::SparseRows wanted{first, end - first, window->nonZeros(), m.nonZeros()};
            Ref<Csr> rows = io::readSparseRows(path(name), wanted, nullptr);
            if (!rows)
                continue;
            ++direct;
            EXPECT_EQ(csrText(*rows), csrText(*window)) << name;
            for (auto [more, moreInAll] : {std::pair(1, 0), {0, 1}}) {
                io::SparseRows lie{first, end - first, wanted.stored + more, wanted.storedInAll + moreInAll};
                Ref<Csr> other = io::readSparseRows(path(name), lie, nullptr);
                EXPECT_TRUE(!other || csrText(*other) == csrText(*window)) << name;
            }
        }
        return direct;
    }

    struct Entry {
        size_t row, column;
        std::string value;
    };
    std::vector<Entry> entries(size_t rows, size_t cols, size_t count) {
        std::vector<Entry> all;
        all.reserve(count);
        for (size_t i = 0; i < count; ++i)
            all.push_back({1 + random() % rows, 1 + random() % cols, std::to_string(1 + random() % 1000) + ".5"});
        std::ranges::stable_sort(all, {}, [](const Entry &e) { return std::pair(e.row, e.column); });
        auto twice = std::ranges::unique(all, {}, [](const Entry &e) { return std::pair(e.row, e.column); });
        all.erase(twice.begin(), twice.end());
        return all;
    }
    /// Lines of any length, so that rows are where nobody expects them.
    std::string mtx(size_t rows, size_t cols, const std::vector<Entry> &all, const std::string &kind,
                    bool decorated = false) {
        std::string text = "%%MatrixMarket matrix coordinate " + kind + "\n% comment\n" + std::to_string(rows) + " " +
                           std::to_string(cols) + " " + std::to_string(all.size()) + "\n";
        for (const Entry &e : all) {
            if (decorated && random() % 20 == 0)
                text += random() % 2 ? "\n" : "% " + std::string(random() % 300, 'x') + "\n";
            text += std::to_string(e.row) + (decorated ? "  " : " ") + std::to_string(e.column);
            text += (e.value.empty() ? "" : " " + e.value) + (decorated && random() % 9 == 0 ? " \r\n" : "\n");
        }
        return text;
    }
    std::mt19937_64 random{5};
};

TEST_F(SparseRows, OfOrderedListsAreFoundInTheText) {
    for (size_t rows : {3, 1000, 50000})
        for (bool decorated : {false, true}) {
            auto all = entries(rows, 700, rows * 3);
            put("x.mtx", mtx(rows, 700, all, "real general", decorated));
            EXPECT_EQ(expectRows("x.mtx"), 5u) << rows;
            put("x.mtx.meta", R"({"numRows": )" + std::to_string(rows) + R"(, "numCols": 700, "valueType": "f32"})");
            EXPECT_EQ(expectRows("x.mtx"), 5u) << rows;
            std::filesystem::remove(path("x.mtx.meta"));
            for (Entry &e : all)
                e.value = "";
            put("x.mtx", mtx(rows, 700, all, "pattern general", decorated));
            EXPECT_EQ(expectRows("x.mtx"), 5u) << rows;
        }
}

TEST_F(SparseRows, OfListsInAnyOtherOrderAreNeverWrong) {
    for (int round = 0; round < 40; ++round) {
        size_t rows = 1 + random() % 3000;
        auto all = entries(rows, 50, 1 + rows * 2);
        for (size_t i = 0, n = 1 + random() % 5; i < n; ++i) {
            Entry &one = all[random() % all.size()], &other = all[random() % all.size()];
            switch (random() % 4) {
            case 0: std::swap(one, other); break;
            case 1: one.value = "0"; break;
            case 2: one = {other.row, other.column, "77"}; break; // the last one counts
            default: std::rotate(all.begin(), all.begin() + random() % all.size(), all.end());
            }
        }
        put("x.mtx", mtx(rows, 50, all, "real general", round % 2));
        expectRows("x.mtx");
    }
}

TEST_F(SparseRows, OfAnEntryThatStandsTwiceAreLookedForInAllOfTheFile) {
    put("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 5\n2 2 6\n1 1 7\n");
    EXPECT_FALSE(io::readSparseRows(path("x.mtx"), {0, 1, 1, 2}, nullptr));
    EXPECT_EQ(expectRows("x.mtx"), 0u);
    put("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 5\n2 2 6\n1 2 7\n");
    EXPECT_FALSE(io::readSparseRows(path("x.mtx"), {0, 1, 2, 3}, nullptr)) << "not in order";
}

TEST_F(SparseRows, OfSymmetricListsNeedAllOfThem) {
    for (const char *kind : {"real symmetric", "real skew-symmetric", "pattern symmetric"}) {
        auto all = entries(200, 200, 900);
        std::erase_if(all, [](const Entry &e) { return e.row < e.column; });
        for (Entry &e : all)
            if (kind[0] == 'p')
                e.value = "";
        put("x.mtx", mtx(200, 200, all, kind));
        EXPECT_EQ(expectRows("x.mtx"), 0u);
        EXPECT_EQ(io::inspectWhole(path("x.mtx"))->mostCells, 2 * all.size());
    }
}

TEST_F(SparseRows, OfBinaryFilesAreReadAlone) {
    put("x.mtx", mtx(5000, 300, entries(5000, 300, 20000), "real general"));
    Value m = io::readMatrix(path("x.mtx"), {.csr = true});
    io::write(m, path("x.dbdf"));
    EXPECT_EQ(expectRows("x.dbdf"), 5u);
    EXPECT_EQ(io::inspectWhole(path("x.dbdf"))->mostCells, m.csr().nonZeros());
    put("x.dbdf.meta", R"({"numRows": 5000, "numCols": 300, "valueType": "si64"})");
    EXPECT_EQ(expectRows("x.dbdf"), 5u);
    std::filesystem::remove(path("x.dbdf.meta"));
    io::write(m, path("x.dbdf"), {.blockRows = 700});
    EXPECT_EQ(expectRows("x.dbdf"), 0u) << "blocks are read as a whole";
    io::write(m, path("x.dbdf"));
    std::string text = content("x.dbdf");
    put("x.dbdf", text.substr(0, text.size() - 1));
    EXPECT_FALSE(io::inspectWhole(path("x.dbdf")));
    EXPECT_NE(failureOf([&] { io::readSparseRows(path("x.dbdf"), {0, 1, 1, 1}, nullptr); }).find("the file ends"),
              std::string::npos);
    // The offset of a row in the middle, and a column number.
    for (size_t at : {size_t(45 + 8 + 8 * 2500), size_t(45 + 8 + 8 * 5001)}) {
        std::string broken = text;
        broken.replace(at, 8, 8, '\x7f');
        put("x.dbdf", broken);
        EXPECT_NE(failureOf([&] {
                      io::readSparseRows(path("x.dbdf"), {0, 5000, m.csr().nonZeros(), m.csr().nonZeros()}, nullptr);
                  }),
                  "")
            << at;
    }
}

TEST_F(SparseRows, OfArraysAreDense) {
    put("x.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n-0\n6\n");
    auto info = io::inspectWhole(path("x.mtx"));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->mostCells, 6u);
    Value m = io::readWhole(path("x.mtx"), io::Form::Dense, nullptr);
    EXPECT_EQ(cellsOf<double>(m.dense()), (std::vector<double>{1, 4, 2, 0, 3, 6}));
    EXPECT_TRUE(std::signbit(m.dense().view<double>()(1, 1)));
    EXPECT_FALSE(io::readSparseRows(path("x.mtx"), {0, 1, 2, 5}, nullptr));
    EXPECT_EQ(io::readWhole(path("x.mtx"), io::Form::Csr, nullptr).csr().nonZeros(), 5u);
}

TEST_F(SparseRows, OfOtherFilesAreNotThere) {
    put("x.csv", "1,2\n");
    put("x.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 900\n1 1 5\n");
    put("y.mtx", "%%MatrixMarket matrix coordinate complex general\n9 9 1\n1 1 5 0\n");
    for (const char *name : {"x.csv", "x.mtx", "y.mtx", "no.mtx"})
        EXPECT_FALSE(io::inspectWhole(path(name))) << name;
    EXPECT_FALSE(io::readSparseRows(path("x.csv"), {0, 1, 1, 1}, nullptr));
    EXPECT_NE(failureOf([&] { io::readWhole(path("x.csv"), io::Form::Csr, nullptr); }), "");
    put("z.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 1\n1 x 5\n");
    EXPECT_NE(failureOf([&] { io::readWhole(path("z.mtx"), io::Form::Csr, nullptr); }).find("line 3, column 3"),
              std::string::npos);
    EXPECT_NE(failureOf([&] { io::readSparseRows(path("z.mtx"), {9, 1, 1, 1}, nullptr); }).find("does not have"),
              std::string::npos);
}

} // namespace
} // namespace daphne::test
