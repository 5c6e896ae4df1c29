// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/ObjectCache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"

#include "codegen/Jit.h"

namespace daphne::codegen {

namespace fs = std::filesystem;

namespace {

/// Number of the code generator: object files of others do not fit.
constexpr int kGeneration = 3;

std::string headerOf(const std::string &key) {
    static const std::string machine = hostDescription();
    return "daphne loop " + std::to_string(kGeneration) + " llvm " LLVM_VERSION_STRING " cpu " + machine + "\n" + key +
           "\f\n";
}

} // namespace

std::string ObjectCache::pathOf(const std::string &header) const {
    char name[20];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(llvm::xxh3_64bits(header)));
    return directory + "/" + name + ".loop";
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::find(const std::string &key) {
    if (directory.empty())
        return nullptr;
    std::string header = headerOf(key), path = pathOf(header);
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    if (!in || content.size() <= header.size() || content.compare(0, header.size(), header) != 0)
        return nullptr;
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
    return llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(content).drop_front(header.size()), "loop");
}

void ObjectCache::add(const std::string &key, const llvm::MemoryBuffer &object) {
    if (directory.empty())
        return;
    std::error_code error;
    fs::create_directories(directory, error);
    std::string header = headerOf(key), path = pathOf(header);
    std::string draft = path + "." + std::to_string(::getpid());
    {
        std::ofstream out(draft, std::ios::binary);
        out << header;
        out.write(object.getBufferStart(), static_cast<std::streamsize>(object.getBufferSize()));
        out.close();
        if (!out) {
            fs::remove(draft, error);
            return;
        }
    }
    fs::rename(draft, path, error);
    if (error)
        fs::remove(draft, error);
    removeOldest();
}

void ObjectCache::removeOldest() {
    struct File {
        fs::path path;
        fs::file_time_type used;
        uint64_t bytes;
    };
    std::vector<File> files;
    uint64_t total = 0;
    std::error_code error;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;
        File f{it->path(), it->last_write_time(gone), it->file_size(gone)};
        if (!gone) {
            total += f.bytes;
            files.push_back(std::move(f));
        }
    }
    if (total <= kMostBytes)
        return;
    std::ranges::sort(files, {}, &File::used);
    for (const File &f : files) {
        if (total <= kMostBytes / 2)
            break;
        fs::remove(f.path, error);
        total -= f.bytes;
    }
}

} // namespace daphne::codegen
