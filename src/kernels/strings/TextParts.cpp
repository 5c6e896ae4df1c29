// SPDX-License-Identifier: Apache-2.0
/// Lengths and parts of texts, and texts made longer.
#include "base/Utf8.h"
#include "kernels/strings/TextCells.h"

namespace daphne {

namespace {

/// Longest text that padding and repeating make.
constexpr size_t kMaxText = size_t(1) << 31;

bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view withoutBlanksLeft(std::string_view s) {
    size_t n = 0;
    while (n < s.size() && isBlank(s[n]))
        ++n;
    return s.substr(n);
}
std::string_view withoutBlanksRight(std::string_view s) {
    size_t n = s.size();
    while (n > 0 && isBlank(s[n - 1]))
        --n;
    return s.substr(0, n);
}

int64_t strlen(std::string_view s) { return static_cast<int64_t>(numCodePoints(s)); }

void trim(std::string &out, std::string_view s) { out = withoutBlanksLeft(withoutBlanksRight(s)); }
void trimLeft(std::string &out, std::string_view s) { out = withoutBlanksLeft(s); }
void trimRight(std::string &out, std::string_view s) { out = withoutBlanksRight(s); }

void lower(std::string &out, std::string_view s) {
    out = s;
    for (char &c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
void upper(std::string &out, std::string_view s) {
    out = s;
    for (char &c : out)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// [from, to) in bytes of positions in characters, negative ones counted from the end.
void substr(std::string &out, std::string_view s, int64_t from, int64_t to) {
    if (from < 0 || to < 0) {
        auto n = static_cast<int64_t>(numCodePoints(s));
        from = from < 0 ? std::max<int64_t>(0, from < -n ? 0 : from + n) : from;
        to = to < 0 ? (to < -n ? 0 : to + n) : to;
    }
    if (to <= from)
        return;
    size_t begin = skipCodePoints(s, static_cast<size_t>(from));
    out = s.substr(begin, skipCodePoints(s, static_cast<size_t>(to - from), begin) - begin);
}
void substrToEnd(std::string &out, std::string_view s, int64_t from) { substr(out, s, from, INT64_MAX); }

Value substrKernel(KernelCall &call, std::span<const Value> args) {
    return args.size() == 2 ? onCells<&substrToEnd>(call, args) : onCells<&substr>(call, args);
}

/// How many times a piece is to be written until the text has n characters.
size_t missingCharacters(std::string_view name, std::string_view s, int64_t n, std::string_view fill) {
    if (numCodePoints(fill) != 1)
        throw executionError(std::string(name) + ": the third argument must be one character, got \"" +
                             std::string(fill.substr(0, 60)) + "\"");
    size_t have = numCodePoints(s);
    if (n <= 0 || static_cast<size_t>(n) <= have)
        return 0;
    if (static_cast<size_t>(n) > kMaxText)
        throw executionError(std::string(name) + ": a text of " + std::to_string(n) + " characters is too long");
    return static_cast<size_t>(n) - have;
}
void append(std::string &out, std::string_view piece, size_t times) {
    for (size_t i = 0; i < times; ++i)
        out += piece;
}

void padLeft(std::string &out, std::string_view s, int64_t n, std::string_view fill) {
    size_t times = missingCharacters("padLeft", s, n, fill);
    out.reserve(s.size() + times * fill.size());
    append(out, fill, times);
    out += s;
}
void padRight(std::string &out, std::string_view s, int64_t n, std::string_view fill) {
    size_t times = missingCharacters("padRight", s, n, fill);
    out.reserve(s.size() + times * fill.size());
    out += s;
    append(out, fill, times);
}

void repeat(std::string &out, std::string_view s, int64_t n) {
    if (n < 0)
        throw executionError("repeat: a count must not be negative, got " + std::to_string(n));
    if (s.empty())
        return;
    if (static_cast<size_t>(n) > kMaxText / s.size())
        throw executionError("repeat: " + std::to_string(n) + " times " + std::to_string(s.size()) +
                             " bytes are too long for a text");
    out.reserve(s.size() * static_cast<size_t>(n));
    append(out, s, static_cast<size_t>(n));
}

} // namespace

void addTextParts(KernelTable &t) {
    t.add<&onCells<&strlen>>("strlen");
    t.add<&substrKernel>("substr");
    t.add<&onCells<&trim>>("trim");
    t.add<&onCells<&trimLeft>>("trimLeft");
    t.add<&onCells<&trimRight>>("trimRight");
    t.add<&onCells<&lower>>("ewLower");
    t.add<&onCells<&upper>>("ewUpper");
    t.add<&onCells<&padLeft>>("padLeft");
    t.add<&onCells<&padRight>>("padRight");
    t.add<&onCells<&repeat>>("repeat");
}

} // namespace daphne
