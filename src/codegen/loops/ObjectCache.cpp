// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/ObjectCache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <unistd.h>

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"

#include "base/Error.h"
#include "base/OwnObject.h"
#include "codegen/Jit.h"

namespace daphne::codegen {

namespace fs = std::filesystem;

namespace {

/// Object files of another build of our code do not fit: its loops may look different.
std::string buildId() {
    std::string id = OwnObject::get().buildId;
    if (id.empty())
        throw internalError("this code was linked without a build id");
    return id;
}

std::string headerOf(const std::string &key) {
    static const std::string maker = buildId() + " llvm " LLVM_VERSION_STRING " cpu " + hostDescription();
    return "daphne loop " + maker + "\n" + key + "\f\n";
}

constexpr size_t kDigestSize = 34; ///< length and checksum in hexadecimal digits, a space and a line feed

std::string digestOf(llvm::StringRef object) {
    char text[kDigestSize + 1];
    std::snprintf(text, sizeof text, "%016llx %016llx\n", static_cast<unsigned long long>(object.size()),
                  static_cast<unsigned long long>(llvm::xxh3_64bits(object)));
    return text;
}

constexpr const char *kExtension = ".loop";

} // namespace

std::string ObjectCache::pathOf(const std::string &header) const {
    char name[20];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(llvm::xxh3_64bits(header)));
    return directory + "/" + name + kExtension;
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::find(const std::string &key) {
    if (directory.empty())
        return nullptr;
    std::string header = headerOf(key), path = pathOf(header);
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return nullptr;
    std::ifstream in(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    llvm::StringRef rest = content;
    if (!in || !rest.consume_front(header) || rest.size() < kDigestSize)
        return nullptr;
    llvm::StringRef object = rest.drop_front(kDigestSize);
    if (rest.take_front(kDigestSize) != digestOf(object))
        return nullptr;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return llvm::MemoryBuffer::getMemBufferCopy(object, "loop");
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
        out << header << digestOf(object.getBuffer());
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
        // Ours, or the draft of one.
        if (it->path().filename().string().find(kExtension) == std::string::npos || !it->is_regular_file(gone))
            continue;
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
