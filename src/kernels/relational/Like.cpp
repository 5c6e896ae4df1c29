// SPDX-License-Identifier: Apache-2.0
/// Patterns of SQL: '%' stands for any text, '_' for any one byte, everything
/// else for itself; letter case counts.
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

/// Goes back to the last '%' only, as every earlier one can stay as short as it is: at most text * pattern steps.
bool fits(std::string_view text, std::string_view pattern) {
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

Value like(KernelCall &call, const Value &strings, const std::string &pattern) {
    if (strings.isString())
        return Value::scalar<int64_t>(fits(strings.text(), pattern));
    if (!strings.isMatrix() || strings.valueType() != ValueType::Str)
        wrongArgument(call, 0, "strings");
    auto in = strings.dense().view<std::string>();
    auto result = Dense::create(ValueType::SI64, in.rows, in.cols);
    auto out = result->mutableView<int64_t>();
    for (size_t r = 0; r < in.rows; ++r)
        for (size_t c = 0; c < in.cols; ++c)
            out(r, c) = fits(in(r, c), pattern);
    return result;
}

} // namespace

void addLike(KernelTable &t) { t.add<&like>("like"); }

} // namespace daphne
