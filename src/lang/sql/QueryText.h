// SPDX-License-Identifier: Apache-2.0
/// The text of a query and where in a source each of its bytes is written, so
/// that messages point into the string literal of the script.
#pragma once

#include <string>
#include <vector>

#include "base/Source.h"

namespace daphne::lang::sql {

class QueryText {
  public:
    /// `literal` is the place of the string literal, if the text comes from one. Otherwise the query becomes a source
    /// of its own, called "query".
    QueryText(std::string text, SourceSpan literal, SourceManager &sources);

    const std::string &text() const { return query; }
    /// Where the bytes [begin, end) are written.
    SourceSpan span(size_t begin, size_t end) const;

  private:
    std::string query;
    uint32_t fileId = 0;
    std::vector<uint32_t> offsets; ///< of every byte in its file, and of the end
};

} // namespace daphne::lang::sql
