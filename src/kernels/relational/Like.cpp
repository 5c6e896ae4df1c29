// SPDX-License-Identifier: Apache-2.0
#include "kernels/relational/Like.h"

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"

namespace daphne {

/// Goes back to the last '%' only, as every earlier one can stay as short as it is: at most text * pattern steps.
bool fitsPattern(std::string_view text, std::string_view pattern) {
    size_t t = 0, p = 0, afterPercent = std::string_view::npos, retry = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '%') {
            afterPercent = ++p;
            retry = t;
        } else if (p < pattern.size() && (pattern[p] == '_' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (afterPercent != std::string_view::npos) {
            p = afterPercent;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '%')
        ++p;
    return p == pattern.size();
}

namespace {

Value like(KernelCall &call, const Value &strings, const std::string &pattern) {
    if (strings.isString())
        return Value::scalar<int64_t>(fitsPattern(strings.text(), pattern));
    if (!strings.isMatrix() || strings.valueType() != ValueType::Str)
        wrongArgument(call, 0, "strings");
    // Once per different string.
    auto in = strings.dense().codes();
    std::vector<uint8_t> table(in.dictionary->size());
    for (uint32_t code = 0; code < table.size(); ++code)
        table[code] = fitsPattern((*in.dictionary)[code], pattern);
    auto result = Dense::create(ValueType::SI64, in.view.rows, in.view.cols);
    auto out = result->mutableView<int64_t>();
    for (size_t r : cancellableRows(in.view))
        for (size_t c = 0; c < in.view.cols; ++c)
            out(r, c) = table[in.view(r, c)];
    return result;
}

} // namespace

void addLike(KernelTable &t) { t.add<&like>("like"); }

} // namespace daphne
