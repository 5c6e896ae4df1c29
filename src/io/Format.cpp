// SPDX-License-Identifier: Apache-2.0
#include "io/Format.h"

#include <algorithm>
#include <filesystem>

#include "base/Error.h"
#include "base/Progress.h"
#include "base/Utf8.h"
#include "data/NullIndicator.h"
#include "io/FormatTable.h"
#include "io/Metadata.h"
#include "io/NullableColumns.h"
#include "io/files/File.h"

namespace daphne::io {

namespace {

/// Text after the last dot of the file name; "" if there is none.
std::string_view extensionOf(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

/// The function of the format of a file; an error says which formats have it.
template <class Fn> Fn need(Fn Format::*function, const DataPath &path, const std::string &what) {
    const FormatTable &table = FormatTable::get();
    const Format *format = table.find(path.extension);
    Error error = executionError("cannot " + what + " file \"" + path.file + "\": ");
    if (format && !format->missingLibrary.empty()) {
        error.message += "this daphne was built without " + std::string(format->missingLibrary);
        throw error.withHint("install it and build again, or convert the file with another program to one of: .csv, "
                             ".npy, .h5");
    }
    bool compressed = compressionOf(path.file) != Compression::None;
    if (format && format->*function && (format->compressible || !compressed))
        return format->*function;
    std::string possible;
    for (const Format &f : table.all())
        if (f.*function)
            possible += (possible.empty() ? "." : ", .") + std::string(f.extension);
    if (format && compressed && !format->compressible)
        error.message += "." + path.extension + " files cannot be compressed as a whole";
    else if (path.extension.empty())
        error.message += "it has no extension";
    else
        error.message += "extension ." + path.extension + " is not supported";
    throw error.withHint("supported: " + possible);
}

/// Only CSV files have options.
void needCsv(const CsvOptions &options, const DataPath &path) {
    const Format *format = FormatTable::get().find(path.extension);
    if (!options.saysNothing() && format && !format->isCsv)
        throw executionError("file \"" + path.file +
                             "\": header, delimiter, quote, nulls, lenient and digits are "
                             "options of .csv files");
}

ReadJob readJob(const DataPath &path, const ReadRequest &request) {
    if (!fileExists(path.file))
        throw executionError("cannot read file \"" + path.file + "\": it does not exist");
    return ReadJob(path.file, path.part, metadataFor(path), request);
}

/// Strings are UTF-8 without NUL.
void needText(const Dense &m, size_t firstColumn) {
    if (m.type() != ValueType::Str || m.cells() == 0) // there may be very many rows without columns
        return;
    auto cells = m.view<std::string>();
    for (size_t r = 0; r < cells.rows; ++r)
        for (size_t c = 0; c < cells.cols; ++c) {
            const std::string &cell = cells(r, c);
            if (size_t bad = findBadCharacter(cell); bad != cell.npos)
                throw executionError("row " + std::to_string(r) + ", column " + std::to_string(firstColumn + c) + ": " +
                                     badCharacterText(cell[bad]));
        }
}

void needText(const Value &value) {
    if (value.isMatrix() && !value.isCsr())
        return needText(value.dense(), 0);
    if (value.isFrame())
        for (size_t c = 0; c < value.frame().cols(); ++c)
            needText(*value.frame().columns[c], c);
}

/// Reads; errors that do not name the file, such as equal labels, get its name.
Value readNamed(Value (*read)(ReadJob &), const DataPath &path, const ReadRequest &request) {
    ReadJob job = readJob(path, request);
    Progress bar("reading " + path.file, 0);
    try {
        const Format &format = *FormatTable::get().find(path.extension);
        std::optional<InForeignCode> foreign;
        enterLibrary(foreign, format, path.file);
        Value value = read(job);
        foreign.reset();
        job.needUnchanged();
        if (!format.checksStrings)
            needText(value);
        return value;
    } catch (Error &error) {
        job.needUnchanged(); // explains any mistake in the content
        if (error.message.find(path.file) == std::string::npos)
            error.message = "file \"" + path.file + "\": " + error.message;
        throw;
    }
}

/// Of a matrix of all columns, if its type is not said.
ValueType commonTypeOf(const Metadata &header) {
    if (!header.hasSchema())
        return header.valueType;
    ValueType type = header.types[0];
    for (ValueType t : header.types) {
        if (t == ValueType::Unknown || (t == ValueType::Str) != (type == ValueType::Str))
            return ValueType::Unknown;
        type = mostGeneral(type, t);
    }
    return type;
}

FileInfo infoOf(const Metadata &meta, bool wantFrame, const std::string &file) {
    FileInfo info;
    info.frame = wantFrame;
    info.type = meta.matrixType();
    info.rows = static_cast<int64_t>(meta.rows);
    info.cols = static_cast<int64_t>(meta.cols);
    info.sparsity = meta.sparsity();
    try {
        if (wantFrame) {
            info.labels = meta.columnLabels();
            info.types = meta.columnTypes();
            for (size_t c = 0; c < meta.cols; ++c)
                if (meta.isNullable(c)) {
                    info.labels.push_back(indicatorLabel(info.labels[c]));
                    info.types.push_back(ValueType::Bool);
                }
            info.cols = static_cast<int64_t>(info.labels.size());
        }
    } catch (Error &error) {
        error.message = "file \"" + file + "\": " + error.message;
        throw;
    }
    return info;
}

Metadata metadataOf(const Value &value, bool hasNulls) {
    Metadata meta;
    if (value.isMatrix()) {
        meta.rows = value.matrix().rows();
        meta.cols = value.matrix().cols();
        meta.valueType = value.matrix().type();
        return meta;
    }
    const Frame &f = value.frame();
    meta.rows = f.rows();
    if (hasNulls) {
        for (const NullableColumn &column : nullableColumns(f)) {
            meta.labels.push_back(column.label);
            meta.types.push_back(column.cells->type());
            meta.nullable.push_back(bool(column.there));
        }
    } else {
        meta.labels = f.labels;
        for (const auto &column : f.columns)
            meta.types.push_back(column->type());
    }
    meta.cols = meta.labels.size();
    return meta;
}

/// As dense matrices, which is what libraries get.
uint64_t bytesInMemory(const Value &value) {
    if (value.isMatrix())
        return value.matrix().cells() * cellSize(value.matrix().type());
    uint64_t bytes = 0;
    for (const auto &column : value.frame().columns)
        bytes += column->cells() * cellSize(column->type());
    return bytes;
}

/// What a reader did not leave out by itself.
Value withColumns(const Frame &frame, const std::vector<std::string> &labels) {
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t c = 0; c < frame.cols(); ++c)
        if (std::find(labels.begin(), labels.end(), frame.labels[c]) != labels.end())
            result->addColumn(frame.labels[c], frame.columns[c]);
    return result;
}

} // namespace

void enterLibrary(std::optional<InForeignCode> &foreign, const Format &format, const std::string &file) {
    std::error_code problem; // whoever reads it gets the message
    uint64_t bytes = std::filesystem::file_size(file, problem);
    if (problem)
        bytes = 0;
    if (!format.library.empty())
        foreign.emplace("file \"" + file + "\": " + std::string(format.library),
                        format.mayHang ? std::optional(bytes) : std::nullopt);
}

std::optional<Metadata> metadataFor(const DataPath &path) {
    auto meta = path.part.empty() ? readMetadata(path.file) : std::nullopt;
    const Format *format = FormatTable::get().find(path.extension);
    if (!meta || !format || !format->missingLibrary.empty())
        return meta;
    std::string mistake = format->isCsv ? "" : meta->missing();
    if (mistake.empty() && meta->hasNullable() && !format->hasNulls)
        mistake = "a column is nullable, but ." + path.extension + " files have no nulls";
    if (!mistake.empty())
        throw executionError("invalid meta data file \"" + metadataPath(path.file) + "\": " + mistake);
    return meta;
}

bool ReadJob::wantsColumn(const std::string &label) const {
    const auto &wanted = request.columns;
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), label) != wanted.end();
}

DataPath::DataPath(std::string_view name) : file(name) {
    for (const Format &f : FormatTable::get().all()) {
        if (!f.hasParts)
            continue;
        std::string mark = "." + std::string(f.extension) + ":";
        size_t at = name.find(mark);
        if (at == name.npos)
            continue;
        file = name.substr(0, at + mark.size() - 1);
        part = name.substr(at + mark.size());
        break;
    }
    extension = extensionOf(withoutCompression(file));
}

std::optional<FileInfo> inspect(const std::string &name, bool wantFrame) {
    DataPath path(name);
    const Format *format = FormatTable::get().find(path.extension);
    if (!format || (wantFrame ? !format->readFrame : !format->readMatrix))
        return std::nullopt;
    auto meta = metadataFor(path);
    // Labels that are in the file only may have to be read from there.
    bool isComplete = meta && meta->missing().empty() &&
                      !(format->isCsv && wantFrame && meta->csv.header.value_or(false) && !meta->hasSchema());
    if (!format->describe)
        return isComplete ? std::optional(infoOf(*meta, wantFrame, path.file)) : std::nullopt;
    // The shape stands in the file itself; a broken file is reported when it is read.
    try {
        ReadJob job(path.file, path.part, meta, {});
        std::optional<InForeignCode> foreign;
        enterLibrary(foreign, *format, path.file);
        auto header = format->describe(job);
        foreign.reset();
        if (!header)
            return meta ? std::optional(infoOf(*meta, wantFrame, path.file)) : std::nullopt;
        FileInfo info = infoOf(*header, wantFrame, path.file);
        if (!wantFrame)
            info.type = meta ? meta->matrixType() : commonTypeOf(*header);
        return info;
    } catch (const Error &) {
        return std::nullopt;
    }
}

uint64_t bytesToRead(const std::string &name) {
    DataPath path(name);
    std::error_code problem; // whoever reads it gets the message
    uint64_t bytes = std::filesystem::file_size(path.file, problem);
    const Format *format = FormatTable::get().find(path.extension);
    if (problem || !format || !format->otherBytes)
        return problem ? 0 : bytes;
    try {
        ReadJob job(path.file, path.part, std::nullopt, {});
        return bytes + format->otherBytes(job);
    } catch (const Error &) {
        return bytes;
    }
}

Value readMatrix(const std::string &name, const ReadRequest &request) {
    DataPath path(name);
    auto read = need(&Format::readMatrix, path, "read a matrix from");
    needCsv(request.csv, path);
    return readNamed(read, path, request);
}

Value readFrame(const std::string &name, const ReadRequest &request) {
    DataPath path(name);
    auto read = need(&Format::readFrame, path, "read a frame from");
    needCsv(request.csv, path);
    Value value = readNamed(read, path, request);
    return request.columns.empty() ? value : withColumns(value.frame(), request.columns);
}

void write(const Value &value, const std::string &name, const WriteRequest &request) {
    if (!value.isMatrix() && !value.isFrame())
        throw executionError("only matrices and frames can be written to files");
    DataPath path(name);
    auto writeMatrix = value.isMatrix() ? need(&Format::writeMatrix, path, "write a matrix to") : nullptr;
    auto writeFrame = value.isFrame() ? need(&Format::writeFrame, path, "write a frame to") : nullptr;
    needCsv(request.csv, path);
    const Format &format = *FormatTable::get().find(path.extension);
    Progress bar("writing " + path.file, 0);
    FileReplacement data(path.file);
    WriteJob job{data, path.part, request};
    {
        // A part is written into what is there already, which may be damaged.
        std::optional<InForeignCode> foreign;
        enterLibrary(foreign, format, path.file);
        InForeignCode::expect(bytesInMemory(value));
        if (writeMatrix)
            writeMatrix(value.matrix(), job);
        else
            writeFrame(value.frame(), job);
    }
    data.finish();
    if (!path.part.empty())
        return data.commit();
    FileReplacement metaFile(metadataPath(path.file));
    Metadata meta = metadataOf(value, format.hasNulls);
    meta.csv = job.csv;
    metaFile.write(metadataText(meta));
    // Both are complete on the disk before either is put in place, the data first.
    metaFile.finish();
    data.commit();
    if (job.others)
        job.others->keep();
    metaFile.commit();
}

} // namespace daphne::io
