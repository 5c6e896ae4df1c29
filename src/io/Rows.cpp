// SPDX-License-Identifier: Apache-2.0
#include "io/Rows.h"

#include "base/Error.h"

namespace daphne::io {

namespace {

std::optional<RowFormat> formatOf(const DataPath &path) {
    // A compressed file would have to be read from its begin.
    if (compressionOf(path.file) != Compression::None || !path.part.empty() || !fileExists(path.file))
        return std::nullopt;
    for (const RowFormat &format : {rowsOfCsv(), rowsOfDbdf()})
        if (format.extension == path.extension)
            return format;
    return std::nullopt;
}

ReadJob jobOf(const DataPath &path, sched::Pool *pool) {
    return ReadJob(path.file, "", readMetadata(path.file), ReadRequest{.pool = pool});
}

} // namespace

std::optional<FileInfo> inspectRows(const std::string &name) {
    DataPath path(name);
    std::optional<RowFormat> format = formatOf(path);
    if (!format)
        return std::nullopt;
    try {
        ReadJob job = jobOf(path, nullptr);
        std::optional<Metadata> meta = format->describe(job);
        if (!meta)
            return std::nullopt;
        FileInfo info;
        info.type = meta->matrixType();
        info.rows = static_cast<int64_t>(meta->rows);
        info.cols = static_cast<int64_t>(meta->cols);
        return info;
    } catch (const Error &) {
        return std::nullopt; // whoever reads it gets the message
    }
}

Ref<Dense> readRows(const std::string &name, size_t first, size_t count, sched::Pool *pool) {
    DataPath path(name);
    std::optional<RowFormat> format = formatOf(path);
    if (!format)
        throw executionError("file \"" + name + "\": its rows cannot be read one by one");
    ReadJob job = jobOf(path, pool);
    try {
        Ref<Dense> rows = format->read(job, first, count);
        job.needUnchanged();
        return rows;
    } catch (const Error &) {
        job.needUnchanged(); // explains any mistake in the content
        throw;
    }
}

} // namespace daphne::io
