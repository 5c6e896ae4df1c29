// SPDX-License-Identifier: Apache-2.0
/// Nothing that goes wrong loses data, crashes or takes memory without limit.
#include <cmath>
#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/BufferPool.h"
#include "io/FormatTable.h"
#include "io/TempDir.h"
#include "io/files/File.h"

namespace daphne::test {
namespace {

class Safety : public InTempDir {};

Ref<Dense> ones(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    std::fill_n(m->mutableView<double>().data, m->cells(), 1.5);
    return m;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

/// No file of this process can grow beyond so many bytes.
struct FileSizeLimit {
    rlimit before{};
    explicit FileSizeLimit(rlim_t most) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before);
        rlimit limit{most, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before); }
};

TEST_F(Safety, AFullDiskLeavesTheOldFileAndNothingElse) {
    for (const char *name : {"x.csv", "x.dbdf", "x.npy", "x.npz", "x.mtx", "x.csv.gz"}) {
        io::write(ones(2, 2), path(name));
        std::string data = content(name), meta = content(std::string(name) + ".meta");
        size_t files = numFiles();
        std::string message = failureOf([&] {
            FileSizeLimit limit(200);
            // Noise does not compress.
            auto m = ones(300, 30);
            for (size_t i = 0; i < m->cells(); ++i)
                m->mutableView<double>().data[i] = std::sin(static_cast<double>(i));
            io::write(m, path(name));
        });
        EXPECT_TRUE(contains(message, std::string("cannot write file \"") + path(name)) &&
                    contains(message, "too large"))
            << name << ": " << message;
        EXPECT_EQ(content(name), data) << name;
        EXPECT_EQ(content(std::string(name) + ".meta"), meta) << name;
        EXPECT_EQ(numFiles(), files) << name << ": no temporary files stay";
    }
}

TEST_F(Safety, WithoutPermissionNothingIsReadOrWritten) {
    // The superuser may do everything, so be somebody else.
    struct AsNobody {
        uid_t before = geteuid();
        AsNobody() {
            if (before == 0) {
                EXPECT_EQ(seteuid(65534), 0);
            }
        }
        ~AsNobody() { EXPECT_EQ(seteuid(before), 0); }
    };
    std::filesystem::permissions(directory, std::filesystem::perms(0755));
    put("x.csv", "1\n");
    std::filesystem::permissions(path("x.csv"), std::filesystem::perms::none);
    std::filesystem::permissions(directory, std::filesystem::perms(0555));
    {
        AsNobody scope;
        EXPECT_TRUE(contains(failureOf([&] { io::readMatrix(path("x.csv")); }), "Permission denied"));
        EXPECT_TRUE(contains(failureOf([&] { io::write(ones(1, 1), path("y.csv")); }), "Permission denied"));
    }
    std::filesystem::permissions(directory, std::filesystem::perms(0755));
    EXPECT_EQ(numFiles(), 1u);
}

TEST_F(Safety, ALinkStaysALink) {
    std::filesystem::create_directory(path("real"));
    io::write(ones(1, 1), path("real/x.csv"));
    std::filesystem::create_symlink("real/x.csv", path("x.csv"));
    io::write(ones(2, 1), path("x.csv"));
    EXPECT_TRUE(std::filesystem::is_symlink(path("x.csv")));
    EXPECT_EQ(content("real/x.csv"), "1.5\n1.5\n");
}

TEST_F(Safety, TheModeOfAReplacedFileStays) {
    io::write(ones(1, 1), path("x.csv"));
    std::filesystem::permissions(path("x.csv"), std::filesystem::perms(0640));
    io::write(ones(2, 1), path("x.csv"));
    EXPECT_EQ(std::filesystem::status(path("x.csv")).permissions(), std::filesystem::perms(0640));
}

struct Broken {
    const char *name, *meta, *text;
    std::vector<std::string> says;
};

TEST_F(Safety, BrokenFilesAreErrorsWithTheirPlace) {
    const std::string mtx = "%%MatrixMarket matrix coordinate real ";
    const std::string symmetric = mtx + "symmetric\n3 3 2\n1 1 1\n1 2 5\n", general = mtx + "general\n3 3 2\n";
    const std::string outside = general + "1 1 1\n4 1 1\n", below = general + "1 1 1\n0 1 1\n";
    const std::string more = general + "1 1 1\n2 1 1\n3 1 1\n", fewer = mtx + "general\n3 3 3\n1 1 1.2500000\n2 1 1\n";
    const std::string cut = general + "1 1 1.2500000\n2 ", overflow = general + "1 1 1\n99999999999999999999999 1 1\n";
    const std::string strings = R"({"numRows":2,"numCols":1,"valueType":"str"})";
    const Broken kCases[] = {
        {"symmetric.mtx", "", symmetric.c_str(), {"line 4, column 1", "above the diagonal"}},
        {"outside.mtx", "", outside.c_str(), {"line 4, column 1", "row 4 is outside 1..3"}},
        {"below.mtx", "", below.c_str(), {"line 4, column 1", "row 0 is outside 1..3"}},
        {"more.mtx", "", more.c_str(), {"3 entries", "promises 2"}},
        {"fewer.mtx", "", fewer.c_str(), {"2 entries", "promises 3"}},
        {"cut.mtx", "", cut.c_str(), {"line 4"}},
        {"overflow.mtx", "", overflow.c_str(), {"line 4, column 1"}},
        {"rows.csv", R"({"numRows":3,"numCols":1,"valueType":"f64"})", "1\n2\n", {"2 of 3 rows"}},
        {"fields.csv", R"({"numRows":2,"numCols":2,"valueType":"f64"})", "1,2\n3\n", {"line 2, column 2"}},
        {"latin.csv", strings.c_str(), "abc\nx\xe4y\n", {"line 2, column 1", "byte 0xe4 is not UTF-8"}},
        {"quoted.csv", strings.c_str(), "abc\n\"x\xff\"\n", {"line 2, column 1", "0xff"}},
        {"key.jsonl", "", "{\"a\":1}\n{\"b\":\"\xfe\"}\n", {"line 2", "0xfe is not UTF-8"}},
        {"nul.jsonl", "", "{\"a\":\"\\u0000\"}\n", {"line 1", "NUL"}},
    };
    for (const Broken &b : kCases) {
        put(b.name, b.text);
        if (*b.meta)
            put(std::string(b.name) + ".meta", b.meta);
        bool frame = std::string_view(b.name).ends_with("jsonl");
        std::string message = failureOf([&] { frame ? io::readFrame(path(b.name)) : io::readMatrix(path(b.name)); });
        EXPECT_TRUE(contains(message, b.name)) << b.name << ": " << message;
        for (const std::string &part : b.says)
            EXPECT_TRUE(contains(message, part)) << b.name << ": " << message << "\n  does not say " << part;
    }
}

TEST_F(Safety, NulBytesAreErrorsWithTheirPlace) {
    put("n.csv", std::string("1,2\n3\0,4\n", 9));
    EXPECT_TRUE(contains(failureOf([&] { io::readMatrix(path("n.csv")); }), "line 2, column 1: a NUL byte"));
    put("s.csv", std::string("a\nb\0c\n", 6));
    EXPECT_TRUE(contains(failureOf([&] { io::readFrame(path("s.csv")); }), "line 2, column 1: a NUL byte"));
    put("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n" + std::string("1\0\n", 3));
    EXPECT_TRUE(contains(failureOf([&] { io::readMatrix(path("m.mtx")); }), "line 3"));
}

TEST_F(Safety, StringsOfBinaryFilesAreTextToo) {
    auto strings = Dense::create(ValueType::Str, 2, 1);
    strings->mutableView<std::string>().data[1] = "x\xff";
    auto frame = Ref<Frame>::make(2);
    frame->addColumn("s", strings);
    io::write(frame, path("f.dbdf"));
    std::string message = failureOf([&] { io::readFrame(path("f.dbdf")); });
    EXPECT_TRUE(contains(message, "f.dbdf") && contains(message, "row 1, column 0: byte 0xff is not UTF-8")) << message;
}

TEST_F(Safety, HugePromisesTakeNoMemory) {
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 1\n1 1 1\n");
    put("a.mtx", "%%MatrixMarket matrix array real general\n1000000000 1000\n1\n");
    put("e.mtx", "%%MatrixMarket matrix coordinate real general\n10 10 1000000000000\n1 1 1\n");
    put("c.csv", "1,2\n");
    put("c.csv.meta", R"({"numRows":1000000000,"numCols":1000,"valueType":"f64"})");
    std::string dbdf("\1\1\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\7", 19);
    put("d.dbdf", dbdf + std::string(16, '\0') + std::string("\0\0\0\x7f\0\0\0\x7f\1\7", 10));
    std::string frame("\1\3\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\7\0\0", 21);
    put("f.dbdf", frame + std::string(16, '\0'));
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }\n";
    put("n.npy", std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header);
    std::string keys;
    for (int i = 0; i < 20000; ++i)
        keys += "{\"k" + std::to_string(i) + "\":1}\n";
    put("k.jsonl", keys);
    size_t before = bufferPoolState().peakInUse;
    for (const char *name : {"m.mtx", "a.mtx", "e.mtx", "c.csv", "d.dbdf", "n.npy"})
        EXPECT_TRUE(contains(failureOf([&] { io::readMatrix(path(name)); }), name)) << name;
    for (const char *name : {"c.csv", "f.dbdf", "n.npy", "k.jsonl"})
        EXPECT_TRUE(contains(failureOf([&] { io::readFrame(path(name)); }), name)) << name;
    EXPECT_LE(bufferPoolState().peakInUse, before + (size_t(64) << 20));
}

/// A process that hands bus errors on, as ours do.
class MappedSafety : public Safety {
  protected:
    MappedSafety() {
        struct sigaction action{};
        action.sa_sigaction = [](int signal, siginfo_t *info, void *) {
            if (!io::MappedFile::handleFault(info->si_addr))
                std::signal(signal, SIG_DFL); // and the instruction runs again
        };
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGBUS, &action, &before);
        io::MappedFile::hostForwardsFaults(true);
    }
    ~MappedSafety() override {
        io::MappedFile::hostForwardsFaults(false);
        sigaction(SIGBUS, &before, nullptr);
    }
    struct sigaction before;
};

/// The file is open, then somebody cuts it, then it is read.
TEST_F(MappedSafety, AFileThatBecomesShorterWhileItIsReadIsAnError) {
    std::string text;
    for (int i = 0; i < 200000; ++i)
        text += "1,2\n";
    for (size_t left : {size_t(0), size_t(5000), text.size() / 2, text.size() - 10}) {
        put("x.csv", text);
        io::ReadJob job(path("x.csv"), "", std::nullopt, {});
        ASSERT_EQ(job.text().size(), text.size());
        std::filesystem::resize_file(path("x.csv"), left);
        try {
            io::FormatTable::get().find("csv")->readMatrix(job);
        } catch (const Error &) { // zeros where there was text
        }
        std::string message = failureOf([&] { job.needUnchanged(); });
        EXPECT_TRUE(contains(message, "x.csv") && contains(message, "became shorter")) << left << ": " << message;
    }
}

TEST_F(MappedSafety, ABinaryFileThatBecomesShorterWhileItIsReadIsAnError) {
    io::write(ones(1000, 100), path("x.npy"));
    io::ReadJob job(path("x.npy"), "", std::nullopt, {});
    ASSERT_GT(job.text().size(), 800000u);
    std::filesystem::resize_file(path("x.npy"), 5000);
    EXPECT_TRUE(contains(failureOf([&] { io::FormatTable::get().find("npy")->readMatrix(job); }), "became shorter"));
}

TEST_F(MappedSafety, OtherBusErrorsAreNotOurs) {
    put("x.csv", "1\n");
    io::FileText file(path("x.csv"));
    char elsewhere;
    EXPECT_FALSE(io::MappedFile::handleFault(&elsewhere));
    EXPECT_FALSE(io::MappedFile::handleFault(file.text().data() + file.text().size()));
}

/// A process that keeps its signals to itself.
TEST_F(Safety, WithoutAHostThatForwardsFaultsFilesAreRead) {
    struct sigaction before, after;
    sigaction(SIGBUS, nullptr, &before);
    std::string text(100000, 'x');
    put("x.csv", text);
    io::FileText file(path("x.csv"));
    std::filesystem::resize_file(path("x.csv"), 10);
    EXPECT_EQ(file.text(), text);
    EXPECT_EQ(file.descriptor(), -1);
    file.needUnchanged();
    sigaction(SIGBUS, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST_F(Safety, AFileThatEndsTooEarlyWhenItIsReadIsShorter) {
    put("x.csv", "1\n2\n");
    int fd = open(path("x.csv").c_str(), O_RDONLY);
    ASSERT_GE(fd, 0);
    io::MappedFile whole, more;
    ASSERT_TRUE(whole.load(fd, 4));
    EXPECT_FALSE(whole.becameShorter(fd));
    ASSERT_TRUE(more.load(fd, 10000)); // so long it was a moment ago
    EXPECT_FALSE(more.isMapped());
    EXPECT_TRUE(more.becameShorter(fd));
    close(fd);
}

} // namespace
} // namespace daphne::test
