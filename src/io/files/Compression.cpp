// SPDX-License-Identifier: Apache-2.0
#include "io/files/Compression.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "base/ActiveRun.h"
#include "base/Error.h"

namespace daphne::io {

namespace {

constexpr size_t kStep = size_t(1) << 20;
/// gzip cannot reach this ratio; only small Zstandard files of one repeated text can.
constexpr size_t kMostGrowth = 1100, kAlwaysAllowed = size_t(1) << 30;

class Limit {
  public:
    Limit(size_t compressedBytes, const std::string &path)
        : most(std::max(kAlwaysAllowed, compressedBytes * kMostGrowth)), path(path) {}
    void check(size_t numBytes) const {
        if (numBytes > most)
            throw executionError("file \"" + path + "\" expands to more than " + std::to_string(most) +
                                 " bytes: it is no honest compressed file");
    }

  private:
    size_t most;
    const std::string &path;
};

Error broken(const std::string &path, size_t at, const std::string &what) {
    return executionError("file \"" + path + "\", byte " + std::to_string(at) + ": " + what);
}

void gunzip(std::string_view in, const std::string &path, GrowingText &into) {
    Limit limit(in.size(), path);
    z_stream z{};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        throw std::bad_alloc();
    struct End {
        z_stream &z;
        ~End() { inflateEnd(&z); }
    } end{z};
    size_t at = 0;
    bool inside = true; // of a stream
    while (inside || at < in.size()) {
        throwIfCancelled();
        if (!inside)
            inflateReset(&z);
        auto piece = static_cast<uInt>(std::min(in.size() - at, size_t(1) << 30));
        z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data() + at));
        z.avail_in = piece;
        z.next_out = reinterpret_cast<Bytef *>(into.room(kStep));
        z.avail_out = kStep;
        int status = inflate(&z, Z_NO_FLUSH);
        at += piece - z.avail_in;
        into.grow(kStep - z.avail_out);
        limit.check(into.text().size());
        if (status == Z_MEM_ERROR)
            throw std::bad_alloc();
        bool stuck = status == Z_BUF_ERROR || (status == Z_OK && at == in.size() && z.avail_out != 0);
        if (stuck)
            throw broken(path, at, "the gzip data end too early");
        if (status != Z_OK && status != Z_STREAM_END)
            throw broken(path, at, std::string("not valid gzip data") + (z.msg ? std::string(": ") + z.msg : ""));
        inside = status != Z_STREAM_END;
    }
}

void unzstd(std::string_view in, const std::string &path, GrowingText &into) {
    Limit limit(in.size(), path);
    std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> z(ZSTD_createDStream(), ZSTD_freeDStream);
    if (!z)
        throw std::bad_alloc();
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    size_t hint = 1;
    bool full = true;
    while (from.pos < from.size || full) {
        throwIfCancelled();
        ZSTD_outBuffer to{into.room(kStep), kStep, 0};
        hint = ZSTD_decompressStream(z.get(), &to, &from);
        if (ZSTD_isError(hint))
            throw broken(path, from.pos, std::string("not valid Zstandard data: ") + ZSTD_getErrorName(hint));
        into.grow(to.pos);
        limit.check(into.text().size());
        full = to.pos == kStep;
    }
    if (hint != 0)
        throw broken(path, from.pos, "the Zstandard data end too early");
}

class GzipCompressor final : public Compressor {
  public:
    GzipCompressor() {
        // Level 3: a third of the time of the default for a few per cent of size.
        if (deflateInit2(&z, 3, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~GzipCompressor() override { deflateEnd(&z); }
    void write(std::string_view content, const Sink &sink) override {
        for (; !content.empty(); content.remove_prefix(std::min(content.size(), kStep)))
            run(content.substr(0, kStep), Z_NO_FLUSH, sink);
    }
    void finish(const Sink &sink) override { run({}, Z_FINISH, sink); }

  private:
    void run(std::string_view piece, int mode, const Sink &sink) {
        char out[1 << 16];
        z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(piece.data()));
        z.avail_in = static_cast<uInt>(piece.size());
        do {
            z.next_out = reinterpret_cast<Bytef *>(out);
            z.avail_out = sizeof out;
            deflate(&z, mode);
            sink({out, sizeof out - z.avail_out});
        } while (z.avail_out == 0);
    }
    z_stream z{};
};

class ZstdCompressor final : public Compressor {
  public:
    ZstdCompressor() : z(ZSTD_createCStream(), ZSTD_freeCStream) {
        if (!z)
            throw std::bad_alloc();
    }
    void write(std::string_view content, const Sink &sink) override { run(content, ZSTD_e_continue, sink); }
    void finish(const Sink &sink) override { run({}, ZSTD_e_end, sink); }

  private:
    void run(std::string_view piece, ZSTD_EndDirective mode, const Sink &sink) {
        char out[1 << 16];
        ZSTD_inBuffer from{piece.data(), piece.size(), 0};
        size_t left;
        do {
            ZSTD_outBuffer to{out, sizeof out, 0};
            left = ZSTD_compressStream2(z.get(), &to, &from, mode);
            if (ZSTD_isError(left))
                throw executionError(std::string("cannot compress: ") + ZSTD_getErrorName(left));
            sink({out, to.pos});
        } while (from.pos < from.size || (mode == ZSTD_e_end && left != 0));
    }
    std::unique_ptr<ZSTD_CStream, size_t (*)(ZSTD_CStream *)> z;
};

} // namespace

Compression compressionOf(std::string_view path) {
    return path.ends_with(".gz") ? Compression::Gzip : path.ends_with(".zst") ? Compression::Zstd : Compression::None;
}

std::string_view withoutCompression(std::string_view path) {
    switch (compressionOf(path)) {
    case Compression::Gzip: return path.substr(0, path.size() - 3);
    case Compression::Zstd: return path.substr(0, path.size() - 4);
    case Compression::None: break;
    }
    return path;
}

GrowingText::~GrowingText() {
    if (data)
        ::munmap(data, capacity);
}

char *GrowingText::room(size_t n) {
    if (capacity - used >= n)
        return data + used;
    // A quarter more: remapping is cheap, pages that are never touched cost nothing.
    size_t wanted = (used + n + used / 4 + kStep) / kStep * kStep;
    constexpr int kProtection = PROT_READ | PROT_WRITE;
    void *block = data ? ::mremap(data, capacity, wanted, MREMAP_MAYMOVE)
                       : ::mmap(nullptr, wanted, kProtection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        throw std::bad_alloc();
    data = static_cast<char *>(block);
    capacity = wanted;
    return data + used;
}

void decompress(Compression kind, std::string_view compressed, const std::string &path, GrowingText &into) {
    if (kind == Compression::Gzip)
        gunzip(compressed, path, into);
    else
        unzstd(compressed, path, into);
}

std::unique_ptr<Compressor> Compressor::create(Compression kind) {
    switch (kind) {
    case Compression::Gzip: return std::make_unique<GzipCompressor>();
    case Compression::Zstd: return std::make_unique<ZstdCompressor>();
    case Compression::None: break;
    }
    return nullptr;
}

} // namespace daphne::io
