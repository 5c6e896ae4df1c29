// SPDX-License-Identifier: Apache-2.0
#include "base/Source.h"

#include <algorithm>

namespace daphne {

SourceSpan SourceSpan::join(SourceSpan a, SourceSpan b) {
    if (!a.known() || a.fileId != b.fileId)
        return a.known() ? a : b;
    return {a.fileId, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

uint32_t SourceManager::add(std::string name, std::string text) {
    std::vector<uint32_t> starts{0};
    for (size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1))
        starts.push_back(static_cast<uint32_t>(i + 1));
    files.push_back({std::move(name), std::move(text), std::move(starts)});
    return static_cast<uint32_t>(files.size());
}

LineColumn SourceManager::position(uint32_t fileId, uint32_t offset) const {
    const auto &starts = lineStarts(fileId);
    auto it = std::upper_bound(starts.begin(), starts.end(), offset);
    auto line = static_cast<uint32_t>(it - starts.begin());
    return {line, offset - starts[line - 1] + 1};
}

std::string_view SourceManager::line(uint32_t fileId, uint32_t line) const {
    const auto &starts = lineStarts(fileId);
    std::string_view all = text(fileId);
    size_t begin = starts[line - 1];
    size_t end = line < starts.size() ? starts[line] - 1 : all.size();
    if (end > begin && all[end - 1] == '\r')
        --end;
    return all.substr(begin, end - begin);
}

} // namespace daphne
