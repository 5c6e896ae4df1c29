// SPDX-License-Identifier: Apache-2.0
/// Texts in texts: finding, replacing, cutting into parts.
#include "base/Cancellable.h"
#include "base/Utf8.h"
#include "kernels/strings/TextCells.h"

namespace daphne {

namespace {

void needText(std::string_view name, std::string_view sought) {
    if (sought.empty())
        throw executionError(std::string(name) + ": the text to look for is empty")
            .withHint("chars(s) gives the characters of a string");
}

int64_t find(std::string_view s, std::string_view t, int64_t from) {
    if (from < 0) {
        auto n = static_cast<int64_t>(numCodePoints(s));
        from = from < -n ? 0 : from + n;
    }
    size_t begin = skipCodePoints(s, static_cast<size_t>(from));
    // Behind the end there is not even the empty text.
    if (begin == s.size() && static_cast<size_t>(from) > numCodePoints(s))
        return -1;
    size_t at = s.find(t, begin);
    return at == s.npos ? -1 : static_cast<int64_t>(numCodePoints(s.substr(0, at)));
}

bool contains(std::string_view s, std::string_view t) { return s.find(t) != s.npos; }
bool startsWith(std::string_view s, std::string_view t) { return s.starts_with(t); }
bool endsWith(std::string_view s, std::string_view t) { return s.ends_with(t); }

void strReplace(std::string &out, std::string_view s, std::string_view old, std::string_view to) {
    needText("strReplace", old);
    size_t done = 0;
    for (size_t at = s.find(old); at != s.npos; at = s.find(old, done)) {
        out += s.substr(done, at - done);
        out += to;
        done = at + old.size();
    }
    out += s.substr(done);
}

/// Calls f(part) for every part between separators, until it returns false.
template <class F> void forEachPart(std::string_view s, std::string_view separator, F &&f) {
    size_t begin = 0;
    while (true) {
        size_t end = s.find(separator, begin);
        if (!f(s.substr(begin, end == s.npos ? s.npos : end - begin)) || end == s.npos)
            return;
        begin = end + separator.size();
    }
}

void splitPart(std::string &out, std::string_view s, std::string_view separator, int64_t k) {
    needText("splitPart", separator);
    if (k < 0) {
        int64_t parts = 0;
        forEachPart(s, separator, [&](std::string_view) { return ++parts, true; });
        if (k < -parts)
            return;
        k += parts;
    }
    forEachPart(s, separator, [&](std::string_view part) {
        if (k-- > 0)
            return true;
        out = part;
        return false;
    });
}

// -------------------------------------------------------------- whole strings

Value columnOf(const std::vector<std::string_view> &parts) {
    auto column = Dense::create(ValueType::Str, parts.size(), 1);
    std::string *out = column->mutableView<std::string>().data;
    for (size_t i : cancellable(parts.size()))
        out[i] = parts[i];
    return column;
}

Value split(KernelCall &, const std::string &s, const std::string &separator) {
    needText("split", separator);
    std::vector<std::string_view> parts;
    CancelCountdown look;
    forEachPart(s, separator, [&](std::string_view part) {
        look.after(1 + part.size() / 16);
        return parts.push_back(part), true;
    });
    return columnOf(parts);
}

Value regexSplit(KernelCall &, const std::string &s, const std::string &pattern) {
    auto regex = Regex::of(pattern);
    std::string_view text = s, found;
    std::vector<std::string_view> parts;
    size_t begin = 0, next = 0;
    CancelCountdown look;
    while (next <= text.size() && regex->find(text, next, 0, found)) {
        look.after(1 + found.size());
        auto at = static_cast<size_t>(found.data() - text.data());
        if (found.empty()) { // nothing cannot separate anything
            next = at < text.size() ? skipCodePoints(text, 1, at) : text.size() + 1;
            continue;
        }
        parts.push_back(text.substr(begin, at - begin));
        begin = next = at + found.size();
    }
    parts.push_back(text.substr(begin));
    return columnOf(parts);
}

Value chars(KernelCall &, const std::string &s) {
    std::string_view text = s;
    std::vector<std::string_view> parts;
    CancelCountdown look;
    for (size_t at = 0; at < text.size(); look.after(1)) {
        size_t end = skipCodePoints(text, 1, at);
        parts.push_back(text.substr(at, end - at));
        at = end;
    }
    return columnOf(parts);
}

Value join(KernelCall &call, const Value &, const std::string &separator) {
    Value cells = cellsOfArgument(call, 0);
    if (!cells.isMatrix() || cells.valueType() != ValueType::Str)
        wrongArgument(call, 0, "a matrix or a column of strings");
    auto texts = cells.dense().view<std::string>();
    std::string out;
    for (size_t r : cancellableRows(texts))
        for (size_t c = 0; c < texts.cols; ++c) {
            if (r + c > 0)
                out += separator;
            out += texts(r, c);
        }
    return Value::string(std::move(out));
}

// --------------------------------------------------------- regular expressions

bool regexMatch(std::string_view s, const Regex &regex) { return regex.fitsWhole(s); }

void regexFind(std::string &out, std::string_view s, const Regex &regex, int64_t group) {
    regex.checkGroup(group);
    std::string_view found;
    if (regex.find(s, 0, static_cast<size_t>(group), found))
        out = found;
}

void regexReplace(std::string &out, std::string_view s, const Regex &regex, std::string_view to) {
    regex.checkReplacement(to);
    regex.replaceAll(out, s, to);
}

} // namespace

void addTextSearch(KernelTable &t) {
    t.add<&onCells<&find>>("find");
    t.add<&onCells<&contains>>("contains");
    t.add<&onCells<&startsWith>>("startsWith");
    t.add<&onCells<&endsWith>>("endsWith");
    t.add<&onCells<&strReplace>>("strReplace");
    t.add<&onCells<&splitPart>>("splitPart");
    t.add<&split>("split");
    t.add<&join>("join");
    t.add<&chars>("chars");
    t.add<&onCells<&regexMatch>>("regexMatch");
    t.add<&onCells<&regexFind>>("regexFind");
    t.add<&onCells<&regexReplace>>("regexReplace");
    t.add<&regexSplit>("regexSplit");
}

} // namespace daphne
