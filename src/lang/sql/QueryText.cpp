// SPDX-License-Identifier: Apache-2.0
#include "lang/sql/QueryText.h"

#include <algorithm>

#include "lang/dsl/Lexer.h"

namespace daphne::lang::sql {

QueryText::QueryText(std::string text, SourceSpan literal, SourceManager &sources) : query(std::move(text)) {
    offsets.reserve(query.size() + 1);
    if (literal.known()) {
        std::string_view written = sources.text(literal.fileId).substr(literal.begin, literal.end - literal.begin);
        if (written.starts_with('"') && decodeEscapes(rawString(written)) == query) {
            fileId = literal.fileId;
            // An escape is two bytes of the literal and one of the text.
            uint32_t at = literal.begin + 1;
            for (size_t i = 0; i < query.size(); ++i) {
                offsets.push_back(at);
                at += written[at - literal.begin] == '\\' ? 2 : 1;
            }
            offsets.push_back(at);
            return;
        }
    }
    fileId = sources.add("query", query);
    for (size_t i = 0; i <= query.size(); ++i)
        offsets.push_back(static_cast<uint32_t>(i));
}

SourceSpan QueryText::span(size_t begin, size_t end) const {
    begin = std::min(begin, query.size());
    end = std::min(std::max(begin, end), query.size());
    return {fileId, offsets[begin], offsets[end]};
}

} // namespace daphne::lang::sql
