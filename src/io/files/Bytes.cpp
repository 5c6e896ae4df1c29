// SPDX-License-Identifier: Apache-2.0
#include "io/files/Bytes.h"

#include <cerrno>

#include <unistd.h>

#include "base/Progress.h"
#include "data/CopyCells.h"

namespace daphne::io {

namespace {

constexpr size_t kCopyBytes = size_t(4) << 20;

template <class Copy> void inPieces(sched::Pool *pool, size_t n, Copy &&copy) {
    forEachTask(pool, (n + kCopyBytes - 1) / kCopyBytes, [&](size_t i) {
        size_t begin = i * kCopyBytes;
        copy(begin, std::min(kCopyBytes, n - begin));
        advanceProgress(std::min(kCopyBytes, n - begin));
    });
}

} // namespace

void copyBytes(sched::Pool *pool, std::string_view part, void *to) {
    inPieces(pool, part.size(),
             [&](size_t begin, size_t n) { std::memcpy(static_cast<char *>(to) + begin, part.data() + begin, n); });
}

namespace {

/// Bytes of a part of a file that stands on a disk, for several threads. Mistakes are told at the end.
class PartOfFile {
  public:
    PartOfFile(ReadJob &job, std::string_view part)
        : job(job), offset(static_cast<size_t>(part.data() - job.text().data())) {}

    bool read(size_t begin, char *to, size_t n) {
        for (size_t done = 0; done < n;) {
            ssize_t got =
                ::pread(job.file().descriptor(), to + done, n - done, static_cast<off_t>(offset + begin + done));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0) {
                (got < 0 ? (failure = errno, shorter) : shorter) = true;
                return false;
            }
            done += static_cast<size_t>(got);
        }
        return true;
    }
    void needAll() const {
        if (failure)
            throw job.error(std::string("cannot be read: ") + std::strerror(failure));
        if (shorter)
            throw job.error("it became shorter while it was read");
    }

  private:
    ReadJob &job;
    const size_t offset;
    std::atomic<int> failure{0};
    std::atomic<bool> shorter{false};
};

} // namespace

void copyContent(ReadJob &job, std::string_view part, void *to) {
    if (job.file().descriptor() < 0)
        return copyBytes(job.request.pool, part, to);
    PartOfFile file(job, part);
    inPieces(job.request.pool, part.size(),
             [&](size_t begin, size_t n) { file.read(begin, static_cast<char *>(to) + begin, n); });
    file.needAll();
}

void scanContent(ReadJob &job, std::string_view part, const std::function<bool(size_t, std::string_view)> &f) {
    constexpr size_t kPiece = size_t(128) << 10; // of a second-level cache a part
    bool isOnDisk = job.file().descriptor() >= 0;
    PartOfFile file(job, part);
    std::atomic<bool> goesOn{true};
    inPieces(job.request.pool, part.size(), [&](size_t begin, size_t n) {
        auto buffer = std::make_unique_for_overwrite<char[]>(isOnDisk ? kPiece : 0);
        for (size_t end = begin + n; begin < end && goesOn; begin += kPiece) {
            std::string_view piece = part.substr(begin, std::min(kPiece, end - begin));
            if (isOnDisk && !file.read(begin, buffer.get(), piece.size()))
                goesOn = false;
            else if (!f(begin, isOnDisk ? std::string_view(buffer.get(), piece.size()) : piece))
                goesOn = false;
        }
    });
    file.needAll();
}

void writeCells(const Dense &m, FileReplacement &file) {
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto cells = m.view<T>();
        auto write = [&](const T *first, size_t n) {
            constexpr size_t kStep = size_t(8) << 20;
            std::string_view bytes(reinterpret_cast<const char *>(first), n * sizeof(T));
            for (; !bytes.empty(); bytes.remove_prefix(std::min(kStep, bytes.size()))) {
                file.write(bytes.substr(0, kStep));
                advanceProgress(std::min(kStep, bytes.size()));
            }
        };
        setProgress(0, cells.rows * cells.cols * sizeof(T));
        if (cells.contiguous())
            return write(cells.data, cells.rows * cells.cols);
        for (size_t r = 0; r < cells.rows; ++r)
            write(cells.row(r), cells.cols);
    });
}

Value inWantedForm(Ref<Dense> m, const ReadRequest &request) {
    const RepresentationPolicy &policy = request.policy;
    bool large = policy.prefersCsr(m->type(), m->rows(), m->cols(), 0);
    if (large && policy.prefersCsr(m->type(), m->rows(), m->cols(), static_cast<double>(countNonZeros(*m))))
        return toCsr(*m);
    return m;
}

Value inWantedForm(Ref<Csr> m, const ReadRequest &request) {
    auto nonZeros = static_cast<double>(m->nonZeros());
    if (request.csr || request.policy.prefersCsr(m->type(), m->rows(), m->cols(), nonZeros))
        return m;
    return toDense(*m);
}

Ref<Csr> withType(Ref<Csr> m, ValueType type) {
    if (m->type() == type)
        return m;
    if (m->isPattern())
        return Csr::withStructureOf(*m, type, {});
    BufferRef values(Buffer::create(type, m->capacity(), Buffer::Init::None));
    withNumericType(m->type(), [&]<class From>(TypeTag<From>) {
        withNumericType(type, [&]<class To>(TypeTag<To>) {
            const From *from = m->template values<From>();
            To *to = values.as<To>();
            for (uint64_t k = m->offsets()[0]; k < m->offsets()[m->rows()]; ++k)
                to[k] = convertCell<To>(from[k]);
        });
    });
    return withoutZeros(Csr::withStructureOf(*m, type, std::move(values)));
}

ValueType resultType(const ReadJob &job, ValueType stored) {
    ValueType wanted = job.meta ? job.wantedType() : stored;
    if (stored == ValueType::Str && wanted != ValueType::Str)
        throw job.error("it holds strings, its meta data say " + std::string(dslName(wanted)));
    return wanted;
}

namespace {

/// The columns of a frame are dense. Nobody means gigabytes of zeros when the file is short.
void needPlausibleSize(const Matrix &m, ReadJob &job) {
    constexpr double kMostGrowth = 64, kAlwaysAllowed = size_t(128) << 20;
    double bytes = static_cast<double>(m.rows()) * static_cast<double>(m.cols() * cellSize(m.type()));
    if (m.isCsr() && bytes > kAlwaysAllowed + kMostGrowth * static_cast<double>(job.text().size()))
        throw job.error("it holds a sparse matrix of " + m.shapeText() + ", which is too large for a frame")
            .withHint("use readMatrix");
    // Columns without rows take no bytes in the file, but a label each in the frame.
    constexpr size_t kColumnsAlwaysAllowed = 4096;
    if (m.cols() > kColumnsAlwaysAllowed + job.text().size())
        throw job.error("it holds a matrix of " + m.shapeText() + ", which has too many columns for a frame")
            .withHint("use readMatrix");
}

} // namespace

Ref<Frame> frameOf(const Matrix &matrix, ReadJob &job) {
    needPlausibleSize(matrix, job);
    Metadata names;
    names.rows = matrix.rows();
    names.cols = matrix.cols();
    names.valueType = matrix.type();
    if (job.meta && job.meta->hasSchema() && job.meta->cols == matrix.cols())
        names = *job.meta;
    auto labels = names.columnLabels();
    auto types = names.columnTypes();
    auto dense = denseOf(matrix);
    const Dense &m = *dense;
    auto frame = Ref<Frame>::make(m.rows());
    for (size_t c = 0; c < m.cols(); ++c)
        frame->addColumn(labels[c], converted(*Dense::window(m, 0, m.rows(), c, c + 1)->copy(), types[c]));
    return frame;
}

} // namespace daphne::io
