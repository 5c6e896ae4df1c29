// SPDX-License-Identifier: Apache-2.0
/// The formats of libdaphne_arrow. A file is opened by reading its description, and
/// read for some of its columns. Only the files of this directory know Arrow C++.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>

namespace daphne::arrowfiles {

/// A file whose description has been read.
class OpenFile {
  public:
    virtual ~OpenFile() = default;
    virtual std::shared_ptr<arrow::Schema> schema() const = 0;
    virtual int64_t rows() const = 0;               ///< -1: only reading tells
    virtual int64_t nulls(size_t column) const = 0; ///< -1: only reading tells
    /// The batches of some columns, which are ascending.
    virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int> &columns,
                                                                          bool threads) = 0;
};

arrow::Result<std::unique_ptr<OpenFile>> openParquet(const std::string &path);
/// Files that end with a directory of batches (also Feather of version 2), or plain streams of them.
arrow::Result<std::unique_ptr<OpenFile>> openIpc(const std::string &path);

} // namespace daphne::arrowfiles
