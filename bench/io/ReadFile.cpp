// SPDX-License-Identifier: Apache-2.0
/// io_bench: seconds to read and to write files with the library alone.
///
///     io_bench <threads> <repetitions> matrix|frame|read2|loop in [out]
///
/// read2: read(2) of the whole file into memory. loop: a hand-written reader of
/// MatrixMarket coordinates in row order (one thread, strtol and strtod replaced by
/// plain loops), the yardstick for ours. Prints a line with the seconds of all repetitions of reading and,
/// with an output name, one of writing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <charconv>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Error.h"
#include "io/Format.h"
#include "sched/Pool.h"

namespace {

using namespace daphne;

/// Prints what every run takes. What comes before each run does not count.
void printSeconds(int repetitions, const std::function<void()> &f, const std::function<void()> &before = [] {}) {
    for (int i = 0; i < repetitions; ++i) {
        before();
        auto begin = std::chrono::steady_clock::now();
        f();
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        std::printf("%s%.5f", i == 0 ? "" : " ", taken.count());
    }
    std::printf("\n");
}

/// read(2) into fresh memory, as much at a time as the system gives.
void readWhole(const char *path) {
    int fd = ::open(path, O_RDONLY);
    struct stat info;
    fstat(fd, &info);
    auto size = static_cast<size_t>(info.st_size);
    void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < size;) {
        ssize_t n = ::read(fd, static_cast<char *>(memory) + at, size - at);
        if (n <= 0)
            std::exit(1);
        at += static_cast<size_t>(n);
    }
    ::munmap(memory, size);
    ::close(fd);
}

/// What one writes by hand for a file known to be in row order and without mistakes.
void readCoordinatesByHand(const char *path) {
    int fd = ::open(path, O_RDONLY);
    struct stat info;
    fstat(fd, &info);
    auto size = static_cast<size_t>(info.st_size);
    auto *text = static_cast<const char *>(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0));
    const char *p = text, *end = text + size;
    auto number = [&] {
        while (*p == ' ' || *p == '\n')
            ++p;
        uint64_t x = 0;
        while (p != end && *p >= '0' && *p <= '9')
            x = x * 10 + static_cast<uint64_t>(*p++ - '0');
        return x;
    };
    while (*p == '%')
        p = static_cast<const char *>(std::memchr(p, '\n', static_cast<size_t>(end - p))) + 1;
    uint64_t rows = number(), cols = number(), entries = number();
    std::vector<uint64_t> offsets(rows + 1);
    auto columns = std::make_unique_for_overwrite<uint32_t[]>(entries);
    auto values = std::make_unique_for_overwrite<double[]>(entries);
    for (uint64_t k = 0; k < entries; ++k) {
        ++offsets[number()];
        columns[k] = static_cast<uint32_t>(number() - 1);
        p = std::from_chars(p + 1, end, values[k]).ptr;
    }
    for (uint64_t r = 0; r < rows; ++r)
        offsets[r + 1] += offsets[r];
    [[maybe_unused]] static volatile double keep;
    keep = values[entries - 1] + static_cast<double>(columns[entries - 1] + offsets[rows] + cols);
    ::munmap(const_cast<char *>(text), size);
    ::close(fd);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 5) {
        std::fprintf(stderr, "usage: io_bench <threads> <repetitions> matrix|frame|read2|loop in [out]\n");
        return 1;
    }
    int repetitions = std::max(1, std::atoi(argv[2]));
    std::string mode = argv[3], path = argv[4];
    sched::Pool pool(sched::Topology::detect(), static_cast<uint32_t>(std::max(1, std::atoi(argv[1]))));
    Value value;
    try {
        printSeconds(
            repetitions,
            [&] {
                if (mode == "read2")
                    readWhole(argv[4]);
                else if (mode == "loop")
                    readCoordinatesByHand(argv[4]);
                else if (mode == "frame")
                    value = io::readFrame(path, {.pool = &pool});
                else
                    value = io::readMatrix(path, {.pool = &pool});
            },
            [&] { value = Value(); });
        if (argc > 5)
            printSeconds(repetitions, [&] { io::write(value, argv[5], {.pool = &pool}); });
    } catch (const Error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return static_cast<int>(e.stage);
    }
}
