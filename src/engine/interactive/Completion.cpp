// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Completion.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "lang/dsl/Lexer.h"
#include "ops/Registry.h"

namespace daphne::engine {

namespace {

using lang::TokenKind;

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Those that begin statements and expressions.
const std::vector<std::string> &wordsOfTheLanguage() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        for (auto kind = static_cast<int>(TokenKind::If); kind <= static_cast<int>(TokenKind::Import); ++kind) {
            std::string quoted = lang::describe(static_cast<TokenKind>(kind)); // 'if'
            all.push_back(quoted.substr(1, quoted.size() - 2));
        }
        return all;
    }();
    return words;
}

/// Files and directories that begin with `start`; directories end with '/'.
std::vector<std::string> filesFrom(const std::string &start, const std::string &home) {
    size_t slash = start.rfind('/');
    std::string directory = slash == start.npos ? "" : start.substr(0, slash + 1);
    std::string name = start.substr(directory.size());
    std::string place = directory.empty() ? "." : directory;
    if (place.starts_with("~/") && !home.empty())
        place = home + place.substr(1);
    std::vector<std::string> files;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(place, failed), end; !failed && at != end; at.increment(failed)) {
        std::string file = at->path().filename().string();
        bool isHidden = file.starts_with('.') && !name.starts_with('.');
        if (!file.starts_with(name) || isHidden)
            continue;
        std::error_code unknown;
        files.push_back(directory + file + (at->is_directory(unknown) ? "/" : ""));
    }
    return files;
}

/// The frame that is indexed by what comes behind these tokens: that of the innermost open '[' behind a name.
const Frame *indexedFrame(std::string_view text, const std::vector<lang::Token> &tokens, const KnownNames &names) {
    size_t closed = 0;
    for (size_t i = tokens.size(); i-- > 1;) {
        if (tokens[i].kind == TokenKind::RightBracket)
            ++closed;
        if (tokens[i].kind != TokenKind::LeftBracket || (closed > 0 && closed--))
            continue;
        const lang::Token &base = tokens[i - 1];
        auto variable = names.variables.find(std::string(text.substr(base.begin, base.end - base.begin)));
        bool isFrame = variable != names.variables.end() && variable->second.isFrame();
        return isFrame ? &variable->second.frame() : nullptr;
    }
    return nullptr;
}

Completions inString(std::string_view text, std::vector<lang::Token> tokens, const KnownNames &names) {
    size_t begin = tokens.back().begin + 1;
    std::string start(text.substr(begin));
    tokens.pop_back();
    Completions found{begin, {}};
    if (const Frame *frame = indexedFrame(text, tokens, names)) {
        for (const std::string &label : frame->labels)
            if (label.starts_with(start))
                found.candidates.push_back({label, "column"});
    } else {
        for (std::string &file : filesFrom(start, names.home))
            found.candidates.push_back({std::move(file), "file"});
    }
    std::ranges::sort(found.candidates, {}, &Candidate::text);
    return found;
}

} // namespace

Completions completionsAt(const std::string &text, size_t cursor, const KnownNames &names) {
    std::string_view before = std::string_view(text).substr(0, cursor);
    lang::Diagnostics ignored;
    lang::TokenList read = lang::tokenize(before, 1, ignored);
    read.tokens.pop_back(); // the end
    bool isInString = read.unterminated && !read.tokens.empty() && read.tokens.back().kind == TokenKind::String;
    if (isInString)
        return inString(before, read.tokens, names);
    size_t begin = cursor;
    while (begin > 0 && isWordPart(before[begin - 1]))
        --begin;
    std::string_view word = before.substr(begin);
    bool isToken = !read.tokens.empty() && read.tokens.back().end == cursor; // not so in a comment
    if (word.empty() || !isToken || std::isdigit(static_cast<unsigned char>(word[0])))
        return {};
    std::map<std::string, const char *, std::less<>> fitting; // the first meaning of a name hides others
    auto offer = [&](std::string_view name, const char *kind) {
        if (name.starts_with(word))
            fitting.emplace(name, kind);
    };
    for (const auto &[name, value] : names.variables)
        offer(name, "variable");
    for (const std::string &name : names.functions)
        offer(name, "function");
    for (const ops::BuiltinInfo &b : ops::Registry::get().builtins())
        offer(b.name, "builtin");
    for (std::string_view name : wordsOfTheLanguage())
        offer(name, "word");
    Completions found{begin, {}};
    for (const auto &[name, kind] : fitting)
        found.candidates.push_back({name, kind});
    return found;
}

} // namespace daphne::engine
