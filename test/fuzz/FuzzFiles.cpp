// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: the content of a file through one reader. A file that the reader
/// refuses with an error of status 3 that names it is fine. Anything else aborts:
/// other errors and exceptions, and more memory than four times the file plus a
/// constant.
///
/// The first byte of an input says how it is read (Choice below), then comes the
/// metadata, one line, if wanted, then the content of the file. The format is that
/// of the option --format=csv, or of a call of fuzzFormat().
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "AllocationMeter.h"
#include "base/Error.h"
#include "data/BufferPool.h"
#include "data/Object.h"
#include "io/FormatTable.h"
#include "io/files/File.h"
#include "sched/Pool.h"

using namespace daphne;

namespace {

enum Choice : uint8_t { kFrame = 1, kCsr = 2, kMetadata = 4, kParallel = 8, kStyle = 48 };

/// What readers may need beyond what follows from the size of a file: 16 million rows without an entry, a sparse
/// matrix that is small enough to be held dense, blocks of decompression.
constexpr size_t kConstant = size_t(512) << 20;

std::string format = "csv";

/// Where inputs become files; removed at the end.
struct Directory {
    std::string path;
    Directory() {
        std::string pattern =
            std::filesystem::exists("/dev/shm") ? "/dev/shm/daphne-fuzz-XXXXXX" : "/tmp/daphne-fuzz-XXXXXX";
        path = mkdtemp(pattern.data());
    }
    ~Directory() { std::filesystem::remove_all(path); }
};

void put(const std::string &path, std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(text.data(), static_cast<std::streamsize>(text.size()));
}

[[noreturn]] void fail(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    std::abort();
}

io::CsvOptions optionsOf(uint8_t choice) {
    io::CsvOptions style;
    switch ((choice & kStyle) >> 4) {
    case 1: style.header = true, style.delimiter = ';'; break;
    case 2: style.nulls = std::vector<std::string>{"NA", ""}, style.quote = '\''; break;
    case 3: style.quote = 0, style.delimiter = '\t', style.lenient = true; break;
    default: break;
    }
    return style;
}

/// Size of the content a limit is measured by: what compressed data expand to.
size_t contentSize(const std::string &path) {
    try {
        return io::FileText(path).text().size();
    } catch (const Error &) {
        return 0;
    }
}

void readOne(const std::string &path, uint8_t choice) {
    static sched::Pool pool(sched::Topology::detect(), 2);
    io::ReadRequest request{.csr = (choice & kCsr) != 0};
    if (io::DataPath(path).extension == "csv")
        request.csv = optionsOf(choice);
    if (choice & kParallel)
        request.pool = &pool;
    try {
        io::inspect(path, choice & kFrame);
        choice &kFrame ? io::readFrame(path, request) : io::readMatrix(path, request);
    } catch (const Error &error) {
        if (error.stage != Stage::Execute)
            fail("an error of another stage: " + error.message);
        if (error.message.find(path) == std::string::npos)
            fail("the message does not name the file: " + error.message);
    } catch (const std::exception &error) {
        fail(std::string("foreign exception: ") + error.what());
    }
}

} // namespace

void fuzzFormat(std::string extension) { format = std::move(extension); }

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
    for (int i = 1; i < *argc; ++i)
        if (std::string_view option = (*argv)[i]; option.starts_with("--format="))
            fuzzFormat(std::string(option.substr(9)));
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Directory directory;
    if (size == 0)
        return 0;
    uint8_t choice = data[0];
    std::string_view content(reinterpret_cast<const char *>(data) + 1, size - 1);
    std::string path = directory.path + "/x." + format;
    std::filesystem::remove(path + ".meta");
    if (choice & kMetadata) {
        size_t end = std::min(content.find('\n'), content.size());
        put(path + ".meta", content.substr(0, end));
        content.remove_prefix(std::min(content.size(), end + 1));
    }
    put(path, content);
    size_t limit = 4 * (contentSize(path) + size) + kConstant;
    fuzz::startMeter();
    readOne(path, choice);
    size_t peak = fuzz::peakBytes() + bufferPoolState().peakInUse;
    if (peak > limit)
        fail("reading took " + std::to_string(peak) + " bytes, the limit is " + std::to_string(limit));
    return 0;
}
