// SPDX-License-Identifier: Apache-2.0
#include "io/File.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Error.h"

namespace daphne::io {

namespace {

constexpr size_t kBlock = size_t(1) << 20;

Error cannot(const std::string &verb, const std::string &path, const std::string &reason) {
    return executionError("cannot " + verb + " file \"" + path + "\": " + reason);
}

/// Closes a descriptor at the end of a scope.
struct OwnDescriptor {
    int fd;
    ~OwnDescriptor() { ::close(fd); }
};

std::string readAll(int fd, const std::string &path) {
    std::string text;
    for (;;) {
        size_t used = text.size();
        text.resize(used + kBlock);
        ssize_t n = ::read(fd, text.data() + used, kBlock);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n < 0)
            throw cannot("read", path, std::strerror(errno));
        else if (n == 0) {
            text.resize(used);
            return text;
        }
        text.resize(used + static_cast<size_t>(n));
    }
}

} // namespace

bool fileExists(const std::string &path) {
    struct stat info;
    return ::stat(path.c_str(), &info) == 0;
}

FileText::FileText(const std::string &path) {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw cannot("read", path, std::strerror(errno));
    OwnDescriptor owner{fd};
    struct stat info;
    if (::fstat(fd, &info) != 0)
        throw cannot("read", path, std::strerror(errno));
    if (S_ISDIR(info.st_mode))
        throw cannot("read", path, "it is a directory");
    if (S_ISREG(info.st_mode) && info.st_size > 0) {
        auto size = static_cast<size_t>(info.st_size);
        void *m = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (m != MAP_FAILED) {
            ::madvise(m, size, MADV_SEQUENTIAL);
            mapping = m;
            content = {static_cast<const char *>(m), size};
            return;
        }
    }
    copy = readAll(fd, path);
    content = copy;
}

FileText::~FileText() {
    if (mapping)
        ::munmap(mapping, content.size());
}

FileReplacement::FileReplacement(std::string target) : path(std::move(target)) {
    static std::atomic<unsigned> counter{0};
    if (fileExists(path)) {
        struct stat info;
        if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
            throw cannot("write", path, "it is a directory");
    }
    do {
        temporary = path + ".tmp" + std::to_string(::getpid()) + "_" + std::to_string(counter++);
        fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        fail("open");
}

FileReplacement::~FileReplacement() {
    if (fd >= 0)
        ::close(fd);
    if (!temporary.empty())
        ::unlink(temporary.c_str());
}

void FileReplacement::fail(const char *what) const {
    // The step matters only when it is not the obvious one.
    std::string reason = std::strerror(errno);
    throw cannot("write", path, std::string_view(what) == "open" ? reason : std::string(what) + ": " + reason);
}

void FileReplacement::write(std::string_view text) {
    buffer += text;
    if (buffer.size() >= kBlock)
        flush();
}

void FileReplacement::flush() {
    for (std::string_view rest = buffer; !rest.empty();) {
        ssize_t n = ::write(fd, rest.data(), rest.size());
        if (n < 0 && errno != EINTR)
            fail("write");
        if (n > 0)
            rest.remove_prefix(static_cast<size_t>(n));
    }
    buffer.clear();
}

void FileReplacement::commit() {
    flush();
    if (::close(std::exchange(fd, -1)) != 0)
        fail("close");
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        fail("rename");
    temporary.clear();
}

} // namespace daphne::io
