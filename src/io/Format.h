// SPDX-License-Identifier: Apache-2.0
/// Reading and writing data files. The extension of the file name chooses the
/// format, the file name.meta tells shape and types; without it they are found
/// in the data. Errors have status 3 and name the file.
///
/// "x.csv.gz" and "x.csv.zst" are compressed; "x.h5:/a/b" is one of several data
/// sets of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "data/RepresentationPolicy.h"
#include "data/Value.h"
#include "io/text/CsvStyle.h"

namespace daphne::sched {
class Pool;
}

namespace daphne::io {

/// What is known of a file before it is read.
struct FileInfo {
    bool frame = false;
    ValueType type = ValueType::Unknown; ///< matrices
    int64_t rows = -1, cols = -1;
    double sparsity = -1;
    std::vector<std::string> labels; ///< frames
    std::vector<ValueType> types;    ///< frames
};

/// From the metadata file or the header of the data file, without reading the data; nothing if neither tells, or if
/// reading will fail anyhow. Throws if the metadata file is invalid.
std::optional<FileInfo> inspect(const std::string &path, bool wantFrame);

/// What was found out about a CSV file.
struct CsvFindings {
    enum class Source : uint8_t { Request, Metadata, Types, Data } headerFrom = Source::Data;
    bool isCsv = false, header = false, byteOrderMark = false;
};

/// What the reader of a file wants.
struct ReadRequest {
    bool csr = false; ///< matrices: for certain; else as the policy prefers
    RepresentationPolicy policy = {};
    sched::Pool *pool = nullptr;  ///< null: on this thread alone
    CsvOptions csv = {};          ///< of CSV files
    CsvFindings *found = nullptr; ///< not null: where it is said what was found out about a CSV file
    /// Frames: labels of the columns that are wanted, those that are not there are left out; none: all columns.
    std::vector<std::string> columns = {};
    /// Frames: columns that have nulls get a null indicator (data/NullIndicator.h), whatever the metadata say.
    bool keepNulls = false;
};

struct WriteRequest {
    sched::Pool *pool = nullptr; ///< null: on this thread alone
    CsvOptions csv = {};
    /// Of blocks of formats that have blocks, and of parts of federated matrices; 0: as the format likes.
    size_t blockRows = 0, blockCols = 0;
    std::vector<std::string> workers = {}; ///< who gets the parts of a federated matrix, in their order; none: nobody
};

/// What reading is about to read, for decisions how; 0 if nobody knows.
uint64_t bytesToRead(const std::string &path);

Value readMatrix(const std::string &path, const ReadRequest &request = {});
Value readFrame(const std::string &path, const ReadRequest &request = {});
/// Writes a matrix or frame and its metadata file, replacing existing ones as a whole, the data first. Where the format
/// has nulls, a column with a null indicator (data/NullIndicator.h) is written with nulls and without the indicator.
void write(const Value &value, const std::string &path, const WriteRequest &request = {});

} // namespace daphne::io
