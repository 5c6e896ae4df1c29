// SPDX-License-Identifier: Apache-2.0
#include "io/Format.h"

#include "base/Error.h"
#include "io/Csv.h"
#include "io/File.h"
#include "io/MatrixMarket.h"
#include "io/Metadata.h"

namespace daphne::io {

namespace {

using MaybeMetadata = std::optional<Metadata>;

/// One row per format. A null function: not possible.
struct Format {
    std::string_view extension;
    Value (*readMatrix)(const std::string &path, const MaybeMetadata &, const MatrixRequest &) = nullptr;
    Value (*readFrame)(const std::string &path, const MaybeMetadata &) = nullptr;
    void (*writeMatrix)(const Dense &, FileReplacement &) = nullptr;
    void (*writeFrame)(const Frame &, FileReplacement &) = nullptr;
};

Value readMatrixMarketAs(const std::string &path, const MaybeMetadata &meta, const MatrixRequest &request) {
    return readMatrixMarket(path, meta ? meta->matrixType() : ValueType::Unknown, request);
}

/// The file holds every cell; a large matrix that turns out to be sparse is kept as Csr.
Value readCsvMatrixAs(const std::string &path, const MaybeMetadata &meta, const MatrixRequest &request) {
    Value cells = readCsvMatrix(path, meta);
    const Dense &m = cells.dense();
    bool large = request.policy.prefersCsr(m.type(), m.rows(), m.cols(), 0);
    if (large && request.policy.prefersCsr(m.type(), m.rows(), m.cols(), static_cast<double>(countNonZeros(m))))
        return toCsr(m);
    return cells;
}

constexpr Format kFormats[] = {
    {.extension = "csv",
     .readMatrix = readCsvMatrixAs,
     .readFrame = readCsvFrame,
     .writeMatrix = writeCsvMatrix,
     .writeFrame = writeCsvFrame},
    {.extension = "mtx", .readMatrix = readMatrixMarketAs},
};

/// Text after the last dot of the file name; "" if there is none.
std::string_view extensionOf(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

const Format *findFormat(std::string_view path) {
    for (const Format &f : kFormats)
        if (f.extension == extensionOf(path))
            return &f;
    return nullptr;
}

/// The function of the format of a file; an error says which formats have it.
template <class Fn> Fn need(Fn Format::*function, const std::string &path, const std::string &what) {
    const Format *format = findFormat(path);
    if (format && format->*function)
        return format->*function;
    std::string possible;
    for (const Format &f : kFormats)
        if (f.*function)
            possible += (possible.empty() ? "." : ", .") + std::string(f.extension);
    std::string_view extension = extensionOf(path);
    throw executionError(
        "cannot " + what + " file \"" + path + "\": " +
        (extension.empty() ? "it has no extension" : "extension ." + std::string(extension) + " is not supported"))
        .withHint("supported: " + possible);
}

MaybeMetadata metadataForReading(const std::string &path) {
    if (!fileExists(path))
        throw executionError("cannot read file \"" + path + "\": it does not exist");
    return readMetadata(path);
}

} // namespace

std::optional<FileInfo> inspect(const std::string &path, bool wantFrame) {
    const Format *format = findFormat(path);
    if (!format || (wantFrame ? !format->readFrame : !format->readMatrix))
        return std::nullopt;
    auto meta = readMetadata(path);
    FileInfo info;
    info.frame = wantFrame;
    if (meta) {
        info.type = meta->matrixType();
        info.rows = static_cast<int64_t>(meta->rows);
        info.cols = static_cast<int64_t>(meta->cols);
        info.sparsity = meta->sparsity();
        if (wantFrame) {
            info.labels = meta->columnLabels();
            info.types = meta->columnTypes();
        }
    }
    if (format->extension != "mtx")
        return meta ? std::optional(info) : std::nullopt;
    // The shape stands in the file itself; a broken file is reported when it is read.
    try {
        FileText file(path);
        auto header = readMatrixMarketHeader(file.text(), path);
        info.type = meta ? meta->matrixType() : header.valueType();
        info.rows = static_cast<int64_t>(header.rows);
        info.cols = static_cast<int64_t>(header.cols);
        return info;
    } catch (const Error &) {
        return std::nullopt;
    }
}

Value readMatrix(const std::string &path, const MatrixRequest &request) {
    auto read = need(&Format::readMatrix, path, "read a matrix from");
    return read(path, metadataForReading(path), request);
}

Value readFrame(const std::string &path) {
    auto read = need(&Format::readFrame, path, "read a frame from");
    return read(path, metadataForReading(path));
}

void write(const Value &value, const std::string &path) {
    Metadata meta;
    auto writeMatrix = value.isMatrix() ? need(&Format::writeMatrix, path, "write a matrix to") : nullptr;
    auto writeFrame = value.isFrame() ? need(&Format::writeFrame, path, "write a frame to") : nullptr;
    if (!writeMatrix && !writeFrame)
        throw executionError("only matrices and frames can be written to files");
    FileReplacement data(path);
    if (writeMatrix) {
        Ref<Dense> cells = value.isCsr() ? toDense(value.csr()) : value.denseRef();
        const Dense &m = *cells;
        meta.rows = m.rows();
        meta.cols = m.cols();
        meta.valueType = m.type();
        writeMatrix(m, data);
    } else {
        const Frame &f = value.frame();
        meta.rows = f.rows();
        meta.cols = f.cols();
        meta.labels = f.labels;
        for (const auto &column : f.columns)
            meta.types.push_back(column->type());
        writeFrame(f, data);
    }
    FileReplacement metaFile(metadataPath(path));
    metaFile.write(metadataText(meta));
    // Both are complete on disk before either is put in place, the data first.
    data.flush();
    metaFile.flush();
    data.commit();
    metaFile.commit();
}

} // namespace daphne::io
