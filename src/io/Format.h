// SPDX-License-Identifier: Apache-2.0
/// Reading and writing data files. The extension of the file name chooses the
/// format, the file name.meta tells shape and types; without it they are found
/// in the data. Errors have status 3 and name the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"
#include "data/RepresentationPolicy.h"
#include "data/Value.h"

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

/// Which representation the reader of a matrix wants.
struct MatrixRequest {
    bool csr = false; ///< for certain; else as the policy prefers
    RepresentationPolicy policy = {};
};

Value readMatrix(const std::string &path, const MatrixRequest &request = {});
Value readFrame(const std::string &path);
/// Writes a matrix or frame and its metadata file, replacing existing ones as a whole.
void write(const Value &value, const std::string &path);

} // namespace daphne::io
