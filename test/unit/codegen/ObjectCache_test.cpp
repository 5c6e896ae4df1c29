// SPDX-License-Identifier: Apache-2.0
/// Compiled loops on disk: what is there is used, everything else is compiled
/// anew. Broken files, other processes and a full directory never matter.
#include "codegen/loops/ObjectCache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/wait.h>

#include "codegen/loops/LoopJit.h"
#include "exec/RecipeRuns.h"
#include "io/TempDir.h"

namespace daphne::test {

namespace {

namespace fs = std::filesystem;
using codegen::ObjectCache;

std::unique_ptr<llvm::MemoryBuffer> object(const std::string &text) {
    return llvm::MemoryBuffer::getMemBufferCopy(text);
}

class LoopCache : public InTempDir {
  protected:
    const std::string loops = path("loops");

    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (auto &entry : fs::directory_iterator(loops))
            found.push_back(entry.path());
        return found;
    }
    fs::path onlyFile() const {
        std::vector<fs::path> all = files();
        EXPECT_EQ(all.size(), 1u);
        return all.at(0);
    }
    static std::string read(const fs::path &file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const fs::path &file, const std::string &content) {
        std::ofstream(file, std::ios::binary) << content;
    }
    std::string found(const std::string &key) const {
        auto buffer = ObjectCache(loops).find(key);
        return buffer ? buffer->getBuffer().str() : "nothing";
    }

    /// Runs a small region with loops kept in the directory; "" if it gives what its kernels give.
    std::string runRegion() const {
        exec::LoopEngine engine({.jit = true, .always = true}, codegen::makeLoopCompiler(loops));
        Recipe r;
        Recipe::Id x = r.input(matrix<double>(3, 2, {1, 2, 3, 4, 5, 6}));
        r.output(r.add("sumRow", {r.add("ewMul", {x, r.add("ewAdd", {x, x})})}));
        return differenceFromKernels(r, {"compiled", &engine});
    }
    /// What runRegion leaves behind, with its file changed.
    void changeCompiled(const std::function<std::string(std::string)> &change) {
        ASSERT_EQ(runRegion(), "");
        fs::path file = onlyFile();
        write(file, change(read(file)));
    }
};

TEST_F(LoopCache, WhatWasAddedIsFoundByOthers) {
    ObjectCache(loops).add("program", *object("machine code"));
    EXPECT_EQ(found("program"), "machine code");
    EXPECT_EQ(found("program "), "nothing");
    EXPECT_EQ(found(""), "nothing");
}

TEST_F(LoopCache, ContentMayHoldAnyByte) {
    std::string bytes;
    for (int i = 0; i < 1024; ++i)
        bytes += static_cast<char>(i);
    ObjectCache(loops).add("a\nb\fc", *object(bytes));
    EXPECT_EQ(found("a\nb\fc"), bytes);
}

TEST_F(LoopCache, NoDirectoryMeansNoFiles) {
    ObjectCache cache("");
    cache.add("program", *object("machine code"));
    EXPECT_EQ(cache.find("program"), nullptr);
}

TEST_F(LoopCache, ADirectoryThatCannotBeMadeIsNoError) {
    write(path("file"), "in the way");
    ObjectCache cache(path("file") + "/loops");
    cache.add("program", *object("machine code"));
    EXPECT_EQ(cache.find("program"), nullptr);
    EXPECT_EQ(read(path("file")), "in the way");
}

TEST_F(LoopCache, ADirectoryInPlaceOfAFileIsNoError) {
    ObjectCache(loops).add("program", *object("machine code"));
    fs::path file = onlyFile();
    fs::remove(file);
    fs::create_directories(file / "inside");
    EXPECT_EQ(found("program"), "nothing");
    ObjectCache(loops).add("program", *object("machine code"));
    EXPECT_TRUE(fs::exists(file / "inside"));
}

TEST_F(LoopCache, AFileOfAnotherProgramIsIgnored) {
    ObjectCache(loops).add("one", *object("machine code"));
    fs::path one = onlyFile();
    ObjectCache(loops).add("other", *object("other code"));
    for (const fs::path &file : files())
        if (file != one)
            fs::copy_file(file, one, fs::copy_options::overwrite_existing);
    EXPECT_EQ(found("one"), "nothing");
    EXPECT_EQ(found("other"), "other code");
}

TEST_F(LoopCache, AFileOfAnotherProcessorOrVersionIsIgnored) {
    for (std::string word : {"cpu ", "llvm ", "loop "}) {
        ObjectCache(loops).add("program", *object("machine code"));
        fs::path file = onlyFile();
        std::string content = read(file);
        size_t at = content.find(word);
        ASSERT_NE(at, std::string::npos);
        content[at + word.size()] ^= 1;
        write(file, content);
        EXPECT_EQ(found("program"), "nothing") << word;
    }
}

TEST_F(LoopCache, ATruncatedHeaderIsIgnored) {
    ObjectCache(loops).add("program", *object("machine code"));
    fs::path file = onlyFile();
    std::string content = read(file);
    for (size_t length = 0; length <= content.find("machine code"); ++length) {
        write(file, content.substr(0, length));
        ASSERT_EQ(found("program"), "nothing") << length;
    }
}

TEST_F(LoopCache, AnUnreadableFileIsIgnored) {
    ObjectCache(loops).add("program", *object("machine code"));
    fs::permissions(onlyFile(), fs::perms::none);
    if (std::ifstream(onlyFile()).is_open())
        GTEST_SKIP() << "this user may read everything";
    EXPECT_EQ(found("program"), "nothing");
}

TEST_F(LoopCache, TheSizeIsBoundedByRemovingWhatWasNotUsedForLongest) {
    ObjectCache cache(loops);
    std::string megabytes(8 << 20, 'x');
    for (int i = 0; i < 8; ++i) {
        cache.add("program " + std::to_string(i), *object(megabytes));
        for (const fs::path &file : files())
            fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(10));
        EXPECT_NE(cache.find("program 0"), nullptr) << "used after program " << i;
    }
    cache.add("last", *object(megabytes));
    uint64_t bytes = 0;
    for (const fs::path &file : files())
        bytes += fs::file_size(file);
    EXPECT_LE(bytes, ObjectCache::kMostBytes);
    EXPECT_NE(cache.find("last"), nullptr);
    EXPECT_NE(cache.find("program 0"), nullptr);
    EXPECT_EQ(cache.find("program 1"), nullptr);
}

TEST_F(LoopCache, ForeignFilesInTheDirectoryAreNotRemoved) {
    fs::create_directories(loops);
    write(loops + "/letter.txt", "not a loop");
    fs::last_write_time(loops + "/letter.txt", fs::file_time_type::clock::now() - std::chrono::hours(1000));
    ObjectCache cache(loops);
    std::string megabytes(16 << 20, 'x');
    for (int i = 0; i < 6; ++i)
        cache.add("program " + std::to_string(i), *object(megabytes));
    EXPECT_EQ(read(loops + "/letter.txt"), "not a loop");
}

TEST_F(LoopCache, DraftsOfProcessesThatDiedAreRemovedInTheEnd) {
    ObjectCache cache(loops);
    cache.add("program", *object("machine code"));
    fs::path draft = onlyFile().string() + ".999999";
    write(draft, std::string(1 << 20, 'x'));
    fs::last_write_time(draft, fs::file_time_type::clock::now() - std::chrono::hours(1000));
    std::string megabytes(16 << 20, 'x');
    for (int i = 0; i < 6; ++i)
        cache.add("program " + std::to_string(i), *object(megabytes));
    EXPECT_FALSE(fs::exists(draft));
}

TEST_F(LoopCache, TwoProcessesAtOnceSeeCompleteFilesOnly) {
    std::vector<pid_t> children;
    for (int child = 0; child < 4; ++child) {
        pid_t pid = fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            bool good = true;
            ObjectCache cache(loops);
            for (int i = 0; i < 200 && good; ++i) {
                std::string key = "program " + std::to_string(i % 5), code(100000, static_cast<char>('a' + i % 5));
                auto there = cache.find(key);
                good = !there || there->getBuffer() == code;
                cache.add(key, *object(code));
            }
            _exit(good ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (pid_t pid : children) {
        int status = 0;
        ASSERT_EQ(waitpid(pid, &status, 0), pid);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(files().size(), 5u) << "nothing but the five loops is left";
}

TEST_F(LoopCache, CompiledLoopsOfAnotherRunAreUsed) {
    ASSERT_EQ(runRegion(), "");
    fs::path file = onlyFile();
    fs::file_time_type before = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(file, before);
    std::string content = read(file);
    EXPECT_EQ(runRegion(), "");
    EXPECT_EQ(read(onlyFile()), content);
    EXPECT_GT(fs::last_write_time(file), before) << "being used counts";
}

TEST_F(LoopCache, ATruncatedLoopIsCompiledAgain) {
    for (double share : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        changeCompiled([&](const std::string &s) {
            size_t header = s.find("\f\n") + 2;
            return s.substr(0, header + static_cast<size_t>(share * static_cast<double>(s.size() - header)));
        });
        EXPECT_EQ(runRegion(), "") << share;
        fs::remove_all(loops);
    }
}

TEST_F(LoopCache, ALoopOfOtherBytesIsCompiledAgain) {
    changeCompiled([&](const std::string &s) {
        size_t header = s.find("\f\n") + 2;
        return s.substr(0, header) + std::string(s.size() - header, 'x');
    });
    EXPECT_EQ(runRegion(), "");
}

TEST_F(LoopCache, ALoopWithOneWrongByteIsCompiledAgain) {
    for (size_t position : {0u, 60u, 200u}) {
        changeCompiled([&](std::string s) {
            size_t header = s.find("\f\n") + 2;
            s[header + position] ^= 0x55;
            return s;
        });
        EXPECT_EQ(runRegion(), "") << position;
        fs::remove_all(loops);
    }
}

} // namespace

} // namespace daphne::test
