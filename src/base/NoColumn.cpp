// SPDX-License-Identifier: Apache-2.0
#include "base/NoColumn.h"

#include <string_view>

namespace daphne {

std::string hintForLabel(const std::string &label, const std::vector<std::string> &known) {
    constexpr size_t kMostLabels = 12;
    if (std::string close = nearest(label, std::vector<std::string_view>(known.begin(), known.end())); !close.empty())
        return "did you mean \"" + close + "\"?";
    if (known.empty() || known.size() > kMostLabels)
        return "";
    std::string list;
    for (const std::string &one : known)
        list += (list.empty() ? "\"" : ", \"") + one + "\"";
    return (known.size() == 1 ? "its column is " : "its columns are ") + list;
}

Error noColumn(Stage stage, const std::string &label, const std::vector<std::string> &known) {
    Error error(stage, "the frame has no column \"" + label + "\"");
    return error.withHint(hintForLabel(label, known));
}

} // namespace daphne
