// SPDX-License-Identifier: Apache-2.0
#include "io/Rows.h"

#include "base/Error.h"

namespace daphne::io {

namespace {

/// Null for files that have to be read from their begin, or cannot be read.
const Format *formatOf(const DataPath &path) {
    if (compressionOf(path.file) != Compression::None || !fileExists(path.file))
        return nullptr;
    const Format *format = FormatTable::get().find(path.extension);
    return format && (format->hasParts || path.part.empty()) ? format : nullptr;
}

/// Calls the function of a format with a file; a change of the file explains any mistake in its content.
template <class Read>
auto reading(const Format &format, const DataPath &path, const ReadRequest &request, Read &&read) {
    ReadJob job(path.file, path.part, metadataFor(path), request);
    std::optional<InForeignCode> foreign;
    enterLibrary(foreign, format, path.file);
    try {
        auto result = read(job);
        job.needUnchanged();
        return result;
    } catch (const Error &) {
        job.needUnchanged();
        throw;
    }
}

/// What a header tells; nothing if there is a mistake in it: whoever reads the file gets the message.
template <class Info>
std::optional<Info> described(const Format &format, const DataPath &path,
                              std::optional<Info> (*Format::*describe)(ReadJob &)) {
    if (!(format.*describe))
        return std::nullopt;
    try {
        return reading(format, path, {}, [&](ReadJob &job) { return (format.*describe)(job); });
    } catch (const Error &) {
        return std::nullopt;
    }
}

/// Neither kind of file is a matter of taste here.
ReadRequest requestFor(Form form, sched::Pool *pool) {
    return {.csr = form == Form::Csr, .policy = {.largeBytes = ~size_t(0)}, .pool = pool};
}

} // namespace

std::optional<FileInfo> inspectRows(const std::string &name) {
    DataPath path(name);
    const Format *format = formatOf(path);
    std::optional<Metadata> meta = format ? described(*format, path, &Format::describeRows) : std::nullopt;
    if (!meta)
        return std::nullopt;
    FileInfo info;
    info.type = meta->matrixType();
    info.rows = static_cast<int64_t>(meta->rows);
    info.cols = static_cast<int64_t>(meta->cols);
    return info;
}

Ref<Dense> readRows(const std::string &name, size_t first, size_t count, sched::Pool *pool) {
    DataPath path(name);
    const Format *format = formatOf(path);
    if (!format || !format->readRows)
        throw executionError("file \"" + name + "\": its rows cannot be read one by one");
    return reading(*format, path, {.pool = pool}, [&](ReadJob &job) { return format->readRows(job, first, count); });
}

std::optional<WholeInfo> inspectWhole(const std::string &name) {
    DataPath path(name);
    const Format *format = formatOf(path);
    return format ? described(*format, path, &Format::describeWhole) : std::nullopt;
}

Value readWhole(const std::string &name, Form form, sched::Pool *pool) {
    DataPath path(name);
    const Format *format = formatOf(path);
    if (!format || !format->describeWhole)
        throw executionError("file \"" + name + "\": its matrix cannot be read for some of its rows");
    Value matrix =
        reading(*format, path, requestFor(form, pool), [&](ReadJob &job) { return format->readMatrix(job); });
    return form == Form::Csr && !matrix.isCsr() ? Value(toCsr(matrix.dense())) : matrix;
}

Ref<Csr> readSparseRows(const std::string &name, const SparseRows &wanted, sched::Pool *pool) {
    DataPath path(name);
    const Format *format = formatOf(path);
    if (!format || !format->readSparseRows)
        return {};
    Ref<Csr> rows = reading(*format, path, requestFor(Form::Csr, pool),
                            [&](ReadJob &job) { return format->readSparseRows(job, wanted); });
    return rows && rows->nonZeros() == wanted.stored ? rows : Ref<Csr>();
}

} // namespace daphne::io
