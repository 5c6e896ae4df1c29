// SPDX-License-Identifier: Apache-2.0
/// The file formats. Each is one file of src/io/formats that registers a row
/// here: its extension and what it can do. Everything common to all formats
/// (extensions, metadata files, atomic replacement, compression) is done by
/// their caller, Format.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/Error.h"
#include "base/ForeignCode.h"
#include "data/Value.h"
#include "io/Federated.h"
#include "io/Format.h"
#include "io/Metadata.h"
#include "io/files/File.h"

namespace daphne::io {

/// One file to be read.
class ReadJob {
  public:
    ReadJob(std::string path, std::string part, std::optional<Metadata> meta, ReadRequest request)
        : path(std::move(path)), part(std::move(part)), meta(std::move(meta)), request(std::move(request)) {}
    /// The content, decompressed; read at the first call.
    const FileText &file();
    std::string_view text() { return file().text(); }
    /// Throws if the file has become shorter since it was opened.
    void needUnchanged() const {
        if (opened)
            opened->needUnchanged();
    }
    /// "file "x.csv": what".
    Error error(const std::string &what) const;
    /// Whether a column of a frame is wanted. Readers may leave out others; where all lie together, as in text, their
    /// mistakes are found all the same.
    bool wantsColumn(const std::string &label) const;
    /// Whether a column is to have an indicator of its nulls (data/NullIndicator.h), behind all columns of the file.
    bool keepsNulls(size_t column) const { return request.keepNulls || (meta && meta->isNullable(column)); }
    /// The value type the metadata name for a matrix, Unknown if there are none.
    ValueType wantedType() const { return meta ? meta->matrixType() : ValueType::Unknown; }

    const std::string path;
    const std::string part; ///< the data set inside of the file; "" for the only one
    const std::optional<Metadata> meta;
    const ReadRequest request;

  private:
    std::unique_ptr<FileText> opened;
};

/// One file to be written.
struct WriteJob {
    FileReplacement &file;
    std::string part;
    WriteRequest request;
    CsvOptions csv = {}; ///< what the metadata are to say of it
    /// Where a writer has put other files that belong to it: they stay if the file gets to its place.
    std::unique_ptr<PartsDirectory> others = nullptr;
};

struct WholeInfo;
struct SparseRows;

/// A null function: not possible.
struct Format {
    std::string_view extension;
    std::string_view title; ///< "MatrixMarket"
    /// Shape and types from the header of the data alone; null or nothing: they are not there.
    std::optional<Metadata> (*describe)(ReadJob &) = nullptr;
    Value (*readMatrix)(ReadJob &) = nullptr;
    Value (*readFrame)(ReadJob &) = nullptr;
    void (*writeMatrix)(const Matrix &, WriteJob &) = nullptr;
    void (*writeFrame)(const Frame &, WriteJob &) = nullptr;
    /// Rows one by one, and matrices that are read as a whole for some of their rows: Rows.h.
    std::optional<Metadata> (*describeRows)(ReadJob &) = nullptr;
    Ref<Dense> (*readRows)(ReadJob &, size_t first, size_t count) = nullptr;
    std::optional<WholeInfo> (*describeWhole)(ReadJob &) = nullptr;
    Ref<Csr> (*readSparseRows)(ReadJob &, const SparseRows &) = nullptr;
    uint64_t (*otherBytes)(ReadJob &) = nullptr; ///< of files that are read with it
    bool hasParts = false;                       ///< "file.ext:name" is one of several data sets
    bool compressible = true;                    ///< .gz and .zst
    bool hasNulls = false;                       ///< cells of frames can be null
    bool isCsv = false;                          ///< there are options; what metadata leave out is found in the data
    std::string_view library{};                  ///< whose code reads the files, if it is not ours
    bool mayHang = false;                        ///< it may find no end in a damaged file
    bool checksStrings = false;                  ///< that they are UTF-8 without NUL; otherwise the caller does it
    std::string_view missingLibrary{};           ///< not null: the format is known, but this build cannot do it
};

class FormatTable {
  public:
    static const FormatTable &get();
    void add(const Format &format) { rows.push_back(format); }
    const Format *find(std::string_view extension) const;
    const std::vector<Format> &all() const { return rows; }

  private:
    std::vector<Format> rows;
};

struct DataPath;

/// From here on a library works on the file, if the format has one.
void enterLibrary(std::optional<InForeignCode> &foreign, const Format &format, const std::string &file);

/// What the metadata file says of a whole file, nothing of its parts. Throws if that is not what the format needs.
std::optional<Metadata> metadataFor(const DataPath &path);

/// The matrix itself, or a dense one with the same cells.
Ref<Dense> denseOf(const Matrix &m);

/// A file name taken apart.
struct DataPath {
    std::string file; ///< with .gz or .zst
    std::string part;
    std::string extension; ///< without them; "" if there is none
    explicit DataPath(std::string_view name);
};

} // namespace daphne::io
