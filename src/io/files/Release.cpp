// SPDX-License-Identifier: Apache-2.0
#include "io/files/Release.h"

#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace daphne::io {

namespace {

/// Smaller files are gone before a thread has begun.
constexpr off_t kLarge = off_t(8) << 20;

/// The thread that closes, of the whole process.
class Releaser {
  public:
    ~Releaser() { wait(); }

    void close(int fd) {
        std::lock_guard lock(mutex);
        join();
        try {
            thread = std::thread([fd] { ::close(fd); });
        } catch (const std::system_error &) {
            ::close(fd);
        }
    }

    bool wait() {
        std::lock_guard lock(mutex);
        return join();
    }

  private:
    bool join() {
        if (!thread.joinable())
            return false;
        thread.join();
        return true;
    }
    std::mutex mutex;
    std::thread thread;
};

Releaser &releaser() {
    static Releaser only;
    return only;
}

} // namespace

// No right to read is needed to keep a file.
ReplacedFile::ReplacedFile(const std::string &path) : fd(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {
    struct stat info;
    bool isLarge = fd >= 0 && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
                   static_cast<off_t>(info.st_blocks) * 512 >= kLarge;
    if (fd >= 0 && !isLarge) {
        ::close(fd);
        fd = -1;
    }
}

ReplacedFile::~ReplacedFile() {
    if (fd >= 0)
        releaser().close(fd);
}

bool awaitRelease() { return releaser().wait(); }

} // namespace daphne::io
