// SPDX-License-Identifier: Apache-2.0
#include "base/Regex.h"

#include <array>

#include <re2/re2.h>

#include "base/Error.h"

namespace daphne {

namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

re2::RE2::Options options() {
    re2::RE2::Options o;
    o.set_log_errors(false);
    return o;
}

std::string quoted(std::string_view pattern) {
    constexpr size_t kShown = 60;
    return '"' + std::string(pattern.substr(0, kShown)) + (pattern.size() > kShown ? "..." : "") + '"';
}

} // namespace

struct Regex::Compiled {
    explicit Compiled(std::string_view pattern) : expression(piece(pattern), options()) {}
    re2::RE2 expression;
};

Regex::Regex(std::string_view pattern) : compiled(std::make_unique<Compiled>(pattern)) {
    if (!compiled->expression.ok())
        throw executionError(quoted(pattern) + " is no regular expression: " + compiled->expression.error());
}
Regex::~Regex() = default;

std::shared_ptr<const Regex> Regex::of(std::string_view pattern) {
    struct Kept {
        std::string pattern;
        std::shared_ptr<const Regex> regex;
    };
    constexpr size_t kKept = 8;
    thread_local std::array<Kept, kKept> kept;
    thread_local size_t oldest = 0;
    for (const Kept &k : kept)
        if (k.regex && k.pattern == pattern)
            return k.regex;
    auto fresh = std::make_shared<const Regex>(pattern);
    Kept &place = kept[oldest++ % kKept];
    place = {std::string(pattern), std::move(fresh)};
    return place.regex;
}

size_t Regex::numGroups() const { return static_cast<size_t>(compiled->expression.NumberOfCapturingGroups()); }

bool Regex::fitsWhole(std::string_view text) const { return re2::RE2::FullMatch(piece(text), compiled->expression); }

bool Regex::find(std::string_view text, size_t begin, size_t group, std::string_view &found) const {
    std::array<re2::StringPiece, 1> whole;
    std::string_view result;
    if (group == 0) {
        if (!compiled->expression.Match(piece(text), begin, text.size(), re2::RE2::UNANCHORED, whole.data(), 1))
            return false;
        result = {whole[0].data(), whole[0].size()};
    } else {
        std::unique_ptr<re2::StringPiece[]> groups(new re2::StringPiece[group + 1]);
        if (!compiled->expression.Match(piece(text), begin, text.size(), re2::RE2::UNANCHORED, groups.get(),
                                        static_cast<int>(group + 1)))
            return false;
        result = {groups[group].data(), groups[group].size()};
    }
    found = result;
    return true;
}

void Regex::replaceAll(std::string &out, std::string_view text, std::string_view to) const {
    // RE2 writes groups with a backslash.
    std::string rewrite;
    for (size_t i = 0; i < to.size(); ++i) {
        bool isGroup = to[i] == '$' && i + 1 < to.size() && to[i + 1] >= '0' && to[i + 1] <= '9';
        if (isGroup)
            rewrite += '\\';
        else if (to[i] == '\\')
            rewrite += "\\\\";
        else
            rewrite += to[i];
        i += to.substr(i).starts_with("$$");
    }
    size_t before = out.size();
    out += text;
    if (before == 0) {
        re2::RE2::GlobalReplace(&out, compiled->expression, rewrite);
        return;
    }
    std::string replaced(text);
    re2::RE2::GlobalReplace(&replaced, compiled->expression, rewrite);
    out.replace(before, std::string::npos, replaced);
}

void Regex::checkGroup(int64_t group) const {
    if (group < 0 || static_cast<uint64_t>(group) > numGroups())
        throw executionError("there is no group " + std::to_string(group) + ": the pattern " +
                             quoted(compiled->expression.pattern()) + " has " + std::to_string(numGroups()) +
                             (numGroups() == 1 ? " group" : " groups"))
            .withHint("groups are counted from 1; 0 is the whole match");
}

void Regex::checkReplacement(std::string_view to) const {
    for (size_t i = 0; i + 1 < to.size(); ++i) {
        if (to[i] != '$')
            continue;
        ++i;
        if (to[i] >= '0' && to[i] <= '9')
            checkGroup(to[i] - '0');
    }
}

} // namespace daphne
