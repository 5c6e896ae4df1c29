// SPDX-License-Identifier: Apache-2.0
#include "io/files/File.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ActiveRun.h"
#include "base/Error.h"
#include "io/files/Release.h"

namespace daphne::io {

namespace {

constexpr size_t kBlock = size_t(1) << 20;
/// Of one call of the system, which nothing interrupts: some milliseconds of a slow disk.
constexpr size_t kMostAtOnce = size_t(16) << 20;

Error cannot(const std::string &verb, const std::string &path, const std::string &reason) {
    return executionError("cannot " + verb + " file \"" + path + "\": " + reason);
}

/// Closes a descriptor at the end of a scope.
struct OwnDescriptor {
    int fd;
    ~OwnDescriptor() {
        if (fd >= 0)
            ::close(fd);
    }
};

void readAll(int fd, const std::string &path, GrowingText &text) {
    for (;;) {
        throwIfCancelled();
        ssize_t n = ::read(fd, text.room(kBlock), kBlock);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            throw cannot("read", path, std::strerror(errno));
        if (n == 0)
            return;
        text.grow(static_cast<size_t>(n));
    }
}

/// The rename is on the disk when this returns. Not every file system can do it; the file itself is safe already.
void syncDirectoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    std::string directory = slash == path.npos ? "." : path.substr(0, slash + 1);
    OwnDescriptor d{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (d.fd >= 0)
        ::fsync(d.fd);
}

} // namespace

bool fileExists(const std::string &path) {
    struct stat info;
    return ::stat(path.c_str(), &info) == 0;
}

std::string behindLinks(const std::string &path) {
    std::error_code problem;
    if (!std::filesystem::is_symlink(path, problem))
        return path;
    std::string place = std::filesystem::canonical(path, problem);
    return problem ? path : place;
}

FileText::FileText(const std::string &path) : path(path) {
    OwnDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0)
        throw cannot("read", path, std::strerror(errno));
    struct stat info;
    if (::fstat(file.fd, &info) != 0)
        throw cannot("read", path, std::strerror(errno));
    if (S_ISDIR(info.st_mode))
        throw cannot("read", path, "it is a directory");
    GrowingText whole; // compressed, of what cannot be mapped
    Compression kind = compressionOf(path);
    if (S_ISREG(info.st_mode) && info.st_size > 0 && mapped.load(file.fd, static_cast<size_t>(info.st_size))) {
        content = mapped.text();
    } else {
        GrowingText &target = kind == Compression::None ? copy : whole;
        readAll(file.fd, path, target);
        content = target.text();
    }
    if (kind == Compression::None) {
        if (mapped.isMapped())
            fd = std::exchange(file.fd, -1);
        else
            needUnchanged(file.fd);
        return;
    }
    try {
        decompress(kind, content, path, copy);
    } catch (const Error &) {
        needUnchanged(file.fd);
        throw;
    }
    needUnchanged(file.fd);
    mapped.release();
    content = copy.text();
}

FileText::~FileText() {
    if (fd >= 0)
        ::close(fd);
}

void FileText::needUnchanged(int descriptor) const {
    if (mapped.becameShorter(descriptor))
        throw cannot("read", path, "it became shorter while it was read");
}

// What a link leads to is replaced, the link stays.
FileReplacement::FileReplacement(std::string target)
    : path(std::move(target)), place(behindLinks(path)), compressor(Compressor::create(compressionOf(path))) {
    static std::atomic<unsigned> counter{0};
    struct stat info;
    bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        throw cannot("write", path, "it is a directory");
    do {
        temporary = place + ".tmp" + std::to_string(::getpid()) + "_" + std::to_string(counter++);
        fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        fail("open");
    // Who may read the old file may read the new one.
    if (exists && ::fchmod(fd, info.st_mode & 07777) != 0) {
        int reason = errno;
        ::close(fd);
        ::unlink(temporary.c_str());
        errno = reason;
        fail("chmod");
    }
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
    if (text.size() >= kBlock) {
        flush();
        writeOut(text);
        return;
    }
    buffer += text;
    if (buffer.size() >= kBlock)
        flush();
}

void FileReplacement::flush() {
    writeOut(buffer);
    buffer.clear();
}

void FileReplacement::writeOut(std::string_view bytes) {
    auto put = [this](std::string_view rest) {
        while (!rest.empty()) {
            throwIfCancelled();
            ssize_t n = ::write(fd, rest.data(), std::min(rest.size(), kMostAtOnce));
            // A file that was replaced before may still have the space.
            bool again = n < 0 && (errno == EINTR || ((errno == ENOSPC || errno == EDQUOT) && awaitRelease()));
            if (n < 0 && !again)
                fail("write");
            if (n > 0)
                rest.remove_prefix(static_cast<size_t>(n));
        }
    };
    if (compressor)
        compressor->write(bytes, put);
    else
        put(bytes);
}

void FileReplacement::finish() {
    if (std::exchange(finished, true))
        return;
    flush();
    if (compressor) {
        std::string rest;
        compressor->finish([&](std::string_view piece) { rest += piece; });
        compressor.reset();
        writeOut(rest);
    }
    // Pipes and devices cannot be synchronised.
    if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        fail("fsync");
    if (::close(std::exchange(fd, -1)) != 0)
        fail("close");
}

void FileReplacement::commit() {
    finish();
    ReplacedFile old(place);
    if (::rename(temporary.c_str(), place.c_str()) != 0)
        fail("rename");
    temporary.clear();
    syncDirectoryOf(place);
}

} // namespace daphne::io
