// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Help.h"

#include <algorithm>
#include <cctype>

#include "base/Error.h"
#include "engine/interactive/Display.h"
#include "engine/interactive/OperandTypes.h"
#include "lang/dsl/Lexer.h"

namespace daphne::engine {

using lang::TokenKind;
using ops::BuiltinInfo, ops::OpInfo, ops::Registry;

Meaning meaningOf(std::string_view name, const Session &session) {
    if (auto variable = session.variables.find(std::string(name)); variable != session.variables.end())
        return {"variable", std::string(name) + " = " + summaryText(variable->second) + "\n", ""};
    Meaning meaning;
    for (const lang::FuncDef *f : session.definitions())
        if (f->name == name) {
            meaning.kind = "function";
            meaning.text += "def " + session.headingOf(*f) + "\n";
            meaning.source += session.sourceOf(*f) + "\n";
        }
    if (meaning.text.empty() && Registry::get().findBuiltin(name))
        meaning = {"builtin", builtinHelp(name), ""};
    return meaning;
}

std::vector<std::string> namesAt(std::string_view text, size_t cursor) {
    size_t end = std::min(cursor, text.size());
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    text = text.substr(0, end);
    lang::Diagnostics ignored;
    std::vector<lang::Token> tokens = lang::tokenize(text, 1, ignored).tokens;
    tokens.pop_back(); // the end
    std::vector<std::string> names;
    auto addIfName = [&](const lang::Token &token) {
        bool isName = token.kind == TokenKind::Identifier;
        if (isName)
            names.emplace_back(text.substr(token.begin, token.end - token.begin));
        return isName;
    };
    if (!tokens.empty() && tokens.back().end == text.size())
        addIfName(tokens.back());
    int closed = 0;
    for (size_t i = tokens.size(); i-- > 1;) {
        closed += tokens[i].kind == TokenKind::RightParen;
        if (tokens[i].kind != TokenKind::LeftParen || (closed > 0 && closed--))
            continue;
        if (addIfName(tokens[i - 1]))
            break;
    }
    return names;
}

bool isParseTimeConstant(const BuiltinInfo &b, size_t i) {
    return (b.hasAxis() && i == 1) || (b.row->parseTimeConstants >> i & 1);
}

size_t numResults(const BuiltinInfo &b) {
    const OpInfo *op = Registry::get().findOp(b.row->op);
    return op ? op->numResults : 1;
}

std::string describeParameter(const BuiltinInfo &b, size_t i) {
    const BuiltinInfo::Param &p = b.params[i];
    std::string text = parameterTypes(b, i);
    if (p.optional)
        text += text.empty() ? "optional" : ", optional";
    if (!p.defaultLiteral.empty())
        text += ", default `" + std::string(p.defaultLiteral) + "`";
    if (isParseTimeConstant(b, i))
        text += ", known before the script runs";
    if (b.variadic && i == b.variadicParam)
        text += ", any number";
    return text;
}

std::string builtinHelp(std::string_view name) {
    const BuiltinInfo *b = Registry::get().findBuiltin(name);
    if (!b)
        return "";
    auto indented = [](std::string_view text) {
        std::string out;
        for (size_t begin = 0; begin < text.size();) {
            size_t end = std::min(text.find('\n', begin), text.size());
            out += "  " + std::string(text.substr(begin, end - begin)) + "\n";
            begin = end + 1;
        }
        return out;
    };
    std::string doc(b->row->doc);
    std::erase(doc, '`');
    std::string out = std::string(b->row->signature) + "\n\n" + indented(doc);
    if (!b->params.empty())
        out += "\n";
    for (size_t i = 0; i < b->params.size(); ++i) {
        std::string about = describeParameter(*b, i);
        std::erase(about, '`');
        out += "  " + std::string(b->params[i].name) + ": " + about + "\n";
    }
    if (size_t n = numResults(*b); n != 1)
        out += n == 0 ? "\n  No result.\n" : "\n  " + std::to_string(n) + " results.\n";
    if (!b->row->example.empty())
        out += "\nexample\n" + indented(b->row->example);
    if (!b->row->expect.empty())
        out += "prints\n" + indented(b->row->expect);
    return out;
}

std::string nearestBuiltin(std::string_view name) {
    std::vector<std::string_view> names;
    for (const BuiltinInfo &b : Registry::get().builtins())
        names.push_back(b.name);
    return nearest(name, names);
}

} // namespace daphne::engine
