// SPDX-License-Identifier: Apache-2.0
#include "io/files/OpenFiles.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Error.h"
#include "io/text/Fields.h"

namespace daphne::io {

namespace {

Error cannot(const char *verb, const std::string &path, const std::string &reason) {
    return executionError("cannot " + std::string(verb) + " file \"" + path + "\": " + reason);
}

} // namespace

OpenFile::OpenFile(std::string name, Kind kind) : path(std::move(name)) {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw cannot("open", path, std::strerror(errno));
    struct stat info;
    const char *problem = nullptr;
    if (::fstat(fd, &info) != 0)
        problem = std::strerror(errno);
    else if (S_ISDIR(info.st_mode))
        problem = "it is a directory";
    else if (kind == Kind::Device && !S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode))
        problem = "it is no device";
    if (problem) {
        ::close(fd); // the destructor of an object that was not constructed does not run
        throw cannot("open", path, problem);
    }
}

OpenFile::~OpenFile() { ::close(fd); }

bool OpenFile::fill() {
    constexpr size_t kBlock = size_t(1) << 16, kLongestLine = size_t(1) << 30;
    buffer.erase(0, at);
    at = 0;
    if (buffer.size() > kLongestLine)
        throw error("the next line is longer than 1 GiB");
    size_t used = buffer.size();
    buffer.resize(used + kBlock);
    ssize_t n;
    do
        n = ::read(fd, buffer.data() + used, kBlock);
    while (n < 0 && errno == EINTR);
    buffer.resize(used + (n > 0 ? static_cast<size_t>(n) : 0));
    if (n < 0)
        throw cannot("read", path, std::strerror(errno));
    return n > 0;
}

std::optional<std::string_view> OpenFile::nextLine() {
    size_t searched = at;
    size_t end;
    while ((end = buffer.find('\n', searched)) == buffer.npos) {
        searched = buffer.size() - at; // fill() moves the line to the front
        if (fill())
            continue;
        if (buffer.empty())
            return std::nullopt;
        end = buffer.size(); // the last line need not have an end
        break;
    }
    std::string_view line(buffer.data() + at, end - at);
    at = std::min(end + 1, buffer.size());
    ++lineNumber;
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

Error OpenFile::error(const std::string &what) const {
    return executionError("file \"" + path + "\", line " + std::to_string(lineNumber) + ": " + what);
}

int64_t OpenFiles::add(std::unique_ptr<OpenFile> file) {
    files.push_back(std::move(file));
    return static_cast<int64_t>(files.size());
}

OpenFile &OpenFiles::get(int64_t handle) {
    bool known = handle > 0 && handle <= static_cast<int64_t>(files.size());
    if (!known || !files[static_cast<size_t>(handle - 1)])
        throw executionError("no file with the handle " + std::to_string(handle) + " is open" +
                             (known ? ": it has been closed" : ""));
    return *files[static_cast<size_t>(handle - 1)];
}

void OpenFiles::close(int64_t handle) {
    get(handle);
    files[static_cast<size_t>(handle - 1)].reset();
}

Ref<Dense> readDelimited(OpenFile &file, size_t rows, size_t cols, char delimiter) {
    auto result = Dense::create(ValueType::F64, rows, cols);
    auto out = result->mutableView<double>();
    for (size_t r = 0; r < rows; ++r) {
        auto line = file.nextLine();
        if (!line)
            throw file.error("the file ends after " + std::to_string(r) + " of " + std::to_string(rows) + " rows");
        std::string_view rest = *line;
        for (size_t c = 0; c < cols; ++c) {
            size_t end = rest.find(delimiter);
            bool last = c + 1 == cols;
            if (last != (end == rest.npos))
                throw file.error("expected " + std::to_string(cols) + " fields, got " +
                                 (last ? "more" : std::to_string(c + 1)));
            out(r, c) = lenientNumber<double>(rest.substr(0, end));
            rest.remove_prefix(last ? rest.size() : end + 1);
        }
        if (!rest.empty())
            throw file.error("expected an empty line for a row without columns");
    }
    return result;
}

} // namespace daphne::io
