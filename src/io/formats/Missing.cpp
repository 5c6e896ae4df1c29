// SPDX-License-Identifier: Apache-2.0
/// Formats that are known, but whose library was not found when this was built.
#include "io/FormatTable.h"

namespace daphne::io {

void addMissing(FormatTable &t) {
    // "extension:library,extension:library", from the build.
    std::string_view list = DAPHNE_MISSING_FORMATS;
    while (!list.empty()) {
        std::string_view row = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), row.size() + 1));
        size_t colon = row.find(':');
        t.add({.extension = row.substr(0, colon), .title = "not available", .missingLibrary = row.substr(colon + 1)});
    }
}

} // namespace daphne::io
