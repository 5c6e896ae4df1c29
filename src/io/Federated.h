// SPDX-License-Identifier: Apache-2.0
/// Federated matrices: one matrix in several files, perhaps at several machines.
/// The file x.fed says which, as JSON:
///
///     {"numRows": 8192, "numCols": 3, "valueType": "f64",
///      "parts": [{"file": "a.dbdf", "numRows": 4096, "worker": "host:50000"},
///                {"file": "b.dbdf", "numRows": 4096}]}
///
/// A part begins at "row" (default: where the part before ends) and "col" (0) and
/// has "numRows" and "numCols" (those of the matrix). Parts do not overlap and
/// leave nothing out: one below the other, side by side, or tiles of any shape.
/// Each is a matrix in a file of any other format, named from the directory of
/// x.fed on. "worker" is who should read it in a distributed run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ValueType.h"

namespace daphne::io {

struct FederatedPart {
    size_t row = 0, col = 0, rows = 0, cols = 0;
    std::string file;
    std::string worker; ///< "": anybody
};

struct FederatedMatrix {
    size_t rows = 0, cols = 0;
    ValueType type = ValueType::F64;
    std::vector<FederatedPart> parts;

    /// Every part has all columns, and they stand in the order of their rows.
    bool isCutByRows() const;
};

/// Checks everything that can be known without the parts. Their names get the directory of `path`. Throws Error
/// (status 3).
FederatedMatrix parseFederated(std::string_view text, const std::string &path);
/// Names of files as they stand there.
std::string federatedText(const FederatedMatrix &matrix);

/// The directory for the parts of a federated matrix that is being written, beside its file x.fed: x.fed.parts1, or the
/// first higher number that is free. It vanishes with its content unless keep() is called: when the new x.fed is in
/// place. Then the parts of the former one go, if they lie in such a directory.
class PartsDirectory {
  public:
    explicit PartsDirectory(const std::string &target);
    ~PartsDirectory();
    PartsDirectory(const PartsDirectory &) = delete;
    PartsDirectory &operator=(const PartsDirectory &) = delete;
    void keep();
    const std::string &path() const { return directory; }
    /// Without the directory it lies in.
    std::string name() const;

  private:
    std::string directory;
    std::vector<std::string> former; ///< parts
    bool isKept = false;
};

} // namespace daphne::io
